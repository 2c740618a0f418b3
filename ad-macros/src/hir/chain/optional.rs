//! Closures that return an `Option`, as `filter_map` and `scan` want them: their code for `Some` and `None`, without
//! making either.

use proc_macro2::{Ident, Span};

use crate::hir::matches::Subject;
use crate::hir::parse::Parser;
use crate::hir::{Block, Expr, ExprKind, Scope, Stmt};
use crate::paths::ends_in;

/// The code that uses the payload of `Some`.
pub(super) type Payload<'a> = dyn FnMut(&mut Parser, Expr, &mut Vec<Stmt>) + 'a;

impl Parser {
    /// `match option { Some(item) => sink(item), None => none }`, where `none` leaves a scope, if there is one.
    pub(super) fn each_payload(
        &mut self,
        option: Expr,
        out: &mut Vec<Stmt>,
        none: Option<Scope>,
        sink: &mut Payload<'_>,
    ) {
        let span = option.span;
        let written = match &option.kind {
            ExprKind::Struct { path, fields, .. } => fields.len() == 1 && is(path, "Some"),
            ExprKind::Path(path) => is(&path.path, "None"),
            ExprKind::Block(block, None) => block.value.is_some(),
            ExprKind::If { other, .. } => other.is_some(),
            _ => false,
        };
        if !written {
            return self.matched_payload(option, out, none, sink);
        }
        match option.kind {
            ExprKind::Struct { mut fields, .. } => {
                if let Some((_, item)) = fields.pop() {
                    sink(self, item, out);
                }
            }
            ExprKind::Path(_) => {
                if let Some(scope) = none {
                    out.push(self.leave(scope, span));
                }
            }
            ExprKind::Block(
                Block {
                    stmts,
                    value: Some(value),
                    ..
                },
                None,
            ) => {
                out.extend(stmts);
                self.each_payload(*value, out, none, sink);
            }
            ExprKind::If {
                cond,
                then,
                other: Some(other),
            } => {
                let [then, other] = [then, other].map(|block| {
                    let mut stmts = Vec::new();
                    let value = self.node(ExprKind::Block(block, None), span);
                    self.each_payload(value, &mut stmts, none, sink);
                    stmts
                });
                out.push(self.choose(*cond, then, other));
            }
            _ => {}
        }
    }

    /// The same for an `Option` that is only known when it is there.
    fn matched_payload(
        &mut self,
        option: Expr,
        out: &mut Vec<Stmt>,
        none: Option<Scope>,
        sink: &mut Payload<'_>,
    ) {
        let span = option.span;
        let subject = Subject::One(self.held("option", option, out));
        let pat: syn::Pat = syn::parse_quote!(::core::option::Option::Some(payload));
        let cond = self.condition(&subject, &pat);
        let (mut then, payload) = self.scoped(|parser| {
            let stmts = parser.bindings(&subject, &pat);
            (stmts, parser.lookup("payload"))
        });
        if let Some(var) = payload {
            let data = &mut self.vars[var.0 as usize];
            data.ident = Ident::new("payload", span.resolved_at(Span::mixed_site()));
            data.synthetic = true;
            self.fixed.insert(var);
            let item = self.read(var, span);
            sink(self, item, &mut then);
        }
        let none = none.map(|scope| self.leave(scope, span));
        match cond {
            Some(cond) => out.push(self.choose(cond, then, none.into_iter().collect())),
            None => out.extend(then),
        }
    }
}

fn is(path: &syn::Path, name: &str) -> bool {
    ends_in(path, name)
}

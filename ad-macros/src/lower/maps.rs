//! `receiver.map(f)`: what it is, once types are known. Runs first.
//!
//! ```text
//! Input:  array.map(f)
//! Output: collect of a loop over the elements, with the closure's body
//! ```
//!
//! ```text
//! Input:  option.map(f), option.and_then(f), option.map_or(x, f), option.unwrap_or_else(f)
//! Output: match option { Some(v) => Some(f(v)), None => None }, and so on, with the closure's body
//! ```
//!
//! Any other `map` is a method like others. What nothing mentions any more goes.

use std::collections::HashSet;

use proc_macro2::Span;

use crate::hir::{
    Access, Block, Code, Elements, Expr, ExprKind, Func, Head, MapCall, Mention, Outcome, Pat,
    Stmt, Var, Verbatim, drop_unused,
};
use crate::types::{Type, Types};

pub(super) fn resolve(func: &mut Func, types: &mut Types) {
    let droppable = std::mem::take(&mut func.droppable);
    let span = func.body.span;
    let mut body = std::mem::replace(&mut func.body, block(Vec::new(), None, span));
    let mut maker = Maker { func, types };
    body.each_expr_mut(&mut |expr| inside(expr, &mut maker, &droppable));
    drop_unused(&mut body, &droppable);
    func.body = body;
}

fn inside(expr: &mut Expr, maker: &mut Maker<'_>, droppable: &HashSet<Var>) {
    expr.each_child_mut(&mut |child| inside(child, maker, droppable));
    if !matches!(expr.kind, ExprKind::Map { .. }) {
        return;
    }
    let ExprKind::Map { method, pat, body } = std::mem::replace(&mut expr.kind, ExprKind::Unit)
    else {
        crate::diagnostics::bug!("not a `map`")
    };
    let types = &mut *maker.types;
    let own = types.expr(method.receiver.id).peeled().clone();
    let by_value = !matches!(types.expr(method.receiver.id), Type::Ref(..));
    expr.kind = if let (Type::Option(item), true) = (&own, by_value) {
        if mentions_any(&method.f, droppable) {
            expr.source = None;
        }
        let (item, result) = ((**item).clone(), maker.types.expr(expr.id).clone());
        maker.option(*method, pat, body, &own, item, result)
    } else if matches!(own, Type::Array(..)) && method.name == "map" {
        // Behind a reference, `map` takes a copy.
        let (span, source) = (method.receiver.span, None);
        let kind = match types.expr(method.receiver.id) {
            Type::Ref(..) => ExprKind::Deref(Box::new(method.receiver)),
            _ => method.receiver.kind,
        };
        let id = types.new_expr(own);
        let of = Expr {
            id,
            kind,
            span,
            source,
        };
        let head = Head::Elements {
            of: Box::new(of),
            access: Elements::Own,
        };
        let head = Box::new(head);
        // The source calls closures that may be gone.
        if mentions_any(&method.f, droppable) {
            expr.source = None;
        }
        ExprKind::Collect { pat, head, body }
    } else {
        ExprKind::Method {
            receiver: Box::new(method.receiver),
            name: method.name,
            turbofish: None,
            args: method.default.into_iter().chain([method.f]).collect(),
        }
    };
}

/// Makes expressions and variables of known type.
struct Maker<'a> {
    func: &'a mut Func,
    types: &'a mut Types,
}

impl Maker<'_> {
    fn node(&mut self, kind: ExprKind, ty: Type, span: Span) -> Expr {
        let id = self.types.new_expr(ty);
        let source = None;
        Expr {
            id,
            kind,
            span,
            source,
        }
    }

    /// ```text
    /// Input:  option.map_or(x, |v| body)
    /// Output: { let default = x; let subject = option; if subject is Some { let Some(v) = subject; body } else { default } }
    /// ```
    fn option(
        &mut self,
        method: MapCall,
        pat: Pat,
        body: Block,
        own: &Type,
        item: Type,
        result: Type,
    ) -> ExprKind {
        let span = method.name.span();
        let name = method.name.to_string();
        let subject = self.variable("subject", own.clone(), span);
        let mut stmts = vec![Stmt::bind(Pat::name(subject), method.receiver, span)];
        let default = method.default.map(|default| {
            let ty = self.types.expr(default.id).clone();
            let var = self.variable("default", ty.clone(), span);
            stmts.push(Stmt::bind(Pat::name(var), default, span));
            self.node(ExprKind::Var(var), ty, span)
        });
        let thunk = name == "unwrap_or_else";
        let (some, none) = if thunk {
            let value = self.variable("value", item.clone(), span);
            let found = self.node(ExprKind::Var(value), item, span);
            let present = block(Vec::new(), Some(found), span);
            (
                self.present(subject, own, Pat::name(value), present, span),
                body,
            )
        } else {
            let body = if name == "map" {
                self.wrapped(body, &result, span)
            } else {
                body
            };
            let absent = default.unwrap_or_else(|| {
                let none = syn::parse_quote!(::core::option::Option::None);
                self.node(ExprKind::Path(none), result.clone(), span)
            });
            let none = block(Vec::new(), Some(absent), span);
            (self.present(subject, own, pat, body, span), none)
        };
        let verbatim = Verbatim {
            mentions: vec![Mention {
                var: subject,
                access: Access::Read,
            }],
            inspects: true,
            outcome: Outcome::Bool,
            why: (String::new(), String::new()),
            code: Code::Matches(Box::new(syn::parse_quote!(::core::option::Option::Some(_)))),
        };
        let cond = self.node(ExprKind::Verbatim(Box::new(verbatim)), Type::Bool, span);
        let branch = ExprKind::If {
            cond: Box::new(cond),
            then: some,
            other: Some(none),
        };
        let branch = self.node(branch, result, span);
        ExprKind::Block(block(stmts, Some(branch), span), None)
    }

    /// `{ let Some(pat) = subject; body }`.
    fn present(&mut self, subject: Var, own: &Type, pat: Pat, body: Block, span: Span) -> Block {
        let found = Pat::Variant {
            path: some(),
            fields: vec![(syn::Member::from(0), pat)],
        };
        let subject = self.node(ExprKind::Var(subject), own.clone(), span);
        let mut stmts = vec![Stmt::bind(found, subject, span)];
        stmts.extend(body.stmts);
        Block { stmts, ..body }
    }

    /// `Some(body)`.
    fn wrapped(&mut self, body: Block, result: &Type, span: Span) -> Block {
        let ty = match result {
            Type::Option(inner) => (**inner).clone(),
            _ => Type::Deferred,
        };
        let body = self.node(ExprKind::Block(body, None), ty, span);
        let kind = ExprKind::Struct {
            path: some(),
            variant: true,
            fields: vec![(syn::Member::from(0), body)],
            base: None,
        };
        let value = self.node(kind, result.clone(), span);
        block(Vec::new(), Some(value), span)
    }

    fn variable(&mut self, name: &str, ty: Type, span: Span) -> Var {
        self.types.new_var(ty);
        self.func.new_var(name, span, false)
    }
}

fn some() -> syn::Path {
    syn::parse_quote!(::core::option::Option::Some)
}

fn block(stmts: Vec<Stmt>, value: Option<Expr>, span: Span) -> Block {
    let value = value.map(Box::new);
    Block { stmts, value, span }
}

fn mentions_any(expr: &Expr, vars: &HashSet<Var>) -> bool {
    let mut found = false;
    expr.walk(&mut |e| match &e.kind {
        ExprKind::Var(var) => found |= vars.contains(var),
        ExprKind::Verbatim(code) => found |= code.mentions.iter().any(|m| vars.contains(&m.var)),
        _ => {}
    });
    found
}

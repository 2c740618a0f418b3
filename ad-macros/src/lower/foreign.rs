//! Loops over iterators that only rustc knows, and that nothing differentiated is in: they are stepped.
//!
//! ```text
//! Input:  for pat in text.chars() { body }
//! Output: let mut iterator = text.chars().into_iter();
//!         loop { let item = iterator.next(); if item is Some { let Some(pat) = item; body } else { break; } }
//! ```
//!
//! ```text
//! Input:  for (v, pat) in x.iter().zip(text.chars()) { body }
//! Output: let mut iterator = text.chars().into_iter();
//!         for v in x.iter() { let item = iterator.next(); if item is Some { let Some(pat) = item; body } else { break; } }
//! ```
//!
//! Where nothing differentiated is in the body either, the loop stays as it is.

use std::rc::Rc;

use proc_macro2::Span;

use super::activity::{self, Activity};
use super::maker::{Maker, statements, variant};
use crate::hir::{
    Access, Block, Code, Expr, ExprKind, Func, Head, Mention, Outcome, Pat, Scope, Stmt, Var,
    Verbatim,
};
use crate::types::keyed::{keyed, part_of};
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let mut any = false;
    func.body
        .walk(&mut |expr| any |= foreign(expr, types).is_some());
    if !any {
        return;
    }
    let activity = activity::analyze(func, types);
    let span = func.body.span;
    let mut body = std::mem::replace(&mut func.body, statements(Vec::new(), span));
    let maker = Maker { func, types };
    let mut stepper = Stepper { maker, activity };
    body.each_expr_mut(&mut |expr| stepper.inside(expr));
    func.body = body;
}

/// The iterator of a loop that is of unknown type.
fn foreign<'a>(expr: &'a Expr, types: &Types) -> Option<&'a Expr> {
    let ExprKind::For { head, pat, .. } = &expr.kind else {
        return None;
    };
    match (&**head, pat) {
        (Head::Other(of), _) => unknown(of, types),
        (Head::Zip(_, other), Pat::Tuple { elems, rest: None }) if elems.len() == 2 => {
            match &**other {
                Head::Other(of) => unknown(of, types),
                _ => None,
            }
        }
        _ => None,
    }
}

fn unknown<'a>(of: &'a Expr, types: &Types) -> Option<&'a Expr> {
    let of_map = part_of(of).is_some_and(|(map, _)| keyed(types.expr(map.id)).is_some());
    (!of_map && of.source.is_some()).then_some(of)
}

struct Stepper<'a> {
    maker: Maker<'a>,
    activity: Activity,
}

impl Stepper<'_> {
    fn inside(&mut self, expr: &mut Expr) {
        let active = |e: &Expr| self.activity.touches(e, self.maker.types);
        let steps = foreign(expr, self.maker.types).is_some_and(|of| !active(of) && active(expr));
        expr.each_child_mut(&mut |child| self.inside(child));
        if !steps {
            return;
        }
        let span = expr.span;
        let ExprKind::For {
            scope,
            pat,
            head,
            body,
            ..
        } = std::mem::replace(&mut expr.kind, ExprKind::Unit)
        else {
            crate::diagnostics::bug!("not a loop")
        };
        let (of, item, beside) = match (*head, pat) {
            (Head::Other(of), pat) => (of, pat, None),
            (Head::Zip(first, other), Pat::Tuple { mut elems, .. }) => {
                match (*other, elems.pop()) {
                    (Head::Other(of), Some(item)) => (of, item, elems.pop().zip(Some(first))),
                    _ => crate::diagnostics::bug!("not an iterator"),
                }
            }
            _ => crate::diagnostics::bug!("not an iterator"),
        };
        let (iterator, bound) = self.maker.iterator(*of, span);
        let body = self.maker.step(iterator, item, body, scope, span);
        let stepped = match beside {
            None => ExprKind::Loop {
                scope,
                body,
                stop: None,
                is_while: false,
            },
            Some((pat, head)) => ExprKind::For {
                scope,
                pat,
                head,
                body,
                stop: None,
            },
        };
        let stepped = self.maker.node(stepped, Type::Unit, span);
        let block = statements(vec![bound, Stmt::Expr(stepped)], span);
        expr.kind = ExprKind::Block(block, None);
        expr.source = None;
    }
}

impl Maker<'_> {
    /// `let mut iterator = of.into_iter();`.
    fn iterator(&mut self, of: Expr, span: Span) -> (Var, Stmt) {
        let iterator = self.variable("iterator", Type::Deferred, true, span);
        let path: syn::ExprPath = syn::parse_quote!(::core::iter::IntoIterator::into_iter);
        let source = of.source.as_ref();
        let source = source.map(|of| Rc::new(syn::parse_quote!(#path(#of))));
        let args = vec![of];
        let mut call = self.node(ExprKind::Call { path, args }, Type::Deferred, span);
        call.source = source;
        (iterator, Stmt::bind(Pat::name(iterator), call, span))
    }

    /// The body of a loop that asks for the next item itself.
    fn step(&mut self, iterator: Var, item: Pat, body: Block, scope: Scope, span: Span) -> Block {
        let ident = self.func.var(iterator).ident.clone();
        let next = Code::Expr(Rc::new(
            syn::parse_quote!(::core::iter::Iterator::next(&mut #ident)),
        ));
        let ty = Type::Option(Type::Deferred.into());
        let next = self.verbatim(next, (iterator, Access::Write), Outcome::Unknown, ty, span);
        let subject = self.variable("item", self.types.expr(next.id).clone(), false, span);
        let some: syn::Path = syn::parse_quote!(::core::option::Option::Some);
        let is_some = Code::Matches(Box::new(syn::parse_quote!(#some(_))));
        let cond = self.verbatim(
            is_some,
            (subject, Access::Read),
            Outcome::Bool,
            Type::Bool,
            span,
        );
        let read = self.read(subject, span);
        let mut stmts = vec![Stmt::bind(variant(some, item), read, span)];
        stmts.extend(body.stmts);
        stmts.extend(body.value.map(|value| Stmt::Expr(*value)));
        let leave = self.node(ExprKind::Break(scope, None), Type::Never, span);
        let branch = ExprKind::If {
            cond: Box::new(cond),
            then: statements(stmts, body.span),
            other: Some(statements(vec![Stmt::Expr(leave)], span)),
        };
        let branch = self.node(branch, Type::Unit, span);
        let bound = Stmt::bind(Pat::name(subject), next, span);
        statements(vec![bound, Stmt::Expr(branch)], span)
    }

    fn verbatim(
        &mut self,
        code: Code,
        (var, access): (Var, Access),
        outcome: Outcome,
        ty: Type,
        span: Span,
    ) -> Expr {
        let verbatim = Verbatim {
            mentions: vec![Mention { var, access }],
            inspects: outcome == Outcome::Bool,
            outcome,
            why: (String::new(), String::new()),
            code,
        };
        self.node(ExprKind::Verbatim(Box::new(verbatim)), ty, span)
    }
}

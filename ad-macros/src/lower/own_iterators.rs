//! `table.iter()` of a constant of the user's own type, which is a method of that type.
//!
//! ```text
//! Input:  for t in mesh.iter() { .. }      (the elements of `mesh`)
//! Output: for t in mesh.iter() { .. }      (an iterator of a type that only rustc can resolve)
//! ```
//! So is `mesh.iter().rev()`.

use proc_macro2::{Ident, Span};

use super::activity;
use super::maker::Maker;
use super::stepping::written;
use crate::hir::{Elements, Expr, ExprKind, Func, Head};
use crate::types::keyed::keyed;
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let mut any = false;
    func.body.walk(&mut |expr| {
        let (ExprKind::For { head, .. } | ExprKind::Collect { head, .. }) = &expr.kind else {
            return;
        };
        head.each_source(&mut |source| any |= own(source, types).is_some());
    });
    if !any {
        return;
    }
    let activity = activity::analyze(func, types);
    let mut body = func.take_body();
    let mut maker = Maker { func, types };
    body.each_expr_mut(&mut |expr| {
        inside(expr, &mut |head| {
            head.each_source_mut(&mut |source| {
                if let Some(of) = own(source, maker.types)
                    && !activity.touches(of, maker.types)
                {
                    let of = of.clone();
                    *source = Head::Other(Box::new(called(&mut maker, of, "iter")));
                }
            });
            adapted(head, &mut maker);
        });
    });
    func.body = body;
}

fn inside(expr: &mut Expr, f: &mut dyn FnMut(&mut Head)) {
    expr.each_child_mut(&mut |child| inside(child, f));
    if let ExprKind::For { head, .. } | ExprKind::Collect { head, .. } = &mut expr.kind {
        f(head);
    }
}

/// `of.name()`, as code.
fn called(maker: &mut Maker<'_>, of: Expr, name: &str) -> Expr {
    let (span, receiver) = (of.span, of.source.clone());
    let method = Ident::new(name, span.resolved_at(Span::mixed_site()));
    let code = syn::parse_quote_spanned!(span=> #receiver.#method());
    let call = maker.method(of, name, Vec::new(), Type::Deferred, span);
    written(call, code)
}

/// Makes one iterator of it and its adapters.
fn adapted(head: &mut Head, maker: &mut Maker<'_>) {
    let inner = match head {
        Head::Zip(a, b) => {
            adapted(a, maker);
            return adapted(b, maker);
        }
        Head::Enumerate(inner) => return adapted(inner, maker),
        Head::Rev(inner) => inner,
        _ => return,
    };
    adapted(inner, maker);
    let of = match &**inner {
        Head::Other(of) if is_iter(of) => (**of).clone(),
        Head::Enumerate(counted) => match &**counted {
            Head::Other(of) if is_iter(of) => called(maker, (**of).clone(), "enumerate"),
            _ => return,
        },
        _ => return,
    };
    *head = Head::Other(Box::new(called(maker, of, "rev")));
}

/// Returns `true` if it comes from a method `iter`.
fn is_iter(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Method { name, .. } if name == "iter" => true,
        ExprKind::Method { receiver, .. } => is_iter(receiver),
        _ => false,
    }
}

/// The receiver of `.iter()`, if that may be a method of its own type.
fn own<'h>(source: &'h Head, types: &Types) -> Option<&'h Expr> {
    let Head::Elements {
        of,
        access: Elements::Shared,
    } = source
    else {
        return None;
    };
    let ty = types.expr(of.id);
    let named = matches!(ty.peeled(), Type::Named(_) | Type::Inactive(_));
    (named && keyed(ty).is_none() && of.source.is_some()).then_some(of)
}

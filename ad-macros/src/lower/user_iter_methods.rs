//! `table.iter()` of a constant of the user's own type, which is a method of that type.
//!
//! ```text
//! Input:  for t in mesh.iter() { .. }      (the elements of `mesh`)
//! Output: for t in mesh.iter() { .. }      (an iterator of a type that only rustc can resolve)
//! ```
//! So is `mesh.iter().rev()`.

use proc_macro2::{Ident, Span};

use super::activity;
use super::hir_builder::HirBuilder;
use super::stepping::written;
use crate::hir::{Elements, Expr, ExprKind, Func, Iterable};
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
    let mut maker = HirBuilder { func, types };
    body.each_expr_mut(&mut |expr| {
        rewrite_expr(expr, &mut |head| {
            head.each_source_mut(&mut |source| {
                if let Some(of) = own(source, maker.types)
                    && !activity.touches(of, maker.types)
                {
                    let of = of.clone();
                    *source = Iterable::Unknown(Box::new(called(&mut maker, of, "iter")));
                }
            });
            adapted(head, &mut maker);
        });
    });
    func.body = body;
}

fn rewrite_expr(expr: &mut Expr, f: &mut dyn FnMut(&mut Iterable)) {
    expr.each_child_mut(&mut |child| rewrite_expr(child, f));
    if let ExprKind::For { head, .. } | ExprKind::Collect { head, .. } = &mut expr.kind {
        f(head);
    }
}

/// `of.name()`, as code.
fn called(maker: &mut HirBuilder<'_>, of: Expr, name: &str) -> Expr {
    let (span, receiver) = (of.span, of.source.clone());
    let method = Ident::new(name, span.resolved_at(Span::mixed_site()));
    let code = syn::parse_quote_spanned!(span=> #receiver.#method());
    let call = maker.method(of, name, Vec::new(), Type::Deferred, span);
    written(call, code)
}

/// Makes one iterator of it and its adapters.
fn adapted(head: &mut Iterable, maker: &mut HirBuilder<'_>) {
    let inner = match head {
        Iterable::Zip(a, b) => {
            adapted(a, maker);
            return adapted(b, maker);
        }
        Iterable::Enumerate(inner) => return adapted(inner, maker),
        Iterable::Rev(inner) => inner,
        _ => return,
    };
    adapted(inner, maker);
    let of = match &**inner {
        Iterable::Unknown(of) if is_iter(of) => (**of).clone(),
        Iterable::Enumerate(counted) => match &**counted {
            Iterable::Unknown(of) if is_iter(of) => called(maker, (**of).clone(), "enumerate"),
            _ => return,
        },
        _ => return,
    };
    *head = Iterable::Unknown(Box::new(called(maker, of, "rev")));
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
fn own<'h>(source: &'h Iterable, types: &Types) -> Option<&'h Expr> {
    let Iterable::Elements {
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

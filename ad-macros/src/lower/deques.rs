//! A list as a `VecDeque`, and the other way round.
//!
//! ```text
//! Input:  VecDeque::from(list), list.into()
//! Output: list.into_deque()
//! ```
//!
//! ```text
//! Input:  Vec::from(deque), deque.into()
//! Output: deque.into_list()
//! ```

use super::hir_builder::HirBuilder;
use crate::hir::{Expr, ExprKind};
use crate::types::{Type, Types};

pub(super) fn rewrite(expr: &mut Expr, maker: &mut HirBuilder<'_>) {
    let Some(list) = converted(expr, maker.types) else {
        return;
    };
    let from = maker.types.expr(list.id).clone();
    let to = match maker.types.expr(expr.id) {
        Type::Deque(_) => "into_deque",
        _ => "into_list",
    };
    let ty = maker.types.expr(expr.id).clone();
    let mut list = list.clone();
    if let Type::Array(elem, _) = from {
        let whole = Type::Vec(elem);
        list = maker.method(list, "to_vec", Vec::new(), whole, expr.span);
    }
    expr.kind = maker.method(list, to, Vec::new(), ty, expr.span).kind;
}

/// The list that an expression converts to another kind of list, if it does.
fn converted<'a>(expr: &'a Expr, types: &Types) -> Option<&'a Expr> {
    let list = match &expr.kind {
        ExprKind::Call { path, args } if is_from(path) => args.first(),
        ExprKind::Method {
            receiver,
            name,
            args,
            ..
        } if name == "into" && args.is_empty() => Some(&**receiver),
        _ => None,
    }?;
    let by_value = matches!(
        types.expr(list.id),
        Type::Vec(_) | Type::Array(..) | Type::Deque(_) | Type::Deferred
    );
    let fits = match types.expr(expr.id) {
        Type::Deque(_) => true,
        Type::Vec(_) | Type::Deferred => matches!(types.expr(list.id), Type::Deque(_)),
        _ => false,
    };
    (by_value && fits).then_some(list)
}

/// `VecDeque::from` and `Vec::from`.
fn is_from(path: &syn::ExprPath) -> bool {
    let mut names = path.path.segments.iter().rev().map(|name| &name.ident);
    match (names.next(), names.next()) {
        (Some(last), Some(list)) => last == "from" && (list == "VecDeque" || list == "Vec"),
        _ => false,
    }
}

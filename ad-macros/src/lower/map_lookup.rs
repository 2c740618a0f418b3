//! A lookup by a reference is one in a map, also where only rustc can resolve the type that is looked up in: a field.
//!
//! ```text
//! Input:  model.index[&key]
//! Output: model.index.get(&key).unwrap().clone()
//! ```
//!
//! ```text
//! Input:  *model.index.get(&key).unwrap()
//! Output: model.index.get(&key).unwrap().clone()
//! ```
//!
//! Methods without rules return values without a tangent, which rustc checks.

use super::hir_builder::HirBuilder;
use crate::hir::{Expr, ExprKind};
use crate::std_model::{UNWRAPS, does};
use crate::types::{Type, Types};

pub(super) fn rewrite(expr: &mut Expr, maker: &mut HirBuilder<'_>) {
    let span = expr.span;
    let found = match &expr.kind {
        ExprKind::Index(map, key) if is_key(key) && is_unknown(map, maker.types) => {
            let (map, key) = ((**map).clone(), (**key).clone());
            let found = maker.method(map, "get", vec![key], Type::Deferred, span);
            maker.method(found, "unwrap", Vec::new(), Type::Deferred, span)
        }
        ExprKind::Deref(found) if is_found(found, maker.types) => (**found).clone(),
        _ => return,
    };
    let ty = maker.types.expr(expr.id).clone();
    expr.kind = maker.method(found, "clone", Vec::new(), ty, span).kind;
}

fn is_key(key: &Expr) -> bool {
    matches!(key.kind, ExprKind::Ref(false, _))
}

fn is_unknown(map: &Expr, types: &Types) -> bool {
    matches!(types.expr(map.id).peeled(), Type::Deferred)
}

/// `map.get(&key).unwrap()`.
fn is_found(found: &Expr, types: &Types) -> bool {
    let (ExprKind::Method { receiver, name, .. }, Type::Deferred) =
        (&found.kind, types.expr(found.id))
    else {
        return false;
    };
    let Some((map, get, args)) = receiver.as_method() else {
        return false;
    };
    let unwraps = does(&name.to_string(), UNWRAPS);
    unwraps && get == "get" && args.iter().all(is_key) && is_unknown(map, types)
}

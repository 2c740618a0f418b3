//! Arrays of the elements of slices.
//!
//! ```text
//! Input:  let a: [f64; 3] = x[..3].try_into().unwrap();
//! Output: let a = { let mut array = [0.0; 3]; array.copy_from_slice(&x[..3]); array };
//! ```

use super::hir_builder::HirBuilder;
use crate::hir::{Block, Expr, ExprKind, Pat, Stmt};
use crate::std_model::{UNWRAPS, does};
use crate::types::Type;

pub(super) fn rewrite(expr: &mut Expr, maker: &mut HirBuilder<'_>) {
    if !is_array_of_floats(maker.types.expr(expr.id)) {
        return;
    }
    let Some(list) = converted(expr) else {
        return;
    };
    if maker.types.expr(list.id).element().is_none() {
        return;
    }
    let span = list.span;
    let list = std::mem::replace(list, maker.unit(span));
    expr.kind = ExprKind::Block(maker.array_of(list, expr), None);
}

fn is_array_of_floats(ty: &Type) -> bool {
    matches!(ty, Type::Array(elem, _) if matches!(**elem, Type::F32 | Type::F64))
}

/// The list in `list.try_into().unwrap()`, or with `expect`.
fn converted(expr: &mut Expr) -> Option<&mut Expr> {
    let ExprKind::Method { receiver, name, .. } = &mut expr.kind else {
        return None;
    };
    if !does(&name.to_string(), UNWRAPS) {
        return None;
    }
    match &mut receiver.kind {
        ExprKind::Method {
            receiver: list,
            name,
            ..
        } if name == "try_into" => Some(list),
        _ => None,
    }
}

impl HirBuilder<'_> {
    fn array_of(&mut self, list: Expr, whole: &Expr) -> Block {
        let span = whole.span;
        let ty = self.types.expr(whole.id).clone();
        let Type::Array(elem, len) = &ty else {
            crate::diagnostics::bug!("no array")
        };
        let zero = ExprKind::Float("0.0".to_owned(), None);
        let zero = self.node(zero, (**elem).clone(), span);
        let zeros = ExprKind::Repeat(Box::new(zero), len.clone());
        let zeros = self.node(zeros, ty.clone(), span);
        let array = self.variable("array", ty, true, span);
        let (target, from) = (self.read(array, span), self.shared(list));
        let fill = self.method(target, "copy_from_slice", vec![from], Type::Unit, span);
        let stmts = vec![Stmt::bind(Pat::name(array), zeros, span), Stmt::Expr(fill)];
        let value = Some(Box::new(self.read(array, span)));
        Block { stmts, value, span }
    }

    /// `&list`, unless it is a reference already.
    fn shared(&mut self, list: Expr) -> Expr {
        let (ty, span) = (self.types.expr(list.id).clone(), list.span);
        if matches!(ty, Type::Ref(..)) {
            return list;
        }
        let kind = ExprKind::Ref(false, Box::new(list));
        self.node(kind, Type::Ref(false, ty.into()), span)
    }
}

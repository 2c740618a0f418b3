//! Numbers of a type parameter that is bounded by `Real`: `T::from_f64(2.0)`, `T::zero()`, `T::PI()`, `x.to_f64()`.

use proc_macro2::Span;
use quote::ToTokens;

use super::builder::{Lowered, Lowerer};
use crate::hir::{Expr, ExprKind};
use crate::ir::{Const, OpKind, Ty, UnaryOp, Value};

impl Lowerer<'_> {
    /// A number made by an associated function of `T: Real`: a constant, or a cast.
    pub(super) fn real_number(
        &mut self,
        expr: &Expr,
        name: &str,
        args: &[Expr],
    ) -> Lowered<Option<Value>> {
        let (ty, span) = (self.ty(expr).lower(), expr.span);
        let number = match (name, args) {
            ("zero", []) => Const::Float("0.0".into()),
            ("one", []) => Const::Float("1.0".into()),
            ("from_f64", [arg]) if literal(arg).is_some() => {
                Const::Float(literal(arg).unwrap_or_default())
            }
            ("from_f64" | "from_f32" | "from_usize" | "from_i32", [arg]) => {
                let value = self.operand(arg)?;
                if !self.out.ty(value).is_scalar() {
                    return self.reject(
                        arg,
                        "the type of this number isn't known here",
                        "bind it with its type: `let x: f64 = ...;`",
                    );
                }
                return Ok(Some(self.converted(value, ty, span)));
            }
            (_, []) => match &expr.source {
                Some(source) => Const::Expr(source.to_token_stream()),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(self.constant(number, ty, span)))
    }

    /// A scalar as one of another type.
    pub(super) fn converted(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        match (self.out.ty(value), &ty) {
            (Ty::F64, Ty::F64) | (Ty::F32, Ty::F32) => value,
            (Ty::Real(from), Ty::Real(to)) if from == to => value,
            _ => self.emit(OpKind::Cast(value), ty, "t", span),
        }
    }
}

/// The digits of a literal.
fn literal(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Float(digits, _) => Some(digits.clone()),
        ExprKind::Unary(UnaryOp::Neg, inner) => match &inner.kind {
            ExprKind::Float(digits, _) => Some(format!("-{digits}")),
            _ => None,
        },
        _ => None,
    }
}

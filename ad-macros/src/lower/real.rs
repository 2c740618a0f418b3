//! Numbers of a type parameter that is bounded by `Real`: `T::from_f64(2.0)`, `T::zero()`, `T::PI()`, `x.to_f64()`.

use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote};

use super::builder::{Lowered, Lowerer};
use crate::enclosing::lists;
use crate::hir::{Expr, ExprKind};
use crate::ir::{Const, OpKind, Ty, Value};
use crate::types::scalar_item;

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
            ("from_f64" | "from_f32" | "from_usize" | "from_i32", [arg]) => {
                let value = self.number(arg)?;
                return Ok(Some(self.converted(value, ty, span)));
            }
            // Another trait of its bounds may have a function of that name.
            (_, []) => match (&ty, &expr.source) {
                (Ty::Real(of), _) if is_constant(name) => {
                    let name = Ident::new(name, span);
                    Const::Expr(quote!(<#of as __rt::RealConstants>::#name()))
                }
                (_, Some(source)) => Const::Expr(source.to_token_stream()),
                (_, None) => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(self.constant(number, ty, span)))
    }

    /// The number in `T::from(x)`, `T::from_f64(x)` and `x.to_f64()` of `num_traits`, which return an `Option`. There always is one.
    pub(super) fn conversion(&mut self, expr: &Expr) -> Lowered<Option<Value>> {
        let hidden = &self.hir.hidden_types;
        let (arg, to) = match &expr.kind {
            ExprKind::Call { path, args, .. } => match (scalar_item(path, hidden), &args[..]) {
                (Some((own, name)), [arg])
                    if hidden.is_fallible(&own)
                        && (name == "from" || name.starts_with("from_"))
                        && self.ty(arg).is_scalar() =>
                {
                    (arg, own.lower())
                }
                _ => return Ok(None),
            },
            ExprKind::Method { receiver, name, .. }
                if name == "to_f64" && hidden.is_fallible(self.ty(receiver).peeled()) =>
            {
                (&**receiver, Ty::F64)
            }
            _ => return Ok(None),
        };
        let value = self.number(arg)?;
        Ok(Some(self.converted(value, to, expr.span)))
    }

    /// A scalar of a known type.
    pub(super) fn number(&mut self, arg: &Expr) -> Lowered<Value> {
        let value = self.operand(arg)?;
        if !self.out.ty(value).is_scalar() {
            return self.reject(
                arg,
                "the type of this number isn't known here",
                "bind it with its type: `let x: f64 = ...;`",
            );
        }
        Ok(value)
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

/// A number of the runtime's trait.
fn is_constant(name: &str) -> bool {
    const LIMITS: &str = "epsilon infinity max_value min_positive_value min_value nan neg_infinity";
    lists(LIMITS, name) || name.chars().all(|c| !c.is_lowercase())
}

//! Methods of known floats.

use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};

use super::builder::{Lowered, Lowerer};
use super::method::called;
use crate::hir::Expr;
use crate::ir::{OpKind, Ty, Use, Value};
use crate::std_model::{self, Arg, Gives, Of};
use crate::types::methods;

impl Lowerer<'_> {
    /// `receiver.name(args)`, or `f64::name(receiver, args)`.
    pub(super) fn math(
        &mut self,
        expr: &Expr,
        name: &str,
        receiver: &Expr,
        args: &[Expr],
    ) -> Lowered<Value> {
        let span = expr.span;
        let Some(method) = std_model::called(Of::Float, name, args.len()) else {
            return self.unknown_float_method(expr, name, receiver, args);
        };
        if name == "to_f64" {
            return match self.conversion(expr)? {
                Some(value) => Ok(self.some(value, "converted", span)),
                None => {
                    let value = self.operand(receiver)?;
                    Ok(self.converted(value, Ty::F64, span))
                }
            };
        }
        let mut values = vec![self.operand(receiver)?];
        let own = self.out.ty(values[0]).clone();
        for (arg, wanted) in args.iter().zip(method.args) {
            let value = self.operand(arg)?;
            values.push(match (self.out.ty(value), wanted) {
                (ty, _) if ty.is_scalar() => value,
                (_, Arg::I32) => self.ascribed(value, Ty::Int("i32"), arg.span),
                (_, Arg::Item) if method.gives == Gives::Own && !self.touches(arg) => {
                    self.ascribed(value, own.clone(), arg.span)
                }
                _ => {
                    return self.reject(
                        arg,
                        "the type of this argument isn't known",
                        "bind it with its type before: `let x: f64 = ..`",
                    );
                }
            });
        }
        match method.gives {
            Gives::Own => Ok(self.emit(OpKind::Math(method.name, values), own, "t", span)),
            Gives::Pair => {
                let parts = self.sin_cos(values[0], span);
                let ty = Ty::Tuple(vec![own.clone(), own]);
                Ok(self.emit(OpKind::Tuple(parts.to_vec()), ty, "sin_cos", span))
            }
            _ => {
                let by_ref = name.ends_with("_cmp");
                let ty = self.ty(expr).lower();
                Ok(self.on_values(name, &values, by_ref, ty, span))
            }
        }
    }

    pub(super) fn sin_cos(&mut self, x: Value, span: Span) -> [Value; 2] {
        let ty = self.out.ty(x).clone();
        let sin = self.emit(OpKind::Math("sin", vec![x]), ty.clone(), "sin", span);
        let cos = self.emit(OpKind::Math("cos", vec![x]), ty, "cos", span);
        [sin, cos]
    }

    /// A value without a tangent, whose type only rustc knows, as one of the type that rustc demands of it.
    fn ascribed(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        let ident = Ident::new("v", Span::mixed_site());
        let code = OpKind::code(quote!(#ident), vec![Use::Value(ident, value)]);
        self.emit(code, ty, "t", span)
    }

    /// A method with no derivative, called verbatim on values.
    pub(super) fn on_values(
        &mut self,
        name: &str,
        values: &[Value],
        by_ref: bool,
        ty: Ty,
        span: Span,
    ) -> Value {
        let idents: Vec<Ident> = (0..values.len())
            .map(|k| format_ident!("v{k}", span = Span::mixed_site()))
            .collect();
        let method = Ident::new(name, span);
        let real = values.first().map(|v| self.out.ty(*v));
        let real = matches!(real, Some(Ty::Real(_))) && name != "partial_cmp";
        let tokens = match idents.split_first() {
            // Another trait of its bounds may have a method of that name.
            Some(_) if real && by_ref => quote!(__rt::RealConstants::#method(#(&#idents),*)),
            Some(_) if real => quote!(__rt::RealConstants::#method(#(#idents),*)),
            Some((receiver, args)) if by_ref => quote!(#receiver.#method(#(&#args),*)),
            Some((receiver, args)) => quote!(#receiver.#method(#(#args),*)),
            None => quote!(()),
        };
        let uses = idents
            .into_iter()
            .zip(values)
            .map(|(ident, v)| Use::Value(ident, *v))
            .collect();
        self.emit(OpKind::code(tokens, uses), ty, "t", span)
    }

    fn unknown_float_method(
        &mut self,
        expr: &Expr,
        name: &str,
        receiver: &Expr,
        args: &[Expr],
    ) -> Lowered<Value> {
        let touched = self.touches(receiver) || args.iter().any(|a| self.touches(a));
        if !touched && self.can_be_verbatim(expr) {
            return self.opaque_value(expr);
        }
        if std_model::of_floats(name) {
            return self.reject(
                called(expr),
                format!("the method `{name}` of floats takes another number of arguments"),
                "see its documentation in std",
            );
        }
        if name == "into" {
            return self.reject(
                called(expr),
                "the type that `into` converts a number to is not known here",
                "write the type that it becomes, `f64::from(x)` or `Complex64::from(x)`, or give the result a name and its type: \
                 `let y: f64 = x.into();`; of a `Box` or an `Option`, write `Box::new(x)` or `Some(x)`",
            );
        }
        let written = receiver.root().is_some_and(|root| self.writable(root));
        if methods::is_underived(name) || written {
            return self.reject(
                called(expr),
                format!("the method `{name}` of floats has no known derivative"),
                if methods::is_underived(name) {
                    "write a `#[differentiable]` function for it, or `stop_gradient(...)` if its derivative is zero"
                } else {
                    "of a `#[differentiable]` trait, call it on what isn't `mut`: `let y = x;`, since the method may write to it"
                },
            );
        }
        self.trait_method(expr, receiver)
    }
}

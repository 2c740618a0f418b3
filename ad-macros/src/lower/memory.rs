//! Methods of slices, arrays and `Vec`, and `core::mem`.

use proc_macro2::Span;
use quote::quote;

use super::branch::{by_mut, of_mem};
use super::builder::{Flow, Lowered, Lowerer};
use crate::hir::{Expr, ExprKind, Var};
use crate::ir::{BinaryOp, Const, OpKind, Place, Proj, Ty, Use, Value};
use crate::types::Type;

impl Lowerer<'_> {
    /// A method of a known slice, array or `Vec`; `None` if it isn't one that becomes operations.
    pub(super) fn slice_method(
        &mut self,
        expr: &Expr,
        receiver: &Expr,
        name: &str,
        args: &[Expr],
    ) -> Lowered<Option<Flow>> {
        let span = expr.span;
        let flow = match (name, args) {
            ("len", []) => {
                let place = self.reference_or_place(receiver)?;
                Flow::Value(self.len(&place, span))
            }
            ("is_empty", []) => {
                let place = self.reference_or_place(receiver)?;
                let len = self.len(&place, span);
                let zero = self.index_constant(0, span);
                let empty = OpKind::Binary(BinaryOp::Eq, len, zero);
                Flow::Value(self.emit(empty, Ty::Bool, "empty", span))
            }
            ("to_vec" | "clone" | "to_owned", []) => {
                let place = self.reference_or_place(receiver)?;
                let ty = self.ty(expr).lower();
                // A `Vec` of an array's elements is one of the slice of all of them.
                let place = match ty {
                    Ty::Vec(_) if name == "to_vec" => place.extended(&[Proj::Range(None, None)]),
                    _ => place,
                };
                Flow::Value(self.emit(OpKind::CloneOf(place), ty, "copy", span))
            }
            ("swap", [i, j]) if self.ty(receiver).element().is_some_and(Type::is_scalar) => {
                let place = self.reference_or_place(receiver)?;
                let (i, j) = (self.value(i)?, self.value(j)?);
                let element = self.ty(receiver).any_element().lower();
                let [a, b] = [i, j].map(|k| place.extended(&[Proj::Index(k)]));
                self.swap(a, b, element, span)
            }
            ("fill", [value]) => {
                let place = self.reference_or_place(receiver)?;
                let value = self.value(value)?;
                if !self.out.ty(value).is_scalar() {
                    return Ok(None);
                }
                let len = self.len(&place, span);
                self.each_index(len, span, |lowerer, k| {
                    let target = place.extended(&[Proj::Index(k)]);
                    lowerer.effect(OpKind::Store(target, value), span);
                    Ok(())
                })?
            }
            ("copy_from_slice" | "clone_from_slice", [from]) => {
                let to = self.reference_or_place(receiver)?;
                let from = self.reference_or_place(from)?;
                self.copy_from(&to, &from, receiver, span)?
            }
            _ => return Ok(None),
        };
        Ok(Some(flow))
    }

    /// Swaps two scalars.
    fn swap(&mut self, a: Place, b: Place, ty: Ty, span: Span) -> Flow {
        let x = self.emit(OpKind::Load(a.clone()), ty.clone(), "t", span);
        let y = self.emit(OpKind::Load(b.clone()), ty, "t", span);
        self.effect(OpKind::Store(a, y), span);
        self.effect(OpKind::Store(b, x), span);
        Flow::Unit
    }

    /// Element by element. Where the lengths differ, std panics before anything is written, and so does this.
    fn copy_from(
        &mut self,
        to: &Place,
        from: &Place,
        receiver: &Expr,
        span: Span,
    ) -> Lowered<Flow> {
        let element = self.ty(receiver).any_element().lower();
        let (len, other) = (self.len(to, span), self.len(from, span));
        let same = self.emit(
            OpKind::Binary(BinaryOp::Eq, len, other),
            Ty::Bool,
            "same",
            span,
        );
        let ident = self.private("same");
        let text = "copy_from_slice: source slice length does not match destination slice length";
        let tokens = quote!(::core::assert!(#ident, #text));
        let uses = vec![Use::Value(ident, same)];
        self.effect(OpKind::code(tokens, uses), span);
        self.each_index(len, span, |lowerer, k| {
            let source = from.extended(&[Proj::Index(k)]);
            let read = if element.is_scalar() {
                OpKind::Load(source)
            } else {
                OpKind::CloneOf(source)
            };
            let value = lowerer.emit(read, element.clone(), "t", span);
            lowerer.effect(OpKind::Store(to.extended(&[Proj::Index(k)]), value), span);
            Ok(())
        })
    }

    /// `core::mem::{swap, replace, take}`; `None` for any other path.
    pub(super) fn memory_function(
        &mut self,
        expr: &Expr,
        path: &syn::ExprPath,
        args: &[Expr],
    ) -> Lowered<Option<Flow>> {
        let Some(name) = of_mem(path) else {
            return Ok(None);
        };
        let span = expr.span;
        if self.taken_reference(expr)?.is_some() {
            return Ok(Some(Flow::Unit));
        }
        let flow = match (name.as_str(), args) {
            ("swap", [a, b]) => {
                let ty = self.ty(a).peeled().lower();
                if let (Some(a), Some(b)) = (by_mut(a), by_mut(b))
                    && self.swap_bindings(a, b)
                {
                    return Ok(Some(Flow::Unit));
                }
                let (a, b) = (self.reference(a)?, self.reference(b)?);
                if !ty.is_scalar() {
                    self.effect(OpKind::Swap(a, b), span);
                    return Ok(Some(Flow::Unit));
                }
                self.swap(a, b, ty, span)
            }
            ("replace", [place, value]) => {
                let ty = self.ty(place).peeled().lower();
                let place = self.reference(place)?;
                let value = self.value(value)?;
                Flow::Value(self.replace(place, value, ty, span))
            }
            ("take", [place]) => {
                let ty = self.ty(place).peeled().lower();
                let place = self.reference(place)?;
                let empty = self.default_of(&place, &ty, span);
                Flow::Value(self.replace(place, empty, ty, span))
            }
            _ => return Ok(None),
        };
        Ok(Some(flow))
    }

    /// `core::mem::take(&mut slice)` and `core::mem::replace(&mut slice, other)` of a variable that holds a reference: its old target.
    pub(super) fn taken_reference(&mut self, call: &Expr) -> Lowered<Option<Place>> {
        let ExprKind::Call { path, args } = &call.kind else {
            return Ok(None);
        };
        let (Some(name), Some(var)) = (of_mem(path), args.first().and_then(by_mut)) else {
            return Ok(None);
        };
        let Type::Ref(_, inner) = self.types.var(var) else {
            return Ok(None);
        };
        if self.holds_reference(var) {
            return Ok(None);
        }
        let Some(place) = self.place_of(var, call.span)? else {
            return Ok(None);
        };
        let other = match (name.as_str(), &args[1..]) {
            ("take", []) if matches!(**inner, Type::Slice(_)) => {
                let zero = self.index_constant(0, call.span);
                place.extended(&[Proj::Range(Some(zero), Some(zero))])
            }
            ("replace", [other]) => self.reference(other)?,
            _ => return Ok(None),
        };
        self.bind_reference(var, other);
        Ok(Some(place))
    }

    /// `Default::default()`, of the type of a place's content.
    fn default_of(&mut self, place: &Place, ty: &Ty, span: Span) -> Value {
        let kind = match ty {
            Ty::F32 | Ty::F64 => OpKind::Const(Const::Float("0.0".into())),
            Ty::Int(_) => OpKind::Const(Const::Int("0".into())),
            Ty::Bool => OpKind::Const(Const::Bool(false)),
            Ty::Vec(_) => OpKind::Array {
                elems: Vec::new(),
                vec: true,
            },
            _ => {
                let ident = self.private("taken");
                OpKind::code(
                    quote!(__rt::default_of(#ident)),
                    vec![Use::reference(ident, place.clone())],
                )
            }
        };
        self.emit(kind, ty.clone(), "empty", span)
    }

    /// Exchanges two variables that aren't memory: values, or names for places.
    fn swap_bindings(&mut self, a: Var, b: Var) -> bool {
        let is_name =
            |var: Var| matches!(self.types.var(var), Type::Ref(..)) && !self.holds_reference(var);
        let values = self.current(a).is_some() && self.current(b).is_some();
        if values || is_name(a) && is_name(b) {
            self.env.swap(a.0 as usize, b.0 as usize);
            return true;
        }
        false
    }

    fn replace(&mut self, place: Place, value: Value, ty: Ty, span: Span) -> Value {
        if ty.is_scalar() {
            let old = self.emit(OpKind::Load(place.clone()), ty, "old", span);
            self.effect(OpKind::Store(place, value), span);
            return old;
        }
        self.emit(OpKind::Replace(place, value), ty, "old", span)
    }
}

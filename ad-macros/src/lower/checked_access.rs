//! `x.first()`, `x.last()` and `x.get(i)` where a pattern takes them apart: an element that may be absent. With `x.split_first()` and
//! `x.split_last()` the rest of the list comes along.
//!
//! ```text
//! Input:  if let Some(v) = x.get(i) { a } else { b }
//! Output: if i < x.len() { let v = &x[i]; a } else { b }
//! ```

use proc_macro2::Span;
use quote::quote;

use super::builder::{Binding, Flow, Lowered, Lowerer};
use super::points_to::UNBOUND;
use crate::hir::{Expr, ExprKind, Pat, Var, end_of, split_of};
use crate::ir::{BinaryOp, Const, OpKind, Place, Proj, SlotKind, Ty, Use, Value};
use crate::types::Type;

/// An element of a list, if there is one.
#[derive(Clone, Debug)]
pub(super) struct Optional {
    pub(super) list: Place,
    /// The list's type.
    pub(super) ty: Type,
    pub(super) end: Accessor,
    /// `Some` if the rest of the list is bound with it; true if that is by `&mut`.
    rest: Option<bool>,
    /// True if it is present.
    pub(super) some: Value,
}

impl Optional {
    /// A place that may be absent.
    pub(super) fn whole(place: Place, option: &Type, some: Value) -> Self {
        let ty = match option {
            Type::Option(reference) => reference.peeled().clone(),
            _ => Type::Deferred,
        };
        Optional {
            list: place,
            ty,
            end: Accessor::Whole,
            rest: None,
            some,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Accessor {
    First,
    Last,
    At(Value),
    /// A range of elements.
    Part(Option<Value>, Option<Value>),
    /// A place that isn't in a list: the place itself.
    Whole,
}

impl Lowerer<'_> {
    /// Returns `true` if an expression is an element of a list that may be absent.
    pub(super) fn is_optional(&self, expr: &Expr) -> bool {
        match self.ty(expr) {
            Type::Option(inner) => match **inner {
                Type::Ref(..) => self.is_checked_access(expr) || self.is_written(expr),
                Type::Tuple(_) => split_of(expr).is_some(),
                _ => false,
            },
            _ => false,
        }
    }

    /// `x.get(i)` and the like.
    pub(super) fn element_of(&mut self, expr: &Expr) -> Lowered<Optional> {
        let split = split_of(expr);
        let (ExprKind::Method { name, args, .. }, Some((of, _))) =
            (&expr.kind, end_of(expr).or(split))
        else {
            crate::diagnostics::bug!("not an element");
        };
        let list = self.reference_or_place(of)?;
        let ty = self.ty(of).peeled().clone();
        self.check_list(&list, &ty, name.span());
        let len = self.len(&list, expr.span);
        if let [range] = &args[..]
            && let Proj::Range(lo, hi) = self.projection(&list, &ty, range)?
        {
            return Ok(Optional {
                some: self.is_within([lo, hi], len, expr.span),
                end: Accessor::Part(lo, hi),
                rest: None,
                list,
                ty,
            });
        }
        let method = name.to_string();
        let side = method.trim_start_matches("split_").trim_end_matches("_mut");
        let (end, index) = match (side, &args[..]) {
            ("first" | "front", _) => (Accessor::First, self.index_constant(0, expr.span)),
            ("last" | "back", _) => (Accessor::Last, self.index_constant(0, expr.span)),
            (_, [index]) => {
                let index = self.operand(index)?;
                (Accessor::At(index), index)
            }
            _ => crate::diagnostics::bug!("not an element"),
        };
        let some = OpKind::Binary(BinaryOp::Lt, index, len);
        let some = self.emit(some, Ty::Bool, "some", expr.span);
        Ok(Optional {
            list,
            ty,
            end,
            rest: split.map(|(_, mutable)| mutable),
            some,
        })
    }

    /// A condition that is true if a range is in bounds of a list of that length.
    fn is_within(&mut self, range: [Option<Value>; 2], len: Value, span: Span) -> Value {
        let least = |lowerer: &mut Self, a: Value, b: Value| {
            lowerer.emit(OpKind::Binary(BinaryOp::Le, a, b), Ty::Bool, "some", span)
        };
        match range {
            [Some(lo), Some(hi)] => {
                let (ordered, inside) = (least(self, lo, hi), least(self, hi, len));
                let both = OpKind::Binary(BinaryOp::BitAnd, ordered, inside);
                self.emit(both, Ty::Bool, "some", span)
            }
            [Some(end), None] | [None, Some(end)] => least(self, end, len),
            [None, None] => self.boolean(true, span),
        }
    }

    /// The place of an element that is there.
    pub(super) fn present(&mut self, optional: &Optional, span: Span) -> Place {
        let index = match optional.end {
            Accessor::First => self.index_constant(0, span),
            Accessor::At(index) => index,
            Accessor::Last => self.last_of(&optional.list, span),
            Accessor::Part(lo, hi) => return optional.list.extended(&[Proj::Range(lo, hi)]),
            Accessor::Whole if optional.list.root == UNBOUND => {
                // Nothing has been assigned as far as is known yet.
                let slot = self.slot(optional.ty.lower(), SlotKind::Ref, "none", None, span);
                self.nowhere.insert(slot);
                return Place::whole(slot);
            }
            Accessor::Whole => return optional.list.clone(),
        };
        let proj = self.position(&optional.list, &optional.ty, index, span);
        optional.list.extended(&[proj])
    }

    /// The element that an expression is or is bound to, if it is one that may be absent.
    pub(super) fn optional_of(&mut self, expr: &Expr) -> Lowered<Option<Optional>> {
        if self.is_optional(expr) {
            return self.optional(expr).map(Some);
        }
        Ok(self.bound_optional(expr))
    }

    /// The position of the last element.
    pub(super) fn last_of(&mut self, list: &Place, span: Span) -> Value {
        let len = self.len(list, span);
        let one = self.index_constant(1, span);
        let last = OpKind::Binary(BinaryOp::Sub, len, one);
        self.emit(last, Ty::Int("usize"), "last", span)
    }

    /// The element that a variable is bound to, if it is one that may be absent.
    pub(super) fn bound_optional(&self, expr: &Expr) -> Option<Optional> {
        match expr.kind {
            ExprKind::Var(var) => self.optional_var(var),
            _ => None,
        }
    }

    pub(super) fn optional_var(&self, var: Var) -> Option<Optional> {
        match &self.env[var.0 as usize] {
            Some(Binding::Optional(optional)) => Some(optional.clone()),
            _ => None,
        }
    }

    /// `is_some()` and `is_none()`.
    pub(super) fn is_there(&mut self, optional: &Optional, name: &str, span: Span) -> Value {
        if name == "is_some" {
            return optional.some;
        }
        let kind = OpKind::Unary(crate::ir::UnaryOp::Not, optional.some);
        self.emit(kind, Ty::Bool, "none", span)
    }

    /// `Some(pat)`, which has been tested.
    pub(super) fn bind_present(
        &mut self,
        fields: &[(syn::Member, Pat)],
        optional: &Optional,
        ty: &Type,
        span: Span,
    ) -> Lowered<()> {
        if let Some(mutable) = optional.rest {
            return match fields {
                [(_, Pat::Tuple { elems, rest: None })] if elems.len() == 2 => {
                    self.bind_split(elems, optional, mutable, span)
                }
                _ => self.reject(
                    span,
                    "an element and the rest of a list as one variable are not supported yet",
                    "take them apart: `Some((first, rest))`",
                ),
            };
        }
        let place = self.present(optional, span);
        let inner = match ty {
            Type::Option(inner) => inner.peeled().clone(),
            _ => Type::Deferred,
        };
        for (_, sub) in fields {
            match (sub, ty) {
                (Pat::Bind { var, by_ref: None }, Type::Option(reference)) => {
                    self.bind_name(*var, place.clone(), reference, span);
                }
                _ => self.bind_place(sub, &place, &inner, span)?,
            }
        }
        Ok(())
    }

    /// `let (first, rest) = x.split_first().unwrap();`, and the same of the last.
    pub(super) fn unwrap_split(&mut self, elems: &[Pat], split: &Expr) -> Lowered<()> {
        let (optional, span) = (self.optional(split)?, split.span);
        self.assert_there(&optional, span);
        let mutable = optional.rest.unwrap_or(false);
        self.bind_split(elems, &optional, mutable, span)
    }

    /// An element that is there, and the rest.
    fn bind_split(
        &mut self,
        elems: &[Pat],
        optional: &Optional,
        mutable: bool,
        span: Span,
    ) -> Lowered<()> {
        let [one, rest] = elems else {
            crate::diagnostics::bug!("not a pair");
        };
        let element = optional.ty.any_element();
        let place = self.present(optional, span);
        self.bind_place(one, &place, element.peeled(), span)?;
        match self.rest(optional, span) {
            Some(part) => self.bind_slice(rest, part, element, mutable, span),
            None => crate::diagnostics::bug!("no rest"),
        }
    }

    /// The rest of the list, if it comes along with an element that is there.
    fn rest(&mut self, optional: &Optional, span: Span) -> Option<Place> {
        optional.rest?;
        let range = match optional.end {
            Accessor::Last => Proj::Range(None, Some(self.last_of(&optional.list, span))),
            _ => {
                let one = self.index_constant(1, span);
                Proj::Range(Some(one), None)
            }
        };
        Some(optional.list.extended(&[range]))
    }

    /// Tests if the element matches the pattern.
    pub(super) fn matches_optional(
        &mut self,
        optional: &Optional,
        pat: &syn::Pat,
        span: Span,
    ) -> Lowered<Flow> {
        let some = match pat {
            syn::Pat::TupleStruct(some) if some.elems.iter().all(takes_all) => optional.some,
            syn::Pat::Ident(none) if none.ident == "None" => {
                self.is_there(optional, "is_none", span)
            }
            syn::Pat::TupleStruct(some) if some.elems.len() == 1 => {
                let sub = &some.elems[0];
                let fits = |lowerer: &mut Self| {
                    let fits = lowerer.present_fits(optional, sub, span);
                    Ok(Flow::Value(fits))
                };
                let absent = |lowerer: &mut Self| Ok(Flow::Value(lowerer.boolean(false, span)));
                return self.choose(optional.some, fits, absent, Ty::Bool, &[], span);
            }
            _ => {
                return self.reject(
                    span,
                    "this pattern for an element that may be absent is not supported yet",
                    "write `Some(..)` or `None`",
                );
            }
        };
        Ok(Flow::Value(some))
    }

    /// Tests if an element that is there, and the rest of its list where that comes along, match a pattern.
    fn present_fits(&mut self, optional: &Optional, pat: &syn::Pat, span: Span) -> Value {
        let mut fits = None;
        let element = self.present(optional, span);
        let rest = self.rest(optional, span);
        let parts: Vec<(Place, &syn::Pat)> = match (rest, pat) {
            (Some(rest), syn::Pat::Tuple(both)) => {
                [element, rest].into_iter().zip(&both.elems).collect()
            }
            _ => vec![(element, pat)],
        };
        for (place, pat) in parts.into_iter().filter(|(_, pat)| !takes_all(pat)) {
            let ident = self.private("part");
            // A part of a list may be kept as a `Vec`, which no pattern takes apart.
            let test = match elements_of(pat) {
                Some(pat) => quote!(::core::matches!(#ident[..], #pat)),
                None => quote!(::core::matches!(#ident, #pat)),
            };
            let kind = OpKind::code(test, vec![Use::reference(ident, place)]);
            let one = self.emit(kind, Ty::Bool, "fits", span);
            fits = Some(match fits {
                Some(fits) => {
                    let both = OpKind::Binary(BinaryOp::BitAnd, fits, one);
                    self.emit(both, Ty::Bool, "fits", span)
                }
                None => one,
            });
        }
        fits.unwrap_or_else(|| self.boolean(true, span))
    }

    /// `x.get(i).copied()`.
    pub(super) fn copied(&mut self, expr: &Expr, optional: &Optional) -> Lowered<Flow> {
        let (ty, span) = (self.ty(expr).lower(), expr.span);
        let Ty::Option(inner) = ty.clone() else {
            crate::diagnostics::bug!("not an option");
        };
        let present = |lowerer: &mut Self| {
            let place = lowerer.present(optional, span);
            let kind = if inner.is_scalar() {
                OpKind::Load(place)
            } else {
                OpKind::CloneOf(place)
            };
            let value = lowerer.emit(kind, (*inner).clone(), "element", span);
            Ok(Flow::Value(lowerer.some(value, "found", span)))
        };
        let absent = |lowerer: &mut Self| {
            let ty = Ty::Option(inner.clone());
            Ok(Flow::Value(lowerer.constant(Const::None, ty, span)))
        };
        self.choose(optional.some, present, absent, ty, &[], span)
    }

    /// `Some(value)`.
    pub(super) fn some(&mut self, value: Value, name: &str, span: Span) -> Value {
        let ty = Ty::Option(self.out.ty(value).clone().into());
        let some = OpKind::Struct {
            path: syn::parse_quote!(::core::option::Option::Some),
            variant: true,
            fields: vec![(syn::Member::from(0), value)],
            base: None,
            checked: None,
        };
        self.emit(some, ty, name, span)
    }
}

/// The pattern for the elements of a list, behind references.
fn elements_of(pat: &syn::Pat) -> Option<&syn::PatSlice> {
    match pat {
        syn::Pat::Slice(pat) => Some(pat),
        syn::Pat::Reference(pat) => elements_of(&pat.pat),
        syn::Pat::Paren(pat) => elements_of(&pat.pat),
        _ => None,
    }
}

/// Returns `true` if a pattern matches any value.
fn takes_all(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Wild(_) | syn::Pat::Rest(_) => true,
        syn::Pat::Reference(reference) => takes_all(&reference.pat),
        syn::Pat::Tuple(tuple) => tuple.elems.iter().all(takes_all),
        syn::Pat::Paren(inner) => takes_all(&inner.pat),
        _ => false,
    }
}

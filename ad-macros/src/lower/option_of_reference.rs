//! References that may be absent, as values: `Some(&x)`, `None`, and control flow that results in one or the other. They are represented
//! by a place and a flag.

use proc_macro2::Span;
use quote::quote;

use super::build_if::Part;
use super::builder::{Failed, Lowered, Lowerer};
use super::checked_access::{Accessor, Optional};
use super::expr::is_none;
use super::points_to::UNBOUND;
use crate::hir::{Block, Expr, ExprKind};
use crate::ir::{OpKind, Place, Proj, SlotKind, Use, is_std_variant};
use crate::types::Type;

impl Lowerer<'_> {
    /// Returns `true` if an expression is `Some(&x)`, `None`, or control flow that results in one of these.
    pub(super) fn is_written(&self, expr: &Expr) -> bool {
        let gives = |block: &Block| match &block.value {
            Some(value) => {
                matches!(self.ty(value), Type::Never)
                    || self.is_optional(value)
                    || self.bound_optional(value).is_some()
            }
            None => false,
        };
        match &expr.kind {
            ExprKind::Struct { .. } => is_some_of(expr).is_some(),
            ExprKind::Path(path) => is_none(path),
            ExprKind::Block(block, None) => gives(block),
            ExprKind::If {
                then,
                other: Some(other),
                ..
            } => gives(then) && gives(other),
            _ => false,
        }
    }

    pub(super) fn optional(&mut self, expr: &Expr) -> Lowered<Optional> {
        match &expr.kind {
            ExprKind::Method { .. } => self.element_of(expr),
            ExprKind::If { .. } => self.chosen_optional(expr),
            ExprKind::Block(block, None) if block.value.is_some() => {
                self.statements(&block.stmts)?;
                let value = block.value.as_ref().map(|value| self.optional_of(value));
                match value.transpose()?.flatten() {
                    Some(optional) => Ok(optional),
                    None => Err(Failed),
                }
            }
            _ => {
                let held = is_some_of(expr);
                let place = match held {
                    Some(held) => self.reference(held)?,
                    None => Place::whole(UNBOUND),
                };
                let some = self.boolean(held.is_some(), expr.span);
                Ok(Optional::whole(place, self.ty(expr), some))
            }
        }
    }

    /// `if c { Some(&a) } else { x.get(k) }`
    fn chosen_optional(&mut self, expr: &Expr) -> Lowered<Optional> {
        let Type::Option(reference) = self.ty(expr) else {
            return Err(Failed);
        };
        let types = [Type::Bool, (**reference).clone()];
        let parts = self.chosen(expr, &types, &|lowerer, value| {
            let Some(optional) = lowerer.optional_of(value)? else {
                return Err(Failed);
            };
            let place = lowerer.kept_place(&optional, value.span);
            Ok(Some(vec![Part::Value(optional.some), Part::Place(place)]))
        })?;
        let mut parts = parts.unwrap_or_default().into_iter();
        let some = match parts.next() {
            Some(Part::Value(some)) => some,
            _ => self.boolean(false, expr.span),
        };
        let place = match parts.next() {
            Some(Part::Place(place)) => place,
            _ => Place::whole(UNBOUND),
        };
        Ok(Optional::whole(place, self.ty(expr), some))
    }

    /// The place, which is nowhere if it isn't there. Finding the last element takes that there is one.
    pub(super) fn kept_place(&mut self, optional: &Optional, span: Span) -> Place {
        match optional.end {
            Accessor::Whole => optional.list.clone(),
            Accessor::Last => {
                let types = [(optional.ty.lower(), SlotKind::Ref)];
                let found = self.build_if(
                    optional.some,
                    |lowerer| Ok(Some(vec![Part::Place(lowerer.present(optional, span))])),
                    |_| Ok(Some(vec![Part::Place(Place::whole(UNBOUND))])),
                    &types,
                    &[],
                    span,
                );
                match found.map(|parts| parts.unwrap_or_default().pop()) {
                    Ok(Some(Part::Place(place))) => place,
                    _ => Place::whole(UNBOUND),
                }
            }
            _ => self.present(optional, span),
        }
    }

    /// The place of the unwrapped value.
    pub(super) fn unwrapped(&mut self, optional: &Optional, span: Span) -> Place {
        if let Accessor::Whole = optional.end {
            self.assert_there(optional, span);
        }
        self.present(optional, span)
    }

    pub(super) fn assert_there(&mut self, optional: &Optional, span: Span) {
        let ident = self.private("some");
        let tokens = quote!(::core::assert!(#ident, "called `Option::unwrap()` on a `None` value"));
        let kind = OpKind::code(tokens, vec![Use::Value(ident, optional.some)]);
        self.effect(kind, span);
    }

    /// `x.get(i).unwrap_or(&y)`: one of two places.
    pub(super) fn present_or(&mut self, expr: &Expr) -> Lowered<Option<Place>> {
        let Some((receiver, name, args)) = expr.as_method() else {
            return Ok(None);
        };
        let (Some(optional), Type::Ref(mutable, inner)) =
            (self.optional_of(receiver)?, self.ty(expr))
        else {
            return Ok(None);
        };
        let other = match args {
            [other] => self.reference(other)?,
            _ if name == "unwrap_or_default" && matches!(**inner, Type::Slice(_)) => {
                let zero = self.index_constant(0, expr.span);
                optional
                    .list
                    .extended(&[Proj::Range(Some(zero), Some(zero))])
            }
            _ => return Ok(None),
        };
        let kind = SlotKind::reference(*mutable);
        let span = expr.span;
        let given = self.build_if(
            optional.some,
            |lowerer| Ok(Some(vec![Part::Place(lowerer.present(&optional, span))])),
            |_| Ok(Some(vec![Part::Place(other)])),
            &[(inner.peeled().lower(), kind)],
            &[],
            span,
        )?;
        Ok(match given.unwrap_or_default().pop() {
            Some(Part::Place(place)) => Some(place),
            _ => None,
        })
    }
}

/// Returns `true` if a method returns the value if it is present, and else a default.
pub(super) fn is_or(name: &str) -> bool {
    matches!(name, "unwrap_or" | "unwrap_or_default")
}

/// The reference in `Some(&x)`.
fn is_some_of(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Struct { path, fields, .. } if is_std_variant(path) => match &fields[..] {
            [(_, field)] if path.segments.last()?.ident == "Some" => Some(field),
            _ => None,
        },
        _ => None,
    }
}

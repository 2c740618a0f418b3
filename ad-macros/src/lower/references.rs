//! Lists of references that are written out, `[&a, &b]`: loops run over them, and an index chooses from them.

use proc_macro2::Span;
use quote::quote;

use super::builder::{Binding, Lowered, Lowerer};
use super::points_to::PointsTo;
use crate::hir::{Expr, ExprKind};
use crate::ir::{BinaryOp, Const, OpKind, Place, SlotKind, Ty, Use, Value};
use crate::types::Type;

impl Lowerer<'_> {
    /// The targets of the references in a list, if it is written out here, or where its variable is bound.
    pub(super) fn references(&mut self, list: &Expr) -> Lowered<Option<Vec<Place>>> {
        match &list.kind {
            ExprKind::Var(var) => Ok(match &self.env[var.0 as usize] {
                Some(Binding::References(places)) => Some(places.clone()),
                _ => None,
            }),
            ExprKind::Ref(_, inner) => self.references(inner),
            ExprKind::Array { elems, .. } if self.are_references(elems) => {
                let places = elems.iter().map(|elem| self.reference(elem));
                places.collect::<Lowered<_>>().map(Some)
            }
            _ => Ok(None),
        }
    }

    fn are_references(&self, elems: &[Expr]) -> bool {
        let mut types = elems.iter().map(|elem| self.ty(elem));
        !elems.is_empty() && types.all(|ty| matches!(ty, Type::Ref(..)))
    }

    /// The target of the reference at an index.
    pub(super) fn at_index(
        &mut self,
        places: &[Place],
        reference: &Type,
        index: Value,
        span: Span,
    ) -> Place {
        if let Some(place) = self.constant_index(index).and_then(|k| places.get(k)) {
            return place.clone();
        }
        let (k, n) = (self.private("index"), places.len());
        let tokens = quote! {
            ::core::assert!(
                #k < #n,
                "index out of bounds: the len is {} but the index is {}", #n, #k,
            )
        };
        let uses = vec![Use::Value(k, index)];
        let check = OpKind::code(tokens, uses);
        self.effect(check, span);
        self.one_of(places, reference, index, span)
    }

    fn constant_index(&self, index: Value) -> Option<usize> {
        let op = self.ops.iter().find(|op| op.results == [index])?;
        match &op.kind {
            OpKind::Const(Const::Int(digits)) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The target of the reference at a position, which is one of the list.
    pub(super) fn one_of(
        &mut self,
        places: &[Place],
        reference: &Type,
        position: Value,
        span: Span,
    ) -> Place {
        let targets: Vec<PointsTo> = (places.iter())
            .map(|place| self.resolved(place, span))
            .collect();
        let mut targets = targets.into_iter().enumerate().rev();
        let Some((_, last)) = targets.next() else {
            crate::diagnostics::bug!("an empty list of references")
        };
        let target = targets.fold(last, |other, (k, then)| {
            let k = self.index_constant(k, span);
            let is = OpKind::Binary(BinaryOp::Eq, position, k);
            let is = self.emit(is, Ty::Bool, "is", span);
            PointsTo::Two(is, Box::new(then), Box::new(other))
        });
        let kind = match reference {
            Type::Ref(true, _) => SlotKind::RefMut,
            _ => SlotKind::Ref,
        };
        self.named(target, &reference.peeled().lower(), kind, "item", span)
    }
}

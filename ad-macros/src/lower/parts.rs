//! The target of a reference that a method of the user's returns is a part of the receiver.

use proc_macro2::Ident;

use super::builder::{Lowered, Lowerer};
use crate::hir::{Expr, ExprKind};
use crate::ir::{Lookup, OpKind, Place, Proj, SlotKind, Ty};
use crate::std_model::{LENDS, does};
use crate::types::Type;

impl Lowerer<'_> {
    /// Returns `true` if a method call is known to return a reference into an active receiver.
    pub(super) fn gives_part(&self, expr: &Expr) -> bool {
        let ExprKind::Method {
            receiver,
            name,
            turbofish: None,
            ..
        } = &expr.kind
        else {
            return false;
        };
        let sibling = self
            .hir
            .borrow_sources
            .iter()
            .any(|(lender, _)| name == lender);
        let (mut own, out) = (self.ty(receiver).peeled(), self.ty(expr));
        while let Type::Boxed(inner) = own {
            own = inner.peeled();
        }
        matches!(out, Type::Ref(_, part) if part.may_have_tangent())
            && matches!(own, Type::Named(_) | Type::Deferred)
            && (sibling || !does(&name.to_string(), LENDS))
            && !self.is_view(expr)
            && !self.gives_view(expr)
            && self.activity.is_active(receiver, self.types)
    }

    /// A part that is only read is looked up once.
    ///
    /// ```text
    /// Input:  m.row(i)
    /// Output: at = locate m.row(i);  row = borrow m.row(i) at at;  row
    /// ```
    pub(super) fn part_given(&mut self, expr: &Expr) -> Lowered<Place> {
        let Some((receiver, name, args)) = expr.as_method() else {
            crate::diagnostics::bug!("not a method call")
        };
        let place = self.reference_or_place(receiver)?;
        // Which part it is, is a choice: it has no derivative, whatever it depends on.
        let operands = args.iter().map(|arg| self.operand(arg));
        let operands = operands.collect::<Lowered<Vec<_>>>()?;
        let mutable = self.lends_mutably(expr, receiver, name);
        let lookup = Lookup::Method {
            name: name.clone(),
            args: operands,
            mutable,
        };
        let locate = OpKind::Locate {
            place: place.clone(),
            lookup: lookup.clone(),
            mutable,
        };
        let at = self.emit(locate, Ty::Rule, "at", name.span());
        let part = place.extended(&[Proj::At(lookup, Some(at))]);
        if mutable {
            return Ok(part);
        }
        let ty = self.ty(expr).peeled().lower();
        let alias = self.slot(ty, SlotKind::Ref, &name.to_string(), None, name.span());
        self.effect(OpKind::Borrow(alias, part), expr.span);
        Ok(Place::whole(alias))
    }

    /// Returns `true` if the method takes its receiver by `&mut`, or may do so: `*t.pick(k)` doesn't say.
    fn lends_mutably(&self, expr: &Expr, receiver: &Expr, name: &Ident) -> bool {
        let Type::Ref(mutable, part) = self.ty(expr) else {
            return false;
        };
        let sibling = self
            .hir
            .borrow_sources
            .iter()
            .any(|(lender, _)| name == lender);
        let guessed = !sibling && matches!(**part, Type::Deferred);
        *mutable || guessed && receiver.root().is_some_and(|root| self.writable(root))
    }
}

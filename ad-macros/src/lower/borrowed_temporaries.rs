//! The result of a call may be a reference into something else. A write to it would be lost on its target.

use proc_macro2::{Ident, Span};

use super::builder::{Lowered, Lowerer};
use super::keyed::holder;
use super::method::called;
use crate::diagnostics::error;
use crate::hir::{Expr, ExprKind};
use crate::ir::{OpKind, Place};
use crate::types::Type;

impl Lowerer<'_> {
    /// `m.row_mut(0).push(x);`: a method that is called for its effect on the result of another call writes to something else.
    pub(super) fn reject_lent(&mut self, call: &Expr) -> Lowered<()> {
        let Some((receiver, name, args)) = call.as_method() else {
            crate::diagnostics::bug!("not a method call")
        };
        if let Some(lender) = lender(receiver)
            && self.dropped == Some(call.id)
            && args
                .iter()
                .any(|arg| self.activity.is_active(arg, self.types))
            && !self.is_view(receiver)
            && !self.gives_part(receiver)
            && !self.gives_view(receiver)
        {
            self.reject_container(holder(receiver), called(call))?;
            return self.reject(
                called(call),
                format!(
                    "`{name}` is called for its effect on the result of `{lender}`, which may be a reference into something else, with a \
                     differentiated value"
                ),
                "call it on the variable itself, on a field or on an element",
            );
        }
        Ok(())
    }

    /// Remembers a temporary for the result of a call, if that may be a reference.
    pub(super) fn note_lender(&mut self, expr: &Expr, place: &Place) {
        if let Some(lender) = lender(expr)
            && matches!(self.ty(expr), Type::Deferred | Type::Ref(true, _))
        {
            self.borrow_sources.insert(place.root, lender.to_string());
        }
    }

    /// `for e in m.row_mut(0).iter_mut() { *e = x; }`
    pub(super) fn check_lender(&mut self, kind: &OpKind, span: Span) {
        if self.borrow_sources.is_empty() {
            return;
        }
        let lender = |place: &Place| self.borrow_sources.get(&place.root).cloned();
        let written = match kind {
            OpKind::Borrow(alias, place) => {
                if let Some(lender) = lender(place) {
                    self.borrow_sources.insert(*alias, lender);
                }
                None
            }
            OpKind::Store(place, _) | OpKind::Replace(place, _) => lender(place),
            OpKind::Swap(a, b) => lender(a).or_else(|| lender(b)),
            _ => None,
        };
        if let Some(lender) = written {
            self.errors.push(error(
                span,
                format!("this writes to the result of `{lender}`, which may be a reference into something else"),
                "write to the variable itself, by a field or an index; if the result is a value of its own, bind it with `let mut`",
            ));
        }
    }
}

/// The name of the callee.
fn lender(expr: &Expr) -> Option<&Ident> {
    match &expr.kind {
        ExprKind::Method { name, .. } => Some(name),
        ExprKind::Call { path, .. } => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

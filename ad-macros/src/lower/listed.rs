//! Loops over results of calls that only rustc can tell are lists.

use proc_macro2::Span;
use quote::quote;

use super::builder::{Lowered, Lowerer};
use super::heads::{Items, Source};
use crate::hir::{Expr, ExprKind};
use crate::ir::{OpKind, Use};
use crate::std_model::{LAZY, call_does};
use crate::types::Type;

/// Returns `true` if the value of an expression may be a list.
pub(super) fn gives_list(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Call { .. } => true,
        ExprKind::Method { name, args, .. } => !call_does(&name.to_string(), args.len(), LAZY),
        _ => false,
    }
}

impl Lowerer<'_> {
    /// The elements of the result of a call.
    pub(super) fn given_list(&mut self, of: &Expr, span: Span) -> Lowered<Source> {
        let element = self.ty(of).any_element();
        let by_ref = matches!(self.ty(of), Type::Ref(..));
        let place = self.reference_or_place(of)?;
        let ident = self.private("list");
        let check = OpKind::code(
            quote!(__rt::probe::check_list(#ident);),
            vec![Use::reference(ident, place.clone())],
        );
        self.effect(check, of.span);
        let len = self.len(&place, span);
        let items = Items::Elements {
            place,
            element,
            by_ref,
        };
        Ok(Source { len, items })
    }
}

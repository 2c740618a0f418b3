//! Lists that only rustc can tell are lists.

use proc_macro2::Span;
use quote::quote_spanned;

use super::builder::{Lowered, Lowerer};
use super::heads::{Items, Source};
use crate::hir::{Expr, ExprKind};
use crate::ir::{OpKind, Place, Use};
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
        self.check_list(&place, &Type::Deferred, of.span);
        let len = self.len(&place, span);
        let items = Items::Elements {
            place,
            element,
            by_ref,
        };
        Ok(Source { len, items })
    }

    /// A check by rustc that a place of unknown type is a list. A type of the user's may have methods of the same names that do something else.
    pub(super) fn check_list(&mut self, list: &Place, ty: &Type, span: Span) {
        let is_list = |ty: &Type| {
            matches!(
                ty.peeled(),
                Type::Slice(_) | Type::Array(..) | Type::Vec(_) | Type::Deque(_)
            )
        };
        let is_boxed_list = matches!(ty.peeled(), Type::Boxed(inner) if is_list(inner));
        if is_list(ty) || is_boxed_list {
            return;
        }
        let mut ident = self.private("list");
        ident.set_span(ident.span().located_at(span));
        let code =
            quote_spanned!(Span::call_site().located_at(span)=> __rt::probe::check_list(#ident););
        let check = OpKind::code(code, vec![Use::reference(ident, list.clone())]);
        self.effect(check, span);
    }
}

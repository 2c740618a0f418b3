//! Methods that return references: `__m_part` tells where the shadow has the target of the reference.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::Emitter;
use crate::ir::{Func, Lookup, Op, Place, Proj};

impl Emitter<'_> {
    /// Fallbacks for methods that have no rule for a part.
    pub(super) fn lookup_items(&self) -> TokenStream {
        let rt = self.rt;
        let mut items = TokenStream::new();
        for (method, count) in &self.borrow_sources {
            items.extend(lookup(rt, method, *count).0);
        }
        if !items.is_empty() {
            items.extend(
                quote!(use #rt::{index::{AnyLender as _, AnyLenderMut as _}, probe::NoPeel as _};),
            );
        }
        items
    }
}

/// Returns `true` if places are reached by methods that take `&mut self`.
pub(super) fn looks_up_mutably(func: &Func) -> bool {
    let mut found = false;
    let body = std::iter::once(&func.body);
    for region in body.chain(func.pullback.iter().map(|pullback| &pullback.body)) {
        region.walk(&mut |op| {
            op.each_place(&mut |place| {
                found |= place.path.iter().any(is_mutable_lookup);
            });
        });
    }
    found
}

/// True if views of a library's arrays are taken.
pub(super) fn looks_up_views(func: &Func) -> bool {
    let is_view = |proj: &Proj| matches!(proj, Proj::At(Lookup::View { .. }, _));
    let mut found = false;
    let body = std::iter::once(&func.body);
    for region in body.chain(func.pullback.iter().map(|pullback| &pullback.body)) {
        region.walk(&mut |op| op.each_place(&mut |place| found |= place.path.iter().any(is_view)));
    }
    found
}

fn is_mutable_lookup(proj: &Proj) -> bool {
    matches!(proj, Proj::At(Lookup::Method { mutable: true, .. }, _))
}

impl Emitter<'_> {
    /// Returns `true` if a method that takes its receiver by `&mut` leads to a place, even if that is only read.
    pub(super) fn is_looked_up_mutably(&self, place: &Place) -> bool {
        place.path.iter().any(is_mutable_lookup) && !self.func.in_tangent(place).contains(&true)
    }

    /// Returns `true` if such a place is among those of an operation.
    pub(super) fn borrows_by_a_method(&self, op: &Op) -> bool {
        let mut found = false;
        if self.looks_up {
            op.each_place(&mut |place| found |= self.is_looked_up_mutably(place));
        }
        found
    }
}

/// The name of the method that says where the part is that `method` with so many arguments returns a reference to, and the trait that
/// answers where there is none.
pub(crate) fn lookup(rt: &TokenStream, method: &str, count: usize) -> (TokenStream, Ident) {
    let part = format_ident!("__{method}_part");
    let parts = format_ident!("__Parts_{method}_{count}");
    let types: Vec<Ident> = (1..=count).map(|k| format_ident!("A{k}")).collect();
    let args = (1..=count).map(|k| Ident::new(&format!("_a{k}"), Span::mixed_site()));
    let fallback = quote! {
        trait #parts {
            #[inline(always)]
            fn #part<#(#types),*>(&self, #(#args: #types),*) -> #rt::index::NoPart<Self> {
                #rt::index::NoPart::new()
            }
        }
        impl<T: ?::core::marker::Sized> #parts for T {}
    };
    (fallback, part)
}

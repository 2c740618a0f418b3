//! `#[derive(Differentiable)]`: from a struct or an enum to its tangent type.
//!
//! ```text
//! DeriveInput --model--> Model --tangent_type--> ParamsTangent, its Clone, Copy, PartialEq, Debug
//!                              --vector_space--> impl Differentiable for Params and ParamsTangent, impl Tangent
//!                              --accessors-----> hidden accessors of the tangent's fields, by variant
//! ```
//! The emitted code has to compile in any crate: paths are absolute, the prelude isn't relied on, and there is no `unsafe`.
//! A struct is handled as an enum with one variant: patterns with numbered fields (`V3 { 0: x, .. }`) fit all of them.

mod accessors;
mod bounds;
mod model;
mod tangent_type;
mod vector_space;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::DeriveInput;
use syn::spanned::Spanned;

pub(crate) use accessors::accessor_name;
use model::{Model, at};

use crate::depth;
use crate::enclosing::Site;

/// `#[derive(Differentiable)]` on anything.
pub(crate) fn derive(item: TokenStream, site: Option<&Site>) -> TokenStream {
    let parsed = depth::check(&item).and_then(|()| syn::parse2(item));
    parsed.map_or_else(syn::Error::into_compile_error, |input| expand(input, site))
}

/// Expands the derive. Errors are emitted beside the code, so that one mistake isn't followed by complaints about a missing type.
pub(crate) fn expand(input: DeriveInput, site: Option<&Site>) -> TokenStream {
    let (model, errors) = model::build(input, site);
    let emitted = model.map(|model| emit(&model));
    let errors = errors.map(syn::Error::into_compile_error);
    quote!(#errors #emitted)
}

fn emit(model: &Model) -> TokenStream {
    let tangent_type = (!model.own).then(|| tangent_type::emit(model));
    let vector_space = vector_space::emit(model);
    let accessors = accessors::emit(model);
    let fields = fields(model);
    let checks = model.types.checks();
    let checks =
        (!checks.is_empty()).then(|| quote!(#[allow(deprecated)] const _: () = { #checks };));
    quote!(#fields #checks #tangent_type #vector_space #accessors)
}

/// Asks for a tangent of each field, at the field. It stands first, so that the message about a field without one does, too.
fn fields(model: &Model) -> TokenStream {
    let Model {
        runtime, generics, ..
    } = model;
    let mut generics = generics.clone();
    let asked = model.active_fields().map(|field| {
        let (ty, span) = (&field.ty, field.ty.span());
        let bound = if model.own {
            quote!(#runtime::Tangent)
        } else {
            quote!(#runtime::Differentiable)
        };
        let bound = at(bound, span);
        let predicate = quote_spanned!(span=> #ty: #bound + ::core::marker::Sized);
        syn::parse2::<syn::WherePredicate>(predicate)
    });
    let asked: Vec<_> = asked.flatten().collect();
    generics.make_where_clause().predicates.extend(asked);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        #[allow(dead_code, clippy::all, clippy::pedantic)]
        const _: () = {
            fn fields #impl_generics () #where_clause {}
        };
    }
}

//! Emits hidden accessors of the tangent's fields, under a name that is made of the variant's. Generated code that sees
//! `Expr::Add(a, b)` knows the variant and the field, but not the name of the tangent type.
//!
//! ```text
//! // Input:
//! enum Expr { Add(Box<Expr>, Box<Expr>), .. }
//! // Output:
//! impl ExprTangent {
//!     fn __Add_0(&self) -> &Tan<Box<Expr>>;
//!     fn __Add_0_mut(&mut self) -> &mut Tan<Box<Expr>>;
//!     ..
//! }
//! ```

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::model::{Field, Model, Variant};

/// The name of an accessor: of `member` in the variant (or struct) `name`.
pub(crate) fn accessor_name(name: &str, member: &str, mutable: bool) -> Ident {
    let [name, member] = [name, member].map(|text| text.trim_start_matches("r#"));
    let suffix = if mutable { "_mut" } else { "" };
    Ident::new(&format!("__{name}_{member}{suffix}"), Span::call_site())
}

pub(super) fn emit(model: &Model) -> TokenStream {
    let Model {
        tangent, generics, ..
    } = model;
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let accessors = model.variants.iter().flat_map(|variant| {
        let fields = variant.fields.iter();
        fields.map(|field| pair(model, variant, field))
    });
    let accessors: Vec<TokenStream> = accessors.collect();
    if accessors.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #[automatically_derived]
        #[allow(
            dead_code, non_snake_case, private_interfaces, unreachable_patterns, unreachable_pub, clippy::all, clippy::pedantic
        )]
        impl #impl_generics #tangent #ty_generics #where_clause {
            #(#accessors)*
        }
    }
}

/// The shared accessor and the mutable one.
fn pair(model: &Model, variant: &Variant, field: &Field) -> TokenStream {
    let Model {
        vis,
        ident,
        tangent,
        is_enum,
        ..
    } = model;
    let vis = if *is_enum { vis } else { &field.vis };
    let name = variant.ident.as_ref().unwrap_or(ident);
    let path = match &variant.ident {
        Some(variant) => quote!(#tangent::#variant),
        None => quote!(#tangent),
    };
    let (member, ty) = (&field.member, &field.tangent);
    let label = member.to_token_stream().to_string();
    let [shared, mutable] =
        [false, true].map(|mutable| accessor_name(&name.to_string(), &label, mutable));
    let other = is_enum.then(|| {
        let message = format!("a tangent of `{ident}` that isn't a `{name}`");
        quote!(_ => ::core::unreachable!(#message),)
    });
    quote! {
        #[doc(hidden)]
        #[inline(always)]
        #vis fn #shared(&self) -> &#ty {
            match self {
                #path { #member: field, .. } => field,
                #other
            }
        }

        #[doc(hidden)]
        #[inline(always)]
        #vis fn #mutable(&mut self) -> &mut #ty {
            match self {
                #path { #member: field, .. } => field,
                #other
            }
        }
    }
}

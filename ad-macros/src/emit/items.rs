//! Associated items that have been emitted: the lints that they may trip, and attributes on each of them.

use proc_macro2::TokenStream;
use quote::quote;

/// The lints that emitted code may trip.
pub(crate) fn allows() -> TokenStream {
    quote! {
        #[allow(
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::restriction,
            dead_code,
            deprecated,
            non_snake_case,
            unreachable_code,
            unused_assignments,
            unused_imports,
            unused_must_use,
            unused_mut,
            unused_parens,
            unused_variables
        )]
    }
}

/// Each associated function with these lints allowed.
pub(crate) fn allowed(items: TokenStream) -> TokenStream {
    with_attribute(&allows(), items)
}

/// Each associated function with an attribute.
pub(crate) fn with_attribute(attribute: &TokenStream, items: TokenStream) -> TokenStream {
    match syn::parse2::<Items>(items.clone()) {
        Ok(Items(all)) => quote!(#(#attribute #all)*),
        Err(_) => items,
    }
}

/// Functions with bodies are items of an `impl`, also if they are in a trait.
pub(crate) struct Items(pub(crate) Vec<syn::ImplItem>);

impl syn::parse::Parse for Items {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Items(items))
    }
}

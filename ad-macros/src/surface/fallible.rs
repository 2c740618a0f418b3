//! Functions that return `Result<f64, E>` or `Option<f64>`: `gradient`, `hvp` and `hessian` return `None` or the error as it is.
//!
//! The other drivers take these functions as they take any: `jvp`, `vjp` and `derivative` have the result's tangent, which is of the same form.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, quote};

use super::Surface;
use crate::ir::Ty;

impl Surface<'_> {
    /// The number that the result may hold.
    pub(super) fn perhaps(&self) -> Option<&Ty> {
        let (Ty::Option(value) | Ty::Result(value, _)) = &self.output_known else {
            return None;
        };
        (value.is_float() && !self.in_fields).then_some(&**value)
    }

    /// The seed of the result in `y`, and a zero of its form.
    pub(super) fn seeds(&self, value: &Ty, y: &Ident) -> [TokenStream; 2] {
        let rt = self.rt;
        let (one, zero) = super::unit(Some(value), rt);
        [one, zero].map(|seed| match &self.output_known {
            Ty::Option(_) => {
                quote!(::core::option::Option::map(::core::option::Option::as_ref(&#y), |_| #seed))
            }
            _ => quote! {
                match &#y {
                    ::core::result::Result::Ok(_) => ::core::result::Result::Ok(#seed),
                    ::core::result::Result::Err(_) => ::core::result::Result::Err(#rt::NoTangent),
                }
            },
        })
    }

    /// The result of a driver where there is no number.
    pub(super) fn absent(&self) -> &'static str {
        match (self.perhaps(), &self.output_known) {
            (None, _) => "",
            (_, Ty::Option(_)) => "`None` where the function gives `None`",
            _ => "the error where the function gives one",
        }
    }

    /// `Some` or `Ok`, for a result that may be absent.
    pub(super) fn there(&self) -> TokenStream {
        match &self.output_known {
            Ty::Option(_) => quote!(::core::option::Option::Some),
            Ty::Result(..) => quote!(::core::result::Result::Ok),
            _ => TokenStream::new(),
        }
    }

    /// The type of the number, by its name.
    pub(super) fn number(&self) -> TokenStream {
        match self.perhaps() {
            None => self.output.to_token_stream(),
            Some(Ty::Real(name)) => quote!(#name),
            Some(Ty::F32) => quote!(::core::primitive::f32),
            _ => quote!(::core::primitive::f64),
        }
    }

    /// The type of a driver's result: of one that may be absent, the primal's with this value, `io::Result<(f64, Vec<f64>)>`.
    pub(super) fn output_with(&self, value: &TokenStream) -> Option<TokenStream> {
        if self.perhaps().is_none() {
            return Some(value.clone());
        }
        let syn::Type::Path(mut ty) = crate::types::written::ungrouped(&self.output).clone() else {
            return None;
        };
        let syn::PathArguments::AngleBracketed(args) = &mut ty.path.segments.last_mut()?.arguments
        else {
            return None;
        };
        let is_type =
            |arg: &&mut syn::GenericArgument| matches!(arg, syn::GenericArgument::Type(_));
        *args.args.iter_mut().find(is_type)? = syn::parse_quote!(#value);
        Some(ty.into_token_stream())
    }

    /// The result of a driver: the value in `y`, with more.
    pub(super) fn returned(&self, y: &Ident, more: &TokenStream) -> TokenStream {
        match self.perhaps() {
            None => quote!((#y, #more)),
            Some(_) => quote!(#y.map(|value| (value, #more))),
        }
    }

    /// Takes a part of the result of a driver.
    pub(super) fn part(&self, k: usize) -> TokenStream {
        let k = syn::Index::from(k);
        match self.perhaps() {
            None => quote!(.#k),
            Some(_) => quote!(.map(|all| all.#k)),
        }
    }
}

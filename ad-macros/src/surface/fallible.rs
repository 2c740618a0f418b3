//! Functions that return `Result` or `Option`: `jacobian`, and of those that may hold a number `gradient`, `hvp` and `hessian`, return `None` or the
//! error as it is.
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

    /// Returns `true` if the result may hold no value.
    pub(super) fn is_fallible(&self) -> bool {
        matches!(self.output_known, Ty::Option(_) | Ty::Result(..))
    }

    /// The result of a driver where there is no value.
    pub(super) fn absent(&self) -> &'static str {
        match &self.output_known {
            Ty::Option(_) => "`None` where the function gives `None`",
            Ty::Result(..) => "the error where the function gives one",
            _ => "",
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

    /// The type of the value: of a result that may be absent, of what it holds.
    pub(super) fn value_type(&self) -> TokenStream {
        let (rt, output) = (self.rt, &self.output);
        if !self.is_fallible() {
            return output.to_token_stream();
        }
        match value_of(&mut output.clone()) {
            Some(value) => value.to_token_stream(),
            None => quote!(<#output as #rt::Fallible>::Value),
        }
    }

    /// The type of a driver's result: of one that may be absent, the primal's with this value, `io::Result<(f64, Vec<f64>)>`.
    pub(super) fn output_with(&self, value: &TokenStream) -> TokenStream {
        if !self.is_fallible() {
            return value.clone();
        }
        let (rt, mut output) = (self.rt, self.output.clone());
        match value_of(&mut output) {
            Some(written) => {
                *written = syn::Type::Verbatim(value.clone());
                output.into_token_stream()
            }
            None => quote!(<#output as #rt::Fallible>::With<#value>),
        }
    }

    /// The result of a driver: the value in `y`, with more.
    pub(super) fn returned(&self, y: &Ident, more: &TokenStream) -> TokenStream {
        if self.is_fallible() {
            quote!(#y.map(|value| (value, #more)))
        } else {
            quote!((#y, #more))
        }
    }

    /// Takes a part of the result of a driver.
    pub(super) fn part(&self, k: usize) -> TokenStream {
        let k = syn::Index::from(k);
        if self.is_fallible() {
            quote!(.map(|all| all.#k))
        } else {
            quote!(.#k)
        }
    }
}

/// The value of a type that is written as `Option<..>` or `Result<..>`. Of an alias of another name, an argument may mean anything.
fn value_of(ty: &mut syn::Type) -> Option<&mut syn::Type> {
    let mut ty = ty;
    while let syn::Type::Group(syn::TypeGroup { elem, .. })
    | syn::Type::Paren(syn::TypeParen { elem, .. }) = ty
    {
        ty = elem;
    }
    let syn::Type::Path(ty) = ty else {
        return None;
    };
    let last = ty.path.segments.last_mut()?;
    if last.ident != "Option" && last.ident != "Result" {
        return None;
    }
    let syn::PathArguments::AngleBracketed(args) = &mut last.arguments else {
        return None;
    };
    args.args.iter_mut().find_map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

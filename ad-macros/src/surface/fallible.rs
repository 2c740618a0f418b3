//! `gradient` and `value_and_gradient` of functions that return `Result<f64, E>` or `Option<f64>`: what isn't there, or the error, comes back
//! as it is.
//!
//! The other drivers take these functions as they take any: `jvp`, `vjp` and `derivative` have the result's tangent, which is of the same form.

use proc_macro2::TokenStream;
use quote::quote;

use super::Surface;
use super::drivers::Pulled;
use crate::emit::own;
use crate::ir::Ty;

impl Surface<'_> {
    /// The number that the result may hold.
    fn perhaps(&self) -> Option<&Ty> {
        let (Ty::Option(value) | Ty::Result(value, _)) = &self.output_known else {
            return None;
        };
        (value.is_float() && !self.in_fields).then_some(&**value)
    }

    /// The result's type with another value: `io::Result<(f64, Vec<f64>)>`.
    fn output_of(&self, value: &TokenStream) -> Option<syn::Type> {
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
        Some(syn::Type::Path(ty))
    }

    pub(super) fn gradient_perhaps(&self) -> TokenStream {
        let Some(value) = self.perhaps() else {
            return TokenStream::new();
        };
        let Pulled {
            zeros,
            passed,
            patterns,
            types,
            values,
        } = self.pulled();
        let (ty, gradient) = (Self::bare(&types), Self::bare(&values));
        let number = match value {
            Ty::Real(name) => quote!(#name),
            Ty::F32 => quote!(::core::primitive::f32),
            _ => quote!(::core::primitive::f64),
        };
        let (Some(both_ty), Some(ty)) =
            (self.output_of(&quote!((#number, #ty))), self.output_of(&ty))
        else {
            return TokenStream::new();
        };
        let (rt, vis, title) = (self.rt, self.vis, &self.title);
        let (both, name) = (self.public("value_and_gradient"), self.public("gradient"));
        let call_both = self.public_path("value_and_gradient");
        let params = self.primal_params();
        let args: Vec<TokenStream> = self.args.iter().map(|a| self.reborrowed(a)).collect();
        let given_on: Vec<TokenStream> = self.args.iter().map(|a| self.expr(a)).collect();
        let hidden = self.hidden("rrule");
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        let one = super::unit(Some(value), rt).0;
        let (seed, what) = match &self.output_known {
            Ty::Option(_) => (
                quote!(::core::option::Option::map(::core::option::Option::as_ref(&#y), |_| #one)),
                "`None` where the function gives `None`",
            ),
            _ => (
                quote! {
                    match &#y {
                        ::core::result::Result::Ok(_) => ::core::result::Result::Ok(#one),
                        ::core::result::Result::Err(_) => ::core::result::Result::Err(#rt::NoTangent),
                    }
                },
                "the error where the function gives one",
            ),
        };
        let checks = self.checks("value_and_gradient");
        let (begin, given) = (checks.begin(), checks.seed(&quote!(#y_bar)));
        let (end, agrees) = (checks.value(&quote!(#y)), checks.gradient());
        let (generics, clause, tracked) =
            (self.impl_generics(), self.where_clause(&[]), self.tracked());
        let tangent = &self.output_tangent;
        let doc = format!(
            " The gradient of `{title}`, one entry for each differentiated parameter, in order; {what}."
        );
        let doc_both = format!(
            " The value of `{title}` and its gradient, one entry for each differentiated parameter, in order; {what}."
        );
        quote! {
            #[doc = #doc_both]
            #[inline]
            #tracked
            #[allow(clippy::type_complexity)]
            #vis fn #both #generics (#(#params),*) -> #both_ty #clause {
                #begin
                let (#y, #pullback) = #hidden(#(#args),*);
                let #y_bar: #tangent = #seed;
                #given
                // It puts back what the function wrote, in any case.
                #zeros
                let (#(#patterns,)*) = #pullback(#y_bar, #(#passed),*);
                #end
                #agrees
                #y.map(|value| (value, #gradient))
            }
            #[doc = #doc]
            #[inline]
            #tracked
            #vis fn #name #generics (#(#params),*) -> #ty #clause {
                #call_both(#(#given_on),*).map(|both| both.1)
            }
        }
    }
}

//! `gradient` and `hvp` of functions that return `Result<f64, E>` or `Option<f64>`: `None` or the error is returned as it is. So it
//! does from `hessian`, which stands with the other matrices.
//!
//! The other drivers take these functions as they take any: `jvp`, `vjp` and `derivative` have the result's tangent, which is of the same form.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Surface;
use super::drivers::Pulled;
use crate::emit::own;
use crate::ir::{PassedBy, Ty};

impl Surface<'_> {
    /// The number that the result may hold.
    pub(super) fn perhaps(&self) -> Option<&Ty> {
        let (Ty::Option(value) | Ty::Result(value, _)) = &self.output_known else {
            return None;
        };
        (value.is_float() && !self.in_fields).then_some(&**value)
    }

    /// The seed of the result in `y`, a zero of its form, and the returned variant where there is no number.
    fn seeds(&self, value: &Ty, y: &Ident) -> ([TokenStream; 2], &'static str) {
        let rt = self.rt;
        let (one, zero) = super::unit(Some(value), rt);
        match &self.output_known {
            Ty::Option(_) => (
                [one, zero].map(
                    |seed| quote!(::core::option::Option::map(::core::option::Option::as_ref(&#y), |_| #seed)),
                ),
                "`None` where the function gives `None`",
            ),
            _ => (
                [one, zero].map(|seed| {
                    quote! {
                        match &#y {
                            ::core::result::Result::Ok(_) => ::core::result::Result::Ok(#seed),
                            ::core::result::Result::Err(_) => ::core::result::Result::Err(#rt::NoTangent),
                        }
                    }
                }),
                "the error where the function gives one",
            ),
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

    /// The name of the number's type.
    pub(super) fn number(value: &Ty) -> TokenStream {
        match value {
            Ty::Real(name) => quote!(#name),
            Ty::F32 => quote!(::core::primitive::f32),
            _ => quote!(::core::primitive::f64),
        }
    }

    /// The result's type with another value: `io::Result<(f64, Vec<f64>)>`.
    pub(super) fn output_of(&self, value: &TokenStream) -> Option<syn::Type> {
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
        let number = Self::number(value);
        let (Some(both_ty), Some(ty)) =
            (self.output_of(&quote!((#number, #ty))), self.output_of(&ty))
        else {
            return TokenStream::new();
        };
        let (vis, title) = (self.vis, &self.title);
        let (both, name) = (self.public("value_and_gradient"), self.public("gradient"));
        let call_both = self.public_path("value_and_gradient");
        let params = self.primal_params();
        let args: Vec<TokenStream> = self.args.iter().map(|a| self.reborrowed(a)).collect();
        let given_on: Vec<TokenStream> = self.args.iter().map(|a| self.expr(a)).collect();
        let hidden = self.hidden("rrule");
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        let ([seed, _], what) = self.seeds(value, &y);
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
                // It restores the memory that the function wrote, in any case.
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

    /// The same of second order, where nothing is written to the arguments.
    pub(super) fn hvp_perhaps(&self) -> TokenStream {
        let Some(value) = self.perhaps().filter(|_| self.is_repeatable()) else {
            return TokenStream::new();
        };
        let (rt, vis, title) = (self.rt, self.vis, &self.title);
        let (name, all) = (self.public("hvp"), self.public("value_gradient_and_hvp"));
        let hidden = self.hidden("rrule_frule");
        let call = self.public_path("value_gradient_and_hvp");
        let (params, (directions, shapes)) = (self.primal_params(), self.directions());
        let args = self.dual_args(&|a| {
            let dot = Self::dot(a);
            quote!(#dot)
        });
        let given: Vec<TokenStream> = self.args.iter().map(|a| self.expr(a)).collect();
        let dots = self.differentiated().map(Self::dot);
        let (mut zeros, mut passed, mut patterns) = (TokenStream::new(), Vec::new(), Vec::new());
        let (mut types, mut bars, mut products) = (Vec::new(), Vec::new(), Vec::new());
        for a in &self.args {
            let (x, dot, bar, product) =
                (self.expr(a), Self::dot(a), Self::bar(a), Self::product(a));
            if !a.constant {
                types.push(self.owned_tangent(a));
                bars.push(quote!(#bar));
                products.push(quote!(#product));
            }
            match (a.by, a.constant) {
                (PassedBy::Value, false) => {
                    passed.push(quote!(()));
                    patterns.push(quote!(#rt::Dual(#bar, #product)));
                }
                (PassedBy::Ref | PassedBy::Mut, false) => {
                    zeros.extend(self.zero(a, &bar));
                    zeros.extend(self.zero(a, &product));
                    let (lent, lent_product) = (self.lent(a, &bar), self.lent(a, &product));
                    passed.push(
                        quote!(#rt::CoDual(#rt::Dual(#x, #dot), #rt::Dual(#lent, #lent_product))),
                    );
                    patterns.push(quote!(_));
                }
                (by, true) => {
                    passed.push(if by == PassedBy::Ref { x } else { quote!(()) });
                    patterns.push(quote!(_));
                }
            }
        }
        let ty = Self::bare(&types);
        let number = Self::number(value);
        let (Some(all_ty), Some(of_products)) = (
            self.output_of(&quote!((#number, #ty, #ty))),
            self.output_of(&ty),
        ) else {
            return TokenStream::new();
        };
        let (gradient, result) = (Self::bare(&bars), Self::bare(&products));
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        let ([seed, zero], what) = self.seeds(value, &y);
        let tangent = &self.output_tangent;
        let generics = self.impl_generics();
        let clause = self.where_clause(&[]);
        let checks = self.checks("value_gradient_and_hvp");
        let (begin, along, seeded) = (checks.begin(), checks.given(), checks.seed(&quote!(#y_bar)));
        let (end, agrees) = (checks.value(&quote!(#y)), checks.gradient());
        let returned = checks.returned(&|a| {
            let product = Self::product(a);
            quote!(&#product)
        });
        let forms = "one direction for each differentiated parameter, in order; the result has the gradient's form";
        let product = format!("product of the Hessian of `{title}` with a vector");
        let panics = "# Panics\n If a direction's shape is not that of its argument.";
        let doc = format!(" The {product}: {forms}; {what}.\n\n {panics}");
        let doc_all =
            format!(" The value, the gradient, and the {product}: {forms}; {what}.\n\n {panics}");
        quote! {
            #[doc = #doc_all]
            #[inline]
            #[track_caller]
            #[allow(clippy::type_complexity)]
            #vis fn #all #generics (#(#params,)* #(#directions),*) -> #all_ty #clause {
                #shapes
                #begin
                #along
                let (#rt::Dual(#y, _), #pullback) = #hidden(#(#args),*);
                let #y_bar: #tangent = #seed;
                #seeded
                #zeros
                let (#(#patterns,)*) = #pullback(#rt::Dual(#y_bar, #zero), #(#passed),*);
                #end
                #agrees
                #returned
                #y.map(|value| (value, #gradient, #result))
            }
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params,)* #(#directions),*) -> #of_products #clause {
                #call(#(#given,)* #(#dots),*).map(|all| all.2)
            }
        }
    }
}

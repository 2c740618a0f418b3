//! The drivers of second order, by forward over reverse: `value_gradient_and_hvp`, `hvp`, `second_derivative`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::{Argument, Surface};
use crate::emit::own;

impl Surface<'_> {
    pub(super) fn second(&self) -> TokenStream {
        let perhaps = self.perhaps().is_some() && self.is_repeatable();
        if self.differentiated().next().is_none() || !(self.may_be_scalar() || perhaps) {
            return TokenStream::new();
        }
        let mut items = self.hvp();
        if !perhaps {
            items.extend(self.second_derivative());
        }
        items
    }

    /// `value_gradient_and_hvp` and `hvp`: by the combined rule, or by the split one where the result may hold no number.
    fn hvp(&self) -> TokenStream {
        let (rt, vis, title, tangent) = (self.rt, self.vis, &self.title, &self.output_tangent);
        let (name, all) = (self.public("hvp"), self.public("value_gradient_and_hvp"));
        let call = self.public_path("value_gradient_and_hvp");
        let (params, (directions, shapes)) = (self.primal_params(), self.directions());
        let args = self.dual_args(&|a| Self::dot(a).into_token_stream());
        let given: Vec<TokenStream> = self.args.iter().map(|a| self.expr(a)).collect();
        let dots = self.differentiated().map(Self::dot);
        let (y, y_bar, pullback) = (own("value"), own("seed"), own("pullback"));
        let checks = self.checks("value_gradient_and_hvp");
        let run = if let Some(value) = self.perhaps() {
            let (hidden, [seed, zero]) = (self.hidden("rrule_frule"), self.seeds(value, &y));
            let (patterns, passed) = self.handed_again(
                &|a| self.reborrowed(a),
                &|a| Self::dot(a).into_token_stream(),
                &|a| self.fresh(a),
            );
            let zeros = self.zeros(false, &["bar", "product"]);
            let seeded = checks.seed(&quote!(#y_bar));
            quote! {
                let (#rt::Dual(#y, _), #pullback) = #hidden(#(#args),*);
                let #y_bar: #tangent = #seed;
                #seeded
                #zeros
                let (#(#patterns,)*) = #pullback(#rt::Dual(#y_bar, #zero), #(#passed),*);
            }
        } else {
            let (hidden, (one, zero, _)) = (self.hidden("combined_frule"), self.unit_seed());
            let zeros = self.zeros(true, &["bar", "product"]);
            let shadows = self.differentiated().map(|a| self.fresh(a));
            let seed = checks.seed(&quote!(1.0));
            quote! {
                #seed
                #zeros
                let #rt::Dual(#y, _) = #hidden(#(#args,)* #rt::Dual(#one, #zero), #(#shadows),*);
            }
        };
        let (ty, number) = (self.gradient_type(), self.value_type());
        let all_ty = self.output_with(&quote!((#number, #ty, #ty)));
        let of_products = self.output_with(&ty);
        let (gradient, products) = (self.all(&Self::bar), self.all(&Self::product));
        let (result, last) = (
            self.returned(&y, &quote!(#gradient, #products)),
            self.part(2),
        );
        let (generics, clause) = (
            self.impl_generics(),
            self.where_clause(&self.scalar_bound()),
        );
        let (begin, along) = (checks.begin(), checks.given());
        let (end, agrees) = (checks.value(&quote!(#y)), checks.gradient());
        let returned = checks.returned(&|a| {
            let product = Self::product(a);
            quote!(&#product)
        });
        let (by, absent) = match self.absent() {
            "" => (", by one pass", String::new()),
            absent => ("", format!("; {absent}")),
        };
        let product = format!("product of the Hessian of `{title}` with a vector");
        let forms = format!(
            "one direction for each differentiated parameter, in order; the result has the gradient's form{absent}"
        );
        let panics = "# Panics\n If a direction's shape is not that of its argument.";
        let doc = format!(" The {product}: {forms}.\n\n {panics}");
        let doc_all =
            format!(" The value, the gradient, and the {product}{by}: {forms}.\n\n {panics}");
        quote! {
            #[doc = #doc_all]
            #[inline]
            #[track_caller]
            #[allow(clippy::type_complexity)]
            #vis fn #all #generics (#(#params,)* #(#directions),*) -> #all_ty #clause {
                #shapes
                #begin
                #along
                #run
                #end
                #agrees
                #returned
                #result
            }
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params,)* #(#directions),*) -> #of_products #clause {
                #call(#(#given,)* #(#dots),*)#last
            }
        }
    }

    /// Fresh shadows for a cotangent and for its tangent.
    pub(super) fn fresh(&self, a: &Argument) -> TokenStream {
        let rt = self.rt;
        let [bar, product] = [Self::bar(a), Self::product(a)].map(|shadow| self.lent(a, &shadow));
        quote!(#rt::Dual(#bar, #product))
    }

    /// The results and arguments of a pullback of second order.
    pub(super) fn handed_again(
        &self,
        value: &dyn Fn(&Argument) -> TokenStream,
        dot: &dyn Fn(&Argument) -> TokenStream,
        shadows: &dyn Fn(&Argument) -> TokenStream,
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let rt = self.rt;
        let bar = |a: &Argument| {
            let (bar, product) = (Self::bar(a), Self::product(a));
            quote!(#rt::Dual(#bar, #product))
        };
        self.handed(value, &bar, &|a| {
            let (x, dot, shadows) = (value(a), dot(a), shadows(a));
            quote!(#rt::Dual(#x, #dot), #shadows)
        })
    }

    /// Only for functions of a single scalar.
    fn second_derivative(&self) -> TokenStream {
        let Some(a) = self.one_scalar() else {
            return TokenStream::new();
        };
        let (rt, vis, title) = (self.rt, self.vis, &self.title);
        let (name, hvp) = (self.public("second_derivative"), self.public_path("hvp"));
        let params = self.primal_params();
        let given: Vec<TokenStream> = self.args.iter().map(|a| self.expr(a)).collect();
        let (ty, one) = (self.owned_tangent(a), super::unit(Some(&a.known), rt).0);
        let (_, _, clause) = self.unit_seed();
        let (generics, tracked) = (self.impl_generics(), self.tracked());
        let doc = format!(" The second derivative of `{title}`.");
        quote! {
            #[doc = #doc]
            #[inline]
            #tracked
            #vis fn #name #generics (#(#params),*) -> #ty #clause {
                #hvp(#(#given,)* #one)
            }
        }
    }
}

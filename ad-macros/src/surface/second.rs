//! The drivers of second order, by forward over reverse: `value_gradient_and_hvp`, `hvp`, `second_derivative`.

use proc_macro2::TokenStream;
use quote::quote;

use super::Surface;
use crate::emit::own;

impl Surface<'_> {
    pub(super) fn second(&self) -> TokenStream {
        if self.differentiated().next().is_none() || !self.may_be_scalar() {
            return self.hvp_perhaps();
        }
        let mut items = self.hvp();
        items.extend(self.second_derivative());
        items
    }

    fn hvp(&self) -> TokenStream {
        let (rt, vis, output, title) = (self.rt, self.vis, &self.output, &self.title);
        let (name, all) = (self.public("hvp"), self.public("value_gradient_and_hvp"));
        let hidden = self.hidden("combined_frule");
        let call = self.public_path("value_gradient_and_hvp");
        let params = self.primal_params();
        let (directions, shapes) = self.directions();
        let args = self.dual_args(&|a| {
            let dot = Self::dot(a);
            quote!(#dot)
        });
        let given: Vec<TokenStream> = self.args.iter().map(|a| self.expr(a)).collect();
        let dots = self.differentiated().map(Self::dot);
        let mut zeros = TokenStream::new();
        let (mut shadows, mut types) = (Vec::new(), Vec::new());
        let (mut bars, mut products) = (Vec::new(), Vec::new());
        for a in self.differentiated() {
            let (bar, product) = (Self::bar(a), Self::product(a));
            zeros.extend(self.zero(a, &bar));
            zeros.extend(self.zero(a, &product));
            let (lent, lent_product) = (self.lent(a, &bar), self.lent(a, &product));
            shadows.push(quote!(#rt::Dual(#lent, #lent_product)));
            types.push(self.owned_tangent(a));
            bars.push(quote!(#bar));
            products.push(quote!(#product));
        }
        let ty = Self::bare(&types);
        let (gradient, value) = (Self::bare(&bars), Self::bare(&products));
        let (one, zero, clause) = self.unit_seed();
        let (y, generics) = (own("value"), self.impl_generics());
        let checks = self.checks("value_gradient_and_hvp");
        let (begin, along, seed) = (checks.begin(), checks.given(), checks.seed(&quote!(1.0)));
        let (end, agrees) = (checks.value(&quote!(#y)), checks.gradient());
        let of_products = checks.returned(&|a| {
            let product = Self::product(a);
            quote!(&#product)
        });
        let product = format!("product of the Hessian of `{title}` with a vector");
        let forms = "one direction for each differentiated parameter, in order; the result has the gradient's form";
        let panics = "# Panics\n If a direction's shape is not that of its argument.";
        let doc = format!(" The {product}: {forms}.\n\n {panics}");
        let doc_all = format!(
            " The value, the gradient, and the {product}, by one pass: {forms}.\n\n {panics}"
        );
        quote! {
            #[doc = #doc_all]
            #[inline]
            #[track_caller]
            #[allow(clippy::type_complexity)]
            #vis fn #all #generics (#(#params,)* #(#directions),*) -> (#output, #ty, #ty) #clause {
                #shapes
                #begin
                #along
                #seed
                #zeros
                let #rt::Dual(#y, _) = #hidden(#(#args,)* #rt::Dual(#one, #zero), #(#shadows),*);
                #end
                #agrees
                #of_products
                (#y, #gradient, #value)
            }
            #[doc = #doc]
            #[inline]
            #[track_caller]
            #vis fn #name #generics (#(#params,)* #(#directions),*) -> #ty #clause {
                #call(#(#given,)* #(#dots),*).2
            }
        }
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

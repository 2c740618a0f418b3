//! `impl Trait` in a parameter's type, as a type parameter with a name, which rules need to say it twice.

use proc_macro2::{Ident, Span};
use syn::visit_mut::VisitMut;

/// No parameter of the user's is called so.
const PREFIX: &str = "__Impl";

/// Whether a type parameter stands for an `impl Trait`, and can't be given to the primal.
pub(crate) fn is_made(param: &Ident) -> bool {
    param.to_string().starts_with(PREFIX)
}

/// The signature with a type parameter for each `impl Trait`. The bodies of rules never mention these.
pub(crate) fn named(sig: &syn::Signature) -> syn::Signature {
    let mut sig = sig.clone();
    let mut names = Names::default();
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(param) = input {
            names.visit_type_mut(&mut param.ty);
        }
    }
    sig.generics.params.extend(names.params);
    sig
}

#[derive(Default)]
struct Names {
    params: Vec<syn::GenericParam>,
}

impl VisitMut for Names {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        syn::visit_mut::visit_type_mut(self, ty);
        let syn::Type::ImplTrait(of) = ty else {
            return;
        };
        let name = Ident::new(
            &format!("{PREFIX}{}", self.params.len()),
            Span::mixed_site(),
        );
        let bounds = &of.bounds;
        self.params.push(syn::parse_quote!(#name: #bounds));
        *ty = syn::parse_quote!(#name);
    }
}

//! Methods called by path, `Model::logp(&m, x)`: who calls doesn't know that the first argument is a receiver, so there are
//! forms of the rules that take it as any other.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::signature::{Entry, Parts, own};

/// The form of a rule on duals whose receiver is an argument. `name` is the name of such a rule.
pub(crate) fn by_path(parts: &Parts, entry: &Entry<'_>, name: &proc_macro2::Ident) -> TokenStream {
    let rt = entry.rt;
    let (hidden, vis, output) = (&entry.name, entry.vis, &parts.output);
    let (mut params, mut args) = (Vec::new(), Vec::new());
    let mut rest = parts.params.iter();
    if let Some(receiver) = entry.receiver {
        rest.next();
        let this = own("this");
        let by = match &receiver.kind {
            syn::ReceiverKind::Reference(_, _, Some(_)) => quote!(&mut Self),
            syn::ReceiverKind::Reference(_, _, None) => quote!(&Self),
            _ => quote!(Self),
        };
        match rest.next().and_then(argument_type) {
            Some(dot) if !is_unit(&dot) => {
                params.push(quote!(#this: #rt::Dual<#by, #dot>));
                args.push(quote!(#this.0, #this.1));
            }
            _ => {
                params.push(quote!(#this: #by));
                args.push(quote!(#this, ()));
            }
        }
    }
    for (k, ty) in rest.filter_map(argument_type).enumerate() {
        let name = own(&format!("a{k}"));
        params.push(quote!(#name: #ty));
        args.push(quote!(#name));
    }
    let generics: Vec<_> = crate::surface::arguments(entry.generics);
    let turbofish = (!generics.is_empty()).then(|| quote!(::<#(#generics),*>));
    let (impl_generics, _, clause) = entry.generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #[inline]
        #[allow(clippy::type_complexity)]
        #vis fn #name #impl_generics (#(#params),*) -> #output #clause {
            Self::#hidden #turbofish (#(#args),*)
        }
    }
}

/// The name of a rule of a method whose receiver is an argument.
pub(crate) fn path_name(method: &str, rule: &str) -> proc_macro2::Ident {
    format_ident!("__{method}_path_{rule}")
}

/// The type of a parameter that isn't the receiver.
pub(crate) fn argument_type(param: &TokenStream) -> Option<syn::Type> {
    match syn::parse2::<syn::FnArg>(param.clone()) {
        Ok(syn::FnArg::Typed(param)) => Some(*param.ty),
        _ => None,
    }
}

fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}

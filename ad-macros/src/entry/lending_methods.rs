//! The rules of a method that returns a reference to a part of `self`, for callers that don't know that it does: they return a copy.
//!
//! ```text
//! Input:  fn row(&self, i: usize) -> &[f64] { .. }
//! Output: the rules of fn row(&self, i: usize) -> Vec<f64> { self.row(i).to_vec() }
//! ```
//!
//! A `&mut`, or a part that can't be copied, has rules that are an error: the caller has to say of which type the part is.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Signature;

use super::associated::emit;
use super::source::{Emitted, Source, compile};
use crate::emit::unraw;
use crate::hir::Surroundings;
use crate::options::Options;
use crate::types::written;

/// The hidden rules, and the modes.
pub(crate) fn rules(
    options: &Options,
    source: &Source<'_>,
    part: &syn::TypeReference,
) -> TokenStream {
    let rt = options.runtime();
    copied(options, source, part, &rt).unwrap_or_else(|| lending(&rt, source))
}

fn copied(
    options: &Options,
    source: &Source<'_>,
    part: &syn::TypeReference,
    rt: &TokenStream,
) -> Option<TokenStream> {
    let (owned, copy) = copy_of(part, rt)?;
    let mut sig = source.sig.clone();
    let args = named(&mut sig);
    let name = &sig.ident;
    let block: syn::Block = syn::parse_quote!({ self.#name(#(#args),*)#copy });
    sig.output = syn::parse_quote!(-> #owned);
    let elem = &part.elem;
    let copied = match written::ungrouped(elem) {
        syn::Type::Slice(slice) => &slice.elem,
        _ => elem,
    };
    // With a lifetime in it the bound may be wrong, which is an error where the rules are used.
    let bound = syn::parse_quote!(for<'chainrule> #copied: ::core::clone::Clone);
    sig.generics.make_where_clause().predicates.push(bound);
    let own = [(
        source.sig.ident.to_string(),
        syn::Type::Reference(part.clone()),
    )];
    let known = source.surroundings.borrow_sources;
    let source = Source {
        sig: &sig,
        block: &block,
        surroundings: Surroundings {
            borrow_sources: if known.is_empty() { &own } else { known },
            ..source.surroundings
        },
        emitted: Emitted::Hidden,
        ..*source
    };
    let func = compile(options, &source).ok()?;
    Some(emit(options, &source, &func))
}

/// The type of a copy, and how it is made.
fn copy_of(part: &syn::TypeReference, rt: &TokenStream) -> Option<(TokenStream, TokenStream)> {
    if part.mutability.is_some() {
        return None;
    }
    match written::ungrouped(&part.elem) {
        syn::Type::Slice(slice) => {
            let elem = &slice.elem;
            Some((quote!(#rt::Vec<#elem>), quote!(.to_vec())))
        }
        syn::Type::Path(path) if !path.path.is_ident("str") => {
            Some((quote!(#path), quote!(.clone())))
        }
        ty @ (syn::Type::Array(_) | syn::Type::Tuple(_)) => Some((quote!(#ty), quote!(.clone()))),
        _ => None,
    }
}

/// Names every parameter.
fn named(sig: &mut Signature) -> Vec<Ident> {
    let mut names = Vec::new();
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(param) = input {
            let name = Ident::new(&format!("a{}", names.len()), Span::mixed_site());
            *param.pat = syn::parse_quote!(#name);
            names.push(name);
        }
    }
    names
}

/// Rules that are an error.
fn lending(rt: &TokenStream, source: &Source<'_>) -> TokenStream {
    let (vis, sig) = (source.vis, source.sig);
    let named =
        |kind: &str| format_ident!("__{}_{kind}", unraw(&sig.ident), span = sig.ident.span());
    let [modes, rrule] = ["modes", "rrule"].map(named);
    let dual = ["frule", "rrule_frule"].map(named);
    let count = sig.inputs.len();
    let own = |name: &str| Ident::new(name, Span::mixed_site());
    let types: Vec<Ident> = (1..count).map(|k| own(&format!("A{k}"))).collect();
    let args: Vec<Ident> = (1..count).map(|k| own(&format!("a{k}"))).collect();
    let duals = dual.map(|dual| {
        quote! {
            #[doc(hidden)]
            #vis fn #dual<S, #(#types),*>(&self, _: S, #(#args: #types),*) -> #rt::mode::Lent<(#(#types,)*)> {
                #rt::mode::Lent((#(#args,)*))
            }
        }
    });
    let absent = types.iter().map(|_| quote!(#rt::mode::Absent));
    let values = types.iter().map(|_| quote!(#rt::mode::absent()));
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #modes(&self) -> (#rt::mode::Lending, #(#absent),*) {
            (#rt::mode::Lending, #(#values),*)
        }

        #[doc(hidden)]
        #vis fn #rrule<#(#types),*>(&self, #(#args: #types),*) -> #rt::mode::Lent<(#(#types,)*)> {
            #rt::mode::Lent((#(#args,)*))
        }

        #(#duals)*
    }
}

//! `#[primitive(...)]`: a function whose derivative rules are written by hand.
//!
//! ```text
//! attribute --options--> Declaration
//! partials          item, partials --lower--> Linearized --transform--> hidden rules --> surface
//! frule, rrule      hidden rules that call the functions given --> surface
//! zero_derivative   item --> a call that nothing is differentiated through --> as `#[differentiable]`
//! ```
//!
//! The hidden rules have the form of those of `#[differentiable]`, so that no caller knows the difference.

mod by_hand;
mod linear;
mod options;
mod partials;
mod primal;
mod zero;

use proc_macro2::TokenStream;
use quote::quote;

use crate::expand::{self, Rules, Source};
use crate::options::Options;
use options::{Declaration, Kind};

/// `#[primitive]` on a function or a method.
pub(crate) fn primitive(attr: TokenStream, item: &TokenStream) -> TokenStream {
    let (declaration, error) = match options::parse(attr) {
        Ok(declaration) => (Some(declaration), None),
        Err(error) => (None, Some(error.to_compile_error())),
    };
    let options = declaration.as_ref().map(|d| d.options.clone());
    let rules = |source: &Source<'_>| match &declaration {
        Some(declaration) => declared(declaration, source),
        None => (stubs(&Options::default(), source), error.clone()),
    };
    if let Ok(function) = syn::parse2::<syn::ItemFn>(item.clone()) {
        return expand::free_function(&options.unwrap_or_default(), function, &rules);
    }
    if let Ok(method) = syn::parse2::<syn::ImplItemFn>(item.clone()) {
        return expand::single_method(method, &rules);
    }
    let error = crate::diagnostics::error(
        crate::diagnostics::Whole(item),
        "`#[primitive]` works on functions and methods that have a body",
        "for a function of another crate, put it on a function of your own that calls it",
    )
    .to_compile_error();
    quote!(#item #error)
}

/// Whether an attribute is `#[primitive(...)]`.
pub(crate) fn is_attribute(attr: &syn::Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|segment| segment.ident == "primitive")
}

/// The attribute of a method in a `#[differentiable]` block.
pub(crate) fn attribute(attrs: &[syn::Attribute]) -> Option<&syn::Attribute> {
    attrs.iter().find(|attr| is_attribute(attr))
}

/// The rules of such a method; the block's options hold where it has none of its own.
pub(crate) fn rules(block: &Options, attr: &syn::Attribute, source: &Source<'_>) -> Rules {
    let tokens = match &attr.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    match options::parse(tokens) {
        Ok(mut declaration) => {
            let krate = &mut declaration.options.krate;
            *krate = krate.take().or_else(|| block.krate.clone());
            declared(&declaration, source)
        }
        Err(error) => (stubs(block, source), Some(error.to_compile_error())),
    }
}

/// The rules that are declared; on errors, these and stubs.
fn declared(declaration: &Declaration, source: &Source<'_>) -> Rules {
    let options = &declaration.options;
    let items = || match &declaration.kind {
        Kind::Partials(partials) => {
            let exprs = partials.each.iter().map(|(_, expr)| expr);
            options.check_with(&quote!(#(#exprs)*))?;
            partials::rules(options, source, partials)
        }
        Kind::ByHand(by_hand) => {
            options.check_with(&TokenStream::new())?;
            by_hand::rules(options, source, by_hand)
        }
        Kind::ZeroDerivative => {
            options.check_with(&TokenStream::new())?;
            zero::rules(options, source)
        }
    };
    match items() {
        Ok(items) => (items, None),
        Err(error) => (stubs(options, source), Some(error.to_compile_error())),
    }
}

/// Rules of the right types, so that a mistake in the declaration is one message. A receiver has none: its type may have no
/// tangent.
fn stubs(options: &Options, source: &Source<'_>) -> TokenStream {
    let empty: syn::Block = syn::parse_quote!({ ::core::unreachable!() });
    let mut sig = source.sig.clone();
    if let Some(syn::FnArg::Receiver(receiver)) = sig.inputs.first_mut() {
        receiver.attrs.push(syn::parse_quote!(#[constant]));
    }
    let source = Source {
        sig: &sig,
        outer: source.outer.clone(),
        ..*source
    };
    expand::compile(options, &source, &empty)
        .map(|func| expand::emit(options, &source, &func))
        .unwrap_or_default()
}

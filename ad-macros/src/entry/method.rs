//! A single method with an attribute: its rules become its siblings in the `impl`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::anonymous;
use super::function::checks;
use super::rules::{Rules, under};
use super::source::Source;
use crate::attributes::{cfgs, strip_function};
use crate::emit::{allowed, allows, parameters};
use crate::enclosing::{self, Siblings};
use crate::hir::Surroundings;
use crate::options::Options;

/// A method, and its rules as its siblings; `block` is its `impl`, if that is known.
pub(super) fn single(
    options: &Options,
    mut item: syn::ItemFn,
    block: Option<&syn::ItemImpl>,
    rules: &dyn Fn(&Source<'_>) -> Rules,
    beside: &Siblings,
) -> TokenStream {
    let own = block.map(|block| &*block.self_ty);
    let block = block.map(|block| anonymous::of_block(block, options));
    let block = block.as_ref();
    let sig = match block {
        Some(block) => anonymous::within_own(&block.generics, &item, options),
        None => anonymous::for_own_rules(&item.sig, &item.block, options),
    };
    let source = Source {
        vis: &item.vis,
        surroundings: Surroundings {
            self_ty: own,
            generics: block.map(|block| &block.generics),
            siblings: Some(beside),
            ..Surroundings::default()
        },
        outer: &block.map_or_else(Vec::new, |block| parameters(&block.generics)),
        method: true,
        ..Source::new(&sig, &item.block)
    };
    let (items, errors) = match own {
        Some(own) if enclosing::replaces_calls(own, &item.sig, &item.block) => {
            (TokenStream::new(), None)
        }
        _ => under(&item.attrs, rules(&source)),
    };
    let items = allowed(items);
    let errors = errors.map(|errors| wrap_errors(&item.sig.ident, &errors));
    let text = text(own, &item.attrs, &item.sig, &item.block);
    strip_function(&mut item.sig, &mut item.block);
    let checks = checks(&[], options.checks());
    if !checks.is_empty() {
        // There are no such items in an `impl`.
        let stmts = &item.block.stmts;
        item.block = syn::parse_quote!({ #checks #(#stmts)* });
    }
    let beside = beside.checks(&options.runtime());
    let beside = (!beside.is_empty()).then(|| {
        // No parameter hides a name here.
        let name = format_ident!("__BESIDE_{}", item.sig.ident);
        let (allow, cfgs) = (allows(), cfgs(&item.attrs));
        quote!(#(#cfgs)* #allow #[allow(non_upper_case_globals)] const #name: () = { #beside };)
    });
    quote!(#item #items #text #beside #errors)
}

/// The constant by which callers compare the body of a method that they inline.
pub(super) fn text(
    own: Option<&syn::Type>,
    attrs: &[syn::Attribute],
    sig: &syn::Signature,
    block: &syn::Block,
) -> Option<TokenStream> {
    let replaces = |own| enclosing::replaces_calls(own, sig, block);
    if !enclosing::may_be_inlined(sig, block) && !own.is_some_and(replaces) {
        return None;
    }
    let name = enclosing::text_of_method(&sig.ident);
    let text = enclosing::fingerprint(sig, block);
    let cfgs = cfgs(attrs);
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        pub const #name: ::core::primitive::u64 = #text;
    })
}

/// Errors among associated items, where no macro may be called.
fn wrap_errors(name: &syn::Ident, errors: &TokenStream) -> TokenStream {
    let name = format_ident!("__{}_errors", name.to_string().trim_start_matches("r#"));
    quote!(#[doc(hidden)] #[allow(non_upper_case_globals)] const #name: () = { #errors };)
}

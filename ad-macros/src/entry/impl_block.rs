//! `#[differentiable]` on an `impl` block, of a type alone or of a trait.
//!
//! ```text
//! impl Model                 --> the block, and another `impl Model` with the rules of its methods
//! impl Iterator for Walk     --> the same: the trait has no rules, since it is std's, or has no attribute
//! impl Add for V3            --> the block, and an `impl` of the runtime's trait of rules (`operators`, `indexing`)
//! impl Layer for Dense       --> the block with the rules among its methods (`traits`)
//! ```

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Block, Signature};

use super::operators::Overload;
use super::rules::{OfMethods, made, rules};
use super::source::{Emitted, Source, methods_mut, strip_methods};
use super::{anonymous, indexing, method, primitive, traits};
use crate::attributes::{cfgs, is_primitive};
use crate::configured;
use crate::emit::{allows, parameters};
use crate::enclosing::{Siblings, Total, replaces_calls};
use crate::hir::Surroundings;
use crate::options::Options;
use crate::syntax::methods;
use crate::types::{Declared, written};

/// Expands an `impl` block; `beside` are the other items of its module.
pub(super) fn impl_block(
    options: &Options,
    mut block: syn::ItemImpl,
    beside: &Siblings,
) -> TokenStream {
    anonymous::name_header(&mut block);
    let unused = options.check_with(&block).err();
    if block.trait_.is_some() {
        return trait_impl(options, block, beside);
    }
    let unused = unused.or(options.check_no_trait().err());
    let mut errors = unused.map_or_else(TokenStream::new, |error| error.to_compile_error());
    let of_rules = anonymous::of_block(&block, options);
    let rules = rules_of_methods(options, &of_rules, beside);
    errors.extend(rules.errors);
    let (mut texts, own) = (TokenStream::new(), block.self_ty.clone());
    for method in methods_mut(&mut block) {
        texts.extend(method::text(
            Some(&own),
            &method.attrs,
            &method.sig,
            &method.block,
        ));
        method.attrs.retain(|attr| !is_primitive(attr));
    }
    strip_methods(&mut block);
    let (generics, _, clause) = of_rules.generics.split_for_impl();
    let (self_ty, allow, rules) = (&block.self_ty, allows(), rules.items);
    quote! {
        #block
        #allow
        impl #generics #self_ty #clause {
            #rules
            #texts
        }
        #errors
    }
}

/// The rules and drivers of the methods of an `impl` without a trait.
fn rules_of_methods(options: &Options, block: &syn::ItemImpl, beside: &Siblings) -> OfMethods {
    let outer = parameters(&block.generics);
    let (borrow_sources, readers) = (borrow_sources(block), readers(block));
    let mut all = OfMethods::default();
    for method in methods(block) {
        // A method whose result has no tangent needs no rules.
        if let syn::ReturnType::Type(_, ty) = &method.sig.output
            && written::constant_items(ty, &Declared::of(&block.generics)).is_some()
        {
            continue;
        }
        if block.trait_.is_none() && replaces_calls(&block.self_ty, &method.sig, &method.block) {
            continue;
        }
        let sig = anonymous::for_own_rules(&method.sig, &method.block, options);
        let source = Source {
            vis: &method.vis,
            surroundings: Surroundings {
                borrow_sources: &borrow_sources,
                readers: &readers,
                siblings: Some(beside),
                ..Surroundings::of_impl(block)
            },
            outer: &outer,
            method: true,
            ..Source::new(&sig, &method.block)
        };
        let rules = match method.attrs.iter().find(|attr| is_primitive(attr)) {
            Some(attribute) => primitive::rules(options, attribute, &source),
            None => rules(options, &source),
        };
        all.add(&method.attrs, rules);
    }
    all
}

/// The methods that take `&self`.
fn readers(block: &syn::ItemImpl) -> Vec<String> {
    let reads = |sig: &&Signature| {
        let kind = sig.receiver().map(|receiver| &receiver.kind);
        matches!(kind, Some(syn::ReceiverKind::Reference(_, _, None)))
    };
    let readers = methods(block).map(|method| &method.sig).filter(reads);
    readers.map(|sig| sig.ident.to_string()).collect()
}

/// The methods that return references, and their result types.
fn borrow_sources(block: &syn::ItemImpl) -> Vec<(String, syn::Type)> {
    let lends = |sig: &Signature| {
        let part = indexing::returned_part(sig)?;
        Some((sig.ident.to_string(), syn::Type::Reference(part.clone())))
    };
    methods(block)
        .filter_map(|method| lends(&method.sig))
        .collect()
}

fn operator_impl(options: &Options, overload: &Overload<'_>, beside: &Siblings) -> TokenStream {
    let variants = configured::variants(&overload.body, None);
    if variants.is_empty() {
        return operator_as_configured(options, overload, &overload.body, beside);
    }
    let variants = variants.iter().map(|variant| {
        let attribute = &variant.attribute;
        let rules = operator_as_configured(options, overload, &variant.block, beside);
        quote!(#attribute const _: () = { #rules };)
    });
    variants.collect()
}

fn operator_as_configured(
    options: &Options,
    overload: &Overload<'_>,
    body: &Block,
    beside: &Siblings,
) -> TokenStream {
    let source = Source {
        surroundings: Surroundings {
            siblings: Some(beside),
            ..Surroundings::of_impl(overload.block)
        },
        method: true,
        emitted: Emitted::Rules,
        ..Source::new(&overload.sig, body)
    };
    let made = made(options, &source, |options, func| {
        Ok(overload.clone().emit(options, func, &options.runtime()))
    });
    match made {
        Ok((rules, errors)) => quote!(#rules #errors),
        Err((_, errors)) => errors,
    }
}

/// An `impl` of a trait: of an operator, or of a trait with rules.
fn trait_impl(options: &Options, block: syn::ItemImpl, beside: &Siblings) -> TokenStream {
    let misplaced = options.check_no_function().err();
    let misplaced = misplaced.map(|error| error.to_compile_error());
    let items = trait_impl_items(options, block, beside);
    quote!(#items #misplaced)
}

fn trait_impl_items(options: &Options, block: syn::ItemImpl, beside: &Siblings) -> TokenStream {
    let of_rules = anonymous::of_block(&block, options);
    if let Some(tokens) = indexing::implementation(&options.runtime(), &block, &of_rules) {
        return tokens;
    }
    if traits::is_of_std_with_rules(&block) || beside.of_plain_trait {
        return beside_implementation(options, block, beside);
    }
    let Some(overload) = Overload::new(&of_rules) else {
        return traits::implementation(options, block, beside);
    };
    let rules = match overload {
        Ok(overload) => operator_impl(options, &overload, beside),
        Err(error) => error.to_compile_error(),
    };
    let (mut block, allow) = (block, allows());
    strip_methods(&mut block);
    quote!(#block #allow const _: () = { #rules };)
}

/// An `impl` of a trait that has no rules, of std or without the attribute, and the rules of its methods as the type's own.
fn beside_implementation(
    options: &Options,
    mut block: syn::ItemImpl,
    beside: &Siblings,
) -> TokenStream {
    let of_rules = anonymous::of_block(&block, options);
    let total = Total::new(&block).and_then(|total| total.of_list(&of_rules));
    let hidden = match &total {
        Some(_) => TokenStream::new(),
        None => traits::check_beside(options, &block),
    };
    let inherent = total.clone().unwrap_or_else(|| traits::inherent(&of_rules));
    let OfMethods { items, errors } = rules_of_methods(options, &inherent, beside);
    strip_methods(&mut block);
    let (generics, _, clause) = inherent.generics.split_for_impl();
    let (self_ty, allow, cfgs) = (&block.self_ty, allows(), cfgs(&block.attrs));
    quote! {
        #block
        #allow
        #(#cfgs)*
        impl #generics #self_ty #clause {
            #items
        }
        #(#cfgs)*
        #allow
        #total
        #hidden
        #errors
    }
}

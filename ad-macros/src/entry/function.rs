//! `#[differentiable]` or `#[primitive]` on a single function: the kind of expansion follows from where it stands.
//!
//! ```text
//! in a module or a function --> the function, a type of its name that has the rules  (`free`)
//! in an `impl`              --> the method, its rules as its siblings                (`method`)
//! in a trait, or an `impl` of one --> an error
//! ```

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::rules::Rules;
use super::source::Source;
use super::{anonymous, beside_error, explain, in_module, method};
use crate::attributes::{cfgs, strip_function};
use crate::diagnostics::error;
use crate::emit::allows;
use crate::enclosing::{self, Clash, Place, Siblings, Site};
use crate::hir::{self, Surroundings};
use crate::options::Options;

/// A function or method, by its enclosing item.
pub(super) fn function(
    options: &Options,
    item: syn::ItemFn,
    rules: &dyn Fn(&Source<'_>) -> Rules,
    site: Option<&Site>,
) -> TokenStream {
    match enclosing::place(site, &item.sig.ident) {
        Place::Trait => beside_a_trait(item, "put it on the trait"),
        Place::Impl(block) if block.trait_.is_some() => beside_a_trait(
            item,
            "put it on the `impl`, and on the trait if it is your own",
        ),
        Place::Impl(block) if enclosing::names_lifetime(&block.self_ty, "_") => refused(
            item,
            "`#[differentiable]` on a single function of an `impl` whose type has a lifetime without a name is not supported",
            "name it, `impl<'a> Table<'a>`, or put the attribute on the `impl`",
        ),
        Place::Impl(block) => {
            let beside = enclosing::beside_a_method(site, &block, &item);
            method::single(options, item, Some(&block), rules, &beside)
        }
        Place::MadeImpl => method::single(options, item, None, rules, &Siblings::default()),
        Place::Free | Place::Unknown => {
            // Where no file tells, the mentioned names do.
            if item.sig.receiver().is_some() || enclosing::mentions_self(&item) {
                method::single(options, item, None, rules, &Siblings::default())
            } else if enclosing::has_no_rules(&item.sig)
                && enclosing::may_replace_calls(&item.sig, &item.block)
                && options.are_left_out()
            {
                without_rules(options, item)
            } else {
                let clash = enclosing::clash(site, &item);
                let siblings = enclosing::siblings(site, &item, hir::depth(options));
                free_function(options, item, rules, clash.as_ref(), &siblings)
            }
        }
    }
}

/// A method of a trait can't have siblings.
fn beside_a_trait(item: syn::ItemFn, help: &str) -> TokenStream {
    let message = "`#[differentiable]` on a single method of a trait is not supported";
    refused(item, message, help)
}

/// A method without rules, because of its enclosing item.
fn refused(mut item: syn::ItemFn, message: &str, help: &str) -> TokenStream {
    let error = error(item.sig.ident.span(), message, help);
    strip_function(&mut item.sig, &mut item.block);
    let error = error.to_compile_error();
    let block = &item.block;
    item.block = syn::parse_quote!({ #error #block });
    quote!(#item)
}

/// A function, and the type that carries its rules.
fn free_function(
    options: &Options,
    mut item: syn::ItemFn,
    rules: &dyn Fn(&Source<'_>) -> Rules,
    clash: Option<&Clash>,
    siblings: &Siblings,
) -> TokenStream {
    let sig = anonymous::for_own_rules(&item.sig, &item.block, options);
    let source = Source {
        vis: &item.vis,
        surroundings: Surroundings {
            siblings: Some(siblings),
            ..Surroundings::default()
        },
        ..Source::new(&sig, &item.block)
    };
    let (items, errors) = rules(&source);
    let is_inlined = enclosing::may_replace_calls(&item.sig, &item.block)
        || enclosing::may_be_inlined(&item.sig, &item.block);
    let fingerprint = is_inlined.then(|| {
        let text = enclosing::fingerprint(&item.sig, &item.block);
        quote!(#[doc(hidden)] pub const __TEXT: ::core::primitive::u64 = #text;)
    });
    let rt = options.runtime();
    let known = [siblings.checks(&rt), options.checks()];
    let checks = checks(&item.attrs, known.into_iter().collect());
    let name = options
        .rules
        .clone()
        .unwrap_or_else(|| item.sig.ident.clone());
    let clash = clash.filter(|_| options.rules.is_none());
    if let Some(Clash::Item(kind)) = clash {
        let error = error(
            name.span(),
            format!(
                "the rules of `{name}` need a type of that name, but there is a {kind} called so"
            ),
            "give the type another name: `#[differentiable(rules = other_name)]`; callers write `with(function = other_name)`",
        );
        strip_function(&mut item.sig, &mut item.block);
        return beside_error(&item, &error);
    }
    if let Some(Clash::Module { by_name }) = clash {
        let errors = match options.nested {
            Some(span) => {
                let error = error(
                    span,
                    "`nested` is not supported on a function in a module of its name yet",
                    "give the rules a type: `#[differentiable(nested, rules = other_name)]`; callers write `other_name::gradient(..)`",
                );
                Some(error.to_compile_error())
            }
            None => errors,
        };
        let functions = in_module::functions(&item, items, *by_name);
        strip_function(&mut item.sig, &mut item.block);
        return quote!(#item #functions #checks #errors);
    }
    let (vis, text) = (item.vis.clone(), item.sig.ident.to_string());
    let docs = format!(" The derivative rules of [`{text}`](fn@{text}).");
    strip_function(&mut item.sig, &mut item.block);
    let cfgs = cfgs(&item.attrs);
    let marker = options
        .nested
        .map(|_| quote!(#(#cfgs)* impl #rt::nested::HasDriverRules for #name {}));
    let carrier = carrier(&docs, &cfgs, &vis, &name, &quote!(#items #fingerprint));
    quote!(#item #carrier #marker #checks #errors)
}

/// The type of a function's name, whose associated items are its rules.
fn carrier(
    docs: &str,
    cfgs: &[&syn::Attribute],
    vis: &syn::Visibility,
    name: &syn::Ident,
    items: &TokenStream,
) -> TokenStream {
    let allow = allows();
    quote! {
        #[doc = #docs]
        #[allow(non_camel_case_types)]
        #(#cfgs)*
        #vis enum #name {}
        #allow
        #(#cfgs)*
        impl #name {
            #items
        }
    }
}

/// Emits a function without rules, which is inlined at its calls, and the type that marks it.
fn without_rules(options: &Options, mut item: syn::ItemFn) -> TokenStream {
    let text = enclosing::fingerprint(&item.sig, &item.block);
    let name = &item.sig.ident;
    let docs = format!(
        " [`{name}`](fn@{name}) is differentiated where functions of its module call it: what it gives borrows from its arguments, or has no name."
    );
    let checks = checks(&item.attrs, options.checks());
    let rt = options.runtime();
    let types: Vec<_> = (0..item.sig.inputs.len())
        .map(|k| format_ident!("T{k}"))
        .collect();
    // Callers elsewhere look for these names, whose bound says why there are no rules.
    let rules = "frule path_frule rrule rrule_frule path_rrule_frule".split(' ');
    let rules = rules.map(|rule| {
        let rule = format_ident!("__{rule}");
        quote! {
            #[doc(hidden)]
            pub fn #rule<#(#types,)* R>(#(_: #types),*) -> R
            where
                for<'a> #name: #rt::HasRules,
            {
                ::core::unreachable!()
            }
        }
    });
    let items = quote! {
        #[doc(hidden)]
        pub const __TEXT: ::core::primitive::u64 = #text;
        #[doc(hidden)]
        pub fn __modes<R>() -> R
        where
            for<'a> #name: #rt::HasRules,
        {
            ::core::unreachable!()
        }
        #(#rules)*
    };
    let carrier = carrier(&docs, &cfgs(&item.attrs), &item.vis, name, &items);
    strip_function(&mut item.sig, &mut item.block);
    quote!(#item #carrier #checks)
}

/// Items that compile only if rustc agrees with the file.
pub(super) fn checks(attrs: &[syn::Attribute], checks: TokenStream) -> TokenStream {
    let dependency = explain::dependency();
    if checks.is_empty() && dependency.is_none() {
        return checks;
    }
    let (allow, cfgs) = (allows(), cfgs(attrs));
    quote!(#(#cfgs)* #allow const _: () = { #dependency #checks };)
}

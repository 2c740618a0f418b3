//! What an attribute makes of the item that it stands on. The passes in between are listed in `pipeline`.
//!
//! ```text
//! attribute --options--> Options
//! item --hir::parse--> hir::Func --types::resolve--> Types --pipeline--> ir::Func, rules --emit--> tokens
//! ```
//!
//! An error at any stage, or a bug, leaves the primal as it is, and emits stubs with the right signatures, so that one mistake is one
//! message.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Block, Signature, Visibility};

use crate::diagnostics::caught;
use crate::emit::{
    Entry, Parts, by_path, emit_entry, emit_item, emit_parts, emit_wide, output_ty, parameters,
    rule_generics, without_functions,
};
use crate::enclosing::{self, Calls, Clash, Place, Siblings, Site};
use crate::ir::{self, Func};
use crate::operators::Overload;
use crate::options::Options;
use crate::surface::{Surface, nested};
use crate::transform::{Shape, Wide, forward, reverse, wide, with_unit_seed};
use crate::types::{Declared, written};
use crate::{
    anonymous, bounds, configured, copies, explain, hir, in_module, indexing, options, paths,
    pipeline, primitive, stubs, traits, types, unseen,
};

/// A function or method, wherever it stands.
pub(crate) struct Source<'a> {
    pub(crate) vis: &'a Visibility,
    pub(crate) sig: &'a Signature,
    pub(crate) block: &'a Block,
    /// What it stands in, where that is known.
    pub(crate) surroundings: hir::Surroundings<'a>,
    /// The parameters of the surrounding `impl` or trait.
    pub(crate) outer: Vec<syn::GenericArgument>,
    pub(crate) method: bool,
    /// Its pullback can go to other threads, whatever implements it.
    pub(crate) sendable: bool,
    /// It is a method of a trait.
    pub(crate) in_trait: bool,
    pub(crate) emitted: Emitted,
}

/// What is made for a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emitted {
    /// Rules, modes and drivers.
    All,
    /// The same for a function whose signature isn't the primal's, except for drivers that call the primal.
    Stubs,
    /// The hidden rules and the modes.
    Hidden,
    /// The hidden rules: the rest is the trait's.
    Rules,
}

/// The associated items of a function's rules, and errors.
pub(crate) type Rules = (TokenStream, Option<TokenStream>);

/// `#[differentiable]` on anything.
pub(crate) fn differentiable(
    attr: TokenStream,
    item: &TokenStream,
    site: Option<&Site>,
) -> TokenStream {
    let (mut options, misspelt) = options::parse(attr);
    options.capitals = enclosing::capitals(site);
    options.imports = enclosing::imports(site, item);
    options.calls = enclosing::calls(site);
    options.types = enclosing::file_types(site, item, &runtime(&options));
    options.callees = enclosing::callees(site, item);
    let rules = |source: &Source<'_>| {
        let (items, errors) = rules(&options, source);
        let misplaced = || options.check_no_trait().err();
        let unused = || options.check_with(source.block).err();
        let error = misspelt.clone().or_else(misplaced).or_else(unused);
        (items, error.map(|e| e.to_compile_error()).or(errors))
    };
    let with_error = |items: TokenStream| {
        let error = misspelt.as_ref().map(syn::Error::to_compile_error);
        let checks = checks(&[], options.checks());
        quote!(#items #checks #error)
    };
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Impl(mut block))
            if hir::over_foreign_floats(&block, &options.imports.foreign_floats).is_some() =>
        {
            let error = hir::over_foreign_floats(&block, &options.imports.foreign_floats);
            let error = error.map(syn::Error::into_compile_error);
            block.items.iter_mut().for_each(|item| {
                if let syn::ImplItem::Fn(method) = item {
                    strip(&mut method.sig);
                }
            });
            quote!(#block #error)
        }
        Ok(syn::Item::Impl(block)) => {
            let beside = enclosing::beside_an_impl(site, &block);
            let attrs = block.attrs.clone();
            let items = with_error(impl_block(&options, block, &beside));
            let checks = checks(&attrs, beside.checks(&runtime(&options)));
            quote!(#items #checks)
        }
        Ok(syn::Item::Trait(item)) => {
            let misplaced = options.check_no_function().err();
            let misplaced = misplaced.map(|error| error.to_compile_error());
            let items = with_error(traits::definition(&options, item));
            quote!(#items #misplaced)
        }
        Ok(syn::Item::Fn(item)) => function(&options, item, &rules, site),
        Ok(other) => {
            let error = crate::diagnostics::error(
                syn::spanned::Spanned::span(&other),
                "`#[differentiable]` works on functions, methods, traits and `impl` blocks",
                "put it on a function; for a type write `#[derive(Differentiable)]`",
            );
            let error = error.to_compile_error();
            quote!(#item #error)
        }
        // A method: `self` isn't allowed in a free function.
        Err(_) => match syn::parse2::<syn::ImplItemFn>(item.clone()) {
            Ok(method) => function(&options, as_function(method), &rules, site),
            Err(error) => {
                let error = error.to_compile_error();
                quote!(#item #error)
            }
        },
    }
}

/// A function or method, by what it stands in.
pub(crate) fn function(
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
        Place::Impl(block) if has_unnamed_lifetime(&block.self_ty) => refused(
            item,
            "`#[differentiable]` on a single function of an `impl` whose type has a lifetime without a name is not supported",
            "name it, `impl<'a> Table<'a>`, or put the attribute on the `impl`",
        ),
        Place::Impl(block) => {
            let beside = enclosing::beside_an_impl(site, &item);
            single_method(options, item, Some(&block), rules, &beside)
        }
        Place::MadeImpl => single_method(options, item, None, rules, &Siblings::default()),
        Place::Free | Place::Unknown => {
            // Where no file tells, what is mentioned does.
            if item.sig.receiver().is_some() || enclosing::mentions_self(&item) {
                single_method(options, item, None, rules, &Siblings::default())
            } else if enclosing::has_no_rules(&item.sig)
                && enclosing::may_replace_calls(&item.sig, &item.block)
                && options.are_left_out()
            {
                without_rules(options, item)
            } else {
                let clash = enclosing::clash(site, &item.sig.ident);
                let siblings = enclosing::siblings(site, &item, hir::depth(options));
                free_function(options, item, rules, clash.as_ref(), &siblings)
            }
        }
    }
}

/// A method is parsed as such where its modifiers are those of no function.
fn as_function(method: syn::ImplItemFn) -> syn::ItemFn {
    syn::ItemFn {
        attrs: method.attrs,
        vis: method.vis,
        modifiers: method.modifiers,
        sig: method.sig,
        block: Box::new(method.block),
    }
}

/// Whether a type is `Table<'_>`: rules of a method have to name all lifetimes of its `impl`.
fn has_unnamed_lifetime(ty: &syn::Type) -> bool {
    fn found(tokens: TokenStream) -> bool {
        let mut quoted = false;
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Punct(punct) => {
                quoted = punct.as_char() == '\'';
                false
            }
            proc_macro2::TokenTree::Ident(ident) => std::mem::take(&mut quoted) && ident == "_",
            proc_macro2::TokenTree::Group(group) => found(group.stream()),
            proc_macro2::TokenTree::Literal(_) => false,
        })
    }
    found(quote!(#ty))
}

/// A method of a trait can't have siblings.
fn beside_a_trait(item: syn::ItemFn, help: &str) -> TokenStream {
    let message = "`#[differentiable]` on a single method of a trait is not supported";
    refused(item, message, help)
}

/// A method without rules, for what it stands in.
fn refused(mut item: syn::ItemFn, message: &str, help: &str) -> TokenStream {
    let error = crate::diagnostics::error(item.sig.ident.span(), message, help);
    strip(&mut item.sig);
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
    let sig = anonymous::named(&options.callees.with_lifetimes(&item.sig));
    let source = Source {
        vis: &item.vis,
        sig: &sig,
        block: &item.block,
        surroundings: hir::Surroundings {
            siblings: Some(siblings),
            ..hir::Surroundings::default()
        },
        outer: Vec::new(),
        method: false,
        sendable: false,
        in_trait: false,
        emitted: Emitted::All,
    };
    let (items, errors) = rules(&source);
    let fingerprint = enclosing::may_replace_calls(&item.sig, &item.block).then(|| {
        let text = enclosing::fingerprint(&item.sig, &item.block);
        quote!(#[doc(hidden)] pub const __TEXT: ::core::primitive::u64 = #text;)
    });
    let known = || {
        [siblings.checks(&runtime(options)), options.checks()]
            .into_iter()
            .collect()
    };
    let name = options
        .rules
        .clone()
        .unwrap_or_else(|| item.sig.ident.clone());
    let clash = clash.filter(|_| options.rules.is_none());
    if let Some(Clash::Item(kind)) = clash {
        let error = crate::diagnostics::error(
            name.span(),
            format!(
                "the rules of `{name}` need a type of that name, but there is a {kind} called so"
            ),
            "give the type another name: `#[differentiable(rules = other_name)]`; callers write `with(function = other_name)`",
        );
        let error = error.to_compile_error();
        strip(&mut item.sig);
        return quote!(#item #error);
    }
    if let Some(Clash::Module { by_name }) = clash {
        let errors = match options.nested {
            Some(span) => {
                let error = crate::diagnostics::error(
                    span,
                    "`nested` is not supported on a function in a module of its name yet",
                    "give the rules a type: `#[differentiable(nested, rules = other_name)]`; callers write `other_name::gradient(..)`",
                );
                Some(error.to_compile_error())
            }
            None => errors,
        };
        let functions = in_module::functions(&item, items, *by_name);
        let checks = checks(&item.attrs, known());
        strip(&mut item.sig);
        return quote!(#item #functions #checks #errors);
    }
    let (vis, text) = (item.vis.clone(), item.sig.ident.to_string());
    let docs = format!(" The derivative rules of [`{text}`](fn@{text}).");
    strip(&mut item.sig);
    let allow = allows();
    let cfgs = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let cfgs_2 = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let marker = options.nested.map(|_| {
        let rt = runtime(options);
        let cfgs = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        quote!(#(#cfgs)* impl #rt::nested::HasDriverRules for #name {})
    });
    let checks = checks(&item.attrs, known());
    quote! {
        #item
        #[doc = #docs]
        #[allow(non_camel_case_types)]
        #(#cfgs)*
        #vis enum #name {}
        #allow
        #(#cfgs_2)*
        impl #name {
            #items
            #fingerprint
        }
        #marker
        #checks
        #errors
    }
}

/// A function whose body stands for its calls, and the type that says so.
fn without_rules(options: &Options, mut item: syn::ItemFn) -> TokenStream {
    let text = enclosing::fingerprint(&item.sig, &item.block);
    let name = &item.sig.ident;
    let docs = format!(
        " [`{name}`](fn@{name}) is differentiated where functions of its module call it: what it gives borrows from its arguments, or has no name."
    );
    let (vis, allow) = (&item.vis, allows());
    let cfgs: Vec<&syn::Attribute> = item
        .attrs
        .iter()
        .filter(|a| a.path().is_ident("cfg"))
        .collect();
    let checks = checks(&item.attrs, options.checks());
    let rt = runtime(options);
    let types: Vec<_> = (0..item.sig.inputs.len())
        .map(|k| format_ident!("T{k}"))
        .collect();
    // What callers elsewhere look for says why it isn't there.
    let rules = [
        "__frule",
        "__path_frule",
        "__rrule",
        "__rrule_frule",
        "__path_rrule_frule",
    ]
    .map(|rule| {
        let rule = format_ident!("{rule}");
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
    let marker = quote! {
        #[doc = #docs]
        #[allow(non_camel_case_types)]
        #(#cfgs)*
        #vis enum #name {}
        #allow
        #(#cfgs)*
        impl #name {
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
        }
        #checks
    };
    strip(&mut item.sig);
    quote!(#item #marker)
}

/// What rustc has to agree to, of what the file says.
fn checks(attrs: &[syn::Attribute], checks: TokenStream) -> TokenStream {
    if checks.is_empty() {
        return checks;
    }
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let allow = allows();
    quote!(#(#cfgs)* #allow const _: () = { #checks };)
}

/// A method, and its rules as its siblings; `block` is the `impl` that it stands in, if that is known.
fn single_method(
    options: &Options,
    mut item: syn::ItemFn,
    block: Option<&syn::ItemImpl>,
    rules: &dyn Fn(&Source<'_>) -> Rules,
    beside: &Siblings,
) -> TokenStream {
    let sig = anonymous::named(&options.callees.with_lifetimes(&item.sig));
    let source = Source {
        vis: &item.vis,
        sig: &sig,
        block: &item.block,
        surroundings: hir::Surroundings {
            self_ty: block.map(|block| &*block.self_ty),
            generics: block.map(|block| &block.generics),
            siblings: Some(beside),
            ..hir::Surroundings::default()
        },
        outer: block.map_or_else(Vec::new, |block| parameters(&block.generics)),
        method: true,
        sendable: false,
        in_trait: false,
        emitted: Emitted::All,
    };
    let (items, errors) = configured::under(&item.attrs, rules(&source));
    let items = allowed(items);
    let errors = errors.map(|errors| wrap_errors(&item.sig.ident, &errors));
    let text = text_of_method(&item.attrs, &item.sig, &item.block);
    strip(&mut item.sig);
    let checks = checks(&[], options.checks());
    if !checks.is_empty() {
        // There are no such items in an `impl`.
        let stmts = &item.block.stmts;
        item.block = syn::parse_quote!({ #checks #(#stmts)* });
    }
    let beside = beside.checks(&runtime(options));
    let beside = (!beside.is_empty()).then(|| {
        // No parameter hides a name here.
        let (name, allow) = (
            quote::format_ident!("__BESIDE_{}", item.sig.ident),
            allows(),
        );
        let cfgs = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        quote!(#(#cfgs)* #allow #[allow(non_upper_case_globals)] const #name: () = { #beside };)
    });
    quote!(#item #items #text #beside #errors)
}

/// The constant by which callers compare the body of a method that they inline.
fn text_of_method(attrs: &[syn::Attribute], sig: &Signature, block: &Block) -> Option<TokenStream> {
    if !enclosing::may_be_inlined(sig, block) {
        return None;
    }
    let name = enclosing::text_of_method(&sig.ident);
    let text = enclosing::fingerprint(sig, block);
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    Some(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        pub const #name: ::core::primitive::u64 = #text;
    })
}

fn impl_block(options: &Options, mut block: syn::ItemImpl, beside: &Siblings) -> TokenStream {
    let unused = options.check_with(&block).err();
    if block.trait_.is_some() {
        return trait_impl(options, block, beside);
    }
    let unused = unused.or(options.check_no_trait().err());
    let mut errors = unused.map_or_else(TokenStream::new, |error| error.to_compile_error());
    let (all, of_methods) = rules_of_methods(options, &block, beside);
    errors.extend(of_methods);
    let mut texts = TokenStream::new();
    for item in &mut block.items {
        if let syn::ImplItem::Fn(method) = item {
            texts.extend(text_of_method(&method.attrs, &method.sig, &method.block));
            method.attrs.retain(|a| !primitive::is_attribute(a));
            strip(&mut method.sig);
        }
    }
    let (generics, _, clause) = block.generics.split_for_impl();
    let self_ty = &block.self_ty;
    let allow = allows();
    quote! {
        #block
        #allow
        impl #generics #self_ty #clause {
            #all
            #texts
        }
        #errors
    }
}

/// The rules and drivers of the methods of an `impl` without a trait, and errors.
fn rules_of_methods(
    options: &Options,
    block: &syn::ItemImpl,
    beside: &Siblings,
) -> (TokenStream, TokenStream) {
    let outer = parameters(&block.generics);
    let (lenders, readers) = (lenders(block), readers(block));
    let (mut all, mut all_errors) = (TokenStream::new(), TokenStream::new());
    for item in &block.items {
        let syn::ImplItem::Fn(method) = item else {
            continue;
        };
        // A method whose result has no tangent needs no rules.
        if let syn::ReturnType::Type(_, ty) = &method.sig.output
            && written::constant_items(ty, &Declared::of(&block.generics)).is_some()
        {
            continue;
        }
        let sig = anonymous::named(&options.callees.with_lifetimes(&method.sig));
        let source = Source {
            vis: &method.vis,
            sig: &sig,
            block: &method.block,
            surroundings: hir::Surroundings {
                self_ty: Some(&block.self_ty),
                generics: Some(&block.generics),
                lenders: &lenders,
                readers: &readers,
                siblings: Some(beside),
                captures: false,
            },
            outer: outer.clone(),
            method: true,
            sendable: false,
            in_trait: false,
            emitted: Emitted::All,
        };
        let (items, errors) = match primitive::attribute(&method.attrs) {
            Some(attribute) => primitive::rules(options, attribute, &source),
            None => rules(options, &source),
        };
        let (items, errors) = configured::under(&method.attrs, (items, errors));
        all.extend(items);
        all_errors.extend(errors);
    }
    (all, all_errors)
}

/// The methods that take `&self`.
fn readers(block: &syn::ItemImpl) -> Vec<String> {
    let methods = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(method) => Some(&method.sig),
        _ => None,
    });
    let reads = |sig: &&Signature| {
        let kind = sig.receiver().map(|receiver| &receiver.kind);
        matches!(kind, Some(syn::ReceiverKind::Reference(_, _, None)))
    };
    methods
        .filter(reads)
        .map(|sig| sig.ident.to_string())
        .collect()
}

/// The methods that return references, and what they return.
fn lenders(block: &syn::ItemImpl) -> Vec<(String, syn::Type)> {
    let methods = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(method) => Some(&method.sig),
        _ => None,
    });
    let lends = |sig: &Signature| {
        let part = indexing::returned_part(sig)?;
        Some((sig.ident.to_string(), syn::Type::Reference(part.clone())))
    };
    methods.filter_map(lends).collect()
}

/// An `impl` of an operator.
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
    let block = overload.block;
    let source = Source {
        vis: &Visibility::Inherited,
        sig: &overload.sig,
        block: body,
        surroundings: hir::Surroundings {
            self_ty: Some(&block.self_ty),
            generics: Some(&block.generics),
            lenders: &[],
            readers: &[],
            siblings: Some(beside),
            captures: false,
        },
        outer: Vec::new(),
        method: true,
        sendable: false,
        in_trait: false,
        emitted: Emitted::Rules,
    };
    let made = recovering(options, |options| {
        caught(overload.sig.ident.span(), || {
            let func = compile(options, &source, source.block)?;
            Ok(overload.clone().emit(options, &func, &runtime(options)))
        })
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
    if let Some(tokens) = indexing::implementation(&runtime(options), &block) {
        return tokens;
    }
    if traits::is_of_std_with_rules(&block) {
        return beside_implementation(options, block, beside);
    }
    let Some(overload) = Overload::new(&block) else {
        return traits::implementation(options, block);
    };
    let rules = match overload {
        Ok(overload) => operator_impl(options, &overload, beside),
        Err(error) => error.to_compile_error(),
    };
    let (mut block, allow) = (block, allows());
    for item in &mut block.items {
        if let syn::ImplItem::Fn(method) = item {
            strip(&mut method.sig);
        }
    }
    quote!(#block #allow const _: () = { #rules };)
}

/// An `impl` of a trait of std, and the rules of its methods as the type's own.
fn beside_implementation(
    options: &Options,
    mut block: syn::ItemImpl,
    beside: &Siblings,
) -> TokenStream {
    let inherent = traits::inherent(&block);
    let (rules, errors) = rules_of_methods(options, &inherent, beside);
    for item in &mut block.items {
        if let syn::ImplItem::Fn(method) = item {
            strip(&mut method.sig);
        }
    }
    let (generics, _, clause) = block.generics.split_for_impl();
    let (self_ty, allow) = (&block.self_ty, allows());
    let cfgs = block.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    quote! {
        #block
        #allow
        #(#cfgs)*
        impl #generics #self_ty #clause {
            #rules
        }
        #errors
    }
}

/// All rules and drivers of one function; on errors, these and stubs.
pub(crate) fn rules(options: &Options, source: &Source<'_>) -> Rules {
    let variants = configured::variants(source.block, source.surroundings.siblings);
    if variants.is_empty() {
        return rules_as_configured(options, source);
    }
    let (mut all, mut all_errors) = (TokenStream::new(), TokenStream::new());
    for variant in &variants {
        let source = Source {
            block: &variant.block,
            surroundings: hir::Surroundings {
                siblings: variant.siblings.as_ref(),
                ..source.surroundings
            },
            outer: source.outer.clone(),
            ..*source
        };
        let (items, errors) = rules_as_configured(options, &source);
        all.extend(configured::with_attribute(&variant.attribute, &items));
        let errors = errors.unwrap_or_default();
        all_errors.extend(configured::errors_with_attribute(
            &variant.attribute,
            &errors,
        ));
    }
    (all, Some(all_errors))
}

fn rules_as_configured(options: &Options, source: &Source<'_>) -> Rules {
    if let Some(part) = indexing::part_of_self(source) {
        return match indexing::part_method(&runtime(options), source, part) {
            Ok(items) => {
                let copies = copies::rules(options, source, part);
                (quote!(#items #copies), None)
            }
            Err(error) => (TokenStream::new(), Some(error.to_compile_error())),
        };
    }
    let made = recovering(options, |options| {
        caught(source.sig.ident.span(), || {
            let func = compile(options, source, source.block)?;
            third_order(options, source, &func)?;
            Ok(emit(options, source, &func))
        })
    });
    let (options, errors) = match made {
        Ok(made) => return made,
        Err(failed) => failed,
    };
    let empty: Block = syn::parse_quote!({ ::core::unreachable!() });
    let stubs = stubs::signatures(source.sig, &options)
        .enumerate()
        .find_map(|(k, sig)| {
            let outer = source.outer.clone();
            let changed = k > 0 && source.emitted == Emitted::All;
            let emitted = if changed {
                Emitted::Stubs
            } else {
                source.emitted
            };
            let source = Source {
                sig: &sig,
                outer,
                emitted,
                ..*source
            };
            let stub = || {
                let func = compile(&options, &source, &empty)?;
                Ok(emit(&options, &source, &func))
            };
            caught(sig.ident.span(), stub).ok()
        })
        .unwrap_or_default();
    (stubs, Some(errors))
}

/// The result of `make` and errors, or options for stubs and errors. A type without a derive is an error; then `make` runs again as if the type had it.
fn recovering<T>(
    options: &Options,
    make: impl Fn(&Options) -> syn::Result<T>,
) -> Result<(T, Option<TokenStream>), (Box<Options>, TokenStream)> {
    let mut error = match make(options) {
        Ok(made) => return Ok((made, None)),
        Err(error) => error,
    };
    let (mut options, mut errors) = (Box::new(options.clone()), TokenStream::new());
    while let Some((types, derived)) = options.types.recovered(&runtime(&options)) {
        options.types = types;
        errors.extend(derived);
        match make(&options) {
            Ok(made) => {
                errors.extend(error.to_compile_error());
                return Ok((made, Some(errors)));
            }
            Err(another) => error.combine(another),
        }
    }
    errors.extend(error.to_compile_error());
    Err((options, errors))
}

/// Errors among associated items, where no macro may be called.
fn wrap_errors(name: &syn::Ident, errors: &TokenStream) -> TokenStream {
    let name = format_ident!("__{}_errors", name.to_string().trim_start_matches("r#"));
    quote!(#[doc(hidden)] #[allow(non_upper_case_globals)] const #name: () = { #errors };)
}

/// Whether there can be rules of third order, if they are asked for: they go through no calls.
fn third_order(options: &Options, source: &Source<'_>, func: &Func) -> syn::Result<()> {
    if options.order.is_none_or(|order| order < 3) {
        return Ok(());
    }
    let name = &source.sig.ident;
    let of_values = |param: &ir::Param| param.by != ir::PassedBy::Mut && param.function.is_none();
    let is_number = source.sig.receiver().is_none()
        && output_ty(func).is_float()
        && func.params.iter().all(of_values);
    if !is_number {
        return Err(crate::diagnostics::error(
            name.span(),
            "derivatives of third order are those of functions to a number",
            "write a function to `f64` that takes its arguments by value or by shared reference, and is no method",
        ));
    }
    let mut called = None;
    reverse(func, Shape::Combined).body.walk(&mut |op| {
        let is_call = match &op.kind {
            ir::OpKind::Call(call) => call.rule != ir::Rule::Primal,
            ir::OpKind::Combined(_) | ir::OpKind::ApplyPullback(_) => true,
            _ => false,
        };
        if is_call {
            called.get_or_insert(op.span);
        }
    });
    match called {
        None => Ok(()),
        Some(span) => Err(crate::diagnostics::error(
            span,
            "derivatives of third order don't go through calls yet",
            "write what is called in its place, with types that are known here; `#[differentiable]` functions of this module stand for their calls \
             if they are short, and without generics, patterns and `?`",
        )),
    }
}

/// From syntax to what is differentiated.
pub(crate) fn compile(options: &Options, source: &Source<'_>, block: &Block) -> syn::Result<Func> {
    let here = |surroundings: &hir::Surroundings<'_>| {
        options.types.begin();
        let hir = hir::parse(source.sig, block, surroundings, options)?;
        let types = types::resolve(&hir)?;
        pipeline::primal(&hir, &types)
    };
    let surroundings = &source.surroundings;
    let calling = surroundings.siblings.and_then(Siblings::without_bodies);
    let func = match (here(surroundings), calling) {
        // What can't stand for a call can be called.
        (Err(_), Some(siblings)) => here(&hir::Surroundings {
            siblings: Some(&siblings),
            ..*surroundings
        }),
        (result, _) => result,
    };
    func.map(|func| unseen::checked(func, options, source))
}

/// The path of the runtime's hidden module.
pub(crate) fn runtime(options: &Options) -> TokenStream {
    let krate = options
        .krate
        .as_ref()
        .map_or_else(paths::runtime_path, paths::private_module);
    quote!(#krate)
}

/// A hidden rule, before it is differentiated once more.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Forward,
    Reverse(Shape),
}

/// From IR to tokens.
pub(crate) fn emit(options: &Options, source: &Source<'_>, func: &Func) -> TokenStream {
    let boxed =
        options.recursive || (may_box(source) && calls_itself(func, source, &options.calls));
    emit_rules(options, source, func, boxed, &|mode| match mode {
        Mode::Forward => forward(func),
        Mode::Reverse(shape) => reverse(func, shape),
    })
}

/// The hidden rules that `rule` makes, those of second order, and the surface. `func` has the primal's signature.
pub(crate) fn emit_rules(
    options: &Options,
    source: &Source<'_>,
    func: &Func,
    boxed: bool,
    rule: &dyn Fn(Mode) -> Func,
) -> TokenStream {
    on_surface(options, source, func, &|surface| {
        let context = Context {
            options,
            source,
            surface,
            boxed,
        };
        let rrule = pipeline::rule(rule(Mode::Reverse(Shape::Split)));
        let frule = pipeline::rule(rule(Mode::Forward));
        let mut items = context.rule("frule", true, &frule);
        items.extend(context.frule_wide(&frule));
        items.extend(context.rule("rrule", false, &rrule));
        items.extend(context.rule("rrule_frule", true, &pipeline::forward_rule(&rrule)));
        let functional = func.params.iter().any(|p| p.function.is_some());
        let scalar = surface.may_be_scalar() && !functional;
        if scalar {
            items.extend(context.combined(rule(Mode::Reverse(Shape::Combined))));
        }
        if options.explain.is_some() && source.emitted == Emitted::All {
            let combined = || pipeline::rule(rule(Mode::Reverse(Shape::Combined)));
            let gradient = if scalar { &combined() } else { &rrule };
            let name = surface.public("explain");
            items.extend(explain::item(&name, source.vis, func, gradient));
        }
        items
    })
}

/// What hidden rules are emitted in.
pub(crate) struct Context<'a> {
    pub(crate) options: &'a Options,
    pub(crate) source: &'a Source<'a>,
    pub(crate) surface: &'a Surface<'a>,
    /// The pullback is boxed.
    pub(crate) boxed: bool,
}

impl Context<'_> {
    fn entry(&self, name: &str, dual: bool) -> Entry<'_> {
        Entry {
            rt: self.surface.rt,
            vis: self.source.vis,
            name: self.surface.hidden_name(name),
            generics: self.surface.declared,
            outer: &self.source.outer,
            receiver: self.source.sig.receiver(),
            boxed: self.boxed,
            sendable: self.source.sendable,
            dual,
            with: self.options.found(self.source.surroundings.self_ty),
        }
    }

    fn rule(&self, name: &str, dual: bool, func: &Func) -> TokenStream {
        let entry = self.entry(name, dual);
        let generics = rule_generics(func, &entry);
        let entry = Entry {
            generics: &generics,
            ..entry
        };
        self.item_of(name, &entry, &emit_parts(func, &entry))
    }

    /// A rule from its parts; one on duals also in the form in which the receiver is an argument.
    pub(crate) fn item(&self, name: &str, dual: bool, parts: &Parts) -> TokenStream {
        self.item_of(name, &self.entry(name, dual), parts)
    }

    /// A rule of a driver: without a receiver it is only called by path.
    pub(crate) fn rule_of_driver(&self, name: &str, dual: bool, parts: &Parts) -> TokenStream {
        let entry = self.entry(name, dual);
        if dual && entry.receiver.is_none() {
            let name = self.surface.path_name(name);
            return emit_item(parts, &Entry { name, ..entry });
        }
        self.item_of(name, &entry, parts)
    }

    fn item_of(&self, name: &str, entry: &Entry<'_>, parts: &Parts) -> TokenStream {
        let mut items = emit_item(parts, entry);
        if entry.dual && self.source.method && self.source.emitted != Emitted::Rules {
            items.extend(by_path(parts, entry, &self.surface.path_name(name)));
        }
        items
    }

    /// A rule in several directions, of a function that isn't generic.
    fn wide(&self, rule: &Func) -> Option<Wide> {
        self.may_be_wide().then(|| wide(rule)).flatten()
    }

    fn may_be_wide(&self) -> bool {
        let (source, generics) = (self.source, self.surface.declared);
        let plain = generics
            .params
            .iter()
            .all(|p| matches!(p, syn::GenericParam::Lifetime(_)));
        plain && !source.method && source.sig.receiver().is_none() && source.emitted == Emitted::All
    }

    /// What Hessians are made of in several directions.
    fn hessian_wide(&self, second: &Func) -> Option<TokenStream> {
        if !self.surface.has_hessian() || !output_ty(second).is_float() {
            return None;
        }
        let wide = self.wide(&pipeline::rule(with_unit_seed(second)?))?;
        self.surface.second_wide.set(true);
        Some(emit_wide(&wide.func, &self.entry("hessian_wide", false)))
    }

    /// The forward rule in several directions. Callers that know the function by name ask whether there is one: else it is never called.
    fn frule_wide(&self, frule: &Func) -> TokenStream {
        let source = self.source;
        if source.method || matches!(source.emitted, Emitted::Hidden | Emitted::Rules) {
            return TokenStream::new();
        }
        // What calls itself by another function would ask for ever.
        let wide = self.wide(frule);
        let wide = wide.filter(|wide| !self.boxed || wide.callees.is_empty());
        let vis = source.vis;
        let (callees, rule) = if let Some(Wide { func, callees }) = wide {
            self.surface.forward_wide.set(true);
            let rule = emit_wide(&func, &self.entry("frule_wide", true));
            (Some(callees), rule)
        } else {
            let params = source.sig.inputs.iter();
            let params = params.map(|_| quote!(_: impl ::core::marker::Sized));
            let (generics, output) = match source.sig.output {
                syn::ReturnType::Default => {
                    let rt = self.surface.rt;
                    (None, quote!(#rt::Dual<(), #rt::NoTangent>))
                }
                syn::ReturnType::Type(..) => (Some(quote!(<R>)), quote!(R)),
            };
            let rule = quote! {
                #[doc(hidden)]
                #vis fn __frule_wide #generics (#(#params),*) -> #output {
                    ::core::unreachable!()
                }
            };
            (None, rule)
        };
        let is_wide = match callees {
            Some(callees) => quote!(true #(&& #callees::__has_frule_wide())*),
            None => quote!(false),
        };
        quote! {
            #[doc(hidden)]
            #[inline(always)]
            #vis fn __has_frule_wide() -> ::core::primitive::bool {
                #is_wide
            }
            #rule
        }
    }

    /// The combined rule, and that of second order.
    pub(crate) fn combined(&self, func: Func) -> TokenStream {
        let combined = pipeline::rule(func);
        let second = pipeline::forward_rule(&combined);
        let mut items = emit_entry(&combined, &self.entry("combined", false));
        items.extend(emit_entry(&second, &self.entry("combined_frule", true)));
        items.extend(self.hessian_wide(&second));
        if self.options.order.is_some_and(|order| order > 2) {
            let third = pipeline::forward_rule(&second);
            items.extend(emit_entry(
                &third,
                &self.entry("combined_frule_frule", true),
            ));
        }
        items
    }
}

/// What `hidden` makes of the function's surface, and the surface itself.
pub(crate) fn on_surface(
    options: &Options,
    source: &Source<'_>,
    func: &Func,
    hidden: &dyn Fn(&Surface<'_>) -> TokenStream,
) -> TokenStream {
    let rt = runtime(options);
    let mut generics = source.sig.generics.clone();
    generics.params.iter_mut().for_each(|p| {
        if let syn::GenericParam::Type(t) = p {
            t.default = None;
        }
    });
    bounds::require_tangents(&mut generics, func, &rt);
    let outside = without_functions(func, &generics, true);
    let mut surface = Surface::new(
        func,
        &rt,
        source.vis,
        &outside,
        &source.outer,
        source.sig.receiver(),
        source.method,
    );
    surface.declared = &generics;
    surface.mentions = source.emitted != Emitted::Stubs;
    surface.check_if(options.are_checked() && source.emitted == Emitted::All);
    let mut items = hidden(&surface);
    match source.emitted {
        Emitted::All | Emitted::Stubs => {
            items.extend(surface.emit(source.emitted == Emitted::All));
            if options.nested.is_some() {
                items.extend(nested::rules(options, source, &surface));
            }
        }
        Emitted::Hidden => items.extend(surface.modes()),
        Emitted::Rules => {}
    }
    items
}

/// Whether a pullback can be boxed: where a method of another type is called by the same name, as wrappers do, it need not be, and
/// with that type as a parameter it can't.
fn may_box(source: &Source<'_>) -> bool {
    source.surroundings.generics.is_none_or(|generics| {
        let declared = Declared::of(generics);
        let mut params = generics.type_params();
        params.all(|param| declared.scalar(&param.ident).is_some())
    })
}

/// True if the function calls itself, by name, as `Self::f`, or as a method; itself, or by other functions of the file.
fn calls_itself(func: &Func, source: &Source<'_>, calls: &Calls) -> bool {
    let name = source.sig.ident.to_string();
    let mut found = false;
    func.body.walk(&mut |op| {
        if let ir::OpKind::Call(call) = &op.kind {
            let (called, near) = match &call.callee {
                ir::Callee::Path { path, .. } => {
                    let segments = &path.path.segments;
                    let near = segments.len() == 1 || segments[0].ident == "Self";
                    (segments.last().map(|last| last.ident.to_string()), near)
                }
                ir::Callee::Method { name, .. } if source.method => (Some(name.to_string()), true),
                _ => (None, false),
            };
            found |=
                called.is_some_and(|called| called == name || near && calls.reach(&called, &name));
        }
    });
    found
}

/// `#[constant]` means something to this macro alone.
pub(crate) fn strip(sig: &mut Signature) {
    for input in &mut sig.inputs {
        let attrs = match input {
            syn::FnArg::Receiver(receiver) => &mut receiver.attrs,
            syn::FnArg::Typed(param) => &mut param.attrs,
        };
        attrs.retain(|a| !a.path().is_ident("constant"));
    }
}

/// The lints that emitted code may trip.
pub(crate) fn allows() -> TokenStream {
    quote! {
        #[allow(
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::restriction,
            dead_code,
            deprecated,
            non_snake_case,
            unreachable_code,
            unused_assignments,
            unused_imports,
            unused_must_use,
            unused_mut,
            unused_parens,
            unused_variables
        )]
    }
}

/// Each associated function with these lints allowed.
pub(crate) fn allowed(items: TokenStream) -> TokenStream {
    let allow = allows();
    match syn::parse2::<Items>(items.clone()) {
        Ok(Items(all)) => quote!(#(#allow #all)*),
        Err(_) => items,
    }
}

/// Functions with bodies are items of an `impl`, also where they stand in a trait.
pub(crate) struct Items(pub(crate) Vec<syn::ImplItem>);

impl syn::parse::Parse for Items {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Items(items))
    }
}

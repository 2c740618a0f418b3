//! The pipeline, on one screen.
//!
//! ```text
//! attribute --options--> Options
//! item --hir::parse--> hir::Func --types::resolve--> Types --lower--> ir::Func --verify-->
//!      --transform: forward, reverse (split, combined), composed--> --simplify--> --emit--> tokens
//! ```
//!
//! An error at any stage leaves the primal as it is, and emits stubs with the right signatures, so that one mistake is one
//! message.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Block, Signature, Visibility};

use crate::emit::{Entry, emit_entry};
use crate::ir::{self, Func};
use crate::options::Options;
use crate::simplify::simplify;
use crate::surface::Surface;
use crate::transform::{Shape, forward, leave_nothing_moved, place_receivers, reverse};
use crate::{hir, lower, options, paths, primitive, types};

/// A function or method, wherever it stands.
pub(crate) struct Source<'a> {
    pub(crate) vis: &'a Visibility,
    pub(crate) sig: &'a Signature,
    pub(crate) block: &'a Block,
    /// The type of the surrounding `impl`, where it is known.
    pub(crate) self_ty: Option<&'a syn::Type>,
    /// Type and const parameters of the surrounding `impl`.
    pub(crate) outer: Vec<TokenStream>,
    pub(crate) method: bool,
}

/// The associated items of a function's rules, and errors.
pub(crate) type Rules = (TokenStream, Option<TokenStream>);

/// `#[differentiable]` on anything.
pub(crate) fn differentiable(attr: TokenStream, item: &TokenStream) -> TokenStream {
    let options = match options::parse(attr) {
        Ok(options) => options,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#item #error);
        }
    };
    let rules = |source: &Source<'_>| rules(&options, source);
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Impl(block)) => impl_block(&options, block),
        Ok(syn::Item::Fn(function)) => free_function(&options, function, &rules),
        Ok(other) => {
            let error = crate::diagnostics::error(
                syn::spanned::Spanned::span(&other),
                "`#[differentiable]` works on functions, methods and `impl` blocks",
                "put it on a function; for a type write `#[derive(Differentiable)]`",
            );
            let error = error.to_compile_error();
            quote!(#item #error)
        }
        // A method: `self` isn't allowed in a free function.
        Err(_) => match syn::parse2::<syn::ImplItemFn>(item.clone()) {
            Ok(method) => single_method(method, &rules),
            Err(error) => {
                let error = error.to_compile_error();
                quote!(#item #error)
            }
        },
    }
}

/// A function, and the type that carries its rules.
pub(crate) fn free_function(
    options: &Options,
    mut item: syn::ItemFn,
    rules: &dyn Fn(&Source<'_>) -> Rules,
) -> TokenStream {
    if item.sig.receiver().is_some() {
        let method = syn::ImplItemFn {
            attrs: item.attrs,
            vis: item.vis,
            modifiers: syn::FnModifiers::default(),
            sig: item.sig,
            block: *item.block,
        };
        return single_method(method, rules);
    }
    let source = Source {
        vis: &item.vis,
        sig: &item.sig,
        block: &item.block,
        self_ty: None,
        outer: Vec::new(),
        method: false,
    };
    let (items, errors) = rules(&source);
    let name = options
        .rules
        .clone()
        .unwrap_or_else(|| item.sig.ident.clone());
    let (vis, text) = (item.vis.clone(), item.sig.ident.to_string());
    let docs = format!(" The derivative rules of [`{text}`](fn@{text}).");
    strip(&mut item.sig);
    let allow = allows();
    let cfgs = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
    let cfgs_2 = item.attrs.iter().filter(|a| a.path().is_ident("cfg"));
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
        }
        #errors
    }
}

/// A method, and its rules as its siblings.
pub(crate) fn single_method(
    mut item: syn::ImplItemFn,
    rules: &dyn Fn(&Source<'_>) -> Rules,
) -> TokenStream {
    let source = Source {
        vis: &item.vis,
        sig: &item.sig,
        block: &item.block,
        self_ty: None,
        outer: Vec::new(),
        method: true,
    };
    let (items, errors) = rules(&source);
    let items = allowed(items);
    let errors = errors.map(|errors| wrap_errors(&item.sig.ident, &errors));
    strip(&mut item.sig);
    quote!(#item #items #errors)
}

fn impl_block(options: &Options, mut block: syn::ItemImpl) -> TokenStream {
    if let Some((path, _)) = &block.trait_ {
        let error = crate::diagnostics::error(
            syn::spanned::Spanned::span(path),
            "differentiable trait implementations are not supported yet",
            "write the method in a plain `impl` block",
        );
        let error = error.to_compile_error();
        return quote!(#block #error);
    }
    let outer: Vec<TokenStream> = block
        .generics
        .params
        .iter()
        .filter_map(|p| match p {
            syn::GenericParam::Type(t) => Some(&t.ident),
            syn::GenericParam::Const(c) => Some(&c.ident),
            syn::GenericParam::Lifetime(_) => None,
        })
        .map(|ident| quote!(#ident))
        .collect();
    let (mut all, mut all_errors) = (TokenStream::new(), TokenStream::new());
    for item in &mut block.items {
        let syn::ImplItem::Fn(method) = item else {
            continue;
        };
        let source = Source {
            vis: &method.vis,
            sig: &method.sig,
            block: &method.block,
            self_ty: Some(&block.self_ty),
            outer: outer.clone(),
            method: true,
        };
        let (items, errors) = match primitive::attribute(&method.attrs) {
            Some(attribute) => primitive::rules(options, attribute, &source),
            None => rules(options, &source),
        };
        all.extend(items);
        all_errors.extend(errors);
        method.attrs.retain(|a| !primitive::is_attribute(a));
        strip(&mut method.sig);
    }
    let (generics, _, clause) = block.generics.split_for_impl();
    let self_ty = &block.self_ty;
    let allow = allows();
    quote! {
        #block
        #allow
        impl #generics #self_ty #clause {
            #all
        }
        #all_errors
    }
}

/// All rules and drivers of one function; on errors, these and stubs.
fn rules(options: &Options, source: &Source<'_>) -> Rules {
    match compile(options, source, source.block) {
        Ok(func) => (emit(options, source, &func), None),
        Err(error) => {
            let empty: Block = syn::parse_quote!({ ::core::unreachable!() });
            let stubs = compile(options, source, &empty)
                .map(|func| emit(options, source, &func))
                .unwrap_or_default();
            (stubs, Some(error.to_compile_error()))
        }
    }
}

/// Errors among associated items, where no macro may be called.
fn wrap_errors(name: &syn::Ident, errors: &TokenStream) -> TokenStream {
    let name = format_ident!("__{}_errors", name.to_string().trim_start_matches("r#"));
    quote!(#[doc(hidden)] #[allow(non_upper_case_globals)] const #name: () = { #errors };)
}

/// From syntax to verified IR.
pub(crate) fn compile(options: &Options, source: &Source<'_>, block: &Block) -> syn::Result<Func> {
    let hir = hir::parse(source.sig, block, source.self_ty, options)?;
    let types = types::resolve(&hir)?;
    lowered(&hir, &types)
}

/// From a function whose types are resolved to verified IR.
pub(crate) fn lowered(hir: &hir::Func, types: &types::Types) -> syn::Result<Func> {
    let func = place_receivers(leave_nothing_moved(lower::lower(hir, types)?));
    check(&func);
    Ok(func)
}

/// A hidden rule, before it is differentiated once more.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Forward,
    Reverse(Shape),
}

/// From IR to tokens.
pub(crate) fn emit(options: &Options, source: &Source<'_>, func: &Func) -> TokenStream {
    let boxed = options.recursive || calls_itself(func, source);
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
        let entry = |name: &str, dual: bool| Entry {
            rt: surface.rt,
            vis: source.vis,
            name: surface.hidden_name(name),
            generics: surface.generics,
            outer: &source.outer,
            receiver: source.sig.receiver(),
            boxed,
            dual,
            with: &options.with,
        };
        let made = |func: Func| {
            check(&func);
            simplify(func)
        };
        let rrule = made(rule(Mode::Reverse(Shape::Split)));
        let mut items = emit_entry(&made(rule(Mode::Forward)), &entry("frule", true));
        items.extend(emit_entry(&rrule, &entry("rrule", false)));
        items.extend(emit_entry(
            &made(forward(&rrule)),
            &entry("rrule_frule", true),
        ));
        if surface.may_be_scalar() {
            let combined = made(rule(Mode::Reverse(Shape::Combined)));
            items.extend(emit_entry(&combined, &entry("combined", false)));
            items.extend(emit_entry(
                &made(forward(&combined)),
                &entry("combined_frule", true),
            ));
        }
        items
    })
}

/// What `hidden` makes of the function's surface, and the surface itself.
pub(crate) fn on_surface(
    options: &Options,
    source: &Source<'_>,
    func: &Func,
    hidden: &dyn Fn(&Surface<'_>) -> TokenStream,
) -> TokenStream {
    let krate = options
        .krate
        .as_ref()
        .map_or_else(paths::runtime_path, paths::private_module);
    let rt = quote!(#krate);
    let mut generics = source.sig.generics.clone();
    generics.params.iter_mut().for_each(|p| {
        if let syn::GenericParam::Type(t) = p {
            t.default = None;
        }
    });
    let surface = Surface::new(
        func,
        &rt,
        source.vis,
        &generics,
        &source.outer,
        source.sig.receiver(),
        source.method,
    );
    let mut items = hidden(&surface);
    items.extend(surface.emit());
    items
}

/// Whether the function calls itself, by name, as `Self::f`, or as a method.
fn calls_itself(func: &Func, source: &Source<'_>) -> bool {
    let name = &source.sig.ident;
    let mut found = false;
    func.body.walk(&mut |op| {
        if let ir::OpKind::Call(call) = &op.kind {
            found |= match &call.callee {
                ir::Callee::Path { path, .. } => {
                    path.path.segments.last().is_some_and(|s| s.ident == *name)
                }
                ir::Callee::Method { name: called, .. } => called == name,
                _ => false,
            };
        }
    });
    found
}

/// The verifier runs after each producer of IR in debug builds.
fn check(func: &Func) {
    if cfg!(debug_assertions)
        && let Err(message) = ir::verify(func)
    {
        crate::diagnostics::bug!("{message}\n{func}")
    }
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
fn allows() -> TokenStream {
    quote! {
        #[allow(
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::restriction,
            dead_code,
            non_snake_case,
            unreachable_code,
            unused_assignments,
            unused_mut,
            unused_parens,
            unused_variables
        )]
    }
}

/// Each associated function with these lints allowed.
fn allowed(items: TokenStream) -> TokenStream {
    let allow = allows();
    match syn::parse2::<Items>(items.clone()) {
        Ok(Items(all)) => quote!(#(#allow #all)*),
        Err(_) => items,
    }
}

struct Items(Vec<syn::ImplItem>);

impl syn::parse::Parse for Items {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Items(items))
    }
}

//! The entry points: each expands an attribute or a macro. The passes in between are listed in `pipeline`.
//!
//! ```text
//! attribute --options--> Options
//! item --hir::parse--> hir::Func --types::resolve--> Types --pipeline--> ir::Func, rules --emit--> tokens
//! ```
//!
//! An entry point makes a [`Source`] of each function of its item, and puts the [`Rules`] of all of them where callers find them:
//!
//! | file | entry point |
//! |---|---|
//! | `function`, `method`, `in_module` | a function, a method, a function in a module of its name |
//! | `impl_block`, `traits`, `operators`, `indexing` | an `impl` and a trait |
//! | `primitive` | `#[primitive]` |
//! | `closure`, `check_rules` | `closure!`, `derivative!`, `check_rules!` |
//!
//! `rules` is the part that they share, and `associated` the items that it makes of a function's IR. An error at any stage, or a bug,
//! leaves the primal as it is, and emits stubs with the right signatures (`stubs`), so that one mistake is one message.

mod anonymous;
mod associated;
mod bounds;
pub(crate) mod check_rules;
pub(crate) mod closure;
mod explain;
mod function;
mod impl_block;
mod in_module;
mod indexing;
mod lending_methods;
mod method;
mod operators;
mod parallel;
mod primitive;
mod rules;
mod source;
mod stubs;
mod traits;

pub(crate) use primitive::primitive;

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;

use crate::depth;
use crate::diagnostics::error;
use crate::enclosing::{self, Site};
use crate::hygiene;
use crate::options::{self, Options};
use function::checks;
use rules::rules;
use source::{Source, strip_methods};

/// Adds the facts that the file has about the names in an item to the options.
fn read_file(options: &mut Options, item: &TokenStream, site: Option<&Site>) {
    options.capitals = enclosing::capitals(site);
    options.imports = enclosing::imports(site, item).without(&options.with);
    options.calls = enclosing::calls(site);
    options.types = enclosing::file_types(site, item, &options.runtime());
    options.callees = enclosing::callees(site, item);
}

/// `#[differentiable]` on anything.
pub(crate) fn differentiable(
    attr: TokenStream,
    item: &TokenStream,
    site: Option<&Site>,
) -> TokenStream {
    if let Err(error) = depth::check(&attr).and_then(|()| depth::check(item)) {
        return beside_error(item, &error);
    }
    let (mut options, misspelt) = options::parse(attr);
    read_file(&mut options, item, site);
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
    match parse(item) {
        Ok(syn::Item::Impl(mut block)) => {
            if let Some(error) = traits::without_rules(&block, site) {
                strip_methods(&mut block);
                return beside_error(&block, &error);
            }
            let beside = enclosing::beside_an_impl(site, &block);
            let attrs = block.attrs.clone();
            let items = with_error(impl_block::impl_block(&options, block, &beside));
            let checks = checks(&attrs, beside.checks(&options.runtime()));
            quote!(#items #checks)
        }
        Ok(syn::Item::Trait(item)) => {
            let misplaced = options.check_no_function().err();
            let misplaced = misplaced.map(|error| error.to_compile_error());
            let items = with_error(traits::definition(&options, item));
            quote!(#items #misplaced)
        }
        Ok(syn::Item::Fn(item)) => function::function(&options, item, &rules, site),
        Ok(other) => {
            let error = error(
                other.span(),
                "`#[differentiable]` works on functions, methods, traits and `impl` blocks",
                "put it on a function; for a type write `#[derive(Differentiable)]`",
            );
            beside_error(item, &error)
        }
        Err(error) => beside_error(item, &error),
    }
}

fn parse(tokens: &TokenStream) -> syn::Result<syn::Item> {
    // A method: `self` isn't allowed in a free function.
    let method = || syn::parse2(tokens.clone()).map(|method| syn::Item::Fn(as_function(method)));
    let mut item = syn::parse2(tokens.clone()).or_else(|_| method())?;
    hygiene::tell_apart(&mut item);
    Ok(item)
}

/// An item as it is, and an error.
fn beside_error(item: &impl quote::ToTokens, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#item #error)
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

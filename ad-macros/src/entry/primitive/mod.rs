//! `#[primitive(...)]`: a function whose derivative rules are written by hand.
//!
//! ```text
//! attribute --options--> Declaration
//! partials          item, partials --lower--> Linearized --transform--> hidden rules --> surface
//! root, ..          item, equation --> rules of the equation; hidden rules that call them --> surface
//! frule, rrule      hidden rules that call the functions given --> surface
//! zero_derivative   item --> a call that nothing is differentiated through --> as `#[differentiable]`
//! ```
//!
//! The hidden rules have the form of those of `#[differentiable]`, so that no caller knows the difference.

mod by_hand;
mod implicit;
mod linear;
mod options;
mod partials;
pub(super) mod primal;
mod zero;

use proc_macro2::TokenStream;
use quote::quote;

use super::rules::{Rules, stub};
use super::source::Source;
use super::{beside_error, function, read_file};
use crate::depth;
use crate::diagnostics::{Errors, Whole, caught, error};
use crate::enclosing::Site;
use crate::options::Options;
use crate::syntax::typed_params;
use options::{Declaration, Kind};

/// `#[primitive]` on a function or a method.
pub(crate) fn primitive(attr: TokenStream, item: &TokenStream, site: Option<&Site>) -> TokenStream {
    if let Err(error) = depth::check(&attr).and_then(|()| depth::check(item)) {
        return beside_error(item, &error);
    }
    let mut declaration = options::parse(attr);
    let function = syn::parse2::<syn::ItemFn>(item.clone());
    if let (Ok(Kind::Implicit(implicit)), Ok(function)) = (&declaration.kind, &function) {
        // The file is read for the equation alone: no rule looks into the function.
        let expr = &implicit.expr;
        let mut equation = function.clone();
        equation.block = syn::parse_quote!({ #expr });
        let equation = quote!(#equation);
        read_file(&mut declaration.options, &equation, site);
    }
    let rules = |source: &Source<'_>| declared(&declaration, source);
    if let Ok(function) = function {
        return function::function(&declaration.options, function, &rules, site);
    }
    let error = error(
        Whole(item),
        "`#[primitive]` works on functions and methods that have a body",
        "for a function of another crate, put it on a function of your own that calls it",
    );
    beside_error(item, &error)
}

/// The rules of a method in a `#[differentiable]` block; the block's options hold where it has none of its own.
pub(super) fn rules(block: &Options, attr: &syn::Attribute, source: &Source<'_>) -> Rules {
    let tokens = match &attr.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let mut declaration = options::parse(tokens);
    let options = &mut declaration.options;
    options.krate = options.krate.take().or_else(|| block.krate.clone());
    if let Ok(Kind::Implicit(_)) = declaration.kind {
        options.read_as(block);
    }
    declared(&declaration, source)
}

/// The rules that are declared; on errors, these and stubs.
fn declared(declaration: &Declaration, source: &Source<'_>) -> Rules {
    let options = &declaration.options;
    if let Err(error) = refuse_parameters(source.sig) {
        return (stubs(options, source), Some(error.to_compile_error()));
    }
    let items = || match declaration.kind.as_ref().map_err(Clone::clone)? {
        Kind::Partials(partials) => {
            let exprs = partials.each.iter().map(|(_, expr)| expr);
            options.check_with(&quote!(#(#exprs)*))?;
            partials::rules(options, source, partials)
        }
        Kind::ByHand(by_hand) => {
            options.check_with(&TokenStream::new())?;
            by_hand::rules(options, source, by_hand)
        }
        Kind::Implicit(implicit) => {
            options.check_with(&implicit.expr)?;
            implicit::rules(options, source, implicit)
        }
        Kind::ZeroDerivative => {
            options.check_with(&TokenStream::new())?;
            zero::rules(options, source)
        }
    };
    match caught(source.sig.ident.span(), items) {
        Ok(items) => (items, None),
        Err(error) => (stubs(options, source), Some(error.to_compile_error())),
    }
}

/// Refuses functions, which have no derivatives to write down, since these depend on captures, and views of arrays, which callers pass as references.
fn refuse_parameters(sig: &syn::Signature) -> syn::Result<()> {
    let mut errors = Errors::default();
    for param in typed_params(sig) {
        if crate::hir::takes_functions(&param.ty, sig) {
            errors.push(error(
                Whole(param),
                "a parameter of a primitive can't be a function",
                "write `#[differentiable]` on the function, and `#[primitive]` on what it calls",
            ));
        }
        if let Some((name, _)) = crate::types::written::generic(&param.ty)
            && let Some(axes) = name.strip_prefix("ArrayView")
            && !axes.starts_with("Mut")
        {
            errors.push(error(
                Whole(&param.ty),
                format!("a parameter of a primitive can't be an `{name}`"),
                format!(
                    "take `&ArrayRef{axes}<f64>`, and pass `&view`: arrays and views become that"
                ),
            ));
        }
    }
    errors.finish(())
}

/// Rules of the right types, so that a mistake in the declaration is one message. A receiver has none: its type may have no
/// tangent.
fn stubs(options: &Options, source: &Source<'_>) -> TokenStream {
    let mut sig = source.sig.clone();
    if let Some(syn::FnArg::Receiver(receiver)) = sig.inputs.first_mut() {
        receiver.attrs.push(syn::parse_quote!(#[constant]));
    }
    let sig = &sig;
    stub(options, &Source { sig, ..*source }).unwrap_or_default()
}

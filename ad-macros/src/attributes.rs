//! The attributes of the user's items that several stages ask for, and those that only this macro knows.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, FnArg, Signature};

use crate::enclosing::has_word;

/// The conditions under which an item is there.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<&Attribute> {
    let is_cfg = |attr: &&Attribute| attr.path().is_ident("cfg");
    attrs.iter().filter(is_cfg).collect()
}

/// True for `#[constant]`, whatever its arguments.
pub(crate) fn is_constant(attr: &Attribute) -> bool {
    attr.path().is_ident("constant")
}

/// True if `#[constant]` stands on a parameter or field, right or wrong.
pub(crate) fn has_constant(attrs: &[Attribute]) -> bool {
    attrs.iter().any(is_constant)
}

/// True for `#[checkpoint(...)]`, whatever its arguments.
pub(crate) fn is_checkpoint(attr: &Attribute) -> bool {
    attr.path().is_ident("checkpoint")
}

/// True for `#[primitive(...)]`, by whatever path.
pub(crate) fn is_primitive(attr: &Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|segment| segment.ident == "primitive")
}

/// The attributes of each parameter.
pub(crate) fn of_parameters(sig: &mut Signature) -> impl Iterator<Item = &mut Vec<Attribute>> {
    sig.inputs.iter_mut().map(|input| match input {
        FnArg::Receiver(receiver) => &mut receiver.attrs,
        FnArg::Typed(param) => &mut param.attrs,
    })
}

/// Removes `#[constant]` from the parameters, since rustc doesn't know it.
pub(crate) fn strip(sig: &mut Signature) {
    for attrs in of_parameters(sig) {
        attrs.retain(|attr| !is_constant(attr));
    }
}

/// Removes the attributes that only this macro knows from a function.
pub(crate) fn strip_function(sig: &mut Signature, body: &mut Block) {
    strip(sig);
    strip_loops(body);
}

/// Removes `#[checkpoint]` from the loops of a body, since rustc doesn't know it.
pub(crate) fn strip_loops(block: &mut Block) {
    Loops.visit_block_mut(block);
}

/// The tokens of the user's code, without `#[checkpoint]`.
pub(crate) fn tokens_without_checkpoints(code: &Expr) -> TokenStream {
    let tokens = code.to_token_stream();
    if !has_word(tokens.clone(), &|word| word == "checkpoint") {
        return tokens;
    }
    let mut code = code.clone();
    Loops.visit_expr_mut(&mut code);
    code.into_token_stream()
}

/// Items in a body have attributes of their own.
struct Loops;

impl VisitMut for Loops {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::ForLoop(each) => {
                let states = each.attrs.iter().find(|attr| is_checkpoint(attr));
                // The primal uses the variables in the count, so that rustc doesn't warn of them.
                if let Some(states) = states.and_then(|attr| attr.parse_args::<Expr>().ok())
                    && !matches!(states, Expr::Lit(_))
                {
                    let range = &each.expr;
                    *each.expr = syn::parse_quote!({ let _ = &(#states); #range });
                }
                each.attrs.retain(|attr| !is_checkpoint(attr));
            }
            Expr::While(syn::ExprWhile { attrs, .. }) | Expr::Loop(syn::ExprLoop { attrs, .. }) => {
                attrs.retain(|attr| !is_checkpoint(attr));
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

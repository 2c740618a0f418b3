//! Text in chains: what it is split into is collected first, since it is walked again backwards.
//!
//! ```text
//! Input:  for (k, c) in text.chars().enumerate() { a }
//! Output: for (k, c) in text.chars().collect::<Vec<char>>().into_iter().enumerate() { a }
//! ```

use quote::quote;

use super::Chain;
use crate::hir::parse::Parser;
use crate::hir::{Elements, ExprKind, Head};

impl Parser {
    /// The collected parts of a text.
    pub(super) fn parts_of_text(&mut self, call: &syn::ExprMethodCall) -> Option<Chain> {
        let list = list_of_parts(call)?;
        let source = syn::parse_quote!(#call.collect::<#list>());
        let collect = ExprKind::Method {
            receiver: self.boxed(&syn::Expr::MethodCall(call.clone())),
            name: syn::Ident::new("collect", call.method.span()),
            turbofish: Some(syn::parse_quote!(::<#list>)),
            args: Vec::new(),
        };
        let of = Box::new(self.sourced(collect, &source));
        let access = Elements::Own;
        Some(Chain::Source(Head::Elements { of, access }))
    }
}

/// The type of a list of the parts, if a method is one of text and can't be anything else's.
fn list_of_parts(call: &syn::ExprMethodCall) -> Option<syn::Type> {
    let literal = |arg: &syn::Expr| matches!(arg, syn::Expr::Lit(_));
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let part = match (call.method.to_string().as_str(), &args[..]) {
        ("chars", []) => quote!(char),
        ("bytes", []) => quote!(u8),
        ("char_indices", []) => quote!((usize, char)),
        ("split_whitespace" | "split_ascii_whitespace", []) => quote!(&str),
        ("split", [separator]) if literal(separator) => quote!(&str),
        _ => return None,
    };
    Some(syn::parse_quote!(::std::vec::Vec<#part>))
}

pub(super) fn has_parts(call: &syn::ExprMethodCall) -> bool {
    list_of_parts(call).is_some()
}

/// Whether a chain begins with one.
pub(super) fn begins(source: &syn::Expr) -> bool {
    match source {
        syn::Expr::MethodCall(call) => has_parts(call) || begins(&call.receiver),
        syn::Expr::Paren(inner) => begins(&inner.expr),
        _ => false,
    }
}

//! Functions of std that are something else in the language: the identity, and `clone` by its path.

use super::closure::stripped;
use super::parse::Parser;
use super::{Expr, ExprKind};
use crate::types::written::primitive_named;

impl Parser {
    /// A call of such a function.
    pub(super) fn library_call(
        &mut self,
        path: &syn::ExprPath,
        call: &syn::ExprCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let arg = call.args.first().filter(|_| call.args.len() == 1)?;
        if is_identity(path) {
            return Some(self.expr(arg));
        }
        // `Clone::clone(&x)`, `Vec::clone(&x)`, `<f64 as Clone>::clone(&x)`.
        let name = clone_of_a_type(path)?;
        let syn::Expr::Reference(_) = arg else {
            return None;
        };
        let kind = ExprKind::Method {
            receiver: self.boxed(stripped(arg)),
            name: name.clone(),
            turbofish: None,
            args: Vec::new(),
        };
        Some(self.sourced(kind, source))
    }
}

/// Whether a path names a function that gives its argument back.
pub(super) fn is_identity(path: &syn::ExprPath) -> bool {
    let mut names = path.path.segments.iter().rev().map(|name| &name.ident);
    match (names.next(), names.next()) {
        (Some(last), Some(parent)) => {
            parent == "convert" && last == "identity" || parent == "hint" && last == "black_box"
        }
        _ => false,
    }
}

/// The name `clone`, where a path ends in it after a type or `Clone`.
fn clone_of_a_type(path: &syn::ExprPath) -> Option<&syn::Ident> {
    let mut names = path.path.segments.iter().rev().map(|name| &name.ident);
    let (last, parent) = (names.next()?, names.next()?.to_string());
    let is_type = parent.starts_with(char::is_uppercase) || primitive_named(&parent).is_some();
    (is_type && last == "clone").then_some(last)
}

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
        if method_of_slice(path).is_some() {
            let args = call.args.iter().map(|arg| self.expr(stripped(arg)));
            let args = args.collect();
            return Some(self.sourced(method_by_path(path, args)?, source));
        }
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

/// `<[T]>::method(x, ..)`: slices have no other functions than methods.
pub(super) fn method_by_path(path: &syn::ExprPath, mut args: Vec<Expr>) -> Option<ExprKind> {
    let name = method_of_slice(path).filter(|_| !args.is_empty())?;
    Some(ExprKind::Method {
        receiver: Box::new(args.remove(0)),
        name: name.clone(),
        turbofish: None,
        args,
    })
}

fn method_of_slice(path: &syn::ExprPath) -> Option<&syn::Ident> {
    let of = &*path.qself.as_ref()?.ty;
    let slice = matches!(of, syn::Type::Slice(_));
    let only = path.path.segments.len() == 1;
    path.path
        .segments
        .first()
        .filter(|_| slice && only)
        .map(|method| &method.ident)
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

//! Functions of std that are something else in the language: the identity, `clone` by its path, and `contains` of ranges.

use quote::quote;

use super::closure::stripped;
use super::parse::Parser;
use super::{Expr, ExprKind};
use crate::paths::of_std;
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
        if let Some(same) = self.matrix_call(path, call) {
            return Some(self.replaced(&same, source));
        }
        let arg = call.args.first().filter(|_| call.args.len() == 1)?;
        if is_identity(path) {
            return Some(self.expr(arg));
        }
        if let Some(same) = list_from(path, arg) {
            return Some(self.replaced(&same, source));
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

    /// The test if a range that is written contains a value.
    ///
    /// ```text
    /// Input:  (a..=b).contains(&x)
    /// Output: { let lo = a; let hi = b; let item = x; lo <= item && item <= hi }
    /// ```
    pub(super) fn contained(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        let syn::Expr::Range(range) = stripped(&call.receiver) else {
            return None;
        };
        let item = call.args.first().filter(|_| call.args.len() == 1)?;
        if call.method != "contains" || range.start.is_none() && range.end.is_none() {
            return None;
        }
        let span = call.method.span();
        let item: syn::Expr = match item {
            syn::Expr::Reference(item) => (*item.expr).clone(),
            item => syn::parse_quote_spanned!(span=> *#item),
        };
        let below = match range.limits {
            syn::RangeLimits::HalfOpen(_) => quote!(<),
            syn::RangeLimits::Closed(_) => quote!(<=),
        };
        let from = range.start.iter();
        let from = from.map(|lo| (quote!(let __lo = #lo;), quote!(__lo <= __item)));
        let to = range.end.iter();
        let to = to.map(|hi| (quote!(let __hi = #hi;), quote!(__item #below __hi)));
        let (bound, both): (Vec<_>, Vec<_>) = from.chain(to).unzip();
        let test = syn::parse_quote_spanned!(span=> { #(#bound)* let __item = #item; #(#both)&&* });
        Some(self.replaced(&test, source))
    }
}

/// `<[T]>::method(x, ..)`: slices have no other functions than methods.
pub(super) fn method_by_path(path: &syn::ExprPath, mut args: Vec<Expr>) -> Option<ExprKind> {
    let name = method_of_slice(path).filter(|_| !args.is_empty())?;
    Some(ExprKind::method(args.remove(0), name.clone(), args))
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

/// Returns `true` if a path names a function that returns its argument.
pub(super) fn is_identity(path: &syn::ExprPath) -> bool {
    let is = |module, function| of_std(&path.path, module).is_some_and(|name| name == function);
    is("convert", "identity") || is("hint", "black_box")
}

/// `Vec::from([a, b])` is `vec![a, b]`, and `Vec::from_iter(chain)` is `chain.collect()`.
fn list_from(path: &syn::ExprPath, arg: &syn::Expr) -> Option<syn::Expr> {
    let mut segments = path.path.segments.iter().rev();
    let (last, of) = (segments.next()?, segments.next()?);
    if of.ident != "Vec" {
        return None;
    }
    match (last.ident.to_string().as_str(), arg) {
        ("from", syn::Expr::Array(array)) => {
            let elems = &array.elems;
            Some(syn::parse_quote!(::std::vec![#elems]))
        }
        ("from_iter", chain) => {
            let elem: syn::Type = match &of.arguments {
                syn::PathArguments::AngleBracketed(args) => match args.args.first()? {
                    syn::GenericArgument::Type(elem) => elem.clone(),
                    _ => return None,
                },
                _ => syn::parse_quote!(_),
            };
            Some(syn::parse_quote!(#chain.into_iter().collect::<Vec<#elem>>()))
        }
        _ => None,
    }
}

/// Returns `true` if a path names `Box::new`.
pub(super) fn is_box_new(path: &syn::ExprPath) -> bool {
    let mut names = path.path.segments.iter().rev().map(|name| &name.ident);
    matches!((names.next(), names.next()), (Some(new), Some(of)) if new == "new" && of == "Box")
}

/// The name `clone`, where a path ends in it after a type or `Clone`.
fn clone_of_a_type(path: &syn::ExprPath) -> Option<&syn::Ident> {
    let mut names = path.path.segments.iter().rev().map(|name| &name.ident);
    let (last, parent) = (names.next()?, names.next()?.to_string());
    let is_type = parent.starts_with(char::is_uppercase) || primitive_named(&parent).is_some();
    (is_type && last == "clone").then_some(last)
}

//! Signatures for stubs, where the user's own has been rejected: calls of the rules must still find them, so that one
//! mistake is one message.

use syn::{FnArg, Signature, parse_quote};

use crate::attributes::{is_constant, of_parameters};
use crate::enclosing::FileTypes;
use crate::options::Options;
use crate::types::written::has_reference;

/// Signatures that stubs may have, the closest first.
pub(crate) fn signatures(sig: &Signature, options: &Options) -> impl Iterator<Item = Signature> {
    let plain = without_qualifiers(sig);
    let constant = with_constants(&plain, &options.types);
    let list = constant.clone().and_then(|mut sig| {
        let item = item(&sig.output)?;
        sig.output = parse_quote!(-> [#item; 0]);
        Some(sig)
    });
    let scalar = constant.clone().map(|mut sig| {
        sig.output = parse_quote!(-> f64);
        sig
    });
    [Some(sig.clone()), Some(plain), constant, list, scalar]
        .into_iter()
        .flatten()
}

/// The items of an `impl Iterator`, by value.
fn item(output: &syn::ReturnType) -> Option<&syn::Type> {
    struct Finder<'a>(Option<&'a syn::Type>);
    impl<'a> syn::visit::Visit<'a> for Finder<'a> {
        fn visit_assoc_type(&mut self, of: &'a syn::AssocType) {
            if of.ident == "Item" {
                self.0 = Some(&of.ty);
            }
        }
    }
    let mut finder = Finder(None);
    syn::visit::Visit::visit_return_type(&mut finder, output);
    match finder.0? {
        syn::Type::Reference(reference) => Some(&reference.elem),
        ty => Some(ty),
    }
}

/// ```text
/// Input:  async unsafe extern "C" fn f(x: f64, ...)
/// Output: fn f(x: f64)
/// ```
fn without_qualifiers(sig: &Signature) -> Signature {
    let mut sig = sig.clone();
    sig.asyncness = None;
    sig.safety = syn::Safety::Default;
    sig.abi = None;
    sig.variadic = None;
    for attrs in of_parameters(&mut sig) {
        attrs.retain(|attr| !attr.path().is_ident("cfg") && !attr.path().is_ident("cfg_attr"));
        let before = attrs.len();
        attrs.retain(|attr| !is_constant(attr));
        if attrs.len() < before {
            attrs.push(parse_quote!(#[constant]));
        }
    }
    sig
}

/// Every parameter whose type isn't plain, is a type parameter, or has no tangent is constant, and so is a receiver. References inside of types can't be named in rules.
fn with_constants(sig: &Signature, types: &FileTypes) -> Option<Signature> {
    let mut sig = sig.clone();
    let parameters: Vec<syn::Ident> = sig
        .generics
        .type_params()
        .map(|param| param.ident.clone())
        .collect();
    for input in &mut sig.inputs {
        if let FnArg::Receiver(receiver) = input {
            receiver.attrs = vec![parse_quote!(#[constant])];
        }
        if let FnArg::Typed(param) = input
            && (!is_plain(&param.ty)
                || is_one_of(&param.ty, &parameters)
                || types.without_tangent(&param.ty, &[]).is_some())
        {
            let ty = match &*param.ty {
                syn::Type::Reference(reference) => &reference.elem,
                ty => ty,
            };
            if has_reference(ty) {
                return None;
            }
            param.attrs = vec![parse_quote!(#[constant])];
        }
    }
    Some(sig)
}

fn is_one_of(ty: &syn::Type, parameters: &[syn::Ident]) -> bool {
    match ty {
        syn::Type::Reference(reference) => is_one_of(&reference.elem, parameters),
        syn::Type::Path(path) => parameters.iter().any(|name| path.path.is_ident(name)),
        _ => false,
    }
}

/// True if a type is a path without arguments, an array or slice of it, or a reference to one of these.
fn is_plain(ty: &syn::Type) -> bool {
    fn owned(ty: &syn::Type) -> bool {
        match ty {
            syn::Type::Path(path) => {
                let mut segments = path.path.segments.iter();
                segments.all(|segment| segment.arguments.is_none())
            }
            syn::Type::Slice(slice) => owned(&slice.elem),
            syn::Type::Array(array) => owned(&array.elem),
            _ => false,
        }
    }
    match ty {
        syn::Type::Reference(reference) => owned(&reference.elem),
        other => owned(other),
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use super::*;

    #[test]
    fn what_was_rejected_goes_step_by_step() {
        let sig = parse_quote!(unsafe extern "C" fn f(#[constant(1)] n: u8, x: &f64, g: &(f64, f64)) -> &f64);
        let options = Options::default();
        let all: Vec<String> = signatures(&sig, &options)
            .map(|sig| sig.to_token_stream().to_string())
            .collect();
        assert_eq!(
            all[1..],
            [
                "fn f (# [constant] n : u8 , x : & f64 , g : & (f64 , f64)) -> & f64",
                "fn f (# [constant] n : u8 , x : & f64 , # [constant] g : & (f64 , f64)) -> & f64",
                "fn f (# [constant] n : u8 , x : & f64 , # [constant] g : & (f64 , f64)) -> f64",
            ]
        );
    }

    #[test]
    fn an_iterator_is_an_empty_list() {
        let sig = parse_quote!(fn f(x: &[f64]) -> impl Iterator<Item = &f64> + '_);
        let options = Options::default();
        let mut all =
            signatures(&sig, &options).map(|sig| sig.output.to_token_stream().to_string());
        assert!(all.any(|output| output == "-> [f64 ; 0]"));
    }
}

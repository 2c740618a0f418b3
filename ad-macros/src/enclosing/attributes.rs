//! Reads attributes: which of them leave an item as it is written, and which make rules of it.
//!
//! In: attributes of an item. Out: facts that hold in any configuration: `cfg`, and any attribute that isn't known, may change the item.

use super::tokens::{lists, words_of};
use crate::attributes::is_primitive;

/// Leave any item as it is.
const ANY: [&str; 5] = ["allow", "doc", "expect", "must_use", "warn"];

/// Leave a function as it is.
const FUNCTIONS: [&str; 3] = ["cold", "deprecated", "inline"];

/// Leave a type as it is.
const TYPES: [&str; 5] = ["default", "deprecated", "non_exhaustive", "repr", "serde"];

/// Derives that make no tangent.
const DERIVES: &str =
    "Clone Copy Debug Default Deserialize Eq Hash Ord PartialEq PartialOrd Serialize";

fn is_among(attr: &syn::Attribute, names: &[&str]) -> bool {
    names.iter().any(|name| attr.path().is_ident(name))
}

pub(super) fn mentions(attr: &syn::Attribute, word: &str) -> bool {
    words_of(&attr.meta).contains(word)
}

/// True if attributes leave a function, constant or alias as it is written, whatever the configuration.
pub(super) fn are_as_written(attrs: &[syn::Attribute]) -> bool {
    let leaves = |attr| makes_rules(attr) || is_among(attr, &ANY) || is_among(attr, &FUNCTIONS);
    attrs.iter().all(leaves)
}

/// True if no attribute may add rules to a function, or remove it.
pub(super) fn are_without_rules(attrs: &[syn::Attribute]) -> bool {
    let tracks = |attr| is_among(attr, &["track_caller"]);
    let mut attrs = attrs.iter();
    attrs.all(|attr| tracks(attr) || is_among(attr, &ANY) || is_among(attr, &FUNCTIONS))
}

/// True if it is `#[differentiable]`, with rules under the function's own name.
pub(super) fn makes_rules(attr: &syn::Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|last| last.ident == "differentiable") && !mentions(attr, "rules")
}

/// True if an attribute makes rules under the function's own name.
pub(crate) fn make_rules(attrs: &[syn::Attribute]) -> bool {
    attrs
        .iter()
        .any(|attr| makes_rules(attr) || is_primitive(attr))
}

/// True if `#[differentiable]` is among attributes, without options.
pub(super) fn make_plain_rules(attrs: &[syn::Attribute]) -> bool {
    let is_bare = |attr: &syn::Attribute| matches!(attr.meta, syn::Meta::Path(_));
    attrs.iter().any(|attr| is_bare(attr) && makes_rules(attr))
}

/// True if it is `#[inline(never)]` or `#[cold]`.
pub(super) fn keeps_calls(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("cold") || attr.path().is_ident("inline") && mentions(attr, "never")
}

/// True if an attribute leaves a type as it is, without a tangent.
pub(super) fn leaves_type(attr: &syn::Attribute) -> bool {
    derives_among(attr, |name| lists(DERIVES, name))
        || is_among(attr, &ANY)
        || is_among(attr, &TYPES)
}

/// True if an attribute of a type implements no trait but those that std and this library derive.
pub(super) fn implements_known(attr: &syn::Attribute) -> bool {
    derives_among(attr, |name| {
        name == "Differentiable" || lists(DERIVES, name)
    }) || is_among(attr, &ANY)
        || is_among(attr, &TYPES)
        || is_among(attr, &["tangent"])
}

fn derives_among(attr: &syn::Attribute, known: impl Fn(&str) -> bool) -> bool {
    if attr.path().is_ident("derive") {
        let paths = attr.parse_args_with(
            syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated,
        );
        return paths.is_ok_and(|paths| {
            paths.iter().all(|path| {
                let last = path.segments.last();
                last.is_some_and(|last| known(&last.ident.to_string()))
            })
        });
    }
    false
}

/// True if an attribute leaves a struct's fields as they are written, and where they can be borrowed.
pub(super) fn leaves_fields(attr: &syn::Attribute) -> bool {
    if attr.path().is_ident("cfg_attr") {
        return conditional(attr).is_some_and(|attrs| attrs.iter().all(leaves_fields));
    }
    is_among(attr, &ANY)
        || is_among(attr, &TYPES) && !is_packed(attr)
        || is_among(attr, &["derive", "tangent"])
}

/// True if an attribute leaves a module as it is written, in the file where its name leads.
pub(super) fn leaves_module(attr: &syn::Attribute) -> bool {
    is_among(attr, &ANY) || is_among(attr, &["deprecated"])
}

/// True if an attribute leaves a field as it is written.
pub(super) fn leaves_field(attr: &syn::Attribute) -> bool {
    is_among(attr, &ANY) || is_among(attr, &["deprecated", "serde"])
}

/// The attributes that `#[cfg_attr(condition, ..)]` adds.
fn conditional(attr: &syn::Attribute) -> Option<Vec<syn::Attribute>> {
    let all = attr.parse_args_with(
        syn::punctuated::Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated,
    );
    let added = all.ok()?.into_iter().skip(1);
    Some(added.map(|meta| syn::parse_quote!(#[#meta])).collect())
}

/// True if it is `#[repr(packed)]`.
pub(super) fn is_packed(attr: &syn::Attribute) -> bool {
    attr.path().is_ident("repr") && mentions(attr, "packed")
}

/// True if a derive is among attributes: `#[derive(.., name, ..)]`.
pub(super) fn derive(attrs: &[syn::Attribute], name: &str) -> bool {
    let mut attrs = attrs.iter();
    attrs.any(|attr| attr.path().is_ident("derive") && mentions(attr, name))
}

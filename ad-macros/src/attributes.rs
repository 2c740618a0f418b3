//! The attributes of the user's items that several stages ask for, and those that only this macro knows.

use syn::{Attribute, FnArg, Signature};

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

//! Bounds that rules have beyond those of the function.

use proc_macro2::{Ident, TokenStream};

use crate::ir::Func;
use crate::types::{Declared, gives_tangent, written};

/// A type parameter of which a differentiated argument is has a tangent. Its bounds need not say so: a trait with `dyn` in its attribute
/// doesn't.
pub(crate) fn require_tangents(generics: &mut syn::Generics, func: &Func, rt: &TokenStream) {
    let declared = Declared::of(generics);
    let differentiated: Vec<&Ident> = func
        .params
        .iter()
        .filter(|param| !param.constant && param.function.is_none())
        .filter_map(|param| inside(&param.ty))
        .collect();
    for param in generics.type_params_mut() {
        if differentiated.contains(&&param.ident)
            && declared.scalar(&param.ident).is_none()
            && !param.bounds.iter().any(gives_tangent)
        {
            param
                .bounds
                .push(syn::parse_quote!(#rt::DifferentiableValue));
        }
    }
}

/// The name of a type, behind references, and in slices and arrays.
fn inside(ty: &syn::Type) -> Option<&Ident> {
    match written::ungrouped(ty) {
        syn::Type::Path(path) => path.path.get_ident(),
        syn::Type::Reference(reference) => inside(&reference.elem),
        syn::Type::Slice(slice) => inside(&slice.elem),
        syn::Type::Array(array) => inside(&array.elem),
        _ => None,
    }
}

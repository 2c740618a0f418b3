//! Bounds that rules have beyond those of the function.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use crate::ir::Func;
use crate::options::mentions;
use crate::paths::ends_in;
use crate::types::{Bounds, Declared, gives_tangent, written};

/// A type parameter of which a differentiated argument is has a tangent. Its bounds need not say so: a trait with `dyn` in its attribute
/// doesn't.
pub(crate) fn require_tangents_of_arguments(
    generics: &mut syn::Generics,
    func: &Func,
    rt: &TokenStream,
) {
    let arguments = func
        .params
        .iter()
        .filter(|param| !param.constant && param.function.is_none())
        .filter_map(|param| inside(&param.ty));
    require_tangents(generics, &quote!(#(#arguments)*), rt);
}

/// The type parameters that types mention have tangents.
pub(crate) fn require_tangents(
    generics: &mut syn::Generics,
    types: &TokenStream,
    rt: &TokenStream,
) {
    let declared = Declared::of(generics);
    for param in generics.type_params_mut() {
        if mentions(types.clone(), &param.ident)
            && declared.scalar(&param.ident).is_none()
            && !have_tangent(&param.bounds)
        {
            param
                .bounds
                .push(syn::parse_quote!(#rt::DifferentiableValue));
        }
    }
}

/// True if bounds say that there is a tangent, and of a type of known size, that it is owned.
fn have_tangent(bounds: &Bounds) -> bool {
    let is_sized = !(bounds.iter()).any(|bound| quote!(#bound).to_string().starts_with('?'));
    let is_plain = |bound: &syn::TypeParamBound| {
        let syn::TypeParamBound::Trait(bound) = bound else {
            return false;
        };
        ends_in(&bound.path, "Differentiable")
    };
    (bounds.iter()).any(|bound| gives_tangent(bound) && !(is_sized && is_plain(bound)))
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

//! Facts that can be read from a type as the user wrote it.

use crate::syntax::{type_arguments, type_path};
use syn::visit::Visit;

use super::declared::Declared;
use super::ty::Type;
use crate::enclosing::lists;

/// The names of std's integer types.
pub(crate) const INTEGERS: [&str; 12] = [
    "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
];

/// A type without invisible delimiters and parentheses.
pub(crate) fn ungrouped(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Group(inner) => ungrouped(&inner.elem),
        syn::Type::Paren(inner) => ungrouped(&inner.elem),
        other => other,
    }
}

/// A type behind references.
pub(crate) fn without_references(ty: &syn::Type) -> &syn::Type {
    match ungrouped(ty) {
        syn::Type::Reference(reference) => without_references(&reference.elem),
        ty => ty,
    }
}

/// A primitive scalar, unless something of that name hides it; or a type parameter that is bounded by `Real`.
pub(crate) fn primitive(ty: &syn::Type, hidden: &Declared) -> Option<Type> {
    let path = type_path(ungrouped(ty))?;
    if path.qself.is_some() {
        return None;
    }
    let Some(ident) = path.path.get_ident() else {
        // `core::primitive::f64`.
        let mut segments = path.path.segments.iter().rev();
        let last = segments.next()?;
        if segments.next()?.ident != "primitive" {
            return None;
        }
        return primitive_named(&last.ident.to_string());
    };
    hidden.scalar(ident)
}

pub(crate) fn primitive_named(name: &str) -> Option<Type> {
    match name {
        "f32" => Some(Type::F32),
        "f64" => Some(Type::F64),
        "bool" => Some(Type::Bool),
        name => INTEGERS
            .iter()
            .find(|int| **int == name)
            .map(|int| Type::Int(int)),
    }
}

/// The element type of a written `Vec<T>`.
pub(crate) fn vec_element<'a>(ty: &'a syn::Type, hidden: &Declared) -> Option<&'a syn::Type> {
    element_of("Vec", ty, hidden)
}

/// The element type of a written `VecDeque<T>`.
pub(crate) fn deque_element<'a>(ty: &'a syn::Type, hidden: &Declared) -> Option<&'a syn::Type> {
    element_of("VecDeque", ty, hidden)
}

fn element_of<'a>(list: &str, ty: &'a syn::Type, hidden: &Declared) -> Option<&'a syn::Type> {
    let (name, args) = generic(ty)?;
    if name != list || hidden.iter().any(|hidden| hidden == list) {
        return None;
    }
    match &args[..] {
        [elem] => Some(elem),
        _ => None,
    }
}

/// Returns `true` if a written type is a `VecDeque`.
pub(crate) fn is_deque(ty: &syn::Type) -> bool {
    generic(ty).is_some_and(|(name, _)| name == "VecDeque")
}

/// The last segment of a path with its type arguments. A type in a module of the user's isn't std's, whatever its name.
pub(crate) fn generic(ty: &syn::Type) -> Option<(String, Vec<&syn::Type>)> {
    let path = type_path(ungrouped(ty))?;
    let (first, last) = (path.path.segments.first()?, path.path.segments.last()?);
    let roots = ["std", "core", "alloc"];
    if path.path.segments.len() > 1
        && is_of_std(&last.ident.to_string())
        && !roots.iter().any(|root| first.ident == root)
    {
        return None;
    }
    Some((last.ident.to_string(), type_arguments(last)))
}

/// Types other than lists that std's chains are collected to.
const COLLECTIONS: &str = "Arc BTreeMap BTreeSet BinaryHeap Box Cow HashMap HashSet LinkedList Option Rc Result \
    String VecDeque";

/// Returns `true` if a written type is one of std that a chain is collected to, and no `Vec`.
pub(crate) fn is_collection(ty: &syn::Type) -> bool {
    generic(ty).is_some_and(|(name, _)| lists(COLLECTIONS, &name))
}

/// True if a name is that of a type of std's that the compiler knows.
pub(crate) fn is_of_std(name: &str) -> bool {
    let others = ["Vec", "char", "str"];
    primitive_named(name).is_some() || others.contains(&name) || lists(COLLECTIONS, name)
}

/// True if a type names nothing but types of std, and borrows nothing: `HashMap<String, usize>`.
pub(crate) fn is_made_of_std(ty: &syn::Type) -> bool {
    struct Names(bool);
    impl<'ast> Visit<'ast> for Names {
        fn visit_ident(&mut self, name: &'ast syn::Ident) {
            self.0 &= is_of_std(&name.to_string());
        }
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {
            self.0 = false;
        }
    }
    let mut names = Names(true);
    names.visit_type(ty);
    names.0
}

/// Returns `true` if a written type may be another name for a `Vec`.
pub(crate) fn is_alias(ty: &syn::Type) -> bool {
    generic(ty).is_some_and(|(name, _)| name != "Vec" && !lists(COLLECTIONS, &name))
}

/// Returns `true` if a type is `dyn Trait`.
pub(crate) fn is_object(ty: &syn::Type) -> bool {
    matches!(ungrouped(ty), syn::Type::TraitObject(_))
}

/// Returns `true` if a type is `dyn Fn(f64) -> f64`, or another trait of functions.
pub(crate) fn is_function_object(ty: &syn::Type) -> bool {
    let syn::Type::TraitObject(object) = ungrouped(ty) else {
        return false;
    };
    object.bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|last| ["Fn", "FnMut", "FnOnce"].iter().any(|f| last.ident == f))
        }
        _ => false,
    })
}

/// Returns `true` if a type has a reference inside.
pub(crate) fn has_reference(ty: &syn::Type) -> bool {
    let mut types = types_in(ty).into_iter();
    types.any(|ty| matches!(ty, syn::Type::Reference(_)))
}

/// A written type and all types in it, from the outside in.
pub(crate) fn types_in(ty: &syn::Type) -> Vec<&syn::Type> {
    Found::in_type(ty).types
}

/// The lifetimes that a written type mentions.
pub(crate) fn lifetimes_in(ty: &syn::Type) -> Vec<&syn::Lifetime> {
    Found::in_type(ty).lifetimes
}

#[derive(Default)]
struct Found<'a> {
    types: Vec<&'a syn::Type>,
    lifetimes: Vec<&'a syn::Lifetime>,
}

impl<'a> Found<'a> {
    fn in_type(ty: &'a syn::Type) -> Self {
        let mut found = Found::default();
        found.visit_type(ty);
        found
    }
}

impl<'ast> Visit<'ast> for Found<'ast> {
    fn visit_type(&mut self, ty: &'ast syn::Type) {
        self.types.push(ty);
        syn::visit::visit_type(self, ty);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.lifetimes.push(lifetime);
    }
}

/// The items of `impl Iterator<Item = usize>`, if they have no tangent.
pub(crate) fn constant_items<'t>(ty: &'t syn::Type, hidden: &Declared) -> Option<&'t syn::Type> {
    let syn::Type::ImplTrait(given) = ungrouped(ty) else {
        return None;
    };
    let last = given.bounds.iter().find_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    })?;
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
        return None;
    };
    let item = args.args.iter().find_map(|arg| match arg {
        syn::GenericArgument::AssocType(of) if of.ident == "Item" => Some(&of.ty),
        _ => None,
    })?;
    (last.ident.to_string().ends_with("Iterator") && !may_have_tangent(item, hidden))
        .then_some(item)
}

/// Returns `true` if a written type may have a tangent. It doesn't if it consists only of integers, `bool`, `char`, text, and references,
/// slices, arrays, tuples, `Option`, `Vec`, `VecDeque`, maps and sets of these, and of types that the file declares without floats.
pub(crate) fn may_have_tangent(ty: &syn::Type, hidden: &Declared) -> bool {
    if let Some(target) = hidden.aliased(ungrouped(ty)) {
        return may_have_tangent(&target, hidden);
    }
    match ungrouped(ty) {
        syn::Type::Reference(reference) => may_have_tangent(&reference.elem, hidden),
        syn::Type::Slice(slice) => may_have_tangent(&slice.elem, hidden),
        syn::Type::Array(array) => may_have_tangent(&array.elem, hidden),
        syn::Type::Tuple(tuple) => tuple.elems.iter().any(|t| may_have_tangent(t, hidden)),
        syn::Type::Never(_) => false,
        other => {
            if let Some(primitive) = primitive(other, hidden) {
                return primitive.is_float();
            }
            match generic(other) {
                Some((name, args)) if !hidden.contains(&name) => match (name.as_str(), &args[..]) {
                    (name, []) if is_name(other) && hidden.is_constant(name) => false,
                    ("char" | "str" | "String", []) => false,
                    ("Option" | "Vec" | "VecDeque" | "HashSet" | "BTreeSet", [arg]) => {
                        may_have_tangent(arg, hidden)
                    }
                    ("HashMap" | "BTreeMap", [key, value]) => {
                        may_have_tangent(key, hidden) || may_have_tangent(value, hidden)
                    }
                    _ => true,
                },
                _ => true,
            }
        }
    }
}

/// True if a type is written as one name.
fn is_name(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.qself.is_none() && path.path.get_ident().is_some())
}

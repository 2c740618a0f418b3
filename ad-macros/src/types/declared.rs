//! Names of types that the function, or its enclosing item, declares itself.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;

use super::ty::Type;
use super::written::{primitive_named, ungrouped};
use crate::enclosing::{ForeignFloats, trait_named};
use crate::syntax::{ReplaceTypes, type_path};

/// Another name of a type: `type Result<T, E = Error> = core::result::Result<T, E>;`
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    item: Rc<syn::ItemType>,
}

impl Alias {
    /// An alias whose parameters are types.
    pub(crate) fn new(item: &syn::ItemType) -> Option<Alias> {
        let types = item.generics.type_params().count();
        let item = Rc::new(item.clone());
        (types == item.generics.params.len()).then_some(Alias { item })
    }

    /// The type with numbers as its arguments.
    pub(crate) fn of_numbers(&self) -> Option<syn::Type> {
        let number = syn::parse_quote!(f64);
        let params = self.item.generics.type_params();
        let args: Vec<&syn::Type> = params
            .filter(|param| param.default.is_none())
            .map(|_| &number)
            .collect();
        self.of(&args)
    }

    /// The type with these arguments.
    pub(crate) fn of(&self, args: &[&syn::Type]) -> Option<syn::Type> {
        let mut args = args.iter().copied();
        let mut known = HashMap::new();
        for param in self.item.generics.type_params() {
            let default = param.default.as_ref().map(|(_, ty)| ty);
            known.insert(&param.ident, args.next().or(default)?);
        }
        let mut ty = (*self.item.ty).clone();
        let instance = |path: &syn::Path| known.get(path.get_ident()?).copied().cloned();
        ReplaceTypes(instance).visit_type_mut(&mut ty);
        args.next().is_none().then_some(ty)
    }

    /// An item that compiles if a name is another one of the type.
    pub(crate) fn check(&self, alias: &Ident) -> TokenStream {
        let (generics, arguments, _) = self.item.generics.split_for_impl();
        let ty = &self.item.ty;
        quote!(const _: () = { fn same #generics(x: &#alias #arguments) -> &#ty { x } };)
    }
}

/// The arguments of a path's segment, if all are types.
fn type_arguments(segment: &syn::PathSegment) -> Option<Vec<&syn::Type>> {
    let args = match &segment.arguments {
        syn::PathArguments::None => return Some(Vec::new()),
        syn::PathArguments::AngleBracketed(args) => args.args.iter(),
        syn::PathArguments::Parenthesized(_) => return None,
    };
    args.map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
    .collect()
}

/// Type parameters, and types declared in the body. They hide types of std of the same name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared {
    names: Vec<String>,
    /// Those of `names` that are type parameters.
    parameters: Vec<String>,
    /// Type parameters that are bounded by `Real`.
    reals: Vec<String>,
    /// The traits that bound type parameters.
    bounds: Vec<(String, String)>,
    /// Those that are bounded by a trait of `num_traits`, too: their conversions return an `Option`.
    fallible: Vec<String>,
    /// Other names of types, where nothing of `names` hides them.
    aliases: Rc<HashMap<String, Alias>>,
    /// Types that hold no floats, where nothing of `names` hides them.
    constants: Rc<HashSet<String>>,
}

impl Declared {
    /// The type parameters of a function.
    pub(crate) fn of(generics: &syn::Generics) -> Self {
        let mut declared = Declared::default();
        declared.parameters(generics);
        declared
    }

    /// Other names of types.
    pub(crate) fn with_aliases(aliases: Rc<HashMap<String, Alias>>) -> Self {
        Declared {
            aliases,
            ..Declared::default()
        }
    }

    /// The same, and types that hold no floats.
    pub(crate) fn with_constants(self, constants: Rc<HashSet<String>>) -> Self {
        Declared { constants, ..self }
    }

    /// The types that hold no floats.
    pub(crate) fn constants(&self) -> Rc<HashSet<String>> {
        Rc::clone(&self.constants)
    }

    /// True if a name is that of a type that holds no floats.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        self.constants.contains(name) && !self.names.iter().any(|hidden| hidden == name)
    }

    /// The type that a type is another name of.
    pub(crate) fn aliased(&self, ty: &syn::Type) -> Option<syn::Type> {
        let path = type_path(ty)?;
        let segments = &path.path.segments;
        let last = segments
            .last()
            .filter(|_| segments.len() == 1 && path.qself.is_none())?;
        let name = last.ident.to_string();
        let alias = self
            .aliases
            .get(&name)
            .filter(|_| !self.names.contains(&name))?;
        alias.of(&type_arguments(last)?)
    }

    /// A type without other names for it.
    pub(crate) fn unaliased(&self, ty: &syn::Type) -> syn::Type {
        match self.aliased(ungrouped(ty)) {
            Some(target) => self.unaliased(&target),
            None => ty.clone(),
        }
    }

    /// Adds the type parameters of a function, `impl` or trait.
    pub(crate) fn parameters(&mut self, generics: &syn::Generics) {
        let names = generics.type_params().map(|param| param.ident.to_string());
        self.parameters.extend(names);
        self.names.extend_from_slice(&self.parameters);
        for (of, bounds) in bounded(generics) {
            let traits = bounds.iter().filter_map(trait_named);
            self.bounds
                .extend(traits.map(|bound| (of.to_string(), bound)));
        }
        let reals = bounded(generics).filter(|(_, bounds)| is_real(bounds));
        self.reals.extend(reals.map(|(name, _)| name.to_string()));
    }

    /// True for a type parameter that isn't bounded by `Real`.
    pub(crate) fn is_parameter(&self, ty: &syn::Type) -> bool {
        let name = ty.to_token_stream().to_string();
        self.parameters.contains(&name) && !self.reals.contains(&name)
    }

    /// The traits that a type implements, as its bounds say: those of a type parameter, or of a trait object.
    pub(super) fn traits_of(&self, ty: &syn::Type) -> Vec<String> {
        if let syn::Type::TraitObject(object) = ungrouped(ty) {
            return object.bounds.iter().filter_map(trait_named).collect();
        }
        let name = ty.to_token_stream().to_string();
        if !self.names.contains(&name) {
            return Vec::new();
        }
        let bounds = self.bounds.iter().filter(|(of, _)| *of == name);
        bounds.map(|(_, bound)| bound.clone()).collect()
    }

    /// Notes the type parameters of a function, `impl` or trait whose conversions return an `Option`.
    pub(crate) fn note_fallible(&mut self, generics: &syn::Generics, floats: &ForeignFloats) {
        let foreign = bounded(generics).filter(|(_, bounds)| floats.bound(bounds).is_some());
        self.fallible
            .extend(foreign.map(|(name, _)| name.to_string()));
    }

    /// True if a type is a parameter whose conversions return an `Option`.
    pub(crate) fn is_fallible(&self, ty: &Type) -> bool {
        matches!(ty, Type::Real(name) if self.fallible.iter().any(|of| name == of))
    }

    /// Adds a type declared in the body. It is not generic over the function's parameters.
    pub(crate) fn extend<'a>(&mut self, names: impl IntoIterator<Item = &'a Ident>) {
        for name in names {
            let name = name.to_string();
            self.reals.retain(|real| *real != name);
            self.names.push(name);
        }
    }

    /// The scalar that a name refers to.
    pub(crate) fn scalar(&self, ident: &Ident) -> Option<Type> {
        let name = ident.to_string();
        if self.reals.contains(&name) {
            return Some(Type::Real(ident.clone()));
        }
        if self.names.contains(&name) {
            return None;
        }
        primitive_named(&name)
    }
}

impl Deref for Declared {
    type Target = [String];

    /// All names.
    fn deref(&self) -> &[String] {
        &self.names
    }
}

pub(crate) type Bounds = syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>;

/// Returns `true` if bounds name `Real`.
pub(crate) fn is_real(bounds: &Bounds) -> bool {
    bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|segment| segment.ident == "Real" && segment.arguments.is_none())
        }
        _ => false,
    })
}

/// The types that have bounds, and these, by the `where` clause, too.
pub(crate) fn bounded(generics: &syn::Generics) -> impl Iterator<Item = (TokenStream, &Bounds)> {
    let params = generics.type_params();
    let params = params.map(|param| (param.ident.to_token_stream(), &param.bounds));
    let predicates = generics.where_clause.iter();
    let predicates = predicates.flat_map(|clause| &clause.predicates);
    params.chain(predicates.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(predicate) => {
            let of = ungrouped(&predicate.bounded_ty);
            Some((of.to_token_stream(), &predicate.bounds))
        }
        _ => None,
    }))
}

/// True if a bound says that a type parameter has a tangent.
pub(crate) fn gives_tangent(bound: &syn::TypeParamBound) -> bool {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let last = bound.path.segments.last();
    last.is_some_and(|last| {
        ["Differentiable", "DifferentiableValue", "Scalar"]
            .iter()
            .any(|name| last.ident == name)
    })
}

//! What parameters are, given which types of the crate have tangents.
//!
//! In: the types that can be derived. Out: for each type a [`Kind`], and for each function whether it is one to be differentiated. What isn't
//! known is constant, and a function with nothing else has nothing to differentiate.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::{FnArg, GenericArgument, PathArguments, ReturnType, TypeParamBound};

use crate::subjects::{Found, Function, Kind, Type};

/// The crate's types with tangents, and aliases.
pub(crate) struct Known<'a> {
    derived: BTreeSet<String>,
    aliases: &'a BTreeMap<String, syn::Type>,
}

/// Traits that only floats implement.
const FLOATS: [&str; 12] = [
    "Float",
    "FloatCore",
    "Real",
    "RealField",
    "FloatScalar",
    "GeoFloat",
    "CoordFloat",
    "BSplineFloat",
    "FloatType",
    "ComplexFloat",
    "ArgminFloat",
    "StrictlyFloat",
];

impl<'a> Known<'a> {
    /// Derives all types in which there are floats, but those that refused it.
    pub(crate) fn new(found: &'a Found, refused: &BTreeSet<String>) -> Self {
        let mut known = Self {
            derived: BTreeSet::new(),
            aliases: &found.aliases,
        };
        loop {
            let more: Vec<String> = found
                .types
                .iter()
                .filter(|ty| !refused.contains(&ty.name) && !known.derived.contains(&ty.name))
                .filter(|ty| known.has_floats(ty))
                .map(|ty| ty.name.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            known.derived.extend(more);
        }
        known
    }

    fn has_floats(&self, ty: &Type) -> bool {
        ty.fields
            .iter()
            .any(|(_, field)| self.field(ty, field) == Kind::Active)
    }

    pub(crate) fn is_derived(&self, name: &str) -> bool {
        self.derived.contains(name)
    }

    pub(crate) fn field(&self, ty: &Type, field: &syn::Type) -> Kind {
        let scope = Scope {
            known: self,
            open: ty.generics.clone(),
            floats: Vec::new(),
            functions: Vec::new(),
            self_ty: None,
        };
        scope.kind(field, 0)
    }

    /// What each parameter is, if the function is one to be differentiated.
    pub(crate) fn parameters(&self, function: &Function) -> Option<Vec<Kind>> {
        let scope = Scope::of(self, function);
        let kinds: Vec<Kind> = function
            .sig
            .inputs
            .iter()
            .map(|input| scope.input(input))
            .collect();
        let result = match &function.sig.output {
            ReturnType::Default => false,
            ReturnType::Type(_, ty) => scope.mentions(ty),
        };
        (kinds.contains(&Kind::Active) || result).then_some(kinds)
    }
}

/// The names that a function sees.
struct Scope<'a> {
    known: &'a Known<'a>,
    /// Type parameters that may be anything.
    open: Vec<String>,
    floats: Vec<String>,
    functions: Vec<String>,
    self_ty: Option<&'a syn::Type>,
}

impl<'a> Scope<'a> {
    fn of(known: &'a Known<'a>, function: &'a Function) -> Self {
        let mut scope = Self {
            known,
            open: Vec::new(),
            floats: Vec::new(),
            functions: Vec::new(),
            self_ty: function.self_ty.as_ref(),
        };
        for generics in &function.generics {
            for parameter in generics.type_params() {
                let name = parameter.ident.to_string();
                scope.bound(&name, parameter.bounds.iter());
            }
            let clause = generics
                .where_clause
                .iter()
                .flat_map(|clause| &clause.predicates);
            for predicate in clause {
                if let syn::WherePredicate::Type(predicate) = predicate {
                    let name = predicate.bounded_ty.to_token_stream().to_string();
                    scope.bound(&name, predicate.bounds.iter());
                }
            }
        }
        scope
    }

    fn bound<'b>(&mut self, name: &str, bounds: impl Iterator<Item = &'b TypeParamBound>) {
        for bound in bounds {
            let TypeParamBound::Trait(bound) = bound else {
                continue;
            };
            let Some(last) = bound.path.segments.last() else {
                continue;
            };
            let text = last.ident.to_string();
            if FLOATS.contains(&text.as_str()) {
                self.floats.push(name.to_owned());
            } else if text.starts_with("Fn") {
                self.functions.push(name.to_owned());
            }
        }
    }

    fn input(&self, input: &FnArg) -> Kind {
        match input {
            FnArg::Receiver(_) => self.self_ty.map_or(Kind::Unknown, |ty| self.kind(ty, 0)),
            FnArg::Typed(typed) => self.kind(&typed.ty, 0),
        }
    }

    /// Whether something with floats is in it.
    fn mentions(&self, ty: &syn::Type) -> bool {
        if self.kind(ty, 0) == Kind::Active {
            return true;
        }
        match ty {
            syn::Type::Path(path) => path
                .path
                .segments
                .last()
                .is_some_and(|last| arguments(last).any(|ty| self.mentions(ty))),
            syn::Type::Tuple(tuple) => tuple.elems.iter().any(|ty| self.mentions(ty)),
            syn::Type::Reference(reference) => self.mentions(&reference.elem),
            _ => false,
        }
    }

    fn all<'t>(&self, types: impl Iterator<Item = &'t syn::Type>, depth: usize) -> Kind {
        let kinds = types.map(|ty| self.kind(ty, depth + 1));
        kinds.max().unwrap_or(Kind::Inert)
    }

    fn kind(&self, ty: &syn::Type, depth: usize) -> Kind {
        if depth > 12 {
            return Kind::Unknown;
        }
        match ty {
            syn::Type::Reference(reference) => self.kind(&reference.elem, depth + 1),
            syn::Type::Paren(inner) => self.kind(&inner.elem, depth + 1),
            syn::Type::Slice(slice) => self.kind(&slice.elem, depth + 1),
            syn::Type::Array(array) => self.kind(&array.elem, depth + 1),
            syn::Type::Tuple(tuple) => self.all(tuple.elems.iter(), depth),
            syn::Type::FnPtr(_) => Kind::Function,
            syn::Type::ImplTrait(bounds) => Self::function(&bounds.bounds),
            syn::Type::TraitObject(object) => Self::function(&object.bounds),
            syn::Type::Path(path) if path.qself.is_none() => self.path(&path.path, depth),
            _ => Kind::Unknown,
        }
    }

    fn function<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> Kind {
        let is_function = bounds.into_iter().any(|bound| match bound {
            TypeParamBound::Trait(bound) => bound
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident.to_string().starts_with("Fn")),
            _ => false,
        });
        if is_function {
            Kind::Function
        } else {
            Kind::Unknown
        }
    }

    fn path(&self, path: &syn::Path, depth: usize) -> Kind {
        let Some(last) = path.segments.last() else {
            return Kind::Unknown;
        };
        let name = last.ident.to_string();
        let bare = path.segments.len() == 1;
        if bare && self.floats.contains(&name) {
            return Kind::Active;
        }
        if bare && self.functions.contains(&name) {
            return Kind::Function;
        }
        if bare && self.open.contains(&name) {
            return Kind::Active;
        }
        match name.as_str() {
            "f64" | "f32" => Kind::Active,
            "bool" | "char" | "str" | "String" | "u8" | "u16" | "u32" | "u64" | "u128"
            | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => Kind::Inert,
            "Self" if bare => match self.self_ty {
                Some(ty) if depth < 6 => self.kind(ty, depth + 6),
                _ => Kind::Unknown,
            },
            _ if self.known.is_derived(&name) => {
                let kind = self.all(arguments(last), depth);
                if kind == Kind::Unknown {
                    kind
                } else {
                    Kind::Active
                }
            }
            "Vec" | "VecDeque" | "Option" | "Box" | "Result" | "Complex" => {
                self.all(arguments(last), depth)
            }
            _ => match self.known.aliases.get(&name) {
                Some(ty) => self.kind(ty, depth + 1),
                None => Kind::Unknown,
            },
        }
    }
}

fn arguments(segment: &syn::PathSegment) -> impl Iterator<Item = &syn::Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments
        .into_iter()
        .flatten()
        .filter_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
}

//! Types of paths: constants of std's scalars, constants that the function itself declares, functions of known signature.

use std::collections::HashSet;
use std::rc::Rc;

use super::declared::Declared;
use super::infer::Infer;
use super::ty::{Type, from_written};
use super::written::{constant_items, primitive_named, ungrouped};
use crate::enclosing::Own;
use crate::hir::{ExprId, ExprKind};

impl Infer<'_> {
    /// The type of a constant.
    pub(super) fn constant(&self, path: &syn::ExprPath) -> Option<Type> {
        let hidden = &self.func.hidden_types;
        if path.qself.is_some() {
            let (own, last) = scalar_item(path, hidden)?;
            return associated_constant(own, &last);
        }
        if let Some(ident) = path.path.get_ident() {
            let name = ident.to_string();
            let mut constants = self.func.constants.iter().rev();
            if let Some((_, ty)) = constants.find(|(constant, _)| *constant == name) {
                return from_written(ty, &self.func.hidden_types);
            }
            let ty = self.func.siblings.constant(&name)?;
            return from_written(ty, &Declared::default());
        }
        if let Some((own @ Type::Real(_), last)) = scalar_item(path, hidden) {
            return associated_constant(own, &last);
        }
        let mut segments = path.path.segments.iter().rev().map(|s| s.ident.to_string());
        let (last, parent) = (segments.next()?, segments.next()?);
        if parent == "consts" {
            // `core::f64::consts::PI`; `std::f64::consts` too.
            return primitive_named(&segments.next()?).filter(Type::is_float);
        }
        if self.func.hidden_types.contains(&parent) {
            return None;
        }
        associated_constant(primitive_named(&parent)?, &last)
    }

    /// The result of a call whose signature is in reach: the function itself, or one declared in the body.
    pub(super) fn result_of(&self, path: &syn::ExprPath) -> Option<Type> {
        let ident = path.path.get_ident()?;
        let hidden = &self.func.hidden_types;
        for item in &self.func.items {
            if let syn::Item::Fn(item) = item
                && item.sig.ident == *ident
            {
                if item.sig.generics.type_params().next().is_some() {
                    return None;
                }
                return match &item.sig.output {
                    syn::ReturnType::Default => Some(Type::Unit),
                    syn::ReturnType::Type(_, ty) => from_written(ty, hidden),
                };
            }
        }
        let method = self.func.params.first().is_some_and(|param| param.receiver);
        if *ident == self.func.name && !method {
            return from_written(&self.func.output, hidden);
        }
        match &self.sibling(path)?.output {
            syn::ReturnType::Default => Some(Type::Unit),
            syn::ReturnType::Type(_, ty) => self.in_module(ty),
        }
    }

    /// The fields and methods of a type that stands beside this function.
    fn beside(&self, of: &syn::Type) -> Option<&Own> {
        let syn::Type::Path(path) = ungrouped(of) else {
            return None;
        };
        let name = path.path.get_ident().filter(|_| path.qself.is_none())?;
        if name == "Self" {
            let own = self.func.self_ty.as_ref()?;
            return if own == of { None } else { self.beside(own) };
        }
        let name = name.to_string();
        let hidden = self.func.hidden_types.contains(&name);
        self.func.siblings.own(&name).filter(|_| !hidden)
    }

    /// The type of a field of such a type.
    pub(super) fn declared_field(&self, of: &syn::Type, member: &syn::Member) -> Option<Type> {
        let ty = self.beside(of)?.field(member)?;
        from_written(ty, &Declared::default())
    }

    /// The fields behind shared references that are `#[constant]`, by what their structs say.
    pub(super) fn constant_fields(&self) -> HashSet<ExprId> {
        let mut found = HashSet::new();
        self.func.body.walk(&mut |expr| {
            if let ExprKind::Field(base, member) = &expr.kind
                && let Some(root) = base.root()
                && matches!(
                    self.table.shallow(&self.vars[root.0 as usize]),
                    Type::Ref(false, _)
                )
                && let Type::Named(of) = self.table.peeled(&self.exprs[base.id.0 as usize])
                && self.beside(&of).is_some_and(|own| own.is_constant(member))
            {
                found.insert(expr.id);
            }
        });
        found
    }

    /// The result of a method of such a type.
    pub(super) fn declared_method(&self, of: &syn::Type, name: &str) -> Option<Type> {
        match &self.beside(of)?.method(name)?.output {
            syn::ReturnType::Default => Some(Type::Unit),
            syn::ReturnType::Type(_, ty) => {
                if constant_items(ty, &Declared::default()).is_some() {
                    return Some(Type::Inactive(Rc::new((**ty).clone())));
                }
                let derived = self.beside(ty).is_some_and(Own::is_derived);
                let ty = from_written(ty, &Declared::default())?;
                (derived || ty.is_plain()).then_some(ty)
            }
        }
    }

    /// A function that stands beside this one.
    fn sibling(&self, path: &syn::ExprPath) -> Option<&syn::Signature> {
        let name = path.path.get_ident()?.to_string();
        let declared = |item: &syn::Item| matches!(item, syn::Item::Fn(item) if item.sig.ident == name.as_str());
        if self.func.items.iter().any(declared) {
            return None;
        }
        self.func.siblings.function(&name)
    }

    /// A type that is written beside this function, if all of it is known.
    fn in_module(&self, ty: &syn::Type) -> Option<Type> {
        let declared = Declared::with_aliases(self.func.siblings.aliases());
        from_written(ty, &declared).filter(Type::is_plain)
    }

    /// What a function that stands beside this one takes as its `k`-th argument; of references, only those to lists.
    pub(super) fn parameter_of(&self, path: &syn::ExprPath, k: usize) -> Option<Type> {
        let syn::FnArg::Typed(param) = self.sibling(path)?.inputs.get(k)? else {
            return None;
        };
        match ungrouped(&param.ty) {
            syn::Type::Reference(reference) => {
                let list = self.in_module(&reference.elem);
                list.filter(|ty| ty.element().is_some())
            }
            ty => self.in_module(ty),
        }
    }
}

/// `f64::MAX` and so on.
fn associated_constant(own: Type, name: &str) -> Option<Type> {
    match (&own, name) {
        (Type::Real(_), _) => Some(own),
        (
            Type::F32 | Type::F64,
            "MAX" | "MIN" | "EPSILON" | "INFINITY" | "NEG_INFINITY" | "NAN" | "MIN_POSITIVE",
        )
        | (Type::Int(_), "MAX" | "MIN") => Some(own),
        (Type::Int(_), "BITS")
        | (Type::F32 | Type::F64, "DIGITS" | "MANTISSA_DIGITS" | "RADIX") => Some(Type::Int("u32")),
        _ => None,
    }
}

/// The scalar before the last segment: `f64::max` and `<f64>::max` give (`f64`, `max`).
pub(crate) fn scalar_item(path: &syn::ExprPath, hidden: &Declared) -> Option<(Type, String)> {
    let mut segments = path.path.segments.iter().rev();
    let name = segments.next()?.ident.to_string();
    if let Some(of) = &path.qself {
        // `<T as Real>::sin` and `<f64>::sin`.
        let real = segments
            .next()
            .is_none_or(|segment| segment.ident == "Real");
        let own = super::written::primitive(&of.ty, hidden)?;
        return real.then_some((own, name));
    }
    let parent = segments.next()?;
    Some((hidden.scalar(&parent.ident)?, name))
}

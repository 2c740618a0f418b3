//! Types of paths: constants of std's scalars, constants that the function itself declares, functions of known signature.

use std::collections::HashSet;
use std::rc::Rc;

use super::declared::Declared;
use super::infer::{Infer, inactive};
use super::keyed::keyed;
use super::ty::{Type, from_written};
use super::written::{
    constant_items, has_reference, is_made_of_std, lifetimes_in, primitive_named, ungrouped,
};
use crate::hir::{self, ExprId, ExprKind};
use crate::ir::OperatorKind;
use crate::paths::function_name;

impl<'a> Infer<'a> {
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
            return self.in_file(ty).or_else(|| self.of_declared(ty));
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

    /// The type of a constant list of structs of the file, which need no tangents.
    fn of_declared(&self, ty: &syn::Type) -> Option<Type> {
        let ty = from_written(ty, &self.func.hidden_types)?;
        let is_declared =
            matches!(ty.any_element(), Type::Named(of) if self.func.own(&of).is_some());
        is_declared.then_some(ty)
    }

    /// The result of a call whose signature is in reach: the function itself, or one declared in the body.
    pub(super) fn result_of(&self, path: &syn::ExprPath) -> Option<Type> {
        if let Some((own, name)) = self.of_type(path) {
            let known = self.declared_method(&own, &name.to_string());
            // Of traits of std, unless the type has a function of that name.
            let by_trait = name == "default"
                || name == "from"
                    && (self.func.own(&own)).is_some_and(|own| own.own.method("from").is_none());
            // rustc infers the parameters of `Grid<N>` in `Grid::default()`.
            let inferred = || {
                let bare = matches!(&own, syn::Type::Path(path)
                    if path.path.segments.last().is_some_and(|last| last.arguments.is_none()));
                bare && (self.func.own(&own)).is_some_and(|own| own.own.is_generic())
            };
            return known.or_else(|| {
                (by_trait && !inferred())
                    .then(|| self.in_file(&own))
                    .flatten()
            });
        }
        if let Some(result) = of_our_functions(&path.path) {
            return Some(result);
        }
        if let Some(ident) = path.path.get_ident() {
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
        }
        match &self.sibling(path)?.output {
            syn::ReturnType::Default => Some(Type::Unit),
            syn::ReturnType::Type(_, ty) => self.in_file(ty),
        }
    }

    /// The type of a field of such a type. A constant field has one only behind a shared reference, where it counts as constant.
    pub(super) fn declared_field(
        &self,
        of: &syn::Type,
        member: &syn::Member,
        shared: bool,
    ) -> Option<Type> {
        let own = self.func.own(of)?;
        let constant = || own.constant(member).filter(|_| shared);
        let field = own.field(member).or_else(constant)?;
        let known = from_written(&field, &self.func.hidden_types)?;
        if keyed(&known).is_some() {
            return Some(Type::Inactive(Rc::new(field.into_owned())));
        }
        match &known {
            // A list or a value that the struct borrows.
            Type::Ref(false, target) => self.is_known(target).then_some(known),
            _ => self.in_file(&field),
        }
    }

    /// The type of a field of which nothing more is known.
    pub(super) fn unknown_field(&mut self, of: &syn::Type, member: &syn::Member) -> Type {
        let field = self.table.deferred();
        let own = self.func.own(of);
        let written = own.and_then(|own| own.with_arguments(own.own.written(member)?));
        let written = written.and_then(|ty| from_written(&ty, &self.func.hidden_types));
        if matches!(written, Some(Type::Named(_))) {
            self.named_elsewhere.push(field.clone());
        }
        field
    }

    /// The type of a part of a variant of such a type.
    pub(super) fn declared_payload(
        &self,
        of: &syn::Type,
        path: &syn::Path,
        member: &syn::Member,
    ) -> Option<Type> {
        let variant = &path.segments.last()?.ident;
        self.in_file(&*self.func.own(of)?.payload(variant, member)?)
    }

    /// True for a part of a shared reference's target.
    pub(super) fn is_behind_shared(&self, base: &hir::Expr) -> bool {
        base.root().is_some_and(|root| {
            let ty = self.table.shallow(&self.vars[root.0 as usize]);
            matches!(ty, Type::Ref(false, _))
        })
    }

    /// The fields behind shared references that are `#[constant]` in the declaration of their structs.
    pub(super) fn constant_fields(&self) -> HashSet<ExprId> {
        let mut found = HashSet::new();
        self.func.body.walk(&mut |expr| {
            if let ExprKind::Field(base, member) = &expr.kind
                && self.is_behind_shared(base)
                && let Type::Named(of) = self.table.peeled(&self.exprs[base.id.0 as usize])
                && let Some(own) = self.func.own(&of)
                && own.own.constants().any(|(constant, _)| constant == member)
            {
                found.insert(expr.id);
            }
        });
        found
    }

    /// The result of a method of such a type.
    pub(super) fn declared_method(&self, of: &syn::Type, name: &str) -> Option<Type> {
        let Some(own) = self.func.own(of) else {
            return self.method_of_traits(of, name);
        };
        match &own.own.method(name)?.output {
            syn::ReturnType::Default => Some(Type::Unit),
            syn::ReturnType::Type(_, ty) => {
                let ty = own.with_arguments(ty)?;
                if constant_items(&ty, &Declared::default()).is_some() {
                    return Some(Type::Inactive(Rc::new(ty.into_owned())));
                }
                self.in_file(&ty)
            }
        }
    }

    /// The reference to a value that a getter of such a type returns, where `let` or `match` gives it a name. Lists are copied.
    pub(super) fn lent(&self, given: &hir::Expr) -> Option<Type> {
        let ExprKind::Method { receiver, name, .. } = &given.kind else {
            return None;
        };
        let (Type::Named(of) | Type::Inactive(of)) = self.table.peeled(self.type_of(receiver))
        else {
            return None;
        };
        let own = self.func.own(&of)?;
        let syn::ReturnType::Type(_, ty) = &own.own.method(&name.to_string())?.output else {
            return None;
        };
        match from_written(&*own.with_arguments(ty)?, &self.func.hidden_types)? {
            Type::Ref(false, lent) => {
                let is_value = lent.element().is_none() && !lent.is_scalar();
                (is_value && self.is_known(&lent)).then_some(Type::Ref(false, lent))
            }
            _ => None,
        }
    }

    /// The result of a method of the traits that bound a type parameter, or that are those of a trait object.
    fn method_of_traits(&self, of: &syn::Type, name: &str) -> Option<Type> {
        let bounds = self.func.hidden_types.traits_of(of);
        match &(self.func.siblings.method_of_traits(&bounds, name)?).output {
            syn::ReturnType::Default => Some(Type::Unit),
            syn::ReturnType::Type(_, ty) => self.in_file(ty),
        }
    }

    /// A written type, if the types in it are std's, or are declared in the file and have a tangent, or none.
    fn in_file(&self, ty: &syn::Type) -> Option<Type> {
        let ty = match from_written(ty, &self.func.hidden_types)? {
            // The type of an error may have a lifetime of the signature in which it is written.
            Type::Result(value, _) => Type::Result(value, inactive().into()),
            ty => ty,
        };
        self.is_known(&ty).then_some(ty)
    }

    /// True if the types in a type are std's, or are declared in the file and have a tangent, or none.
    pub(super) fn is_known(&self, ty: &Type) -> bool {
        match ty {
            ty if ty.is_container() => ty.parts().all(|part| self.is_known(part)),
            ty if ty.range_ends().is_some() => true,
            Type::Result(value, error) => {
                let borrows = match &**error {
                    Type::Named(ty) | Type::Inactive(ty) => {
                        has_reference(ty) || !lifetimes_in(ty).is_empty()
                    }
                    _ => false,
                };
                self.is_known(value) && !borrows
            }
            Type::Named(ty) => match self.func.own(ty) {
                Some(own) => own.own.derived || own.own.inert,
                None => {
                    !self.func.hidden_types.traits_of(ty).is_empty()
                        || self.func.callees.is_owned_array(ty)
                }
            },
            Type::Inactive(ty) => is_made_of_std(ty) || self.func.own(ty).is_some(),
            ty => ty.is_structural(),
        }
    }

    /// The result of an operator that the file implements for these operands.
    pub(super) fn overloaded(&self, kind: OperatorKind, operands: &[Type]) -> Option<Type> {
        let written: Option<Vec<_>> = operands.iter().map(|ty| self.func.written(ty)).collect();
        let overload = self.func.siblings.overload(kind, &written?)?;
        self.in_file(&overload.output)
    }

    /// The type of an index, and the result of indexing, of a type that the file implements it for.
    pub(super) fn declared_indexing(&self, of: &Type) -> Option<(Type, Type)> {
        let (Type::Named(of) | Type::Inactive(of)) = of else {
            return None;
        };
        let indexing = self.func.indexing(of)?;
        // Else an element that is written may be another one than is read.
        indexing.part.as_ref()?;
        Some((
            self.in_file(&indexing.key)?,
            self.in_file(&indexing.output)?,
        ))
    }

    /// The signature of a function that stands beside this one.
    fn sibling(&self, path: &syn::ExprPath) -> Option<&'a syn::Signature> {
        let last = path.path.segments.last()?;
        let name = self.sibling_name(path);
        let name = name.filter(|_| last.arguments.is_none())?;
        self.func.siblings.function(&name)
    }

    /// The type and the name of an associated function.
    fn of_type<'p>(&self, path: &'p syn::ExprPath) -> Option<(syn::Type, &'p syn::Ident)> {
        hir::of_type(path).filter(|_| self.sibling(path).is_none())
    }

    pub(super) fn sibling_name(&self, path: &syn::ExprPath) -> Option<String> {
        let name = function_name(path)?;
        let declared =
            |item: &syn::Item| matches!(item, syn::Item::Fn(item) if item.sig.ident == name);
        (!self.func.items.iter().any(declared)).then_some(name)
    }

    /// The type of the `k`-th parameter of a method of such a type, the receiver counted.
    pub(super) fn declared_parameter(&self, of: &syn::Type, name: &str, k: usize) -> Option<Type> {
        let own = self.func.own(of)?;
        let syn::FnArg::Typed(param) = own.own.method(name)?.inputs.get(k)? else {
            return None;
        };
        self.in_file(&*own.with_arguments(&param.ty)?)
    }

    /// The type of the `k`-th parameter of a function of the same module; of references, only those to lists.
    pub(super) fn parameter_of(&self, path: &syn::ExprPath, k: usize) -> Option<Type> {
        if let Some((own, name)) = self.of_type(path) {
            return self.declared_parameter(&own, &name.to_string(), k);
        }
        let syn::FnArg::Typed(param) = self.sibling(path)?.inputs.get(k)? else {
            return None;
        };
        self.parameter(&param.ty)
    }

    /// The type of a parameter of a function of the same module; of references, only those to lists.
    pub(super) fn parameter(&self, ty: &syn::Type) -> Option<Type> {
        match ungrouped(ty) {
            syn::Type::Reference(reference) => {
                let list = self.in_file(&reference.elem)?;
                let mutable = reference.mutability.is_some();
                (list.element().is_some()).then(|| Type::Ref(mutable, list.into()))
            }
            ty => self.in_file(ty),
        }
    }
}

/// The result of a function of this project's own crate: `chainrule::special::ln_gamma`, `chainrule::distributions::normal::log_density`.
pub(crate) fn of_our_functions(path: &syn::Path) -> Option<Type> {
    let names = names(path);
    let list = Type::Vec(Type::F64.into());
    let is_function = |name: &str| name.starts_with(|c: char| c.is_ascii_lowercase());
    match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["chainrule", "functions", "single"] => None,
        ["chainrule", "functions", "softmax_into"] => Some(Type::Unit),
        ["chainrule", "functions", "softmax"]
        | [
            "chainrule",
            "interpolation",
            "linear_at" | "natural_cubic_at" | "natural_curvatures",
        ] => Some(list),
        ["chainrule", "functions" | "interpolation" | "special", name]
        | ["chainrule", "distributions", _, name] => is_function(name).then_some(Type::F64),
        _ => None,
    }
}

/// True for a module of such functions, or of constants of std's floats.
pub(crate) fn is_known_module(path: &syn::Path) -> bool {
    let names = names(path);
    matches!(
        names.iter().map(String::as_str).collect::<Vec<_>>()[..],
        [
            "chainrule",
            "distributions" | "functions" | "interpolation" | "special"
        ] | ["chainrule", "distributions", _]
            | ["std" | "core", "f32" | "f64", "consts"]
            | [
                "std" | "core",
                "array" | "convert" | "hint" | "iter" | "mem"
            ]
    )
}

fn names(path: &syn::Path) -> Vec<String> {
    let segments = path.segments.iter();
    segments.map(|segment| segment.ident.to_string()).collect()
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

/// The scalar before the last segment: `f64::max` and `<f64>::max` return (`f64`, `max`).
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

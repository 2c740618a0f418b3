//! Calls of functions of the same file that have parameters of types, lengths or functions.
//!
//! Each parameter of a type becomes an unknown, which the arguments decide as they do in Rust: they are unified with the types of the signature, also
//! the parameters and the result of a closure with those that its bound names. The result has the type of the signature once all in it is known.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::visit_mut::VisitMut;

use super::declared::Declared;
use super::infer::{Infer, inactive};
use super::solve::Constraint;
use super::ty::{Type, from_written};
use super::written::{generic, ungrouped};
use crate::enclosing::{bare, words};
use crate::hir::{self, Expr, ExprKind};
use crate::ir::PassedBy;

/// A call's own types and lengths in place of a function's parameters.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The names of the function's parameters.
    declared: Declared,
    types: Vec<(Ident, Type)>,
    lengths: Vec<(Ident, Option<Rc<syn::Expr>>)>,
}

impl Instance {
    /// The unknown in place of a parameter.
    fn parameter(&self, ty: &Type) -> Option<&Type> {
        let found = |name: &Ident| self.types.iter().find(|(param, _)| param == name);
        let found = match ty {
            Type::Real(name) => found(name),
            Type::Named(ty) => match ungrouped(ty) {
                syn::Type::Path(path) if path.qself.is_none() => found(path.path.get_ident()?),
                _ => None,
            },
            _ => None,
        };
        found.map(|(_, ty)| ty)
    }

    fn mentions(&self, of: &impl ToTokens) -> bool {
        let mut all = HashSet::new();
        words(of.to_token_stream(), &mut all);
        let types = self.types.iter().map(|(param, _)| param);
        let lengths = self.lengths.iter().map(|(param, _)| param);
        types
            .chain(lengths)
            .any(|param| all.contains(bare(&param.to_string())))
    }

    /// A length in the caller; nothing if it isn't known.
    fn length(&self, written: &Rc<syn::Expr>) -> Option<Rc<syn::Expr>> {
        if let syn::Expr::Path(path) = &**written
            && let Some(name) = path.path.get_ident()
            && let Some((_, length)) = self.lengths.iter().find(|(param, _)| param == name)
        {
            return length.clone();
        }
        (!self.mentions(written)).then(|| Rc::clone(written))
    }

    /// A type of the signature, with unknowns in place of parameters, if it is made of them.
    fn unknown(&self, ty: &Type) -> Option<Type> {
        if let Some(unknown) = self.parameter(ty) {
            return Some(unknown.clone());
        }
        match ty {
            Type::Named(of) | Type::Inactive(of) if self.mentions(of) => None,
            // Lengths say nothing of types.
            ty => ty.try_with_parts(&|part| self.unknown(part)),
        }
    }
}

impl Infer<'_> {
    /// A call of such a function, if it is one.
    pub(super) fn generic_call(&mut self, path: &syn::ExprPath, args: &[Expr]) -> Option<Type> {
        let sig = self.func.siblings.generic(&self.sibling_name(path)?)?;
        let mut instance = self.instance(sig, path)?;
        for (param, arg) in sig.inputs.iter().zip(args) {
            let syn::FnArg::Typed(param) = param else {
                return None;
            };
            self.instance_argument(&mut instance, &param.ty, sig, arg);
        }
        let output = match &sig.output {
            syn::ReturnType::Default => return Some(Type::Unit),
            syn::ReturnType::Type(_, output) => from_written(output, &instance.declared),
        };
        let out = self.table.deferred();
        if let Some(given) = output {
            let instance = Rc::new(instance);
            let out = out.clone();
            self.constraints.push(Constraint::Given {
                given,
                instance,
                out,
            });
        }
        Some(out)
    }

    /// Unknowns in place of the parameters of a function, or what the call says of them.
    fn instance(&mut self, sig: &syn::Signature, path: &syn::ExprPath) -> Option<Instance> {
        let hidden = &self.func.hidden_types;
        let mut declared =
            Declared::with_aliases(self.func.siblings.aliases()).with_constants(hidden.constants());
        declared.parameters(&sig.generics);
        let mut instance = Instance {
            declared,
            types: Vec::new(),
            lengths: Vec::new(),
        };
        let mut written = match &path.path.segments.last()?.arguments {
            syn::PathArguments::AngleBracketed(written) => Some(written.args.iter()),
            _ => None,
        };
        for param in &sig.generics.params {
            let mut written = || written.as_mut().and_then(Iterator::next);
            match param {
                syn::GenericParam::Lifetime(_) => {}
                syn::GenericParam::Type(param) => {
                    let ty = match written() {
                        Some(syn::GenericArgument::Type(ty)) => from_written(ty, hidden),
                        _ => None,
                    };
                    let ty = ty.unwrap_or_else(|| self.table.fresh());
                    instance.types.push((param.ident.clone(), ty));
                }
                syn::GenericParam::Const(param) => {
                    let length = match written() {
                        Some(syn::GenericArgument::Const(length)) => Some(Rc::new(length.clone())),
                        // A path is a type as far as syntax goes.
                        Some(syn::GenericArgument::Type(syn::Type::Path(length))) => {
                            Some(Rc::new(syn::parse_quote!(#length)))
                        }
                        _ => None,
                    };
                    instance.lengths.push((param.ident.clone(), length));
                }
            }
        }
        Some(instance)
    }

    /// An argument of a parameter whose type is written in the signature.
    fn instance_argument(
        &mut self,
        instance: &mut Instance,
        written: &syn::Type,
        sig: &syn::Signature,
        arg: &Expr,
    ) {
        let target = match ungrouped(written) {
            syn::Type::Reference(reference) => &*reference.elem,
            ty => ty,
        };
        if let Some(function) = hir::function_parameter(target, sig) {
            let of = |ty: &syn::Type, by: PassedBy| {
                let ty = instance.unknown(&from_written(ty, &instance.declared)?)?;
                Some(match by {
                    PassedBy::Value => ty,
                    by => Type::Ref(by == PassedBy::Mut, ty.into()),
                })
            };
            let inputs = function.inputs.iter();
            let inputs: Vec<_> = inputs.map(|input| of(&input.ty, input.by)).collect();
            let output = of(&function.output, PassedBy::Value);
            let closure = match &arg.kind {
                ExprKind::Ref(_, inner) => &inner.kind,
                kind => kind,
            };
            match closure {
                ExprKind::Closure(closure) => self.closure_of(closure, &inputs, output.as_ref()),
                _ => self.handed_over(arg),
            };
            return;
        }
        if !instance.mentions(&written) {
            match self.parameter(written) {
                Some(wanted) => self.handed_to(arg, &wanted),
                None => self.handed_over(arg),
            };
            return;
        }
        let Some(wanted) = from_written(written, &instance.declared) else {
            self.handed_over(arg);
            return;
        };
        let Some(unknown) = instance.unknown(&wanted) else {
            let ty = self.handed_over(arg);
            self.meet(instance, &wanted, &ty);
            return;
        };
        let ty = self.expr(arg);
        self.table.unify(&ty, &unknown);
        self.meet(instance, &wanted, &ty);
    }

    /// Learns lengths, and the arguments of a type of the file, from a type of the signature and that of an argument.
    fn meet(&mut self, instance: &mut Instance, wanted: &Type, ty: &Type) {
        let ty = self.table.shallow(ty);
        match (wanted, &ty) {
            (Type::Array(_, written), Type::Array(_, length)) => {
                let name = match &**written {
                    syn::Expr::Path(path) => path.path.get_ident(),
                    _ => None,
                };
                let lengths = &mut instance.lengths;
                if let Some((_, known)) = lengths.iter_mut().find(|(p, _)| Some(p) == name) {
                    known.get_or_insert_with(|| Rc::clone(length));
                }
            }
            (Type::Named(wanted), Type::Named(of)) => {
                if let (Some((name, wanted)), Some((own, of))) = (generic(wanted), generic(of))
                    && name == own
                    && wanted.len() == of.len()
                {
                    for (wanted, of) in wanted.into_iter().zip(of) {
                        let wanted = from_written(wanted, &instance.declared);
                        let of = from_written(of, &self.func.hidden_types);
                        if let (Some(wanted), Some(of)) = (wanted, of) {
                            if let Some(unknown) = instance.unknown(&wanted) {
                                self.table.unify(&unknown, &of);
                            }
                            self.meet(instance, &wanted, &of);
                        }
                    }
                }
            }
            _ => {}
        }
        match (wanted.element(), ty.element()) {
            (Some(wanted), Some(of)) => self.meet(instance, wanted, of),
            _ => {
                for (wanted, of) in wanted.parts().zip(ty.parts()) {
                    self.meet(instance, wanted, of);
                }
            }
        }
    }

    /// The type of a result, once it is known. A literal is a number, whichever it will be.
    pub(super) fn given(&self, given: &Type, instance: &Instance) -> Option<Type> {
        let ty = self.substituted(given, instance)?;
        self.is_given(&ty).then_some(ty)
    }

    /// A type of the signature, with the caller's types and lengths in place of parameters.
    fn substituted(&self, given: &Type, instance: &Instance) -> Option<Type> {
        if let Some(unknown) = instance.parameter(given) {
            return Some(unknown.clone());
        }
        match given {
            Type::Named(ty) | Type::Inactive(ty) if instance.mentions(ty) => {
                let mut ty = (**ty).clone();
                let mut arguments = Arguments {
                    infer: self,
                    instance,
                    missing: false,
                };
                arguments.visit_type_mut(&mut ty);
                let known = from_written(&ty, &self.func.hidden_types);
                known.filter(|_| !arguments.missing)
            }
            Type::Array(elem, length) => {
                let elem = self.substituted(elem, instance)?;
                Some(Type::Array(elem.into(), instance.length(length)?))
            }
            Type::Result(value, _) => {
                let value = self.substituted(value, instance)?;
                Some(Type::Result(value.into(), inactive().into()))
            }
            given => given.try_with_parts(&|part| self.substituted(part, instance)),
        }
    }

    fn is_given(&self, ty: &Type) -> bool {
        match self.table.shallow(ty) {
            ty @ (Type::Slice(_)
            | Type::Array(..)
            | Type::Vec(_)
            | Type::Option(_)
            | Type::Boxed(_)
            | Type::Tuple(_)) => ty.parts().all(|part| self.is_given(part)),
            ty @ Type::Unknown(_) => {
                self.table.is_float_literal(&ty) || self.table.is_int_literal(&ty)
            }
            ty => self.is_known(&ty),
        }
    }
}

/// Puts types of the caller in place of parameters.
struct Arguments<'i, 'a> {
    infer: &'i Infer<'a>,
    instance: &'i Instance,
    /// One of them isn't known, or can't be written.
    missing: bool,
}

impl VisitMut for Arguments<'_, '_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        let own = Type::Named(Rc::new(ty.clone()));
        let Some(unknown) = self.instance.parameter(&own) else {
            return syn::visit_mut::visit_type_mut(self, ty);
        };
        let known = self.infer.table.resolved(unknown);
        let known = match known {
            Type::Real(name) => Some(name.to_string()),
            known => self.infer.func.written(&known),
        };
        match known.and_then(|known| syn::parse_str(&known).ok()) {
            Some(known) => *ty = known,
            None => self.missing = true,
        }
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        let lengths = &self.instance.lengths;
        self.missing |= lengths.iter().any(|(param, _)| path.is_ident(param));
        syn::visit_mut::visit_path_mut(self, path);
    }
}

//! Types of variables and expressions, by local unification.
//!
//! Input: [`hir::Func`]. Output: [`Types`], one type for each variable and expression. A type is known (from signatures,
//! annotations, literals and the methods of std's scalars, slices and `Vec`) or [`Type::Deferred`]: rustc will know it.
//! A literal that meets a deferred type is deferred too, since rustc may choose another type than the default for it.
//!
//! Guesses are for rustc to check: where the use of a value doesn't tell whose `map` is called, it is an `Option`'s, and an unknown
//! collection is a `Vec`. If the guess is wrong, the emitted code has a pattern or a list where the primal has something else, and doesn't
//! compile.

mod calls;
mod control;
mod declared;
pub(crate) mod foreign;
mod functions;
mod generic;
mod infer;
pub(crate) mod keyed;
mod known;
pub(crate) mod libm;
mod mapped;
pub(crate) mod methods;
mod patterns;
mod returned_references;
mod solve;
#[cfg(test)]
mod tests;
mod ty;
mod unify;
pub(crate) mod written;

pub(crate) use declared::{Alias, Bounds, Declared, bounded, gives_tangent};
pub(crate) use infer::{inactive, is_comparison};
pub(crate) use known::scalar_item;
pub(crate) use known::{is_known_module, of_our_functions};
pub(crate) use ty::{Type, from_written, of_parameter};
pub(crate) use written::primitive;

use std::collections::HashSet;

use crate::hir::{self, ExprId, Var};

/// The types of variables and expressions.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    exprs: Vec<Type>,
    vars: Vec<Type>,
    /// Fields behind shared references that are `#[constant]` in the declaration of their structs.
    constants: HashSet<ExprId>,
    pub(crate) output: Type,
}

/// Infers types. Errors are left to rustc, which words them better.
#[allow(clippy::unnecessary_wraps)] // the signature of a stage
pub(crate) fn resolve(func: &hir::Func) -> syn::Result<Types> {
    let mut infer = infer::Infer::new(func);
    infer.func();
    Ok(infer.finish())
}

impl Types {
    pub(crate) fn expr(&self, id: ExprId) -> &Type {
        self.exprs.get(id.0 as usize).unwrap_or(&Type::Deferred)
    }

    pub(crate) fn var(&self, var: Var) -> &Type {
        self.vars.get(var.0 as usize).unwrap_or(&Type::Deferred)
    }

    /// True if an expression is a field behind a shared reference that is `#[constant]`.
    pub(crate) fn is_constant_field(&self, id: ExprId) -> bool {
        self.constants.contains(&id)
    }

    /// A type for an expression that a rewriting makes.
    pub(crate) fn new_expr(&mut self, ty: Type) -> ExprId {
        self.exprs.push(ty);
        ExprId(hir::index(self.exprs.len() - 1))
    }

    /// Another type for an expression that a rewriting changes.
    pub(crate) fn set_expr(&mut self, id: ExprId, ty: Type) {
        self.exprs[id.0 as usize] = ty;
    }

    /// Another type for a variable that a rewriting changes.
    pub(crate) fn set_var(&mut self, var: Var, ty: Type) {
        self.vars[var.0 as usize] = ty;
    }

    /// A type for the next variable of the function.
    pub(crate) fn new_var(&mut self, ty: Type) {
        self.vars.push(ty);
    }
}

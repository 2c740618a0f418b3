//! `if`, and which variables it assigns.
//!
//! A block that declares a constant whose type only rustc knows (a guard, a lock, a borrow of a cell) is a branch that is always taken, so
//! that rustc drops the constant there.

use proc_macro2::Span;
use quote::quote;

use super::build_if::{Part, Parts};
use super::builder::{Binding, Flow, Lowered, Lowerer};
use crate::hir::{Block, Expr, ExprKind, Func, Stmt, Var};
use crate::ir::{OpKind, SlotKind, Ty, Use, Value};
use crate::paths::of_std;
use crate::types::{Type, Types};

impl Lowerer<'_> {
    pub(super) fn branch(
        &mut self,
        expr: &Expr,
        cond: &Expr,
        then: &Block,
        other: Option<&Block>,
    ) -> Lowered<Flow> {
        if matches!(self.ty(expr), Type::Ref(..)) {
            return self.reject(
                expr,
                "a reference kept as a value is not supported yet",
                "pass the reference to a call directly, or bind it with `let`",
            );
        }
        let value = self.condition(cond)?;
        let assigned = self.assigned_in_arms(then, other);
        let ty = self.ty(expr).lower();
        self.choose(
            value,
            |lowerer| lowerer.block(then),
            |lowerer| other.map_or(Ok(Flow::Unit), |other| lowerer.block(other)),
            ty,
            &assigned,
            expr.span,
        )
    }

    /// True if the end of a block may be an effect.
    pub(super) fn ends_guards(&self, expr: &Expr, block: &Block) -> bool {
        let constant = |var: Var| !self.activity.is_varied(var);
        !matches!(self.ty(expr), Type::Ref(..)) && guards(block, self.hir, self.types).any(constant)
    }

    /// A block whose variables end with it: a branch that is always taken.
    pub(super) fn scoped(&mut self, expr: &Expr, block: &Block) -> Lowered<Flow> {
        let always = self.boolean(true, expr.span);
        let assigned = self.assigned_in_arms(block, None);
        let ty = self.ty(expr).lower();
        self.choose(
            always,
            |lowerer| lowerer.block(block),
            |_| Ok(Flow::Never),
            ty,
            &assigned,
            expr.span,
        )
    }

    /// A condition is a `bool`, also if it is looked up in a value of a type that only rustc can resolve.
    fn condition(&mut self, cond: &Expr) -> Lowered<Value> {
        let value = self.value(cond)?;
        if !matches!(self.out.ty(value), Ty::Deferred) {
            return Ok(value);
        }
        let ident = self.private("condition");
        let kind = OpKind::code(quote!(#ident), vec![Use::Value(ident, value)]);
        Ok(self.emit(kind, Ty::Bool, "condition", cond.span))
    }

    fn assigned_in_arms(&self, then: &Block, other: Option<&Block>) -> Vec<Var> {
        let mut assigned = self.assigned_in_block(then);
        if let Some(other) = other {
            assigned.extend(self.assigned_in_block(other));
        }
        self.merged(assigned)
    }

    /// An `if` whose result is a reference, or a tuple with references, which `parts` takes apart. `None` if control doesn't come back.
    pub(super) fn chosen(
        &mut self,
        expr: &Expr,
        types: &[Type],
        parts: &dyn Fn(&mut Self, &Expr) -> Lowered<Parts>,
    ) -> Lowered<Parts> {
        let ExprKind::If {
            cond,
            then,
            other: Some(other),
        } = &expr.kind
        else {
            crate::diagnostics::bug!("not a choice")
        };
        let value = self.condition(cond)?;
        let assigned = self.assigned_in_arms(then, Some(other));
        let types: Vec<_> = types.iter().map(kind_of).collect();
        self.build_if(
            value,
            |lowerer| lowerer.alternative(then, parts),
            |lowerer| lowerer.alternative(other, parts),
            &types,
            &assigned,
            expr.span,
        )
    }

    fn alternative(
        &mut self,
        block: &Block,
        parts: &dyn Fn(&mut Self, &Expr) -> Lowered<Parts>,
    ) -> Lowered<Parts> {
        match &block.value {
            Some(value) if !matches!(self.ty(value), Type::Never) => {
                match self.statements(&block.stmts)? {
                    Flow::Never => Ok(None),
                    _ => parts(self, value),
                }
            }
            _ => self.block(block).map(|_| None),
        }
    }

    /// Emits an `If`, whose arms are lowered by `then` and `other`.
    pub(super) fn choose(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self) -> Lowered<Flow>,
        other: impl FnOnce(&mut Self) -> Lowered<Flow>,
        ty: Ty,
        assigned: &[Var],
        span: Span,
    ) -> Lowered<Flow> {
        let parts = |flow: Flow| match flow {
            Flow::Value(value) => Some(vec![Part::Value(value)]),
            Flow::Unit => Some(Vec::new()),
            Flow::Never => None,
        };
        let given = self.build_if(
            cond,
            |lowerer| then(lowerer).map(parts),
            |lowerer| other(lowerer).map(parts),
            &[(ty, SlotKind::Owned)],
            assigned,
            span,
        )?;
        Ok(match given.as_deref() {
            None => Flow::Never,
            Some([Part::Value(value)]) => Flow::Value(*value),
            Some(_) => Flow::Unit,
        })
    }

    /// The variables to merge, in the order of their declaration: those that are values outside of the branch, and names for places.
    pub(super) fn merged(&self, mut vars: Vec<Var>) -> Vec<Var> {
        vars.sort_unstable();
        vars.dedup();
        vars.retain(|var| match self.env[var.0 as usize] {
            Some(Binding::Value(_)) => true,
            Some(Binding::Place { by_ref: true, .. } | Binding::Late { .. }) => {
                matches!(self.types.var(*var), Type::Ref(..))
            }
            Some(Binding::Optional(_)) => self.is_optional_name(*var),
            _ => false,
        });
        vars
    }

    /// The variables outside of the expressions that they assign, if they are values or names.
    pub(super) fn assigned_in(&self, exprs: &[&Expr]) -> Vec<Var> {
        let mut vars = Vec::new();
        for expr in exprs {
            expr.walk(&mut |e| assigned(e, &mut vars));
        }
        self.merged(vars)
    }

    pub(super) fn assigned_in_block(&self, block: &Block) -> Vec<Var> {
        let mut vars = Vec::new();
        block.walk(&mut |e| assigned(e, &mut vars));
        self.merged(vars)
    }
}

/// How a component of a choice is kept: a reference stays one.
pub(super) fn kind_of(ty: &Type) -> (Ty, SlotKind) {
    match ty {
        Type::Ref(true, _) => (ty.peeled().lower(), SlotKind::RefMut),
        Type::Ref(false, _) => (ty.peeled().lower(), SlotKind::Ref),
        ty => (ty.lower(), SlotKind::Owned),
    }
}

fn assigned(expr: &Expr, vars: &mut Vec<Var>) {
    match &expr.kind {
        ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => targets(place, vars),
        ExprKind::Call { path, args } if of_mem(path).is_some() => {
            vars.extend(args.iter().filter_map(by_mut));
        }
        _ => {}
    }
}

/// The function of `core::mem` that a path names.
pub(super) fn of_mem(path: &syn::ExprPath) -> Option<String> {
    of_std(&path.path, "mem").map(ToString::to_string)
}

/// The variable in `&mut v`.
pub(super) fn by_mut(expr: &Expr) -> Option<Var> {
    match &expr.kind {
        ExprKind::Ref(true, inner) => match inner.kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        },
        _ => None,
    }
}

fn targets(place: &Expr, vars: &mut Vec<Var>) {
    match &place.kind {
        ExprKind::Var(var) => vars.push(*var),
        ExprKind::Tuple(elems) => elems.iter().for_each(|elem| targets(elem, vars)),
        _ => {}
    }
}

/// The variables of a block that may have a `Drop`: constants of the file's types, and of types that only rustc can resolve, such as locks and borrows of
/// cells.
pub(super) fn guards(block: &Block, func: &Func, types: &Types) -> impl Iterator<Item = Var> {
    let mut vars = Vec::new();
    for stmt in &block.stmts {
        if let Stmt::Let(stmt) = stmt
            && stmt.init.as_ref().is_some_and(is_made)
        {
            stmt.pat.each_var(&mut |var| vars.push(var));
        }
    }
    vars.retain(|var| {
        let ty = types.var(*var);
        !func.var(*var).synthetic
            && (matches!(ty, Type::Deferred | Type::Inactive(_)) || holds_guard(ty, func))
    });
    vars.into_iter()
}

/// True if a value has a part that may have a `Drop`: one of a type of the file without a tangent, or an error of a type that isn't known.
fn holds_guard(ty: &Type, func: &Func) -> bool {
    match ty {
        Type::Named(of) => func.own(of).is_some_and(|own| own.own.inert),
        Type::Inactive(of) => matches!(**of, syn::Type::Infer(_)),
        ty => ty.parts().any(|part| holds_guard(part, func)),
    }
}

/// True if a value is new, and not read from a place.
fn is_made(init: &Expr) -> bool {
    matches!(
        init.kind,
        ExprKind::Call { .. }
            | ExprKind::Method { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Verbatim(_)
    )
}

//! Assignments.

use super::build_if::Part;
use super::builder::{Binding, Flow, Lowered, Lowerer};
use super::keyed::holder;
use super::storage::Storage;
use crate::hir::{Expr, ExprKind, Var};
use crate::ir::{OpKind, Place, Value};
use crate::types::Type;

impl Lowerer<'_> {
    pub(super) fn assign(&mut self, expr: &Expr, place: &Expr, value: &Expr) -> Lowered<Flow> {
        if self.is_free(expr) && self.is_own_lookup(place, value) {
            return self.opaque(expr);
        }
        if matches!(self.ty(value), Type::Never) {
            return self.flow(value);
        }
        if let ExprKind::Tuple(targets) = &place.kind {
            if let Some(done) = self.assign_references(targets, value)? {
                return Ok(done);
            }
            // All values first, so that `(a, b) = (b, a)` swaps.
            let values = self.components(value, targets.len())?;
            for (target, value) in targets.iter().zip(values) {
                self.assign_value(target, value)?;
            }
            return Ok(Flow::Unit);
        }
        let is_name = matches!(self.ty(place), Type::Ref(..))
            && !matches!(place.kind, ExprKind::Var(var) if self.holds_reference(var));
        if is_name && !matches!(place.kind, ExprKind::Hole) {
            let to = self.reference(value)?;
            return self.assign_reference(place, to);
        }
        if let ExprKind::Var(var) = place.kind
            && self.optional_var(var).is_some()
            && let Some(optional) = self.optional_of(value)?
        {
            self.bind(var, Binding::Optional(optional));
            return Ok(Flow::Unit);
        }
        let fresh = self.out.values.len();
        let result = match self.assigned_pointer(place, value)? {
            Some(result) => result,
            None => self.value(value)?,
        };
        if let ExprKind::Var(var) = place.kind
            && self.storage[var.0 as usize] == Storage::Value
        {
            self.call_it(result, var, fresh);
        }
        self.assign_value(place, result)?;
        Ok(Flow::Unit)
    }

    /// `(a, b) = (x, y);` with references among them. Everything is evaluated before anything is assigned.
    fn assign_references(&mut self, targets: &[Expr], value: &Expr) -> Lowered<Option<Flow>> {
        let is_ref = |target: &&Expr| matches!(self.ty(target), Type::Ref(..));
        if !targets.iter().any(|target| is_ref(&target)) {
            return Ok(None);
        }
        let Some(parts) = self.parts(value, targets.len())? else {
            return Ok(Some(Flow::Never));
        };
        for (target, part) in targets.iter().zip(parts) {
            match part {
                Part::Value(value) => self.assign_value(target, value)?,
                Part::Place(place) => {
                    self.assign_reference(target, place)?;
                }
            }
        }
        Ok(Some(Flow::Unit))
    }

    /// Returns `true` for a variable that holds a reference of a type that only rustc can resolve, and is a name for nothing.
    pub(super) fn holds_reference(&self, var: Var) -> bool {
        matches!(
            self.env[var.0 as usize],
            Some(Binding::Place { by_ref: false, .. })
        )
    }

    /// A variable becomes a name for another place.
    fn assign_reference(&mut self, target: &Expr, to: Place) -> Lowered<Flow> {
        match target.kind {
            ExprKind::Hole => {}
            ExprKind::Var(var) if self.holds_reference(var) => {
                return self.reject(
                    target,
                    "assigning a reference that a call returned, among others, is not supported yet",
                    "assign it in a statement of its own",
                );
            }
            ExprKind::Var(var) => self.bind_name(var, to, self.ty(target), target.span),
            _ => {
                return self.reject(
                    target,
                    "assigning a reference to a part of a variable is not supported yet",
                    "keep the reference in a variable of its own, or an index or a range",
                );
            }
        }
        Ok(Flow::Unit)
    }

    fn assign_value(&mut self, place: &Expr, value: Value) -> Lowered<()> {
        match &place.kind {
            ExprKind::Hole => Ok(()),
            ExprKind::Var(var) => self.assign_variable(*var, value, place),
            ExprKind::Tuple(targets) => {
                let types = match self.ty(place) {
                    Type::Tuple(types) if types.len() == targets.len() => types.clone(),
                    _ => vec![Type::Deferred; targets.len()],
                };
                let values = self.untuple(value, &types, place.span);
                for (target, value) in targets.iter().zip(values) {
                    self.assign_value(target, value)?;
                }
                Ok(())
            }
            _ => {
                let target = self.target(place)?;
                self.effect(OpKind::Store(target, value), place.span);
                Ok(())
            }
        }
    }

    fn assign_variable(&mut self, var: Var, value: Value, place: &Expr) -> Lowered<()> {
        match self.binding(var, place.span)? {
            Binding::Value(_) | Binding::Failed => self.bind_value(var, value),
            Binding::Optional(_) => {
                return self.reject(
                    place,
                    "assigning this to a variable that may hold a reference is not supported yet",
                    "assign `Some(&x)`, `None`, or an element: `x.get(k)`",
                );
            }
            Binding::References(_) | Binding::Closure(_) => {
                return self.reject(
                    place,
                    "a variable that holds a closure can't be assigned to",
                    "bind the other closure to a variable of its own",
                );
            }
            Binding::Place { place: target, .. } => {
                self.effect(OpKind::Store(target, value), place.span);
            }
            Binding::Late { depth } if depth == self.depth => self.own(var, value),
            Binding::Late { .. } => {
                self.rejected.push(var);
                return self.reject(
                    place,
                    format!(
                        "`{}` gets its first value in a branch or loop",
                        self.name(var)
                    ),
                    "initialise it where it is declared: `let x = if ... { ... } else { ... };`, or annotate it if it is a \
                     number: `let x: f64;`",
                );
            }
        }
        Ok(())
    }

    /// The place that is assigned to.
    pub(super) fn target(&mut self, place: &Expr) -> Lowered<Place> {
        // The rules would only repeat rustc's error about it.
        if let Some(root) = place.root()
            && matches!(self.types.var(root), Type::Ref(false, of) if of.element().is_some_and(Type::is_scalar))
        {
            return self.reject(
                place,
                format!(
                    "`{}` is a shared reference, through which nothing can be assigned",
                    self.name(root)
                ),
                "write `&mut` in its type",
            );
        }
        match self.place(place)? {
            Some(place) => Ok(place),
            None => {
                self.reject_container(holder(place), place.span)?;
                self.reject(
                    place,
                    "this can't be assigned to here",
                    "assign to a variable, a field or an element",
                )
            }
        }
    }
}

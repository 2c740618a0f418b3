//! Two regions of which one runs. Results of the `If` are the values of the regions, the values of variables that either side
//! assigns, and, for names of places, the decision and the positions that lead to one place or the other.

use proc_macro2::Span;

use super::branch::kind_of;
use super::branch_merge::{Arm, BranchMerge, Given, Results};
use super::builder::{Binding, Lowered, Lowerer};
use super::checked_access::Optional;
use super::points_to::{PointsTo, UNBOUND};
use crate::hir::Var;
use crate::ir::{Const, OpKind, Place, SlotKind, Ty, Value};
use crate::types::Type;

/// A component of a region's result.
pub(super) enum Part {
    Value(Value),
    Place(Place),
}

/// The result of a region; `None` if control doesn't come back from it.
pub(super) type Parts = Option<Vec<Part>>;

impl Lowerer<'_> {
    /// Emits an `If`. Both sides are lowered before an error is passed on. `types` are those of the results.
    pub(super) fn build_if(
        &mut self,
        cond: Value,
        then: impl FnOnce(&mut Self) -> Lowered<Parts>,
        other: impl FnOnce(&mut Self) -> Lowered<Parts>,
        types: &[(Ty, SlotKind)],
        assigned: &[Var],
        span: Span,
    ) -> Lowered<Parts> {
        let (values, names) = self.values_and_names(assigned);
        let then = self.arm(then, &values, &names, span);
        let other = self.arm(other, &values, &names, span);
        let mut sides = BranchMerge {
            cond,
            arms: [then?, other?],
            results: Results::default(),
            span,
        };
        let given = sides.merge_given(self, types)?;
        let diverges = sides.arms.iter().all(|arm| arm.given.is_none());
        let (mut merged, mut targets, mut flags) = (Vec::new(), Vec::new(), Vec::new());
        if !diverges {
            merged.extend(sides.merge_assigned(self, &values));
            flags.extend(sides.merge_flags(self, &names));
            targets.extend(sides.merge_names(self, names.len())?);
        }
        let kind = sides.finish(self);
        self.ops.push(kind);
        if diverges {
            self.effect(OpKind::Unreachable, span);
            return Ok(None);
        }
        for (var, value) in values.iter().zip(merged) {
            self.bind_value(*var, value);
        }
        for ((var, target), flag) in names.iter().zip(targets).zip(flags) {
            self.rename(*var, target, flag, span);
        }
        let given = given
            .into_iter()
            .zip(types)
            .map(|(given, (ty, kind))| match given {
                Given::Value(value) => Part::Value(value),
                Given::PointsTo(target) => {
                    Part::Place(self.named(target, ty, *kind, "place", span))
                }
            });
        Ok(Some(given.collect()))
    }

    /// Variables that are values, and names for places.
    pub(super) fn values_and_names(&self, vars: &[Var]) -> (Vec<Var>, Vec<Var>) {
        let is_value = |var: &Var| matches!(self.env[var.0 as usize], Some(Binding::Value(_)));
        vars.iter().partition(|var| is_value(var))
    }

    /// Returns `true` if a variable is an `Option` of a reference.
    pub(super) fn is_optional_name(&self, var: Var) -> bool {
        matches!(self.types.var(var), Type::Option(inner) if matches!(**inner, Type::Ref(..)))
    }

    /// Binds a name to another place, or, with a flag, to a place that may be absent.
    pub(super) fn rename(
        &mut self,
        var: Var,
        target: Option<PointsTo>,
        flag: Option<Value>,
        span: Span,
    ) {
        let option = self.types.var(var);
        let reference = match option {
            Type::Option(reference) => reference,
            reference => reference,
        };
        let (ty, kind) = kind_of(reference);
        let place = target.map(|target| self.named(target, &ty, kind, &self.name(var), span));
        match (flag, place) {
            (Some(flag), place) => {
                let place = place.unwrap_or_else(|| Place::whole(UNBOUND));
                let optional = Optional::whole(place, option, flag);
                self.bind(var, Binding::Optional(optional));
            }
            (None, Some(place)) => self.bind_reference(var, place),
            (None, None) => {}
        }
    }

    /// The target of a name, if it is bound yet.
    pub(super) fn target_of(&mut self, var: Var, span: Span) -> Option<PointsTo> {
        let place = match self.env[var.0 as usize].clone()? {
            Binding::Place { place, .. } => place,
            Binding::Optional(optional) => self.kept_place(&optional, span),
            _ => return None,
        };
        (place.root != UNBOUND).then(|| self.resolved(&place, span))
    }

    /// The flag that is true if the target of a name is present.
    pub(super) fn flag_of(&self, var: Var) -> Option<Value> {
        self.optional_var(var).map(|optional| optional.some)
    }

    fn arm(
        &mut self,
        f: impl FnOnce(&mut Self) -> Lowered<Parts>,
        values: &[Var],
        names: &[Var],
        span: Span,
    ) -> Lowered<Arm> {
        let mark = self.mark();
        let (ops, left) = self.region(|lowerer| {
            let parts = f(lowerer)?;
            let assigned = values.iter().filter_map(|var| lowerer.current(*var));
            let assigned = assigned.collect();
            let flags = names.iter().map(|var| lowerer.flag_of(*var)).collect();
            let Some(parts) = parts else {
                return Ok((None, assigned, Vec::new(), flags));
            };
            let given = parts.into_iter().map(|part| match part {
                Part::Value(value) => Given::Value(value),
                Part::Place(place) => Given::PointsTo(lowerer.resolved(&place, span)),
            });
            let given = Some(given.collect());
            let names = names.iter().map(|var| lowerer.target_of(*var, span));
            Ok((given, assigned, names.collect(), flags))
        });
        let (given, assigned, names, flags) = left?;
        Ok(Arm {
            ops,
            given,
            assigned,
            names,
            flags,
            mark,
        })
    }

    /// Ends a region that never runs to its end: its yields are undefined, as far as their types allow.
    pub(super) fn unreached(&mut self, types: &[Ty], span: Span) -> Vec<Value> {
        let last = self.ops.pop();
        let mut yields = Vec::new();
        // Undefined values go before whatever diverges, so that this stays last.
        for ty in types.iter().take_while(|ty| ty.is_scalar()) {
            yields.push(self.constant(Const::Undef, ty.clone(), span));
        }
        self.ops.extend(last);
        if !matches!(
            self.ops.last().map(|op| &op.kind),
            Some(OpKind::Unreachable)
        ) {
            self.effect(OpKind::Unreachable, span);
        }
        yields
    }

    /// Values, undefined where there is none.
    pub(super) fn defined(
        &mut self,
        values: &[Option<Value>],
        types: &[Ty],
        span: Span,
    ) -> Vec<Value> {
        let pairs = values.iter().zip(types);
        pairs
            .map(|(value, ty)| {
                value.unwrap_or_else(|| self.constant(Const::Undef, ty.clone(), span))
            })
            .collect()
    }

    /// A reference doesn't outlive its target.
    pub(super) fn refuse_escape<T>(&mut self, span: Span) -> Lowered<T> {
        self.reject(
            span,
            "a reference out of a branch or loop, to a value that is made in it, is not supported yet",
            "make the value with `let` before that, and refer to the variable",
        )
    }
}

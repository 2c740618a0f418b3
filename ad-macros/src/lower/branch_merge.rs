//! Both sides of an `If`, of which one runs, and the results that they have in common.

use proc_macro2::Span;

use super::builder::{Lowered, Lowerer};
use super::constants::take_out;
use super::points_to::{Mark, PointsTo, filled, forget_located, joined};
use crate::diagnostics::error;
use crate::hir::Var;
use crate::ir::{Const, Op, OpKind, Place, Region, SlotKind, Ty, Value};

/// The result of a region.
pub(super) struct Arm {
    pub(super) ops: Vec<Op>,
    pub(super) given: Option<Vec<Given>>,
    /// The values of variables that either side assigns, and the targets of names that it rebinds, if they are bound yet.
    pub(super) assigned: Vec<Value>,
    pub(super) names: Vec<Option<PointsTo>>,
    /// For those that may be absent, flags that are true if they are present.
    pub(super) flags: Vec<Option<Value>>,
    pub(super) mark: Mark,
}

#[derive(Clone)]
pub(super) enum Given {
    Value(Value),
    PointsTo(PointsTo),
}

/// The results of an `If`, and the yields of each side for them: nothing where the result isn't used if that side was taken.
#[derive(Default)]
pub(super) struct Results {
    values: Vec<Value>,
    yields: [Vec<Option<Value>>; 2],
}

impl Results {
    fn add(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        (ty, name): (Ty, String),
        [then, other]: [Option<Value>; 2],
        span: Span,
    ) -> Value {
        let result = lowerer.out.new_value(ty, name, span);
        self.values.push(result);
        self.yields[0].push(then);
        self.yields[1].push(other);
        result
    }
}

/// Both sides of an `If` that is being made.
pub(super) struct BranchMerge {
    pub(super) cond: Value,
    pub(super) arms: [Arm; 2],
    pub(super) results: Results,
    pub(super) span: Span,
}

impl BranchMerge {
    /// Runs `f` where one side ends.
    fn at<T>(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        side: usize,
        f: impl FnOnce(&mut Lowerer<'_>) -> T,
    ) -> T {
        std::mem::swap(&mut lowerer.ops, &mut self.arms[side].ops);
        let result = f(lowerer);
        std::mem::swap(&mut lowerer.ops, &mut self.arms[side].ops);
        result
    }

    pub(super) fn merge_given(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        types: &[(Ty, SlotKind)],
    ) -> Lowered<Vec<Given>> {
        let given = |sides: &Self, side: usize, k: usize| {
            let given = sides.arms[side].given.as_ref()?;
            given.get(k).cloned()
        };
        let lengths = self.arms.iter().flat_map(|arm| &arm.given).map(Vec::len);
        let len = lengths.max().unwrap_or(0);
        let mut merged = Vec::new();
        for (k, (ty, _)) in types.iter().enumerate().take(len) {
            let both = [0, 1].map(|side| given(self, side, k));
            if let [Some(Given::PointsTo(_)), _] | [_, Some(Given::PointsTo(_))] = both {
                let targets = both.map(|given| match given {
                    Some(Given::PointsTo(target)) => Some(target),
                    _ => None,
                });
                let target = self.merge_targets(lowerer, targets)?;
                merged.extend(target.map(Given::PointsTo));
                continue;
            }
            let mut yields = [None, None];
            for side in 0..2 {
                yields[side] = match &both[side] {
                    Some(Given::Value(value)) => Some(*value),
                    _ if self.arms[side].given.is_none() => None,
                    _ => {
                        let span = self.span;
                        let unit = |lowerer: &mut Lowerer<'_>| {
                            lowerer.constant(Const::Unit, Ty::Unit, span)
                        };
                        Some(self.at(lowerer, side, unit))
                    }
                };
            }
            let named = (ty.clone(), "t".to_string());
            let value = self.results.add(lowerer, named, yields, self.span);
            merged.push(Given::Value(value));
        }
        Ok(merged)
    }

    /// One value for each variable that is assigned.
    pub(super) fn merge_assigned(&mut self, lowerer: &mut Lowerer<'_>, vars: &[Var]) -> Vec<Value> {
        let mut merged = Vec::new();
        for (k, var) in vars.iter().enumerate() {
            let named = (lowerer.types.var(*var).lower(), lowerer.name(*var));
            let yields = [0, 1].map(|side| self.arms[side].assigned.get(k).copied());
            merged.push(self.results.add(lowerer, named, yields, self.span));
        }
        merged
    }

    /// The flags of names whose targets may be absent.
    pub(super) fn merge_flags(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        names: &[Var],
    ) -> Vec<Option<Value>> {
        let flags = names.iter().enumerate().map(|(k, var)| {
            let yields = [0, 1].map(|side| self.arms[side].flags[k]);
            let named = (Ty::Bool, lowerer.name(*var));
            let span = self.span;
            (yields != [None, None]).then(|| self.results.add(lowerer, named, yields, span))
        });
        flags.collect()
    }

    pub(super) fn merge_names(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        len: usize,
    ) -> Lowered<Vec<Option<PointsTo>>> {
        let target = |arm: &Arm, k: usize| arm.names.get(k).cloned().flatten();
        let pairs: Vec<_> = (0..len)
            .map(|k| [0, 1].map(|side: usize| target(&self.arms[side], k)))
            .collect();
        let merged = pairs
            .into_iter()
            .map(|pair| self.merge_targets(lowerer, pair));
        merged.collect()
    }

    /// The target of a name after the `If`. A name that isn't bound isn't used.
    fn merge_targets(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        targets: [Option<PointsTo>; 2],
    ) -> Lowered<Option<PointsTo>> {
        let targets = targets.map(|target| target.filter(|target| !target.is_nowhere()));
        for (side, target) in targets.iter().enumerate() {
            if let Some(target) = target {
                self.let_out(lowerer, target, side)?;
            }
        }
        if let [Some(PointsTo::One(a)), Some(PointsTo::One(b))] = &targets
            && let Some(form) = joined(a, b)
        {
            return Ok(Some(PointsTo::One(self.merge_places(
                lowerer,
                &form,
                [a, b],
            ))));
        }
        let mut side = 0;
        let outside = targets.map(|target| {
            side += 1;
            target.map(|target| self.target_outside(lowerer, target, side - 1))
        });
        Ok(match outside {
            [Some(then), Some(other)] => {
                Some(PointsTo::Two(self.cond, Box::new(then), Box::new(other)))
            }
            [then, other] => then.or(other),
        })
    }

    /// Makes sure that the variable that holds a target still exists after the `If`.
    fn let_out(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        target: &PointsTo,
        side: usize,
    ) -> Lowered<()> {
        let arm = &mut self.arms[side];
        let mut all = vec![target];
        while let Some(target) = all.pop() {
            match target {
                PointsTo::One(place) if arm.mark.declares(place.root) => {
                    let made =
                        |op: &Op| matches!(op.kind, OpKind::Init(slot, _) if slot == place.root);
                    if lowerer.ops.iter().any(made) {
                        continue; // taken out already
                    }
                    match take_out(&mut arm.ops, place.root, arm.mark) {
                        Some(ops) => lowerer.ops.extend(ops),
                        None => return lowerer.refuse_escape(self.span),
                    }
                }
                PointsTo::One(_) => {}
                PointsTo::Two(_, then, other) => all.extend([&**then, &**other]),
            }
        }
        Ok(())
    }

    /// A value of one side, outside of it.
    fn outside(&mut self, lowerer: &mut Lowerer<'_>, value: Value, side: usize) -> Value {
        let Arm { mark, ops, .. } = &self.arms[side];
        if !mark.is_inside(value) {
            return value;
        }
        let data = lowerer.out.value(value).clone();
        if let Some(constant) = constant(ops, value) {
            return lowerer.constant(constant, data.ty, self.span);
        }
        let [own, others] = [side, 1 - side].map(|side| &self.results.yields[side]);
        let known = |k: &usize| own[*k] == Some(value) && others[*k].is_none();
        if let Some(k) = (0..own.len()).find(known) {
            return self.results.values[k];
        }
        if !data.ty.is_scalar() {
            lowerer.errors.push(error(
                self.span,
                "an element at an index of unknown type, chosen by control flow, is not supported yet",
                "annotate the index: `let k: usize = ...;`",
            ));
        }
        let mut yields = [None, None];
        yields[side] = Some(value);
        let named = (data.ty, data.name);
        self.results.add(lowerer, named, yields, self.span)
    }

    fn target_outside(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        target: PointsTo,
        side: usize,
    ) -> PointsTo {
        match target {
            PointsTo::One(mut place) => {
                forget_located(&mut place);
                place.each_value_mut(&mut |value| *value = self.outside(lowerer, *value, side));
                PointsTo::One(place)
            }
            PointsTo::Two(cond, then, other) => PointsTo::Two(
                self.outside(lowerer, cond, side),
                Box::new(self.target_outside(lowerer, *then, side)),
                Box::new(self.target_outside(lowerer, *other, side)),
            ),
        }
    }

    /// Two places that differ only in positions.
    fn merge_places(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        form: &Place,
        places: [&Place; 2],
    ) -> Place {
        let span = self.span;
        let then = self.at(lowerer, 0, |lowerer| {
            lowerer.positions_in(places[0], form, span)
        });
        let other = self.at(lowerer, 1, |lowerer| {
            lowerer.positions_in(places[1], form, span)
        });
        let mut positions = Vec::new();
        for (a, b) in then.into_iter().zip(other) {
            if let Some(same) = self.same(lowerer, a, b) {
                positions.push(same);
                continue;
            }
            let data = lowerer.out.value(a).clone();
            let named = (data.ty, data.name);
            positions.push(self.results.add(lowerer, named, [Some(a), Some(b)], span));
        }
        filled(form, positions.into_iter())
    }

    /// The one value that both sides have.
    fn same(&mut self, lowerer: &mut Lowerer<'_>, a: Value, b: Value) -> Option<Value> {
        let [then, other] = &self.arms;
        if a == b && !then.mark.is_inside(a) {
            return Some(a);
        }
        match (constant(&then.ops, a)?, constant(&other.ops, b)?) {
            (Const::Int(a_digits), Const::Int(b_digits)) if a_digits == b_digits => {
                Some(self.outside(lowerer, a, 0))
            }
            _ => None,
        }
    }

    /// The operation.
    pub(super) fn finish(self, lowerer: &mut Lowerer<'_>) -> Op {
        let BranchMerge {
            cond,
            arms,
            results,
            span,
        } = self;
        let types: Vec<Ty> = (results.values.iter())
            .map(|value| lowerer.out.ty(*value).clone())
            .collect();
        let mut yields = results.yields.into_iter();
        let [then, other] = arms.map(|arm| {
            let yields = yields.next().unwrap_or_default();
            finish_arm(lowerer, arm, &yields, &types, span)
        });
        Op::new(OpKind::If { cond, then, other }, results.values, span)
    }
}

/// The integer or decision that a value of a region is, if it is written there.
fn constant(ops: &[Op], value: Value) -> Option<Const> {
    let op = ops.iter().find(|op| op.results == [value])?;
    match &op.kind {
        OpKind::Const(constant @ (Const::Int(_) | Const::Bool(_))) => Some(constant.clone()),
        _ => None,
    }
}

/// The region of one side, with yields of the given types.
fn finish_arm(
    lowerer: &mut Lowerer<'_>,
    arm: Arm,
    yields: &[Option<Value>],
    types: &[Ty],
    span: Span,
) -> Region {
    let outer = std::mem::replace(&mut lowerer.ops, arm.ops);
    let yields = if arm.given.is_none() {
        lowerer.unreached(types, span)
    } else {
        lowerer.defined(yields, types, span)
    };
    let ops = std::mem::replace(&mut lowerer.ops, outer);
    Region::new(ops, yields)
}

//! Two regions of which one runs. What comes out of them are results of the `If`: values, the values of variables that either side
//! assigns, and of names for places the decision and the positions that lead to one place or the other.

use proc_macro2::Span;

use super::builder::{Binding, Lowered, Lowerer};
use super::constants::take_out;
use super::target::{Mark, Target, filled, forget_located, joined};
use crate::diagnostics::error;
use crate::hir::Var;
use crate::ir::{Const, Op, OpKind, Place, Region, SlotKind, Ty, Value};
use crate::types::Type;

/// A component of what a region gives.
pub(super) enum Part {
    Value(Value),
    Place(Place),
}

/// What a region gives; `None` if control doesn't come back from it.
pub(super) type Parts = Option<Vec<Part>>;

/// What a region leaves.
struct Arm {
    ops: Vec<Op>,
    given: Option<Vec<Given>>,
    /// The values of variables that either side assigns, and what names lead to that it changes, if they lead anywhere yet.
    assigned: Vec<Value>,
    names: Vec<Option<Target>>,
    mark: Mark,
}

#[derive(Clone)]
enum Given {
    Value(Value),
    Target(Target),
}

/// The results of an `If`, and what each side yields for them: nothing where the result isn't used if that side was taken.
#[derive(Default)]
struct Results {
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

impl Lowerer<'_> {
    /// Emits an `If`. Both sides are lowered before an error is passed on. `types` are those of what is given.
    pub(super) fn decide(
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
        let mut sides = Sides {
            cond,
            arms: [then?, other?],
            results: Results::default(),
            span,
        };
        let given = sides.merge_given(self, types)?;
        let diverges = sides.arms.iter().all(|arm| arm.given.is_none());
        let (mut merged, mut targets) = (Vec::new(), Vec::new());
        if !diverges {
            merged.extend(sides.merge_assigned(self, &values));
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
        for (var, target) in names.iter().zip(targets) {
            if let Some(target) = target {
                self.rename(*var, target, span);
            }
        }
        let given = given
            .into_iter()
            .zip(types)
            .map(|(given, (ty, kind))| match given {
                Given::Value(value) => Part::Value(value),
                Given::Target(target) => Part::Place(self.named(target, ty, *kind, "place", span)),
            });
        Ok(Some(given.collect()))
    }

    /// Variables that are values, and names for places.
    pub(super) fn values_and_names(&self, vars: &[Var]) -> (Vec<Var>, Vec<Var>) {
        let is_value = |var: &Var| matches!(self.env[var.0 as usize], Some(Binding::Value(_)));
        vars.iter().partition(|var| is_value(var))
    }

    /// Makes a name stand for something else.
    pub(super) fn rename(&mut self, var: Var, target: Target, span: Span) {
        let kind = match self.types.var(var) {
            Type::Ref(true, _) => SlotKind::RefMut,
            _ => SlotKind::Ref,
        };
        let (ty, name) = (self.types.var(var).peeled().lower(), self.name(var));
        let place = self.named(target, &ty, kind, &name, span);
        self.bind_reference(var, place);
    }

    /// What a name leads to, if it leads anywhere yet.
    pub(super) fn target_of(&mut self, var: Var, span: Span) -> Option<Target> {
        match self.env[var.0 as usize].clone() {
            Some(Binding::Place { place, .. }) => Some(self.resolved(&place, span)),
            _ => None,
        }
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
            let Some(parts) = parts else {
                return Ok((None, assigned, Vec::new()));
            };
            let given = parts.into_iter().map(|part| match part {
                Part::Value(value) => Given::Value(value),
                Part::Place(place) => Given::Target(lowerer.resolved(&place, span)),
            });
            let given = Some(given.collect());
            let names = names.iter().map(|var| lowerer.target_of(*var, span));
            Ok((given, assigned, names.collect()))
        });
        let (given, assigned, names) = left?;
        Ok(Arm {
            ops,
            given,
            assigned,
            names,
            mark,
        })
    }

    /// Ends a region that never runs to its end: what it yields is undefined, as far as that can be said.
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

    /// A reference doesn't outlive what it leads to.
    pub(super) fn refuse_escape<T>(&mut self, span: Span) -> Lowered<T> {
        self.reject(
            span,
            "a reference that leads out of a branch or loop to what is made in it is not supported yet",
            "make the value with `let` before that, and refer to the variable",
        )
    }
}

/// Both sides of an `If` that is being made.
struct Sides {
    cond: Value,
    arms: [Arm; 2],
    results: Results,
    span: Span,
}

impl Sides {
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

    fn merge_given(
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
            if let [Some(Given::Target(_)), _] | [_, Some(Given::Target(_))] = both {
                let targets = both.map(|given| match given {
                    Some(Given::Target(target)) => Some(target),
                    _ => None,
                });
                let target = self.merge_targets(lowerer, targets)?;
                merged.extend(target.map(Given::Target));
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
    fn merge_assigned(&mut self, lowerer: &mut Lowerer<'_>, vars: &[Var]) -> Vec<Value> {
        let mut merged = Vec::new();
        for (k, var) in vars.iter().enumerate() {
            let named = (lowerer.types.var(*var).lower(), lowerer.name(*var));
            let yields = [0, 1].map(|side| self.arms[side].assigned.get(k).copied());
            merged.push(self.results.add(lowerer, named, yields, self.span));
        }
        merged
    }

    fn merge_names(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        len: usize,
    ) -> Lowered<Vec<Option<Target>>> {
        let target = |arm: &Arm, k: usize| arm.names.get(k).cloned().flatten();
        let pairs: Vec<_> = (0..len)
            .map(|k| [0, 1].map(|side: usize| target(&self.arms[side], k)))
            .collect();
        let merged = pairs
            .into_iter()
            .map(|pair| self.merge_targets(lowerer, pair));
        merged.collect()
    }

    /// Where a name leads after the `If`. What leads nowhere isn't used.
    fn merge_targets(
        &mut self,
        lowerer: &mut Lowerer<'_>,
        targets: [Option<Target>; 2],
    ) -> Lowered<Option<Target>> {
        for (side, target) in targets.iter().enumerate() {
            if let Some(target) = target {
                self.let_out(lowerer, target, side)?;
            }
        }
        if let [Some(Target::One(a)), Some(Target::One(b))] = &targets
            && let Some(form) = joined(a, b)
        {
            return Ok(Some(Target::One(self.merge_places(lowerer, &form, [a, b]))));
        }
        let mut side = 0;
        let outside = targets.map(|target| {
            side += 1;
            target.map(|target| self.target_outside(lowerer, target, side - 1))
        });
        Ok(match outside {
            [Some(then), Some(other)] => {
                Some(Target::Two(self.cond, Box::new(then), Box::new(other)))
            }
            [then, other] => then.or(other),
        })
    }

    /// Makes sure that what a target is in is there after the `If`.
    fn let_out(&mut self, lowerer: &mut Lowerer<'_>, target: &Target, side: usize) -> Lowered<()> {
        let arm = &mut self.arms[side];
        let mut all = vec![target];
        while let Some(target) = all.pop() {
            match target {
                Target::One(place) if arm.mark.declares(place.root) => {
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
                Target::One(_) => {}
                Target::Two(_, then, other) => all.extend([&**then, &**other]),
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

    fn target_outside(&mut self, lowerer: &mut Lowerer<'_>, target: Target, side: usize) -> Target {
        match target {
            Target::One(mut place) => {
                forget_located(&mut place);
                place.each_value_mut(&mut |value| *value = self.outside(lowerer, *value, side));
                Target::One(place)
            }
            Target::Two(cond, then, other) => Target::Two(
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
    fn finish(self, lowerer: &mut Lowerer<'_>) -> Op {
        let Sides {
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
        Op {
            kind: OpKind::If { cond, then, other },
            results: results.values,
            span,
        }
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
    Region {
        params: Vec::new(),
        ops,
        yields,
    }
}

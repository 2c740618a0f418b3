//! Skips reverse halves of results whose cotangent is zero.
//!
//! ```text
//! d_bar = select(nearest, y_bar, 0); pullback(d_bar, ..)        if nearest { pullback(y_bar, ..) }
//! d_bar = select(nearest, y_bar, 0); for k in .. { x_bar[k] += d_bar * .. }        if nearest { for k in .. { .. } }
//! ```
//! A pullback is linear: its results are zero if its cotangents are, and nothing is added to any shadow. Values that it puts back may still
//! change, so that it runs where an argument is `&mut`. The same holds of a loop that only adds multiples of such values. A typical case are
//! the operands of a `min` that weren't chosen.

use crate::ir::{
    Arg, BinaryOp, Carried, Const, Func, Map, Op, OpKind, Pattern, PullArg, Region, Set, UnaryOp,
    Value,
};

/// A value that is something else or zero.
#[derive(Clone, Copy)]
struct Choice {
    cond: Value,
    /// The value of the condition where `value` isn't zero.
    holds: bool,
    value: Value,
}

/// Known facts of a function.
struct Known {
    choices: Map<Value, Choice>,
    /// Values that are read.
    read: Set<Value>,
}

/// Returns `true` if the function has pullbacks or loops that may be skipped.
pub(crate) fn may_skip(func: &Func) -> bool {
    let known = known(func);
    func.any(&mut |op| asked(op, &known).is_some())
}

fn known(func: &Func) -> Known {
    let mut zeros: Set<Value> = Set::default();
    let mut choices: Map<Value, Choice> = Map::default();
    func.walk(&mut |op| {
        if let OpKind::Const(Const::Zero) = op.kind {
            zeros.extend(&op.results);
        }
    });
    func.walk(&mut |op| {
        if let OpKind::Select(cond, a, b) = op.kind {
            let choice = match (zeros.contains(&a), zeros.contains(&b)) {
                (false, true) => Choice {
                    cond,
                    holds: true,
                    value: a,
                },
                (true, false) => Choice {
                    cond,
                    holds: false,
                    value: b,
                },
                _ => return,
            };
            choices.insert(op.results[0], choice);
        }
    });
    let mut read: Set<Value> = Set::default();
    if !choices.is_empty() {
        let pullback = func.pullback.as_ref();
        let results = pullback.into_iter().flat_map(|pullback| &pullback.results);
        for pattern in results.chain([&func.result]) {
            pattern.each_leaf(&mut |leaf| {
                if let Pattern::Value(v) = leaf {
                    read.insert(*v);
                }
            });
        }
        let regions = pullback.map(|pullback| &pullback.body);
        for region in regions.into_iter().chain([&func.body]) {
            region.walk(&mut |op| op.each_operand(&mut |v| _ = read.insert(v)));
            region.walk_regions(&mut |region| read.extend(&region.yields));
        }
    }
    Known { choices, read }
}

/// Input: a rule that isn't differentiated any more. Output: the same, in which reverse halves of values that may be zero check that first.
pub(crate) fn skip_zeros(mut func: Func) -> Func {
    let known = known(&func);
    func.each_half_mut(&mut |_, half| skip(half, &known));
    func
}

fn skip(region: &mut Region, known: &Known) {
    for op in &mut region.ops {
        let Some((cond, holds)) = asked(op, known) else {
            for inner in Op::regions_mut(op) {
                skip(inner, known);
            }
            continue;
        };
        let mut inner = op.clone();
        let chosen = |v: &mut Value| {
            if let Some(choice) = known.choices.get(v).filter(|choice| choice.cond == cond) {
                *v = choice.value;
            }
        };
        inner.each_operand_mut(&mut |v| chosen(v));
        for region in inner.regions_mut() {
            region.walk_mut(&mut |op| op.each_operand_mut(&mut |v| chosen(v)));
        }
        let results = std::mem::take(&mut op.results);
        debug_assert!(results.iter().all(|result| !known.read.contains(result)));
        let runs = Region::new(vec![inner], Vec::new());
        let (then, other) = if holds {
            (runs, Region::default())
        } else {
            (Region::default(), runs)
        };
        op.kind = OpKind::If { cond, then, other };
    }
}

/// On which condition a pullback or loop may run only, which is that of all that it is about.
fn asked(op: &Op, known: &Known) -> Option<(Value, bool)> {
    match &op.kind {
        OpKind::ApplyPullback(_) => asked_of_pullback(op, known),
        OpKind::For { .. } | OpKind::Loop { .. } => asked_of_loop(op, known),
        _ => None,
    }
}

fn asked_of_pullback(op: &Op, known: &Known) -> Option<(Value, bool)> {
    let OpKind::ApplyPullback(call) = &op.kind else {
        return None;
    };
    let choices = (call.seed.iter()).map(|seed| known.choices.get(seed));
    let choices: Option<Vec<&Choice>> = choices.collect();
    let choices = choices?;
    let first = choices.first()?;
    let reads = |arg: &Arg| matches!(arg, Arg::Ref(_));
    let nothing_else = call.args.iter().all(|arg| match arg {
        PullArg::Nothing | PullArg::Open => true,
        PullArg::Inactive(arg) => reads(arg),
        PullArg::Shadow { primal, .. } => primal.iter().all(reads),
        PullArg::Value { .. } | PullArg::Function(_) => false,
    });
    let same = |other: &&Choice| other.cond == first.cond && other.holds == first.holds;
    (op.results.is_empty() && nothing_else && choices.iter().all(same))
        .then_some((first.cond, first.holds))
}

fn asked_of_loop(op: &Op, known: &Known) -> Option<(Value, bool)> {
    if op.results.iter().any(|result| known.read.contains(result)) {
        return None;
    }
    let mut inside: Set<Value> = Set::default();
    let mut candidates: Vec<Choice> = Vec::new();
    op.walk(&mut |op| inside.extend(&op.results));
    let mut used = |v: &Value| {
        if let Some(choice) = known.choices.get(v)
            && !inside.contains(v)
            && candidates.iter().all(|other| other.cond != choice.cond)
        {
            candidates.push(*choice);
        }
    };
    op.walk(&mut |op| op.each_operand(&mut |v| used(&v)));
    for region in op.regions() {
        region.walk_regions(&mut |region| region.yields.iter().for_each(&mut used));
    }
    let found = candidates.into_iter().find(|candidate| {
        let same =
            |choice: &Choice| choice.cond == candidate.cond && choice.holds == candidate.holds;
        let zeros = known
            .choices
            .iter()
            .filter(|(v, choice)| same(choice) && !inside.contains(v));
        let mut zeros: Set<Value> = zeros.map(|(v, _)| *v).collect();
        adds_nothing(op, &mut zeros)
    });
    found.map(|choice| (choice.cond, choice.holds))
}

/// Returns `true` if an operation changes nothing that outlives it if the values in `zeros` are zero. Adds those among its results
/// that are zero then.
fn adds_nothing(op: &Op, zeros: &mut Set<Value>) -> bool {
    if let Some(carried) = op.carried() {
        return loop_adds_nothing(&carried, zeros);
    }
    let zero = |v: &Value, zeros: &Set<Value>| zeros.contains(v);
    let vanishes = match &op.kind {
        OpKind::Accumulate(_, v) => return zero(v, zeros),
        OpKind::Const(Const::Zero) => true,
        OpKind::Unary(UnaryOp::Neg, a)
        | OpKind::StrongMul(a, _)
        | OpKind::StrongDiv(a, _)
        | OpKind::Binary(BinaryOp::Div, a, _) => zero(a, zeros),
        OpKind::Binary(BinaryOp::Mul, a, b) => zero(a, zeros) || zero(b, zeros),
        OpKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) | OpKind::Select(_, a, b) => {
            zero(a, zeros) && zero(b, zeros)
        }
        OpKind::If { then, other, .. } => {
            if !region_adds_nothing(then, zeros) || !region_adds_nothing(other, zeros) {
                return false;
            }
            for (k, result) in op.results.iter().enumerate() {
                let both = [then, other]
                    .iter()
                    .all(|side| side.yields.get(k).is_some_and(|v| zeros.contains(v)));
                if both {
                    zeros.insert(*result);
                }
            }
            return true;
        }
        OpKind::Const(_)
        | OpKind::Unary(..)
        | OpKind::Binary(..)
        | OpKind::Cast(_)
        | OpKind::Math(..)
        | OpKind::Load(_)
        | OpKind::Len(_)
        | OpKind::Locate { .. }
        | OpKind::Borrow(..) => false,
        _ => return false,
    };
    if vanishes {
        zeros.extend(&op.results);
    }
    true
}

fn region_adds_nothing(region: &Region, zeros: &mut Set<Value>) -> bool {
    region.ops.iter().all(|op| adds_nothing(op, zeros))
}

/// As `adds_nothing`, for a loop. A carried value is zero if it is so at the beginning and stays so. The results of
/// the loop aren't checked.
fn loop_adds_nothing(carried: &Carried<'_>, zeros: &Set<Value>) -> bool {
    let mut candidates: Vec<bool> = (carried.init.iter())
        .map(|init| zeros.contains(init))
        .collect();
    loop {
        let mut inner = zeros.clone();
        for (param, zero) in carried.params.iter().zip(&candidates) {
            if *zero {
                inner.insert(*param);
            }
        }
        let nothing = region_adds_nothing(carried.body, &mut inner);
        let mut stays = true;
        for (after, zero) in carried.yields.iter().zip(&mut candidates) {
            if *zero && !inner.contains(after) {
                (*zero, stays) = (false, false);
            }
        }
        if stays {
            return nothing;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::{Op, OpKind, Region};
    use crate::pipeline::{for_emission, reverse_rule};
    use crate::testing::primal;
    use crate::transform::Shape;

    fn rule(source: &str) -> String {
        for_emission(&reverse_rule(&primal(source), Shape::Combined)).to_string()
    }

    #[test]
    fn losers_are_not_reversed() {
        let rule = rule(
            "fn f(x: &[f64], y: &[f64]) -> f64 { let mut least = 9.0; for k in 0..y.len() { let d: f64 = distance(x, &y[k..]); least = f64::min(least, d); } least }",
        );
        let (before, _) = rule
            .split_once(" pull ")
            .unwrap_or_else(|| panic!("{rule}"));
        assert!(
            before.trim_end().lines().last().unwrap().contains("if"),
            "{rule}"
        );
    }

    /// Returns `true` if a loop is under a condition.
    fn loop_is_asked(source: &str) -> bool {
        let mut asked = false;
        let func = for_emission(&reverse_rule(&primal(source), Shape::Combined)).into_owned();
        func.walk(&mut |op| {
            if let OpKind::If { then, other, .. } = &op.kind {
                let runs = |op: &Op| matches!(op.kind, OpKind::For { .. });
                let repeats = |side: &Region| side.ops.iter().any(runs);
                asked |=
                    repeats(then) && other.ops.is_empty() || repeats(other) && then.ops.is_empty();
            }
        });
        asked
    }

    #[test]
    fn loops_of_losers_are_not_run() {
        let sum = |inner: &str| {
            format!(
                "fn f(x: &[f64], y: &mut [f64]) -> f64 {{ let mut least = 9.0; for k in 0..x.len() {{ let mut d = 0.0; \
                 for j in 0..k {{ {inner} }} least = f64::min(d, least); }} least }}"
            )
        };
        assert!(loop_is_asked(&sum("d += x[j] * x[k];")));
        assert!(!loop_is_asked(&sum("d += x[j] * x[k]; y[j] *= x[j];")));
    }
}

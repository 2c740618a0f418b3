//! Reverse halves of calls whose results have no cotangent.
//!
//! ```text
//! d_bar = select(nearest, y_bar, 0); pullback(d_bar, ..)        if nearest { pullback(y_bar, ..) }
//! ```
//! A pullback is linear: of zero it makes zeros, and there is nothing to be added to any shadow. What it puts back is another matter, so that
//! it runs where an argument is `&mut`. The losers of a `min` are what this is for.

use crate::ir::{Arg, Const, Func, Map, Op, OpKind, PullArg, Region, Set, Value};

/// Whether there are pullbacks of what may be zero.
pub(crate) fn may_skip(func: &Func) -> bool {
    let selects = selects(func);
    let mut found = false;
    func.walk(&mut |op| found |= asked(op, &selects).is_some());
    found
}

/// The values that are something else or zero, by a condition.
fn selects(func: &Func) -> Map<Value, [Value; 3]> {
    let mut zeros: Set<Value> = Set::default();
    let mut selects: Map<Value, [Value; 3]> = Map::default();
    func.walk(&mut |op| match op.kind {
        OpKind::Const(Const::Zero) => zeros.extend(&op.results),
        OpKind::Select(cond, value, other) => {
            selects.insert(op.results[0], [cond, value, other]);
        }
        _ => {}
    });
    selects.retain(|_, [_, _, other]| zeros.contains(other));
    selects
}

/// Input: a rule that isn't differentiated any more. Output: the same, in which pullbacks of what may be zero are asked first.
pub(crate) fn skip_zeros(mut func: Func) -> Func {
    let selects = selects(&func);
    let mut body = std::mem::take(&mut func.body);
    skip(&mut body, &selects);
    func.body = body;
    if let Some(mut pullback) = func.pullback.take() {
        skip(&mut pullback.body, &selects);
        func.pullback = Some(pullback);
    }
    func
}

fn skip(region: &mut Region, selects: &Map<Value, [Value; 3]>) {
    for op in &mut region.ops {
        for inner in Op::regions_mut(op) {
            skip(inner, selects);
        }
        let Some(cond) = asked(op, selects) else {
            continue;
        };
        let mut call = op.clone();
        if let OpKind::ApplyPullback(call) = &mut call.kind {
            for seed in &mut call.seed {
                *seed = selects[seed][1];
            }
        }
        op.kind = OpKind::If {
            cond,
            then: Region {
                ops: vec![call],
                ..Region::default()
            },
            other: Region::default(),
        };
    }
}

/// Whether a pullback may run under a condition only, which is that of all of its seeds.
fn asked(op: &Op, selects: &Map<Value, [Value; 3]>) -> Option<Value> {
    let OpKind::ApplyPullback(call) = &op.kind else {
        return None;
    };
    let conds = call
        .seed
        .iter()
        .map(|seed| selects.get(seed).map(|[cond, ..]| *cond));
    let conds: Option<Vec<Value>> = conds.collect();
    let conds = conds?;
    let cond = *conds.first()?;
    let reads = |arg: &Arg| matches!(arg, Arg::Ref(_));
    let nothing_else = call.args.iter().all(|arg| match arg {
        PullArg::Nothing | PullArg::Open => true,
        PullArg::Inactive(arg) => reads(arg),
        PullArg::Shadow { primal, .. } => primal.iter().all(reads),
        PullArg::Value { .. } | PullArg::Function(_) => false,
    });
    (op.results.is_empty() && nothing_else && conds.iter().all(|other| *other == cond))
        .then_some(cond)
}

#[cfg(test)]
mod tests {
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
}

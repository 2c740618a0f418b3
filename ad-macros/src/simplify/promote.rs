//! A loop that adds to the same place in each trip sums in a value, which is added once (scalar promotion).
//!
//! ```text
//! for k in 0..n { x_bar[i] += l[k] * t[k] }     |     s = for k in 0..n carry (s = 0) { s += l[k] * t[k] }; if 0 < n { x_bar[i] += s }
//! ```
//!
//! Valid where the loop does nothing but add to the variable. Only transforms do, so that the order is ours.

use super::rewrite_each;
use crate::ir::{BinaryOp, Func, Map, Op, OpKind, Place, Proj, Range, Region, Slot, Ty, Value};
use crate::transform::Seq;

/// Promotes in all loops, inner ones first.
pub(crate) fn promote(mut func: Func) -> Func {
    let ints = func.integers();
    rewrite_each(&mut func, &|func, op, ops| {
        loop_with_sums(func, &ints, op, ops);
    });
    func
}

fn loop_with_sums(func: &mut Func, ints: &Map<Value, i64>, mut op: Op, ops: &mut Vec<Op>) {
    let span = op.span;
    let Some((range, init, body, results)) = op.as_counted_loop_mut() else {
        return ops.push(op);
    };
    if !matches!(func.ty(range.lo), Ty::Int(_)) {
        return ops.push(op);
    }
    let mut sums: Vec<(Place, Value)> = Vec::new();
    for place in same_places(func, body) {
        let Some((ty, name)) = added_to(func, body, &place) else {
            continue;
        };
        let zero = Seq::new(func, ops, span).zero(&ty);
        let param = func.new_value(ty.clone(), name.clone(), span);
        func.value_mut(param).unordered = true;
        let mut sum = param;
        for op in &mut body.ops {
            if let OpKind::Accumulate(to, v) = &op.kind
                && *to == place
            {
                let next = func.new_value(ty.clone(), name.clone(), op.span);
                op.kind = OpKind::Binary(BinaryOp::Add, sum, *v);
                op.results = vec![next];
                sum = next;
            }
        }
        init.push(zero);
        body.params.push(param);
        body.yields.push(sum);
        let result = func.new_value(ty, name, span);
        results.push(result);
        sums.push((place, result));
    }
    let range = range.clone();
    ops.push(op);
    let adds = sums.into_iter().map(|(place, sum)| {
        let add = OpKind::Accumulate(place, sum);
        Op::new(add, Vec::new(), span)
    });
    where_it_runs(func, ints, &range, adds.collect(), ops);
}

/// Operations that belong behind a loop over this range, for the case that it runs.
pub(super) fn where_it_runs(
    func: &mut Func,
    ints: &Map<Value, i64>,
    range: &Range,
    after: Vec<Op>,
    ops: &mut Vec<Op>,
) {
    let Some(first) = after.first() else {
        return;
    };
    let span = first.span;
    let (comes_before, runs) = runs(ints, range);
    if runs {
        return ops.extend(after);
    }
    // Where the loop doesn't run, the places needn't be there.
    let mut seq = Seq::new(func, ops, span);
    let cond = seq.binary(comes_before, range.lo, range.hi);
    seq.push(OpKind::If {
        cond,
        then: Region::new(after, Vec::new()),
        other: Region::default(),
    });
}

/// The comparison of a range's ends by which the loop runs, and whether they are known to be so.
pub(super) fn runs(ints: &Map<Value, i64>, range: &Range) -> (BinaryOp, bool) {
    let ends = ints.get(&range.lo).zip(ints.get(&range.hi));
    if range.inclusive {
        (BinaryOp::Le, ends.is_some_and(|(lo, hi)| lo <= hi))
    } else {
        (BinaryOp::Lt, ends.is_some_and(|(lo, hi)| lo < hi))
    }
}

/// The places that each trip adds to.
fn same_places(func: &Func, body: &Region) -> Vec<Place> {
    let inside = body.made();
    let mut places: Vec<Place> = Vec::new();
    for op in &body.ops {
        if let OpKind::Accumulate(place, v) = &op.kind
            && matches!(func.ty(*v), Ty::F32 | Ty::F64 | Ty::Lanes)
            && is_simple(place)
            && op.operands().iter().all(|u| u == v || !inside.contains(*u))
            && !places.contains(place)
        {
            places.push(place.clone());
        }
    }
    places
}

/// An element or a field, which is found without a call.
fn is_simple(place: &Place) -> bool {
    let simple = |proj: &Proj| matches!(proj, Proj::Index(_) | Proj::Range(..));
    place.path.iter().all(simple) && !place.path.is_empty()
}

/// The type of the terms, and a name for the sum, if the body does nothing but add to the variable.
fn added_to(func: &Func, body: &Region, place: &Place) -> Option<(Ty, String)> {
    let mut added: Option<Value> = None;
    body.walk(&mut |op| {
        if let OpKind::Accumulate(to, v) = &op.kind
            && to == place
        {
            added = Some(*v);
        }
    });
    let added = added.filter(|_| only_adds_to(func, body, place.root))?;
    Some((func.ty(added).clone(), func.slot(place.root).name.clone()))
}

/// Returns `true` if the body only adds to the variable.
pub(super) fn only_adds_to(func: &Func, body: &Region, root: Slot) -> bool {
    let mut only = func.slot(root).is_plain();
    body.walk(&mut |op| {
        let touches = op.touches(root);
        only &= !touches || matches!(op.kind, OpKind::Accumulate(..));
    });
    only
}

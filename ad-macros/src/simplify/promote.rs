//! What a loop adds to one place, in each trip the same, is summed in a value, and added once (scalar promotion).
//!
//! ```text
//! for k in 0..n { x_bar[i] += l[k] * t[k] }     |     s = for k in 0..n carry (s = 0) { s += l[k] * t[k] }; if 0 < n { x_bar[i] += s }
//! ```
//!
//! Valid where the loop does nothing but add to the variable. Only transforms do, so that the order is ours.

use crate::ir::{BinaryOp, Const, Func, Map, Op, OpKind, Place, Proj, Region, Set, Ty, Value};
use crate::transform::Seq;

/// Promotes in all loops, inner ones first.
pub(crate) fn promote(mut func: Func) -> Func {
    let mut ints = Map::default();
    func.walk(&mut |op| {
        if let (OpKind::Const(Const::Int(digits)), [v]) = (&op.kind, &op.results[..])
            && let Ok(n) = digits.replace('_', "").parse::<i64>()
        {
            ints.insert(*v, n);
        }
    });
    let mut body = std::mem::take(&mut func.body);
    region(&mut func, &ints, &mut body);
    func.body = body;
    if let Some(mut pullback) = func.pullback.take() {
        region(&mut func, &ints, &mut pullback.body);
        func.pullback = Some(pullback);
    }
    func
}

fn region(func: &mut Func, ints: &Map<Value, i64>, within: &mut Region) {
    let mut ops = Vec::with_capacity(within.ops.len());
    for mut op in std::mem::take(&mut within.ops) {
        for inner in op.regions_mut() {
            region(func, ints, inner);
        }
        loop_with_sums(func, ints, op, &mut ops);
    }
    within.ops = ops;
}

fn loop_with_sums(func: &mut Func, ints: &Map<Value, i64>, mut op: Op, ops: &mut Vec<Op>) {
    let span = op.span;
    let OpKind::For {
        range,
        init,
        stop: false,
        body,
    } = &mut op.kind
    else {
        return ops.push(op);
    };
    if !matches!(func.ty(range.lo), Ty::Int(_)) {
        return ops.push(op);
    }
    let int = |v: Value| ints.get(&v).copied();
    let (lo, hi) = (range.lo, range.hi);
    let (comes_before, runs) = match (range.inclusive, int(lo), int(hi)) {
        (false, Some(lo), Some(hi)) => (BinaryOp::Lt, lo < hi),
        (true, Some(lo), Some(hi)) => (BinaryOp::Le, lo <= hi),
        (false, ..) => (BinaryOp::Lt, false),
        (true, ..) => (BinaryOp::Le, false),
    };
    let mut sums: Vec<(Place, Value)> = Vec::new();
    for place in same_places(func, body) {
        let Some((ty, name)) = added_to(func, body, &place) else {
            continue;
        };
        let zero = Seq { func, ops, span }.zero(&ty);
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
        op.results.push(result);
        sums.push((place, result));
    }
    ops.push(op);
    let add = |(place, sum)| Op {
        kind: OpKind::Accumulate(place, sum),
        results: Vec::new(),
        span,
    };
    let adds: Vec<Op> = sums.into_iter().map(add).collect();
    if runs || adds.is_empty() {
        ops.extend(adds);
        return;
    }
    // Where the loop doesn't run, the place needn't be there.
    let mut seq = Seq { func, ops, span };
    let cond = seq.binary(comes_before, lo, hi);
    let side = |ops| Region {
        params: Vec::new(),
        ops,
        yields: Vec::new(),
    };
    seq.push(OpKind::If {
        cond,
        then: side(adds),
        other: side(Vec::new()),
    });
}

/// The places that each trip adds to.
fn same_places(func: &Func, body: &Region) -> Vec<Place> {
    let mut inside: Set<Value> = body.params.iter().copied().collect();
    body.walk(&mut |op| {
        let params = op.regions().into_iter().flat_map(|r| r.params.clone());
        inside.extend(op.results.iter().copied().chain(params));
    });
    let mut places: Vec<Place> = Vec::new();
    for op in &body.ops {
        if let OpKind::Accumulate(place, v) = &op.kind
            && matches!(func.ty(*v), Ty::F32 | Ty::F64 | Ty::Lanes)
            && is_simple(place)
            && op.operands().iter().all(|u| u == v || !inside.contains(u))
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

/// The type of what is added, and a name for the sum, if the body does nothing but add to the variable.
fn added_to(func: &Func, body: &Region, place: &Place) -> Option<(Ty, String)> {
    let slot = func.slot(place.root);
    if slot.in_option || slot.in_field || slot.may_borrow {
        return None;
    }
    let mut only = true;
    let mut added: Option<Value> = None;
    body.walk(&mut |op| {
        if !op.slots().iter().any(|(slot, _)| *slot == place.root) {
            return;
        }
        match &op.kind {
            OpKind::Accumulate(to, v) if to == place => added = Some(*v),
            OpKind::Accumulate(..) => {}
            _ => only = false,
        }
    });
    let added = added.filter(|_| only)?;
    Some((func.ty(added).clone(), slot.name.clone()))
}

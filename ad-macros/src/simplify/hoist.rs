//! Integer arithmetic that is the same in all trips of a counted loop goes in front of it.
//!
//! ```text
//! for j in 0..n { t = i * n; k = t + j; .. x[k] }     |    t = i * n; for j in 0..n { k = t + j; .. x[k] }
//! ```
//!
//! Sums and products alone: what is subtracted may be too much where the loop doesn't run.

use crate::ir::{BinaryOp, Const, Func, Op, OpKind, Region, Set, Ty, Value};

/// Moves it, out of inner loops first.
pub(crate) fn hoist(mut func: Func) -> Func {
    let mut body = std::mem::take(&mut func.body);
    region(&func, &mut body);
    func.body = body;
    if let Some(mut pullback) = func.pullback.take() {
        region(&func, &mut pullback.body);
        func.pullback = Some(pullback);
    }
    func
}

fn region(func: &Func, within: &mut Region) {
    let mut ops = Vec::with_capacity(within.ops.len());
    for mut op in std::mem::take(&mut within.ops) {
        for inner in op.regions_mut() {
            region(func, inner);
        }
        if let OpKind::For { body, .. } = &mut op.kind {
            ops.append(&mut taken(func, body));
        }
        ops.push(op);
    }
    within.ops = ops;
}

/// What the body has no part in.
fn taken(func: &Func, body: &mut Region) -> Vec<Op> {
    let mut inside: Set<Value> = body.params.iter().copied().collect();
    let mut taken = Vec::new();
    let mut kept = Vec::with_capacity(body.ops.len());
    for op in std::mem::take(&mut body.ops) {
        let same = op.operands().iter().all(|v| !inside.contains(v));
        if same && is_integer_arithmetic(func, &op) {
            taken.push(op);
        } else {
            inside.extend(op.results.iter().copied());
            kept.push(op);
        }
    }
    body.ops = kept;
    taken
}

fn is_integer_arithmetic(func: &Func, op: &Op) -> bool {
    match op.kind {
        OpKind::Const(Const::Int(_)) => true,
        OpKind::Binary(BinaryOp::Add | BinaryOp::Mul, ..) => {
            matches!(func.ty(op.results[0]), Ty::Int("usize"))
        }
        _ => false,
    }
}

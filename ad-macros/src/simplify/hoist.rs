//! Integer arithmetic that is the same in all trips of a counted loop goes in front of it.
//!
//! ```text
//! for j in 0..n { t = i * n; k = t + j; .. x[k] }     |    t = i * n; for j in 0..n { k = t + j; .. x[k] }
//! ```
//!
//! Sums and products, and what is subtracted from a counter that is never less: other differences may be negative where the loop doesn't run.

use super::rewrite_each;
use crate::ir::{BinaryOp, Const, Func, Map, Op, OpKind, Region, Set, Ty, Value};

/// Moves it, out of inner loops first.
pub(crate) fn hoist(mut func: Func) -> Func {
    let ints = func.integers();
    // What counters are at least.
    let mut least: Map<Value, i64> = Map::default();
    func.walk(&mut |op| {
        if let OpKind::For { range, body, .. } = &op.kind
            && let (Some(lo), Some(counter)) = (ints.get(&range.lo), body.params.first())
        {
            least.insert(*counter, *lo);
        }
    });
    let is_fine = |func: &Func, op: &Op| match op.kind {
        OpKind::Binary(BinaryOp::Sub, a, b) => {
            let enough = least.get(&a).zip(ints.get(&b));
            matches!(func.ty(a), Ty::Int("usize")) && enough.is_some_and(|(a, b)| a >= b)
        }
        _ => is_sum_or_product(func, op),
    };
    rewrite_each(&mut func, &|func, mut op, ops| {
        if let OpKind::For { body, .. } = &mut op.kind {
            ops.append(&mut taken(body, &|op| is_fine(func, op)));
        }
        ops.push(op);
    });
    func
}

/// What the body has no part in.
fn taken(body: &mut Region, is_fine: &dyn Fn(&Op) -> bool) -> Vec<Op> {
    let mut inside: Set<Value> = body.params.iter().copied().collect();
    let mut taken = Vec::new();
    let mut kept = Vec::with_capacity(body.ops.len());
    for op in std::mem::take(&mut body.ops) {
        let same = op.operands().iter().all(|v| !inside.contains(v));
        if same && is_fine(&op) {
            taken.push(op);
        } else {
            inside.extend(op.results.iter().copied());
            kept.push(op);
        }
    }
    body.ops = kept;
    taken
}

fn is_sum_or_product(func: &Func, op: &Op) -> bool {
    match op.kind {
        OpKind::Const(Const::Int(_)) => true,
        OpKind::Binary(BinaryOp::Add | BinaryOp::Mul, ..) => {
            matches!(func.ty(op.results[0]), Ty::Int("usize"))
        }
        _ => false,
    }
}

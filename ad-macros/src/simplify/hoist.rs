//! Integer arithmetic and elements that are the same in all trips of a counted loop go in front of it.
//!
//! ```text
//! for j in 0..n { t = i * n; k = t + j; .. x[k] }     |    t = i * n; for j in 0..n { k = t + j; .. x[k] }
//! for j in 0..n { y = c[i]; z[j] += y * x[j]; }       |    y = if 0 < n { c[i] } else { 0.0 }; for j in 0..n { .. }
//! ```
//!
//! Sums and products leave the loop, lengths of slices, comparisons and choices, and differences that are never negative: a counter less its start,
//! a multiple of `n` less `n`. So do quotients and elements that the loop doesn't write, which are computed or read only if the loop has trips: in one that
//! has none, the divisor may be zero, and the element may not exist. The code generator doesn't move such elements itself, since a list that the loop
//! writes may be the same memory as far as it knows.
//! A value that is added to a sum, or subtracted from one, goes to the part of the sum that is the same in all trips: `(i * n + j) - n` is `(i * n - n) + j`.

use super::promote::runs;
use super::rewrite_each;
use crate::analyze::{Written, uses_in};
use crate::ir::{
    Access, BinaryOp, Const, DenseSet, Func, Map, Op, OpKind, Proj, Range, Region, Ty, Value,
};
use crate::transform::Seq;

/// Moves it, out of inner loops first.
pub(crate) fn hoist(mut func: Func) -> Func {
    let ints = func.integers();
    // Lower bounds of counters.
    let mut least: Map<Value, i64> = Map::default();
    func.walk(&mut |op| {
        if let OpKind::For { range, body, .. } = &op.kind
            && let (Some(lo), Some(counter)) = (ints.get(&range.lo), body.params.first())
        {
            least.insert(*counter, *lo);
        }
    });
    let mut made: Map<Value, (BinaryOp, Value, Value)> = Map::default();
    func.walk(&mut |op| {
        if let (OpKind::Binary(kind, a, b), [result]) = (&op.kind, &op.results[..]) {
            made.insert(*result, (*kind, *a, *b));
        }
    });
    // True if a difference is no less than zero.
    let enough = |a: Value, b: Value| {
        let counted = least.get(&a).zip(ints.get(&b));
        let positive = |v: Value| least.get(&v).is_some_and(|least| *least >= 1);
        let multiple = match made.get(&a) {
            Some((BinaryOp::Mul, x, y)) => *x == b && positive(*y) || *y == b && positive(*x),
            _ => false,
        };
        multiple || counted.is_some_and(|(a, b)| a >= b)
    };
    let is_fine = |func: &Func, written: &Written, op: &Op| match op.kind {
        OpKind::Binary(BinaryOp::Sub, a, b) => {
            matches!(func.ty(a), Ty::Int("usize")) && enough(a, b)
        }
        _ => never_fails(func, op) || may_fail(func, op) && reads_the_same(written, op),
    };
    rewrite_each(&mut func, &|func, mut op, ops| {
        if let OpKind::For { range, body, .. } = &mut op.kind {
            let written = Written::by(func, body);
            let is_counted = matches!(func.ty(range.lo), Ty::Int(_));
            let mut cond = None;
            for again in [false, true] {
                if again {
                    regroup(func, body, &ints, &enough);
                }
                for op in taken(body, &|op| {
                    is_fine(func, &written, op) && (is_counted || !may_fail(func, op))
                }) {
                    if may_fail(func, &op) {
                        if_it_runs(func, &ints, range, &mut cond, op, ops);
                    } else {
                        ops.push(op);
                    }
                }
            }
        }
        ops.push(op);
    });
    func
}

/// Appends an operation that runs if a loop over the range has trips.
fn if_it_runs(
    func: &mut Func,
    ints: &Map<Value, i64>,
    range: &Range,
    cond: &mut Option<Value>,
    mut op: Op,
    ops: &mut Vec<Op>,
) {
    let divides_by_number = match op.kind {
        OpKind::Binary(_, _, b) => ints.get(&b).is_some_and(|n| *n > 0),
        _ => false,
    };
    let (comes_before, is_known) = runs(ints, range);
    if divides_by_number || is_known {
        return ops.push(op);
    }
    let span = op.span;
    let mut seq = Seq { func, ops, span };
    let cond = *cond.get_or_insert_with(|| seq.binary(comes_before, range.lo, range.hi));
    let results = op.results.clone();
    let data = seq.func.value(results[0]).clone();
    let inner = seq.func.new_value(data.ty.clone(), data.name, span);
    op.results = vec![inner];
    let then = Region {
        ops: vec![op],
        yields: vec![inner],
        ..Region::default()
    };
    let mut other = Region::default();
    let mut none = Seq::new(seq.func, &mut other.ops, span);
    let zero = match data.ty {
        Ty::Int(ty) => none.int("0", ty),
        _ => none.zero(&data.ty),
    };
    other.yields.push(zero);
    let kind = OpKind::If { cond, then, other };
    ops.push(Op {
        kind,
        results,
        span,
    });
}

/// `(x + y) - b` becomes `(x - b) + y`, where the body has no part in `x` and `b`, and `x` is no less; and `(x + y) + b` becomes `(x + b) + y`.
fn regroup(
    func: &mut Func,
    body: &mut Region,
    ints: &Map<Value, i64>,
    enough: &dyn Fn(Value, Value) -> bool,
) {
    let inside = body.made();
    let same = |v: &Value| !inside.contains(*v);
    let mut sums: Map<Value, (Value, Value)> = Map::default();
    for mut op in std::mem::take(&mut body.ops) {
        let (kind, a, b) = match op.kind {
            OpKind::Binary(kind @ (BinaryOp::Add | BinaryOp::Sub), a, b)
                if matches!(func.ty(a), Ty::Int("usize")) =>
            {
                (kind, a, b)
            }
            _ => {
                body.ops.push(op);
                continue;
            }
        };
        let fits = |x: &Value| same(x) && (kind == BinaryOp::Add || enough(*x, b));
        // Distances by a number stay: they are windows.
        let parts = sums.get(&a).filter(|_| same(&b) && !ints.contains_key(&b));
        let parts = parts.and_then(|(x, y)| match (fits(x), fits(y)) {
            (true, false) => Some((*x, *y)),
            (false, true) => Some((*y, *x)),
            _ => None,
        });
        if let Some((kept, moved)) = parts {
            let mut seq = Seq::new(func, &mut body.ops, op.span);
            let start = seq.binary(kind, kept, b);
            op.kind = OpKind::Binary(BinaryOp::Add, start, moved);
        }
        if let OpKind::Binary(BinaryOp::Add, x, y) = op.kind {
            sums.insert(op.results[0], (x, y));
        }
        body.ops.push(op);
    }
}

/// Removes the operations that are invariant in the body, and returns them.
fn taken(body: &mut Region, is_fine: &dyn Fn(&Op) -> bool) -> Vec<Op> {
    let mut inside = DenseSet::default();
    inside.extend(&body.params);
    let mut declared = DenseSet::default();
    body.walk(&mut |op| {
        for (slot, how) in op.slots() {
            if how == Access::Declare {
                declared.insert(slot);
            }
        }
    });
    let mut taken = Vec::new();
    let mut kept = Vec::with_capacity(body.ops.len());
    for op in std::mem::take(&mut body.ops) {
        let same = uses_in(&op).iter().all(|v| !inside.contains(*v))
            && op.slots().iter().all(|(s, _)| !declared.contains(*s));
        if same && is_fine(&op) {
            taken.push(op);
        } else {
            inside.extend(&op.results);
            kept.push(op);
        }
    }
    body.ops = kept;
    taken
}

/// Returns `true` if the operation is integer arithmetic without effects, which fails only by overflow.
fn never_fails(func: &Func, op: &Op) -> bool {
    let [result] = op.results[..] else {
        return false;
    };
    let int = |v: Value| matches!(func.ty(v), Ty::Int("usize"));
    match &op.kind {
        OpKind::Const(Const::Int(_)) => true,
        OpKind::Binary(BinaryOp::Add | BinaryOp::Mul, ..) | OpKind::Select(..) => int(result),
        OpKind::Binary(
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne,
            a,
            _,
        ) => int(*a),
        OpKind::Len(place) => {
            place.path.is_empty() && matches!(func.slot(place.root).ty, Ty::Slice(_))
        }
        _ => false,
    }
}

/// Returns `true` for the quotient or the remainder of integers, for an element, and for one of these that is computed under a condition.
fn may_fail(func: &Func, op: &Op) -> bool {
    match (&op.kind, &op.results[..]) {
        (OpKind::Binary(BinaryOp::Div | BinaryOp::Rem, ..), [v]) => {
            matches!(func.ty(*v), Ty::Int("usize"))
        }
        (OpKind::Load(place), [v]) => {
            let is_element = |proj: &Proj| matches!(proj, Proj::Field(_) | Proj::Index(_));
            matches!(func.ty(*v), Ty::F64 | Ty::F32 | Ty::Int(_))
                && matches!(place.path.last(), Some(Proj::Index(_)))
                && place.path.iter().all(is_element)
                && func.slot(place.root).is_plain()
        }
        (OpKind::If { then, other, .. }, [_]) => {
            let is_zero = |op: &Op| matches!(op.kind, OpKind::Const(Const::Int(_) | Const::Zero));
            let mut ops = then.ops.iter().chain(&other.ops);
            ops.all(|op| may_fail(func, op) || is_zero(op)) && !then.ops.is_empty()
        }
        _ => false,
    }
}

/// Returns `true` if a loop that writes this leaves all that the operation reads.
fn reads_the_same(written: &Written, op: &Op) -> bool {
    !op.any(&mut |op| matches!(&op.kind, OpKind::Load(place) if !written.spares(place)))
}

#[cfg(test)]
mod tests {
    use crate::ir::{BinaryOp, OpKind, Ty};
    use crate::pipeline::{for_emission, reverse_rule};
    use crate::testing::primal;
    use crate::transform::Shape;

    /// How many differences of integers the innermost loops compute.
    fn differences(lo: usize, index: &str) -> usize {
        let source = format!(
            "fn f(x: &[f64], n: usize) -> f64 {{ let mut s = 0.0; for i in {lo}..n {{ for j in 0..n {{ s += x[{index}].exp(); }} }} s }}"
        );
        let rule = reverse_rule(&primal(&source), Shape::Combined);
        let rule = for_emission(&rule);
        let mut found = 0;
        rule.walk(&mut |op| {
            if let OpKind::For { body, .. } = &op.kind
                && body.ops.iter().all(|op| op.regions().is_empty())
            {
                let ops = body.ops.iter();
                let integers = ops.filter(|op| {
                    matches!(op.kind, OpKind::Binary(BinaryOp::Sub, a, _) if matches!(rule.ty(a), Ty::Int(_)))
                });
                found += integers.count();
            }
        });
        found
    }

    #[test]
    fn differences_that_are_never_negative_leave_the_loop() {
        assert_eq!(differences(1, "i * n + j - n"), 0);
        assert_eq!(differences(1, "(i - 1) * n + j"), 0);
    }

    #[test]
    fn others_stay() {
        assert_eq!(differences(0, "i * n + j - n"), 1);
        assert_eq!(differences(1, "i * n + j - i"), 1);
    }
}

//! Loops of the reverse half whose trips may run in any order run forward, as the primal does: hardware fetches ahead
//! in this direction, and it vectorises best.
//!
//! Valid where trips only add to the memory that they share, which is shadows and cotangents that are carried as sums
//! (the order of such additions is ours), and where whatever else they write, only one trip touches: each access to the
//! variable is to one place, indexed by the loop's own counter. Stacks tell trips apart by their order, so nothing may be
//! pushed or popped.
//!
//! Inside of a loop that runs backwards, a loop that reads tapes runs backwards too, since hardware fetches ahead of a steady walk.

use crate::analyze::uses_in;
use crate::ir::{BinaryOp, Func, Map, Op, OpKind, Place, Proj, Slot, SlotKind, Value};

/// An access to a variable in a loop's body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    Read,
    Write,
    Add,
}

/// Returns `true` if the trips of a loop with this body may run in any order.
pub(super) fn is_free(
    func: &Func,
    ops: &[Op],
    counter: Value,
    carried: &[Value],
    next: &[Value],
) -> bool {
    let mut touched: Map<Slot, Vec<(Place, Touch)>> = Map::default();
    let mut made: Map<Value, Option<Op>> = carried.iter().map(|v| (*v, None)).collect();
    let mut free = true;
    for op in ops {
        op.walk(&mut |op| {
            free &= note(func, op, &mut touched);
            let params = op.regions().into_iter().flat_map(|r| r.params.iter());
            made.extend(params.map(|v| (*v, None)));
            made.extend(op.results.iter().map(|v| (*v, Some(op.clone()))));
        });
    }
    free && touched.values().all(|all| {
        let any = |touch| all.iter().any(|(_, t)| *t == touch);
        let shared = !(any(Touch::Write) || any(Touch::Add) && any(Touch::Read));
        let (place, _) = &all[0];
        shared || all.iter().all(|(p, _)| p == place) && is_own(place, counter, &made)
    }) && (carried.iter().zip(next)).all(|(c, y)| c == y || is_sum(ops, next, *c, *y))
}

/// Notes the accesses of the operation to memory; `false` if it may depend on the order otherwise.
fn note(func: &Func, op: &Op, touched: &mut Map<Slot, Vec<(Place, Touch)>>) -> bool {
    let (place, touch) = match &op.kind {
        OpKind::Load(place) if op.results.iter().all(|v| func.ty(*v).is_scalar()) => {
            (place, Touch::Read)
        }
        OpKind::Store(place, v) | OpKind::Replace(place, v) if func.ty(*v).is_scalar() => {
            (place, Touch::Write)
        }
        OpKind::Accumulate(place, v) if func.ty(*v).is_float() => (place, Touch::Add),
        OpKind::Borrow(alias, place) => {
            touched
                .entry(place.root)
                .or_default()
                .push((place.clone(), Touch::Read));
            return func.slot(*alias).kind == SlotKind::Ref;
        }
        OpKind::Len(_) | OpKind::If { .. } | OpKind::For { .. } => return true,
        _ => return op.is_arithmetic(),
    };
    touched
        .entry(place.root)
        .or_default()
        .push((place.clone(), touch));
    true
}

/// Returns `true` if the place is a different one in each trip.
fn is_own(place: &Place, counter: Value, made: &Map<Value, Option<Op>>) -> bool {
    let (mut own, mut fixed) = (false, true);
    for proj in &place.path {
        match proj {
            Proj::Field(_) => {}
            Proj::Index(i) if is_injective(*i, counter, made) => own = true,
            Proj::Index(i) => fixed &= !made.contains_key(i) && *i != counter,
            Proj::Range(lo, hi) => {
                let mut ends = lo.iter().chain(hi);
                fixed &= ends.all(|v| !made.contains_key(v) && *v != counter);
            }
            _ => return false,
        }
    }
    own && fixed
}

/// Returns `true` if the value is the counter, or the counter plus or minus a value that is the same in all trips.
fn is_injective(v: Value, counter: Value, made: &Map<Value, Option<Op>>) -> bool {
    if v == counter {
        return true;
    }
    let fixed = |v: Value| v != counter && is_fixed(v, counter, made);
    match made.get(&v) {
        Some(Some(op)) => match &op.kind {
            OpKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                is_injective(*a, counter, made) && fixed(*b)
                    || is_injective(*b, counter, made) && fixed(*a)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns `true` if the value is the same in all trips.
fn is_fixed(v: Value, counter: Value, made: &Map<Value, Option<Op>>) -> bool {
    match made.get(&v) {
        None => v != counter,
        Some(None) => false,
        Some(Some(op)) => {
            matches!(op.kind, OpKind::Const(_) | OpKind::Binary(..))
                && op.operands().iter().all(|v| is_fixed(*v, counter, made))
        }
    }
}

/// Returns `true` if `y` is the carried `c` with terms added, and nothing else reads any of the sums.
fn is_sum(ops: &[Op], next: &[Value], c: Value, y: Value) -> bool {
    let mut sum = c;
    loop {
        let mut users = ops.iter().filter(|op| uses_in(op).contains(&sum));
        let yielded = next.iter().filter(|v| **v == sum).count();
        let Some(op) = users.next() else {
            return sum == y && yielded == 1;
        };
        if yielded != 0 || users.next().is_some() {
            return false;
        }
        sum = match &op.kind {
            OpKind::Binary(BinaryOp::Add, a, b) if a != b => op.results[0],
            OpKind::Binary(BinaryOp::Sub, a, b) if *a == sum && a != b => op.results[0],
            OpKind::For {
                init,
                stop: false,
                body,
                ..
            } => {
                let mut at = (0..init.len()).filter(|k| init[*k] == sum);
                let (Some(k), None) = (at.next(), at.next()) else {
                    return false;
                };
                let inside = body.ops.iter().any(|op| uses_in(op).contains(&sum));
                if inside || !is_sum(&body.ops, &body.yields, body.params[k + 1], body.yields[k]) {
                    return false;
                }
                op.results[k]
            }
            _ => return false,
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::pipeline::rule;
    use crate::testing::primal;
    use crate::transform::{Shape, reverse};

    /// How the pullback's outermost loop runs.
    fn forward(source: &str) -> bool {
        let text = rule(reverse(&primal(source), Shape::Split)).to_string();
        let (_, pullback) = text.split_once("pullback").expect("a pullback");
        let header = pullback.lines().find(|line| line.contains(" in %"));
        !header.expect("a loop").contains(" rev ")
    }

    #[test]
    fn what_only_adds_runs_forward() {
        assert!(forward(
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i] * x[i]; } s }"
        ));
        assert!(forward(
            "fn f(c: &mut [f64], x: &[f64], a: f64) { for i in 0..x.len() { c[i] += a * x[i]; } }"
        ));
        assert!(forward(
            "fn f(c: &mut [f64], x: &[f64], k: usize) { for i in 0..x.len() { c[i + k] = x[i].exp(); } }"
        ));
        // An element of an own element, at an index that is the same in all trips.
        assert!(forward(
            "fn f(c: &mut [[f64; 2]], x: &[f64], k: usize) { for i in 0..x.len() { c[i][k] = x[i].exp(); } }"
        ));
    }

    #[test]
    fn what_a_trip_takes_over_from_another_runs_backwards() {
        // A recurrence in a value, in memory, and a place that two trips may write.
        assert!(!forward(
            "fn f(x: &[f64]) -> f64 { let mut s = 1.0; for i in 0..x.len() { s *= x[i]; } s }"
        ));
        assert!(!forward(
            "fn f(c: &mut [f64]) { for i in 1..c.len() { c[i] += c[i - 1]; } }"
        ));
        assert!(!forward(
            "fn f(c: &mut [f64], x: &[f64]) { for i in 0..x.len() { c[i / 2] = x[i]; } }"
        ));
        for index in [
            "i / 2 + k",
            "k + i / 2",
            "i - i % 2",
            "i % 2 + i",
            "k - i / 2",
        ] {
            let body = format!("for i in 0..x.len() {{ c[{index}] = x[i]; }}");
            let source = format!("fn f(c: &mut [f64], x: &[f64], k: usize) {{ {body} }}");
            assert!(!forward(&source), "{index}");
        }
        assert!(!forward(
            "fn f(c: &mut [f64], x: &[f64], k: usize) { for i in 0..x.len() { c[k] = c[k] * x[i]; } }"
        ));
    }
}

//! Loops of the reverse half whose trips may run in any order run forward, as the primal does: hardware fetches ahead
//! in this direction, and it vectorises best.
//!
//! Valid where trips only add to cotangents that are carried as sums and to shadows (the order of such additions is ours), and where no trip of the primal
//! writes to an element that another trip uses, as `analyze/dependence.rs` tells: shadows are used where their variables are. Stacks tell trips apart by
//! their order, so nothing may be pushed or popped.
//!
//! Inside of a loop that runs backwards, a loop that reads tapes runs backwards too, since hardware fetches ahead of a steady walk.

use super::Reverse;
use crate::analyze::{Dependences, all_declared, uses_in};
use crate::ir::{Access, BinaryOp, Map, Op, OpKind, Set, Slot, SlotKind, Value};

impl Reverse<'_> {
    /// Returns `true` if the trips of the reverse half of a loop may run in any order. They run these operations.
    pub(super) fn is_free(&self, op: &Op, ops: &[Op], carried: &[Value], next: &[Value]) -> bool {
        let shadows = self.shadows.iter();
        let variables: Map<Slot, Slot> = shadows.map(|(of, shadow)| (*shadow, *of)).collect();
        let mut used: Set<Slot> = Set::default();
        let mut free = (carried.iter().zip(next)).all(|(c, y)| c == y || is_sum(ops, next, *c, *y));
        let mut own = Set::default();
        ops.iter().for_each(|op| own.extend(all_declared(op)));
        for op in ops {
            op.walk(&mut |op| {
                free &= self.may_move(op);
                for (slot, access) in op.slots() {
                    let root = variables.get(&slot).map_or(slot, |of| *of);
                    let known = self.src.slots.get(root.0 as usize).is_some();
                    free &= known || access == Access::Read || own.contains(&slot);
                    used.insert(self.root(root));
                }
            });
        }
        let dependences = || Dependences::new(self.src);
        free && self
            .dependences
            .get_or_init(dependences)
            .has_separate_trips(op, &used)
    }

    /// Returns `true` if an operation of the reverse half depends on the order of trips only by the elements that it uses.
    fn may_move(&self, op: &Op) -> bool {
        let scalar = |v: &Value| self.out.ty(*v).is_scalar();
        match &op.kind {
            OpKind::Load(_) => op.results.iter().all(scalar),
            OpKind::Store(_, v) | OpKind::Replace(_, v) => scalar(v),
            OpKind::Accumulate(_, v) => self.out.ty(*v).is_float(),
            OpKind::Borrow(alias, _) => self.out.slot(*alias).kind == SlotKind::Ref,
            OpKind::Len(_) | OpKind::If { .. } | OpKind::For { .. } => true,
            _ => op.is_arithmetic(),
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

//! Bounds: which indices are certainly less than the greatest one.
//!
//! Input: a function. Lengths, counters and quotients are less. Conservative: `false` means that the index may be `usize::MAX`.

use crate::ir::{BinaryOp, Func, Map, OpKind, Range, Set, Ty, Value};

/// The indices of a function that are less than the greatest one, and its differences.
pub(crate) struct Bounds {
    have_next: Set<Value>,
    differences: Set<Value>,
}

impl Bounds {
    pub(crate) fn new(func: &Func) -> Self {
        let mut ranges = Map::default();
        let ints = func.integers();
        let mut have_next: Set<Value> = ints.keys().copied().collect();
        let mut differences = Set::default();
        func.walk(&mut |op| match (&op.kind, &op.results[..]) {
            (OpKind::For { range, body, .. }, _) if matches!(func.ty(range.lo), Ty::Int(_)) => {
                ranges.insert(body.params[0], range.clone());
                have_next.insert(body.params[0]);
            }
            (OpKind::Len(_), [len]) => _ = have_next.insert(*len),
            (OpKind::Binary(op, a, b), [less]) => {
                if *op == BinaryOp::Sub {
                    differences.insert(*less);
                }
                // In a release build a difference wraps round.
                let at_least = |n: &i64| {
                    let range: Option<&Range> = ranges.get(a);
                    range.is_some_and(|range| ints.get(&range.lo).is_some_and(|lo| lo >= n))
                };
                let is_less = match op {
                    BinaryOp::Sub => ints.get(b).is_some_and(at_least),
                    BinaryOp::Div => have_next.contains(a) || ints.get(b).is_some_and(|b| *b > 1),
                    BinaryOp::Rem => true,
                    _ => false,
                };
                if is_less {
                    have_next.insert(*less);
                }
            }
            _ => {}
        });
        Bounds {
            have_next,
            differences,
        }
    }

    /// Returns `true` if an index is a difference, which is the greatest number only if it wraps round.
    pub(crate) fn is_difference(&self, index: Value) -> bool {
        self.differences.contains(&index)
    }

    /// Returns `true` if an index is certainly less than the greatest one: a length, a counter, a quotient or remainder. Loops check the ends of their ranges.
    pub(crate) fn has_next(&self, index: Value) -> bool {
        self.have_next.contains(&index)
    }
}

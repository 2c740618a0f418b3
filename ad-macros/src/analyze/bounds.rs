//! Bounds: which indices are always greater, or always less, than another one.
//!
//! Input: a function. From sums of `usize` and from the ranges of counted loops follows that two indices differ in all trips. Conservative: `false` means
//! that they may be equal.

use crate::ir::{BinaryOp, Func, Map, OpKind, Place, Proj, Range, Set, Ty, Value};

/// The sums of a function, and the ranges of its counters.
pub(crate) struct Bounds {
    sums: Map<Value, (Value, Value)>,
    ranges: Map<Value, Range>,
    positive: Set<Value>,
}

impl Bounds {
    pub(crate) fn new(func: &Func) -> Self {
        let (mut sums, mut ranges) = (Map::default(), Map::default());
        func.walk(&mut |op| match (&op.kind, &op.results[..]) {
            (OpKind::Binary(BinaryOp::Add, a, b), [sum])
                if matches!(func.ty(*sum), Ty::Int("usize")) =>
            {
                sums.insert(*sum, (*a, *b));
            }
            (OpKind::For { range, body, .. }, _) if matches!(func.ty(range.lo), Ty::Int(_)) => {
                ranges.insert(body.params[0], range.clone());
            }
            _ => {}
        });
        let ints = func.integers().into_iter();
        let positive = ints.filter_map(|(v, n)| (n >= 1).then_some(v)).collect();
        Bounds {
            sums,
            ranges,
            positive,
        }
    }

    /// Returns `true` if `v` is always greater than `than`.
    fn is_greater(&self, v: Value, than: Value) -> bool {
        if let Some((a, b)) = self.sums.get(&v) {
            let above =
                |part: &Value, other: &Value| *part == than && self.positive.contains(other);
            return above(a, b)
                || above(b, a)
                || self.is_greater(*a, than)
                || self.is_greater(*b, than);
        }
        let start = self.ranges.get(&v).map(|range| range.lo);
        start.is_some_and(|lo| self.is_greater(lo, than))
    }

    /// Returns `true` if `v` is always less than `than`: a counter, and the end of its range.
    fn is_less(&self, v: Value, than: Value) -> bool {
        let range = self.ranges.get(&v);
        range.is_some_and(|range| !range.inclusive && range.hi == than)
    }

    /// Returns `true` if the place is in another element of the variable than that at the index.
    pub(crate) fn is_elsewhere(&self, place: &Place, index: Value) -> bool {
        match place.path[..] {
            [Proj::Index(i), ..] | [Proj::Range(None, _), Proj::Index(i), ..] => {
                self.is_greater(i, index) || self.is_less(i, index)
            }
            [Proj::Range(Some(lo), _), Proj::Index(_), ..] => self.is_greater(lo, index),
            _ => false,
        }
    }
}

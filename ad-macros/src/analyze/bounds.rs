//! Bounds: which indices are always greater, or always less, than another one.
//!
//! Input: a function. From sums of `usize` and from the ranges of counted loops follows that two indices differ in all trips. Conservative: `false` means
//! that they may be equal.

use crate::ir::{BinaryOp, Func, Map, OpKind, Place, Proj, Range, Set, Ty, Value};

/// The sums of a function, the ranges of its counters, and what is less than the greatest index.
pub(crate) struct Bounds {
    sums: Map<Value, (Value, Value)>,
    ranges: Map<Value, Range>,
    positive: Set<Value>,
    have_next: Set<Value>,
    differences: Set<Value>,
}

impl Bounds {
    pub(crate) fn new(func: &Func) -> Self {
        let (mut sums, mut ranges) = (Map::default(), Map::default());
        let ints = func.integers();
        let mut have_next: Set<Value> = ints.keys().copied().collect();
        let mut differences = Set::default();
        func.walk(&mut |op| match (&op.kind, &op.results[..]) {
            (OpKind::Binary(BinaryOp::Add, a, b), [sum])
                if matches!(func.ty(*sum), Ty::Int("usize")) =>
            {
                sums.insert(*sum, (*a, *b));
            }
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
        let positive = ints.into_iter();
        let positive = positive
            .filter_map(|(v, n)| (n >= 1).then_some(v))
            .collect();
        Bounds {
            sums,
            ranges,
            positive,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::primal;

    /// True if `x[index]` is another element than `x[i]`, in a loop of `k` inside of one of `i`.
    fn are_apart(range: &str, index: &str) -> bool {
        let body = format!("for i in 0..n {{ for k in {range} {{ s += x[{index}] * x[i]; }} }}");
        let source = format!("fn f(x: &[f64], n: usize) -> f64 {{ let mut s = 0.0; {body} s }}");
        let func = primal(&source);
        let mut counters = Vec::new();
        let mut places = Vec::new();
        func.walk(&mut |op| match &op.kind {
            OpKind::For { body, .. } => counters.push(body.params[0]),
            OpKind::Load(place) => places.push(place.clone()),
            _ => {}
        });
        let is_fixed = |place: &&Place| place.path == [Proj::Index(counters[0])];
        let moving = places.iter().find(|place| !is_fixed(place));
        let moving = moving.expect("another index");
        Bounds::new(&func).is_elsewhere(moving, counters[0])
    }

    #[test]
    fn only_what_is_always_greater_or_less_is_elsewhere() {
        for (range, index, expected) in [
            ("0..i", "k", true),
            ("0..=i", "k", false),
            ("0..n", "k", false),
            ("i..n", "k", false),
            ("i + 1..n", "k", true),
            ("i + 2..=n", "k", true),
            ("1 + i..n", "k", true),
            ("i + n..9", "k", false),
            ("0..n", "i + 1", true),
            ("0..n", "1 + i", true),
            ("0..n", "i + k", false),
            ("i + 1..n", "k + n", true),
            ("i + 1..n", "n + k", true),
        ] {
            assert_eq!(are_apart(range, index), expected, "{range}, {index}");
        }
    }
}

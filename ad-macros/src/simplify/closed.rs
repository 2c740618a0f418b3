//! An integer that a counted loop carries, and that each trip adds one to, is known from the counter (induction variables in closed form).
//!
//! ```text
//! for j in lo..hi carry (idx = a) { .. l[idx] .. yield idx + 1 }
//! n = max(lo, hi) - lo; for k in 0..n { j = lo + k; idx = a + k; .. l[idx] .. }; idx = a + n
//! ```
//!
//! So an index that runs beside the counter is an index that goes with the counter: nothing of it is stored, and passes on loops see how its element moves.

use super::{Rewrite, rewrite_all};
use crate::diagnostics::bug;
use crate::ir::{BinaryOp, Func, Map, Op, OpKind, Range, Region, Ty, Value};
use crate::transform::Seq;

/// Puts them in closed form in all loops, inner ones first.
pub(crate) fn close_carries(func: Func) -> Func {
    rewrite_all::<Closed>(func)
}

/// A loop that carries such integers.
struct Closed {
    /// Their positions among the carried values.
    positions: Vec<usize>,
    from_zero: bool,
}

impl Rewrite for Closed {
    fn of(func: &Func, ints: &Map<Value, i64>, op: &Op) -> Option<Closed> {
        let (range, _, body) = op.as_counted_loop()?;
        let plain = !range.inclusive && range.adapters.is_empty();
        let is_index = |v: Value| matches!(func.ty(v), Ty::Int("usize"));
        if !plain || !is_index(range.lo) {
            return None;
        }
        let steps = |param: Value, next: Value| {
            let made = body.ops.iter().find(|op| op.results == [next]);
            made.is_some_and(|op| match op.kind {
                OpKind::Binary(BinaryOp::Add, from, by) => {
                    from == param && ints.get(&by) == Some(&1)
                }
                _ => false,
            })
        };
        let carried = body.params[1..].iter().zip(&body.yields).enumerate();
        let found =
            carried.filter(|(_, (param, next))| is_index(**param) && steps(**param, **next));
        let closed = Closed {
            positions: found.map(|(k, _)| k).collect(),
            from_zero: ints.get(&range.lo) == Some(&0),
        };
        (!closed.positions.is_empty()).then_some(closed)
    }

    fn apply(self, func: &mut Func, op: Op, ops: &mut Vec<Op>) {
        let span = op.span;
        let OpKind::For {
            mut range,
            init,
            stop,
            mut body,
        } = op.kind
        else {
            bug!("not a loop")
        };
        let mut inside = Vec::new();
        let (trips, k) = if self.from_zero {
            (range.hi, body.params[0])
        } else {
            let mut seq = Seq::new(func, ops, span);
            let runs = seq.binary(BinaryOp::Lt, range.lo, range.hi);
            let end = OpKind::Select(runs, range.hi, range.lo);
            let end = seq.value(end, Ty::Int("usize"), "end");
            let trips = seq.binary(BinaryOp::Sub, end, range.lo);
            let zero = seq.int("0", "usize");
            let k = func.new_value(Ty::Int("usize"), "k", span);
            let counter = std::mem::replace(&mut body.params[0], k);
            inside.push(sum(range.lo, k, counter, span));
            range = Range {
                lo: zero,
                hi: trips,
                ..range
            };
            (trips, k)
        };
        let mut after = Vec::new();
        let (mut kept, mut left) = (Vec::new(), Vec::new());
        let Region { params, yields, .. } = &mut body;
        let (mut stay, mut next) = (vec![params[0]], Vec::new());
        for (position, (from, result)) in init.into_iter().zip(op.results).enumerate() {
            let param = params[position + 1];
            if self.positions.contains(&position) {
                inside.push(sum(from, k, param, span));
                after.push(sum(from, trips, result, span));
            } else {
                stay.push(param);
                next.push(yields[position]);
                kept.push(from);
                left.push(result);
            }
        }
        inside.append(&mut body.ops);
        let body = Region {
            params: stay,
            ops: inside,
            yields: next,
        };
        ops.push(Op {
            kind: OpKind::For {
                range,
                init: kept,
                stop,
                body,
            },
            results: left,
            span,
        });
        ops.append(&mut after);
    }
}

fn sum(a: Value, b: Value, result: Value, span: proc_macro2::Span) -> Op {
    Op::new(OpKind::Binary(BinaryOp::Add, a, b), vec![result], span)
}

#[cfg(test)]
mod tests {
    use crate::ir::OpKind;
    use crate::testing::primal;

    /// How many values the loops of a function carry.
    fn carried(body: &str) -> usize {
        let source = format!(
            "fn f(x: &[f64], n: usize) -> f64 {{ let (mut s, mut k) = (0.0, n); {body} s * k as f64 }}"
        );
        let mut found = 0;
        primal(&source).walk(&mut |op| {
            if let OpKind::For { init, .. } = &op.kind {
                found += init.len();
            }
        });
        found
    }

    #[test]
    fn an_index_beside_the_counter_is_not_carried() {
        assert_eq!(carried("for i in 0..n { s += x[k] * x[i]; k += 1; }"), 1);
        assert_eq!(carried("for i in 3..n { k += 1; s += x[k] * x[i]; }"), 1);
    }

    #[test]
    fn others_are() {
        for body in [
            "for i in 0..n { s += x[k]; k += 2; }",
            "for i in 0..n { s += x[k]; if s > 1.0 { k += 1; } }",
            "for i in (0..n).rev() { s += x[k]; k += 1; }",
            "for i in 0..n { s += x[k]; k += i; }",
        ] {
            assert_eq!(carried(body), 2, "{body}");
        }
    }
}

//! Keeps additions to neighbours of the counter's element in values, until no later trip adds to that element (a sliding window).
//!
//! ```text
//! for i in 0..n { x_bar[i] += a; x_bar[i + 1] += b }
//! p = for i in 0..n carry (p = 0) { x_bar[i] += p + a; b }; if 0 < n { x_bar[n] += p }
//! ```
//!
//! Without it each trip loads a value that the trip before has stored, and waits for that store. Each addition is carried as it is, for as many
//! trips as it takes; sums of additions would make each trip wait for the one before. Valid where the loop does nothing but add to the
//! variable. Only transforms do, so that the order is ours.

use super::promote::{only_adds_to, where_it_runs};
use super::rewrite_each;
use crate::analyze::Affine;
use crate::diagnostics::bug;
use crate::ir::{
    Adapter, BinaryOp, Func, Map, Op, OpKind, Place, Proj, Range, Region, Slot, Ty, Value,
};
use crate::transform::Seq;

/// The most trips that a value waits.
const WIDTH: i64 = 4;

/// Carries them in all loops, inner ones first.
pub(crate) fn sliding(mut func: Func) -> Func {
    let ints = func.integers();
    rewrite_each(&mut func, &|func, op, ops| slide(func, &ints, op, ops));
    func
}

fn slide(func: &mut Func, ints: &Map<Value, i64>, mut op: Op, ops: &mut Vec<Op>) {
    let span = op.span;
    let Some((range, init, body, results)) = op.as_counted_loop_mut() else {
        return ops.push(op);
    };
    let by_one = matches!(range.adapters[..], [] | [Adapter::Rev]);
    if range.inclusive || !by_one || !matches!(func.ty(range.lo), Ty::Int("usize")) {
        return ops.push(op);
    }
    let range = range.clone();
    let mut after = Vec::new();
    for window in windows(func, body, ints) {
        let pending = window.carry(func, &range, body);
        let mut left = Vec::new();
        for Pending {
            param,
            next,
            element,
        } in pending
        {
            let ty = func.ty(param).clone();
            init.push(Seq::new(func, ops, span).zero(&ty));
            body.params.push(param);
            body.yields.push(next);
            let data = func.value(param).clone();
            let result = func.new_value(data.ty, data.name, span);
            results.push(result);
            left.push((element, result));
        }
        let mut seq = Seq::new(func, &mut after, span);
        window.add_what_is_left(&mut seq, &range, &left);
    }
    ops.push(op);
    where_it_runs(func, ints, &range, after, ops);
}

/// Elements at fixed distances from the counter, to which each trip adds.
struct Window {
    root: Slot,
    /// Projections in front of the index.
    prefix: Vec<Proj>,
    /// The term that is added to the counter in each index, beside the distance.
    base: Option<Value>,
    /// The indices, with their distances.
    indices: Map<Value, i64>,
    first: i64,
    last: i64,
}

/// The windows of a body that are wider than one element.
fn windows(func: &Func, body: &Region, ints: &Map<Value, i64>) -> Vec<Window> {
    let affine = Affine::new(body, &|v| ints.get(&v).copied());
    let mut found: Vec<Window> = Vec::new();
    for op in &body.ops {
        let OpKind::Accumulate(place, v) = &op.kind else {
            continue;
        };
        let Some((Proj::Index(index), prefix)) = place.path.split_last() else {
            continue;
        };
        let fixed = |proj: &Proj| match proj {
            Proj::Range(lo, hi) => !lo.iter().chain(hi).any(|v| affine.inside.contains(*v)),
            Proj::Index(v) => !affine.inside.contains(*v),
            _ => false,
        };
        let Some(offset) = affine.offsets.get(index) else {
            continue;
        };
        if !func.ty(*v).is_float() || !prefix.iter().all(fixed) {
            continue;
        }
        let known = found.iter_mut().find(|w| {
            let (first, last) = (w.first.min(offset.by), w.last.max(offset.by));
            let same = w.root == place.root && w.prefix == prefix && w.base == offset.base;
            same && last - first <= WIDTH
        });
        match known {
            Some(window) => {
                window.indices.insert(*index, offset.by);
                window.first = window.first.min(offset.by);
                window.last = window.last.max(offset.by);
            }
            None => found.push(Window {
                root: place.root,
                prefix: prefix.to_vec(),
                base: offset.base,
                indices: Map::from_iter([(*index, offset.by)]),
                first: offset.by,
                last: offset.by,
            }),
        }
    }
    found.retain(|w| w.first < w.last && only_adds_to(func, body, w.root));
    found
}

impl Window {
    /// The distance of the element that an addition is to.
    fn distance(&self, place: &Place) -> Option<i64> {
        let (Proj::Index(index), prefix) = place.path.split_last()? else {
            return None;
        };
        let same = place.root == self.root && prefix == self.prefix;
        self.indices.get(index).copied().filter(|_| same)
    }

    /// Adds only complete sums to memory. Returns the additions that wait for the next trips.
    fn carry(&self, func: &mut Func, range: &Range, body: &mut Region) -> Vec<Pending> {
        let backwards = range.adapters.contains(&Adapter::Rev);
        // The sum of a trip's additions, for each element.
        let mut own: Map<i64, Value> = Map::default();
        let mut target = None;
        // The element that no later trip adds to.
        let complete = if backwards { self.last } else { self.first };
        for mut op in std::mem::take(&mut body.ops) {
            let OpKind::Accumulate(place, v) = &op.kind else {
                body.ops.push(op);
                continue;
            };
            let Some(distance) = self.distance(place) else {
                body.ops.push(op);
                continue;
            };
            if distance == complete {
                target = Some(place.clone());
            }
            let sum = match own.get(&distance) {
                None => *v,
                Some(sum) => {
                    let next = self.value(func, *v);
                    op.kind = OpKind::Binary(BinaryOp::Add, *sum, *v);
                    op.results = vec![next];
                    body.ops.push(op);
                    next
                }
            };
            own.insert(distance, sum);
        }
        let (Some(target), Some(last)) = (target, own.remove(&complete)) else {
            bug!("a window without its last element");
        };
        let mut distances: Vec<i64> = own.keys().copied().collect();
        distances.sort_by_key(|d| -(d - complete).abs());
        let mut pending = Vec::new();
        let mut sum: Option<Value> = None;
        let span = func.value(last).span;
        for distance in distances {
            let mut next = own[&distance];
            for trips in 1..=(distance - complete).abs() {
                let param = self.value(func, next);
                let element = if backwards {
                    distance + trips - 1
                } else {
                    distance - trips
                };
                pending.push(Pending {
                    param,
                    next,
                    element,
                });
                next = param;
            }
            let ops = &mut body.ops;
            let mut seq = Seq::new(func, ops, span);
            sum = Some(sum.map_or(next, |sum| self.add(&mut seq, sum, next)));
        }
        let ops = &mut body.ops;
        let mut seq = Seq::new(func, ops, span);
        let sum = sum.map_or(last, |sum| self.add(&mut seq, sum, last));
        seq.push(OpKind::Accumulate(target, sum));
        pending
    }

    /// A new value like this one, with the name of the list.
    fn value(&self, func: &mut Func, like: Value) -> Value {
        let (ty, span) = (func.ty(like).clone(), func.value(like).span);
        let name = func.slot(self.root).name.clone();
        func.new_value(ty, name, span)
    }

    fn add(&self, seq: &mut Seq<'_>, a: Value, b: Value) -> Value {
        let ty = seq.func.ty(a).clone();
        let name = seq.func.slot(self.root).name.clone();
        seq.value(OpKind::Binary(BinaryOp::Add, a, b), ty, &name)
    }

    /// Adds the values that wait when the loop ends to the elements beside its last one.
    fn add_what_is_left(&self, seq: &mut Seq<'_>, range: &Range, left: &[(i64, Value)]) {
        let backwards = range.adapters.contains(&Adapter::Rev);
        let end = if backwards { range.lo } else { range.hi };
        let from = match self.base {
            Some(base) => seq.binary(BinaryOp::Add, base, end),
            None => end,
        };
        for distance in self.first..self.last {
            let mut parts = left.iter().filter(|(element, _)| *element == distance);
            let Some((_, first)) = parts.next() else {
                continue;
            };
            let sum = parts.fold(*first, |sum, (_, part)| self.add(seq, sum, *part));
            let index = match distance {
                0 => from,
                _ => {
                    let by = seq.int(&distance.unsigned_abs().to_string(), "usize");
                    let moved = if distance < 0 {
                        BinaryOp::Sub
                    } else {
                        BinaryOp::Add
                    };
                    seq.binary(moved, from, by)
                }
            };
            let mut path = self.prefix.clone();
            path.push(Proj::Index(index));
            let place = Place::new(self.root, path);
            seq.push(OpKind::Accumulate(place, sum));
        }
    }
}

/// A trip's addition to an element that later trips add to, too.
struct Pending {
    param: Value,
    next: Value,
    /// The element's distance from the loop's end.
    element: i64,
}

#[cfg(test)]
mod tests {
    use crate::ir::OpKind;
    use crate::pipeline::{for_emission, reverse_rule};
    use crate::testing::primal;
    use crate::transform::Shape;

    /// How many additions to elements the loops of the combined rule make that make some.
    fn additions(source: &str) -> Vec<usize> {
        let rule = reverse_rule(&primal(source), Shape::Combined);
        let mut found = Vec::new();
        for_emission(&rule).walk(&mut |op| {
            if let OpKind::For { body, .. } = &op.kind {
                let additions = body.ops.iter();
                found.push(
                    additions
                        .filter(|op| matches!(op.kind, OpKind::Accumulate(..)))
                        .count(),
                );
            }
        });
        found.retain(|additions| *additions != 0);
        found
    }

    #[test]
    fn neighbours_are_added_to_once() {
        for source in [
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() - 1 { s += x[i] * x[i + 1]; } s }",
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 2..x.len() { s += x[i] * x[i - 2] * x[i - 1]; } s }",
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for w in x.windows(3) { s += w[0] * w[1] * w[2]; } s }",
            "fn f(x: &[f64], k: usize) -> f64 { let mut s = 0.0; for i in 0..k { s += x[i + k] * x[i + k + 1]; } s }",
        ] {
            assert_eq!(additions(source), [1], "{source}");
        }
    }

    #[test]
    fn what_is_read_or_far_away_stays() {
        let far =
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..9 { s += x[i] * x[i + 9]; } s }";
        assert_eq!(additions(far), [2]);
        let read = "fn f(x: &mut [f64]) { for i in 1..x.len() { x[i] += 0.5 * x[i - 1]; } }";
        assert_eq!(additions(read).last(), Some(&1));
    }
}

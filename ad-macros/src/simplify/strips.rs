//! Cuts a loop that carries sums of the primal into strips, and sums the terms of a strip behind it (strip mining and loop fission).
//!
//! ```text
//! for i in lo..hi carry (s) { t = x[i] * y[i]; z_bar[i] += t * t; s + t }
//!
//! for start in (lo..hi).step_by(16) carry (s) {
//!     n = min(hi - start, 16)
//!     for k in 0..n { i = start + k; t = x[i] * y[i]; z_bar[i] += t * t; terms[k] = t }
//!     for k in 0..n carry (s) { s + terms[k] }
//! }
//! ```
//!
//! The user's sum has an order, so that rustc computes nothing in lanes in a loop that carries it. The terms have none. They are summed in the
//! user's order, to the same bits. Valid where the loop only carries such sums and windows (values of the trip before), since
//! all else stays in its order. Done where a trip computes enough to gain by lanes.

use super::lanes::is_simple;
use super::unroll::copy_of;
use super::{Rewrite, rewrite_all};
use crate::analyze::Affine;
use crate::diagnostics::bug;
use crate::ir::{
    Adapter, BinaryOp, Func, Map, Op, OpKind, Place, Proj, Range, Region, RepeatLen, Set, Slot, Ty,
    Value,
};
use crate::transform::Seq;

/// Trips of a strip.
const TRIPS: i64 = 16;

/// The fewest operations on floats of a trip.
const OPERATIONS: usize = 10;

/// The most terms of a trip.
const TERMS: usize = 4;

/// Cuts all loops that gain by it.
pub(crate) fn strips(func: Func) -> Func {
    rewrite_all::<Cut>(func)
}

/// A loop that is cut: the sums among its carried values, by their positions, and the indices that move with the counter.
struct Cut {
    sums: Map<usize, Vec<Term>>,
    affine: Affine,
    /// How far the farthest index is behind the counter.
    behind: i64,
}

/// One addition to a sum.
struct Term {
    op: BinaryOp,
    added: Value,
    /// The sum behind it.
    sum: Value,
}

impl Rewrite for Cut {
    fn of(func: &Func, ints: &Map<Value, i64>, op: &Op) -> Option<Cut> {
        let (range, _, body) = op.as_counted_loop()?;
        let (counter, carried) = body.params.split_first()?;
        let counted = matches!(func.ty(*counter), Ty::Int("usize"));
        if !counted || range.inclusive || !range.adapters.is_empty() {
            return None;
        }
        if let Some((lo, hi)) = ints.get(&range.lo).zip(ints.get(&range.hi))
            && hi - lo < 2 * TRIPS
        {
            return None;
        }
        let on_floats = |op: &&Op| !matches!(op.kind, OpKind::Const(_) | OpKind::Load(_));
        let floats = |op: &&Op| op.results.iter().all(|v| is_number(func.ty(*v)));
        let much = body.ops.iter().filter(on_floats).filter(floats).count() >= OPERATIONS;
        if !much || !body.ops.iter().all(|op| stays_in_lanes(func, ints, op)) {
            return None;
        }
        let mut sums = Map::default();
        for (k, (param, next)) in carried.iter().zip(&body.yields).enumerate() {
            if !is_number(func.ty(*param)) {
                return None;
            }
            sums.extend(terms(body, *param, *next).map(|terms| (k, terms)));
        }
        let affine = Affine::new(body, &|v| ints.get(&v).copied());
        let behind = affine.offsets.values().filter(|o| o.base.is_none());
        let cut = Cut {
            behind: behind.map(|o| -o.by).max().unwrap_or(0),
            sums,
            affine,
        };
        let count: usize = cut.sums.values().map(Vec::len).sum();
        let few = (1..=TERMS).contains(&count);
        // `i - 2 + n` may be no number where `n + i - 2` is one.
        let mut moved = cut.affine.offsets.values();
        let exact = moved.all(|offset| offset.base.is_none() || offset.by >= 0);
        (few && exact && cut.has_lanes(body, carried)).then_some(cut)
    }

    fn apply(self, func: &mut Func, op: Op, ops: &mut Vec<Op>) {
        let Op {
            kind: OpKind::For {
                range, init, body, ..
            },
            results,
            span,
        } = op
        else {
            bug!("not a loop")
        };
        let mut seq = Seq::new(func, ops, span);
        let width = seq.int(&TRIPS.to_string(), "usize");
        let terms = self.arrays(&mut seq, &body);
        let carried = &body.params[1..];
        let start = seq.func.new_value(Ty::Int("usize"), "start", span);
        let mut inside = Vec::new();
        let mut seq = Seq::new(func, &mut inside, span);
        let rest = seq.binary(BinaryOp::Sub, range.hi, start);
        let short = seq.binary(BinaryOp::Lt, rest, width);
        let n = OpKind::Select(short, rest, width);
        let n = seq.value(n, Ty::Int("usize"), "n");
        // A strip has a trip.
        seq.func.value_mut(n).positive = true;
        let zero = seq.int("0", "usize");
        let trips = Range::new(zero, n);
        let params: Vec<Value> = carried.iter().map(|v| copy_of(seq.func, *v)).collect();
        let yields = self.strip(&mut seq, start, &trips, &params, &body, &terms);
        let yields = self.summed(&mut seq, &trips, &params, yields, &terms);
        let strips = Range {
            adapters: vec![Adapter::StepBy(width)],
            ..range
        };
        let body = Region {
            params: std::iter::once(start).chain(params).collect(),
            ops: inside,
            yields,
        };
        ops.push(Op::new(OpKind::counted(strips, init, body), results, span));
    }
}

impl Cut {
    /// True if no trip waits for another one but by the sums.
    fn has_lanes(&self, body: &Region, carried: &[Value]) -> bool {
        // A window may depend on another window of the trip before, but not on itself.
        let mut settled: Set<Value> = Set::default();
        loop {
            let open = carried.iter().enumerate().find(|(k, param)| {
                let next = body.yields[*k];
                !self.sums.contains_key(k)
                    && !settled.contains(*param)
                    && needs(body, next)
                        .iter()
                        .all(|v| !carried.contains(v) || settled.contains(v))
            });
            let Some((_, param)) = open else { break };
            settled.insert(*param);
        }
        let all = settled.len() + self.sums.len() == carried.len();
        all && self.is_local(body)
    }

    /// True if a trip writes only elements that no other trip reads or writes.
    fn is_local(&self, body: &Region) -> bool {
        let mut written: Map<Slot, &Place> = Map::default();
        for op in &body.ops {
            let (OpKind::Store(place, _) | OpKind::Accumulate(place, _)) = &op.kind else {
                continue;
            };
            let own = match place.path.last() {
                Some(Proj::Index(index)) => self.affine.offsets.contains_key(index),
                _ => false,
            };
            if !own || *written.entry(place.root).or_insert(place) != place {
                return false;
            }
        }
        body.ops.iter().all(|op| match &op.kind {
            OpKind::Load(place) => written.get(&place.root).is_none_or(|own| *own == place),
            _ => true,
        })
    }

    /// An array for each term.
    fn arrays(&self, seq: &mut Seq<'_>, body: &Region) -> Map<Value, Slot> {
        let mut arrays = Map::default();
        for k in 0..body.yields.len() {
            for term in self.sums.get(&k).into_iter().flatten() {
                let elem = seq.func.ty(term.added).clone();
                let len = proc_macro2::Literal::i64_unsuffixed(TRIPS);
                let ty = Ty::Array(Box::new(elem.clone()), Box::new(syn::parse_quote!(#len)));
                let zero = seq.zero(&elem);
                let repeat = OpKind::Repeat {
                    elem: zero,
                    len: RepeatLen::Array(quote::quote!(#len)),
                };
                let zeros = seq.value(repeat, ty, "zeros");
                arrays.insert(term.sum, seq.init(zeros, "terms"));
            }
        }
        arrays
    }

    /// The loop over a strip: the operations of the body, but that it stores the terms. Returns the final carried values.
    fn strip(
        &self,
        seq: &mut Seq<'_>,
        start: Value,
        trips: &Range,
        params: &[Value],
        body: &Region,
        terms: &Map<Value, Slot>,
    ) -> Vec<Value> {
        let span = seq.span;
        let first = match self.behind {
            0 => start,
            by => {
                let by = seq.int(&by.to_string(), "usize");
                seq.binary(BinaryOp::Sub, start, by)
            }
        };
        let mut starts: Map<Value, Value> = Map::default();
        for offset in self.affine.offsets.values() {
            if let Some(base) = offset.base {
                starts.entry(base).or_insert(base);
            }
        }
        let mut bases: Vec<Value> = starts.keys().copied().collect();
        bases.sort();
        for base in bases {
            starts.insert(base, seq.binary(BinaryOp::Add, base, start));
        }
        let k = seq.func.new_value(Ty::Int("usize"), "k", span);
        let mut ops = Vec::new();
        let mut inner = Seq::new(seq.func, &mut ops, span);
        let mut indices: Vec<Value> = self.affine.offsets.keys().copied().collect();
        indices.sort();
        for index in indices {
            let offset = self.affine.offsets[&index];
            let (from, by) = match offset.base {
                None => (first, offset.by + self.behind),
                Some(base) => (starts[&base], offset.by),
            };
            let last = if by == 0 {
                OpKind::Binary(BinaryOp::Add, from, k)
            } else {
                let at = inner.binary(BinaryOp::Add, from, k);
                let distance = inner.int(&by.to_string(), "usize");
                OpKind::Binary(BinaryOp::Add, at, distance)
            };
            inner.ops.push(Op::new(last, vec![index], span));
        }
        let additions: Map<Value, Value> = self
            .sums
            .values()
            .flatten()
            .map(|term| (term.sum, term.added))
            .collect();
        for op in &body.ops {
            match op.results[..] {
                [index] if self.affine.offsets.contains_key(&index) => {}
                [sum] if additions.contains_key(&sum) => {
                    inner.push(OpKind::Store(element(terms[&sum], k), additions[&sum]));
                }
                _ => inner.ops.push(op.clone()),
            }
        }
        let windows = (1..body.params.len()).filter(|p| !self.sums.contains_key(&(p - 1)));
        let windows: Vec<usize> = windows.collect();
        let region = Region {
            params: std::iter::once(k)
                .chain(windows.iter().map(|p| body.params[*p]))
                .collect(),
            ops,
            yields: windows.iter().map(|p| body.yields[p - 1]).collect(),
        };
        let mut carried = params.to_vec();
        let results: Vec<Value> = windows
            .iter()
            .map(|p| {
                let out = copy_of(seq.func, params[p - 1]);
                carried[p - 1] = out;
                out
            })
            .collect();
        let init = windows.iter().map(|p| params[p - 1]).collect();
        let run = OpKind::counted(trips.clone(), init, region);
        seq.ops.push(Op::new(run, results, span));
        carried
    }

    /// The loop that sums the terms of a strip, in their order.
    fn summed(
        &self,
        seq: &mut Seq<'_>,
        trips: &Range,
        params: &[Value],
        mut carried: Vec<Value>,
        terms: &Map<Value, Slot>,
    ) -> Vec<Value> {
        let span = seq.span;
        let mut sums: Vec<usize> = self.sums.keys().copied().collect();
        sums.sort_unstable();
        let k = seq.func.new_value(Ty::Int("usize"), "k", span);
        let mut region = Region {
            params: vec![k],
            ops: Vec::new(),
            yields: Vec::new(),
        };
        let mut results = Vec::new();
        for position in &sums {
            let mut sum = copy_of(seq.func, params[*position]);
            region.params.push(sum);
            let mut inner = Seq::new(seq.func, &mut region.ops, span);
            for term in &self.sums[position] {
                let ty = inner.func.ty(term.added).clone();
                let place = element(terms[&term.sum], k);
                let value = inner.load(place, ty, "term");
                sum = inner.binary(term.op, sum, value);
            }
            region.yields.push(sum);
            let out = copy_of(seq.func, params[*position]);
            carried[*position] = out;
            results.push(out);
        }
        let init = sums.iter().map(|position| params[*position]).collect();
        let run = OpKind::counted(trips.clone(), init, region);
        seq.ops.push(Op::new(run, results, span));
        carried
    }
}

/// The additions to a carried value, if the body does nothing else with it.
fn terms(body: &Region, param: Value, next: Value) -> Option<Vec<Term>> {
    let mut found = Vec::new();
    let mut sum = param;
    while sum != next {
        let mut readers = body.ops.iter().filter(|op| op.operands().contains(&sum));
        let reader = readers.next()?;
        let yielded = body.yields.contains(&sum);
        let (OpKind::Binary(op, a, b), None, false) = (&reader.kind, readers.next(), yielded)
        else {
            return None;
        };
        let (op, added) = match op {
            BinaryOp::Add | BinaryOp::Sub if *a == sum && *b != sum => (*op, *b),
            BinaryOp::Add if *b == sum => (*op, *a),
            _ => return None,
        };
        sum = reader.results[0];
        found.push(Term { op, added, sum });
    }
    let read = body.ops.iter().any(|op| op.operands().contains(&next));
    let once = body.yields.iter().filter(|y| **y == next).count() == 1;
    (!read && once && !found.is_empty()).then_some(found)
}

/// All values that make a value.
fn needs(body: &Region, v: Value) -> Set<Value> {
    let mut needed = Set::from_iter([v]);
    for op in body.ops.iter().rev() {
        if op.results.iter().any(|v| needed.contains(v)) {
            needed.extend(op.operands());
        }
    }
    needed
}

fn is_number(ty: &Ty) -> bool {
    ty.is_float() && !matches!(ty, Ty::Lanes)
}

/// True of an operation that LLVM computes in lanes.
pub(super) fn stays_in_lanes(func: &Func, ints: &Map<Value, i64>, op: &Op) -> bool {
    match &op.kind {
        OpKind::StrongDiv(..) | OpKind::Math("abs" | "recip" | "sqrt", _) => true,
        // A product.
        OpKind::Math("powi", args) => ints.get(&args[1]).is_some_and(|n| (0..=4).contains(n)),
        _ => is_simple(func, op),
    }
}

fn element(slot: Slot, index: Value) -> Place {
    Place::new(slot, vec![Proj::Index(index)])
}

#[cfg(test)]
mod tests {
    use crate::testing::stepping_loops;

    /// How many loops over strips the combined rule has.
    fn strips(body: &str) -> usize {
        stepping_loops(&format!(
            "fn f(x: &mut [f64], y: &[f64]) -> f64 {{ let (mut s, mut p) = (0.0, 0.0); for i in 1..y.len() - 1 {{ {body} }} s + p }}"
        ))
    }

    #[test]
    fn sums_are_cut() {
        for body in [
            "let a = y[i] - y[i - 1] * y[i + 1]; let b = a * y[i] + 2.0; s += 0.5 * a * b * b + b;",
            "let a = y[i] - y[i - 1]; let b = a * y[i] + 2.0; s += a * b * b; p -= b / a; s += 0.5 * b;",
        ] {
            assert_eq!(strips(body), 1, "{body}");
        }
    }

    #[test]
    fn loops_that_wait_for_more_stay() {
        for body in [
            // A recurrence.
            "let a = y[i] - y[i - 1] * y[i + 1]; let b = a * p + 2.0; p = 0.5 * b * b; s += 0.5 * a * b * b + b;",
            // The sum is read.
            "let a = y[i] - y[i - 1] * y[i + 1]; let b = a * s + 2.0; s += 0.5 * a * b * b + b;",
            // An element that another trip writes.
            "let a = y[i] - x[i - 1] * y[i + 1]; let b = a * y[i] + 2.0; x[i] = a * b; s += 0.5 * a * b * b + b;",
            // Little is done beside.
            "s += y[i] * y[i];",
            // Nothing of it is computed in lanes.
            "let a = y[i] - y[i - 1] * y[i + 1]; let b = a.exp() * y[i] + 2.0; s += 0.5 * a * b * b + b;",
        ] {
            assert_eq!(strips(body), 0, "{body}");
        }
    }
}

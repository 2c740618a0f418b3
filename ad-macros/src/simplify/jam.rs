//! Runs four trips of a loop at once, through its inner loops too (unroll and jam).
//!
//! ```text
//! for i in lo..hi { s = for j in 0..n carry (s = 0.0) { s + w[i * n + j] * x[j] }; y[i] = s }
//!
//! for i in (lo..mid).step_by(4) {
//!     s0, .., s3 = for j in 0..n carry (s0 = 0.0, .., s3 = 0.0) { s0 + w[i * n + j] * x[j], .., s3 + w[(i + 3) * n + j] * x[j] }
//!     y[i] = s0; ..; y[i + 3] = s3
//! }
//! for i in mid..hi { .. }
//! ```
//!
//! In a sum each addition waits for the one before. Of four sums the processor computes four additions in parallel, and each sum keeps the user's order, and
//! so its bits. Four terms of one element are added by one read and one write.
//!
//! Valid where no trip of the outer loop reads what another one writes, other than by additions to shadows, whose order is ours, and by what straight code
//! carries from trip to trip. Done for loops whose inner loops have a range of their own, the same in each trip, if one of them gains.

use super::rewrite_each;
use super::strips::stays_in_lanes;
use super::unroll::{copy_of, renamed};
use crate::analyze::Dependences;
use crate::diagnostics::bug;
use crate::ir::{
    Access, Adapter, BinaryOp, Func, Map, Op, OpKind, Range, Region, Set, Slot, SlotData, SlotKind,
    Ty, Value,
};
use crate::transform::Seq;

/// Trips at once.
const TRIPS: i64 = 4;

/// The fewest trips of an inner loop that gain.
const INNER_TRIPS: i64 = 8;

/// The most operations of a trip.
const OPERATIONS: usize = 64;

/// Jams all loops that gain by it.
pub(crate) fn jam(mut func: Func) -> Func {
    let ints = func.integers();
    let mut found: Map<Value, Nest> = Map::default();
    func.walk(&mut |op| {
        if let Some(nest) = Nest::of(&func, &ints, op) {
            found.insert(nest.counter, nest);
        }
    });
    if !found.is_empty() {
        let dependences = Dependences::new(&func);
        func.walk(&mut |op| {
            let counter = op.as_counted_loop().map(|(.., body)| body.params[0]);
            if let Some(counter) = counter.filter(|counter| found.contains_key(counter))
                && !may_run_at_once(&func, &dependences, op)
            {
                found.remove(&counter);
            }
        });
    }
    rewrite_each(&mut func, &|func, op, ops| {
        let counter = op.as_counted_loop().map(|(.., body)| body.params[0]);
        match counter.and_then(|counter| found.get(&counter)) {
            Some(nest) => nest.jammed(func, op, ops),
            None => ops.push(op),
        }
    });
    func
}

/// A loop that gains by it.
struct Nest {
    counter: Value,
    /// Which operations are inner loops that are run through once for all trips.
    joint: Set<usize>,
    /// Ranges of these, if only the run tells whether they are long enough.
    ranges: Vec<Range>,
}

impl Nest {
    fn of(func: &Func, ints: &Map<Value, i64>, op: &Op) -> Option<Nest> {
        let (range, _, body) = op.as_counted_loop()?;
        let plain = matches!(range.adapters[..], [] | [Adapter::Rev]) && !range.inclusive;
        if !plain || !matches!(func.ty(range.lo), Ty::Int("usize")) {
            return None;
        }
        if few_trips(ints, range, 2 * TRIPS) || !carries_in_straight_code(body) {
            return None;
        }
        let made = body.made();
        let (mut size, mut fits) = (0, true);
        for op in &body.ops {
            let inner = op.as_counted_loop();
            fits &= inner.is_some() || is_straight(func, op);
            if let Some((range, _, body)) = inner {
                let own = |v: Value| made.contains(v);
                fits &= !own(range.lo) && !own(range.hi) && range.checkpoints().is_none();
                fits &= body.ops.iter().all(|op| is_straight(func, op));
            }
            op.walk(&mut |op| size += usize::from(!matches!(op.kind, OpKind::Const(_))));
        }
        let gains = |op: &Op| {
            let inner = op.as_counted_loop();
            inner.is_some_and(|(range, _, inner)| {
                !few_trips(ints, range, INNER_TRIPS) && gains(func, ints, body, inner)
            })
        };
        let joint = body.ops.iter().enumerate().filter(|(_, op)| gains(op));
        let joint: Set<usize> = joint.map(|(k, _)| k).collect();
        let mut ranges = Vec::new();
        for (k, op) in body.ops.iter().enumerate() {
            if let Some((range, ..)) = op.as_counted_loop().filter(|_| joint.contains(&k))
                && ints.get(&range.lo).zip(ints.get(&range.hi)).is_none()
            {
                ranges.push(range.clone());
            }
        }
        ranges.dedup_by_key(|range| (range.lo, range.hi));
        let nest = Nest {
            counter: body.params[0],
            joint,
            ranges,
        };
        (fits && size <= OPERATIONS && !nest.joint.is_empty()).then_some(nest)
    }

    /// `for i in strips of four { four trips }; for i in rest { .. }`
    fn jammed(&self, func: &mut Func, op: Op, ops: &mut Vec<Op>) {
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
        let back = range.adapters.contains(&Adapter::Rev);
        let mut seq = Seq::new(func, ops, span);
        let mid = self.mid(&mut seq, &range, back);
        let width = seq.int(&TRIPS.to_string(), "usize");
        let start = copy_of(seq.func, body.params[0]);
        let copies = |func: &mut Func| -> Vec<Value> {
            let carried = body.params[1..].iter();
            carried.map(|v| copy_of(func, *v)).collect()
        };
        let (params, between) = (copies(seq.func), copies(seq.func));
        let four = self.four(seq.func, &body, start, &params, back);
        let [mut strips, mut rest] = [range.clone(), range];
        if back {
            (strips.lo, rest.hi) = (mid, mid);
        } else {
            (strips.hi, rest.lo) = (mid, mid);
        }
        strips.adapters.push(Adapter::StepBy(width));
        let four = OpKind::counted(strips, init, four);
        ops.push(Op::new(four, between.clone(), span));
        ops.push(Op::new(OpKind::counted(rest, between, body), results, span));
    }

    /// Where the strips of four end. They have no trips where an inner loop has few.
    fn mid(&self, seq: &mut Seq<'_>, range: &Range, back: bool) -> Value {
        let ints = seq.func.integers();
        let width = seq.int(&TRIPS.to_string(), "usize");
        let count = if ints.get(&range.lo) == Some(&0) {
            range.hi
        } else {
            let runs = seq.binary(BinaryOp::Lt, range.lo, range.hi);
            let mut inside = Vec::new();
            let count =
                Seq::new(seq.func, &mut inside, seq.span).binary(BinaryOp::Sub, range.hi, range.lo);
            let mut none = Vec::new();
            let zero = Seq::new(seq.func, &mut none, seq.span).int("0", "usize");
            let either = OpKind::If {
                cond: runs,
                then: Region::new(inside, vec![count]),
                other: Region::new(none, vec![zero]),
            };
            seq.value(either, Ty::Int("usize"), "count")
        };
        let left = seq.binary(BinaryOp::Rem, count, width);
        let (none, mut mid) = if back {
            (range.hi, seq.binary(BinaryOp::Add, range.lo, left))
        } else {
            (range.lo, seq.binary(BinaryOp::Sub, range.hi, left))
        };
        for range in &self.ranges {
            let least = seq.int(&INNER_TRIPS.to_string(), "usize");
            let least = match ints.get(&range.lo) {
                Some(0) => least,
                _ => seq.binary(BinaryOp::Add, range.lo, least),
            };
            let short = seq.binary(BinaryOp::Lt, range.hi, least);
            mid = seq.select(short, none, mid);
        }
        mid
    }

    /// Four trips: each operation of the body for all of them before the next one.
    fn four(
        &self,
        func: &mut Func,
        body: &Region,
        start: Value,
        params: &[Value],
        back: bool,
    ) -> Region {
        let mut ops = Vec::new();
        let mut trips: Vec<Trip> = Vec::new();
        for trip in 0..TRIPS {
            let mut seq = Seq::new(func, &mut ops, func.value(start).span);
            let counter = if trip == 0 {
                start
            } else {
                let by = seq.int(&trip.to_string(), "usize");
                let op = if back { BinaryOp::Sub } else { BinaryOp::Add };
                seq.binary(op, start, by)
            };
            let mut trip = Trip::default();
            trip.values.insert(body.params[0], counter);
            trips.push(trip);
        }
        trips[0]
            .values
            .extend(body.params[1..].iter().copied().zip(params.iter().copied()));
        let mut at = 0;
        while at < body.ops.len() {
            let op = &body.ops[at];
            if self.joint.contains(&at) {
                (0..trips.len() - 1).for_each(|before| follow(body, &mut trips, before));
                ops.push(joint(func, op, &mut trips));
                at += 1;
                continue;
            }
            let straight = |k: &usize| body.ops[*k].as_counted_loop().is_none();
            let end = if straight(&at) {
                let end = (at..body.ops.len()).find(|k| !straight(k));
                end.unwrap_or(body.ops.len())
            } else {
                at + 1
            };
            let part = Region::new(body.ops[at..end].to_vec(), Vec::new());
            for trip in 0..trips.len() {
                if let Some(before) = trip.checked_sub(1) {
                    follow(body, &mut trips, before);
                }
                ops.extend(trips[trip].copy(func, &part).ops);
            }
            at = end;
        }
        (0..trips.len() - 1).for_each(|before| follow(body, &mut trips, before));
        let last = &trips[trips.len() - 1].values;
        let yields = body.yields.iter();
        Region {
            params: std::iter::once(start)
                .chain(params.iter().copied())
                .collect(),
            ops,
            yields: yields.map(|y| last.get(y).copied().unwrap_or(*y)).collect(),
        }
    }
}

/// The values and aliases of one of the trips, by those of the body.
#[derive(Default)]
struct Trip {
    values: Map<Value, Value>,
    aliases: Map<Slot, Slot>,
}

impl Trip {
    fn copy(&mut self, func: &mut Func, part: &Region) -> Region {
        let mut copy = renamed(func, part, &mut self.values);
        copy.walk_mut(&mut |op| {
            if let OpKind::Borrow(alias, _) = &mut op.kind {
                let data = func.slot(*alias).clone();
                let own = func.new_slot(SlotData {
                    ident: None,
                    ..data
                });
                self.aliases.insert(*alias, own);
                *alias = own;
            }
            op.each_place_mut(&mut |place| {
                place.root = self.aliases.get(&place.root).copied().unwrap_or(place.root);
            });
        });
        copy
    }
}

/// The carried values of a trip are those that the trip before yields, as far as they are known.
fn follow(body: &Region, trips: &mut [Trip], before: usize) {
    let made = body.made();
    for (param, next) in body.params[1..].iter().zip(&body.yields) {
        let known = trips[before].values.get(next).copied();
        let next = known.or((!made.contains(*next)).then_some(*next));
        trips[before + 1]
            .values
            .extend(next.map(|next| (*param, next)));
    }
}

/// One loop that does what an inner loop does in each of the trips.
fn joint(func: &mut Func, op: &Op, trips: &mut [Trip]) -> Op {
    let mut op = op.clone();
    let Some((_, init, body, results)) = op.as_counted_loop_mut() else {
        bug!("not a loop")
    };
    let counter = copy_of(func, body.params[0]);
    let mut all = Region {
        params: vec![counter],
        ..Region::default()
    };
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for trip in trips {
        let names = &mut trip.values;
        let get = |names: &Map<Value, Value>, v: &Value| names.get(v).copied().unwrap_or(*v);
        starts.extend(init.iter().map(|v| get(names, v)));
        names.insert(body.params[0], counter);
        for param in &body.params[1..] {
            names.insert(*param, copy_of(func, *param));
        }
        let copy = trip.copy(func, body);
        let names = &mut trip.values;
        all.params.extend(&copy.params[1..]);
        all.ops.extend(copy.ops);
        all.yields.extend(copy.yields);
        for result in &*results {
            names.insert(*result, copy_of(func, *result));
        }
        ends.extend(results.iter().map(|v| get(names, v)));
    }
    (*init, *body, *results) = (starts, all, ends);
    op
}

/// Returns `true` if the range certainly has fewer trips.
fn few_trips(ints: &Map<Value, i64>, range: &Range, least: i64) -> bool {
    let ends = ints.get(&range.lo).zip(ints.get(&range.hi));
    ends.is_some_and(|(lo, hi)| hi - lo < least)
}

/// Returns `true` if what a trip yields is there before the next one reads it, if each operation runs for all trips before the next one does.
fn carries_in_straight_code(body: &Region) -> bool {
    let mut parts = Vec::new();
    for op in &body.ops {
        let is_loop = op.as_counted_loop().is_some();
        let part = match parts.last() {
            None => 0,
            Some((part, last)) => part + usize::from(is_loop || *last),
        };
        parts.push((part, is_loop));
    }
    let carried = body.params[1..].iter().zip(&body.yields);
    carried.into_iter().all(|(param, next)| {
        let passed_on = body.yields.iter().filter(|y| *y == param).count();
        if param == next {
            return passed_on == 1;
        }
        let reads = |op: &Op| {
            op.any(&mut |op| {
                let mut read = false;
                op.each_operand(&mut |v| read |= v == *param);
                op.each_region(&mut |region| read |= region.yields.contains(param));
                read
            })
        };
        let made = body.ops.iter().position(|op| op.results.contains(next));
        let read = body.ops.iter().position(reads);
        let in_order = match (made, read) {
            (Some(made), Some(read)) => {
                parts[made].0 < parts[read].0 || parts[made].0 == parts[read].0 && !parts[made].1
            }
            (None, _) => !body.params.contains(next),
            (Some(_), None) => true,
        };
        passed_on == 0 && in_order
    })
}

/// Returns `true` if no trip reads what another one writes, but for additions to what no trip reads.
fn may_run_at_once(func: &Func, dependences: &Dependences<'_>, op: &Op) -> bool {
    let mut uses: Map<Slot, [bool; 3]> = Map::default();
    let mut borrowed: Set<Slot> = Set::default();
    op.walk(&mut |op| {
        if let OpKind::Borrow(_, place) = &op.kind {
            borrowed.insert(dependences.root(place.root));
            return;
        }
        for (slot, access) in op.slots() {
            let [added, written, read] = uses.entry(dependences.root(slot)).or_default();
            match (&op.kind, access) {
                (OpKind::Accumulate(..), _) => *added = true,
                (_, Access::Read) => *read = true,
                _ => *written = true,
            }
        }
    });
    let tape = |slot: &Slot| func.slot(*slot).ty.is_tape();
    // An entry of a tape for each trip.
    let written_once = |(slot, [added, written, read]): (&Slot, &[bool; 3])| {
        let alone = !tape(slot) || !(*added || *written && *read);
        alone && !(borrowed.contains(slot) && (*added || *written))
    };
    let mixed = uses
        .iter()
        .filter(|(slot, [added, written, read])| !tape(slot) && (*written || *added && *read));
    let mixed: Set<Slot> = mixed.map(|(slot, _)| *slot).collect();
    uses.iter().all(written_once)
        && (mixed.is_empty() || dependences.has_separate_trips(op, &mixed))
}

/// Returns `true` if the operation can run for several trips in turn.
fn is_straight(func: &Func, op: &Op) -> bool {
    let result = |op: &Op| op.results.iter().all(|v| func.ty(*v).is_scalar());
    match &op.kind {
        OpKind::Load(_) | OpKind::Len(_) | OpKind::Sum { .. } => result(op),
        OpKind::Store(_, v) | OpKind::Accumulate(_, v) => func.ty(*v).is_scalar(),
        OpKind::Borrow(alias, _) => {
            let alias = func.slot(*alias);
            alias.kind == SlotKind::Ref && alias.is_plain()
        }
        OpKind::If { then, other, .. } => {
            let mut ops = then.ops.iter().chain(&other.ops);
            result(op) && ops.all(|op| is_straight(func, op))
        }
        _ => op.is_arithmetic() && result(op),
    }
}

/// Returns `true` if an inner loop waits for its sums, or adds to elements that other trips of the outer one add to, and does nothing that takes longer.
fn gains(func: &Func, ints: &Map<Value, i64>, outer: &Region, inner: &Region) -> bool {
    let of_trip = varying(outer);
    let shared = |op: &Op| match &op.kind {
        OpKind::Accumulate(..) => {
            let mut place = op.operands();
            // The added value.
            place.pop();
            !place.iter().any(|v| of_trip.contains(v))
        }
        _ => false,
    };
    let waits = inner.params.len() > 1 || inner.ops.iter().any(shared);
    waits && inner.ops.iter().all(|op| stays_in_lanes(func, ints, op))
}

/// The values of a loop's body that aren't the same in each trip, as far as their operands tell.
fn varying(body: &Region) -> Set<Value> {
    let mut varying: Set<Value> = body.params.iter().copied().collect();
    body.walk(&mut |op| {
        if op.operands().iter().any(|v| varying.contains(v)) {
            varying.extend(&op.results);
        }
    });
    varying
}

#[cfg(test)]
mod tests {
    use crate::testing::stepping_loops;

    /// How many loops of the combined rule take four trips at once.
    fn jammed(body: &str) -> usize {
        stepping_loops(&format!(
            "fn f(x: &[f64], w: &[f64], m: usize, n: usize) -> f64 {{ let mut y = x.to_vec(); let mut s = 0.0; for i in 0..m {{ {body} }} s + y[0] }}"
        ))
    }

    #[test]
    fn sums_of_separate_trips_wait_at_once() {
        for body in [
            "let mut z = 0.0; for j in 0..n { z += w[i * n + j] * x[j]; } s += z.sin();",
            "let row = &w[i * n..(i + 1) * n]; let mut z = 0.0; for j in 0..n { z += row[j] * x[j]; } s += z * z;",
            "let row = &w[i * n..(i + 1) * n]; let mut z = 0.0; for j in 0..row.len() { z += row[j] * x[j]; } s += z * z;",
            "let mut z = y[i]; for j in 0..n { z -= w[i * n + j] * x[j]; } y[i] = z.exp();",
        ] {
            assert!(jammed(body) > 0, "{body}");
        }
    }

    #[test]
    fn trips_that_wait_for_each_other_stay_in_turn() {
        for body in [
            // The sum of the trip before.
            "for j in 0..n { s += w[i * n + j] * x[j]; }",
            // An element that the trip before stored.
            "let mut z = 0.0; for j in 0..n { z += y[j] * w[j]; } y[i] = z.sin();",
            // A range of its own in each trip.
            "let mut z = 0.0; for j in 0..i { z += w[i * n + j] * w[j]; } s += z.sin();",
            "let row = &w[i * n..(i + 1) * m]; let mut z = 0.0; for j in 0..row.len() { z += row[j] * x[j]; } s += z * z;",
            // A few trips.
            "let mut z = 0.0; for j in 0..3 { z += w[i * n + j] * w[j]; } s += z.sin();",
        ] {
            assert_eq!(jammed(body), 0, "{body}");
        }
    }
}

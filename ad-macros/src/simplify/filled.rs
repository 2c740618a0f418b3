//! A list that a counted loop grows by one element in each trip is made with its length, and each trip stores its element.
//!
//! ```text
//! t = vec![a]; for i in lo..hi { .. t[i - lo] .. t.len() .. t.push(v) }
//! t = [0; 1 + n]; t[0] = a; for i in lo..hi { k = 1 + (i - lo); .. t[i - lo] .. k .. t[k] = v }
//! ```
//!
//! Input: a primal. So all passes on loops see where the element is, and nothing of the growth is reversed. Loops in which several elements are pushed
//! and loops around such loops count as well. Valid for a local list that is empty, or a literal, in front of the loop, if the loop pushes in
//! every trip, and reads no element but those that are there already: a read beyond them has to fail.

use proc_macro2::Span;

use super::registers::rename;
use crate::analyze::{Affine, Written, each_use_in};
use crate::ir::{
    Adapter, Arg, BinaryOp, Call, Callee, Const, DenseSet, Func, Map, Op, OpKind, Place, Proj,
    Range, Region, RepeatLen, Set, Slot, SlotKind, Ty, Value,
};
use crate::transform::Seq;

/// Fills all such lists.
pub(crate) fn fill_lists(mut func: Func) -> Func {
    let ints = func.integers();
    func.each_half_mut(&mut |func, half| region(func, &ints, half));
    func
}

fn region(func: &mut Func, ints: &Map<Value, i64>, within: &mut Region) {
    let mut at = 0;
    while at < within.ops.len() {
        match growing(func, ints, within, at) {
            Some(list) => at = fill(func, ints, within, at, &list),
            None => at += 1,
        }
    }
    for op in &mut within.ops {
        op.each_region_mut(&mut |inner| region(func, ints, inner));
    }
}

/// A list that operation `at`, a loop, lets grow.
struct Growing {
    slot: Slot,
    start: Start,
    /// The loops that push, from the outermost one; all but that count to the same number in all trips.
    ranges: Vec<Range>,
    /// How many elements a trip of the innermost one pushes.
    pushes: usize,
    /// The operations of the outermost one, by their results.
    made: Map<Value, Op>,
}

/// A list in front of the loop.
struct Start {
    /// Where it is declared, and where its first value is made.
    declared: usize,
    made: usize,
    /// Its first elements, and where some of these are pushed.
    elements: Vec<Value>,
    pushed: Vec<usize>,
}

fn growing(func: &Func, ints: &Map<Value, i64>, within: &Region, at: usize) -> Option<Growing> {
    let (_, _, body) = within.ops[at].as_counted_loop()?;
    let mut slots = Vec::new();
    body.walk(&mut |op| slots.extend(pushed(op).map(|(slot, _)| slot)));
    slots.dedup();
    slots.into_iter().find_map(|slot| {
        let data = func.slot(slot);
        let is_list = data.kind == SlotKind::Owned
            && data.is_plain()
            && matches!(&data.ty, Ty::Vec(elem) if has_blank(elem));
        let start = is_list.then(|| Start::of(within, at, slot))??;
        let invariant = Invariant::new(func, body);
        let (mut ranges, mut op) = (Vec::new(), &within.ops[at]);
        let pushes = loop {
            let (range, _, body) = op.as_counted_loop()?;
            let same = ranges.is_empty() || invariant.has(range.lo) && invariant.has(range.hi);
            if !counts_up(func, range) || !same {
                return None;
            }
            ranges.push(range.clone());
            let mut inner = (body.ops.iter()).filter(|op| op.has_regions() && grows(op, slot));
            let own = body.ops.iter().filter(|op| grows(op, slot)).count();
            match (inner.next(), own) {
                (Some(next), 1) => op = next,
                (None, own) => break own,
                (Some(_), _) => return None,
            }
        };
        let list = Growing {
            slot,
            start,
            ranges,
            pushes,
            made: invariant.made,
        };
        list.is_read_below_its_length(func, ints, &within.ops[at])
            .then_some(list)
    })
}

/// The list that an operation pushes to, and the element.
fn pushed(op: &Op) -> Option<(Slot, Value)> {
    let OpKind::Call(call) = &op.kind else {
        return None;
    };
    let Call {
        callee: Callee::Method { name, .. },
        args,
        ..
    } = &**call
    else {
        return None;
    };
    match &args[..] {
        [Arg::Receiver(list), Arg::Value(v)] if name == "push" && list.path.is_empty() => {
            Some((list.root, *v))
        }
        _ => None,
    }
}

/// True if an operation pushes to the list.
fn grows(op: &Op, list: Slot) -> bool {
    op.any(&mut |op| pushed(op).is_some_and(|(slot, _)| slot == list))
}

fn counts_up(func: &Func, range: &Range) -> bool {
    let is_index = matches!(func.ty(range.lo), Ty::Int("usize"));
    is_index && range.adapters.is_empty() && !range.inclusive
}

/// Integers that have the same value in all trips of a loop, and can be computed in front of it.
struct Invariant<'a> {
    func: &'a Func,
    /// All values of its body.
    inside: DenseSet<Value>,
    made: Map<Value, Op>,
    written: Written,
}

impl<'a> Invariant<'a> {
    fn new(func: &'a Func, body: &Region) -> Self {
        let made = made_in(body).into_iter();
        Invariant {
            func,
            inside: body.made(),
            made: made.map(|(v, op)| (v, op.clone())).collect(),
            written: Written::by(func, body),
        }
    }

    fn has(&self, v: Value) -> bool {
        let Some(op) = self.made.get(&v) else {
            return !self.inside.contains(v);
        };
        matches!(self.func.ty(v), Ty::Int("usize"))
            && match &op.kind {
                OpKind::Const(Const::Int(_)) => true,
                OpKind::Len(place) => place.path.is_empty() && self.written.spares(place),
                OpKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                    self.has(*a) && self.has(*b)
                }
                _ => false,
            }
    }
}

/// Computes an invariant integer again. A difference is zero where it would fail: the loop fails then, if it runs.
fn again(seq: &mut Seq<'_>, made: &Map<Value, Op>, v: Value) -> Value {
    let Some(op) = made.get(&v) else {
        return v;
    };
    match op.kind {
        OpKind::Binary(BinaryOp::Sub, a, b) => {
            let (a, b) = (again(seq, made, a), again(seq, made, b));
            less(seq, a, b)
        }
        OpKind::Binary(kind, a, b) => {
            let (a, b) = (again(seq, made, a), again(seq, made, b));
            seq.binary(kind, a, b)
        }
        _ => seq.value(op.kind.clone(), Ty::Int("usize"), "n"),
    }
}

/// `a - b`, and zero if `b` is greater.
fn less(seq: &mut Seq<'_>, a: Value, b: Value) -> Value {
    let runs = seq.binary(BinaryOp::Lt, b, a);
    let end = seq.select(runs, a, b);
    seq.sub(end, b)
}

/// True if there is a value that an element can have before it is stored.
fn has_blank(ty: &Ty) -> bool {
    match ty {
        Ty::F32 | Ty::F64 | Ty::Int(_) | Ty::Bool => true,
        Ty::Tuple(types) => types.iter().all(has_blank),
        _ => false,
    }
}

impl Start {
    /// The list in front of operation `at`, if nothing but pushes touches it there.
    fn of(within: &Region, at: usize, list: Slot) -> Option<Start> {
        let before = &within.ops[..at];
        let (declared, first) = before
            .iter()
            .enumerate()
            .find_map(|(k, op)| match op.kind {
                OpKind::Init(slot, v) if slot == list => Some((k, v)),
                _ => None,
            })?;
        let made = before.iter().position(|op| op.results == [first])?;
        let mut elements = match &before[made].kind {
            OpKind::Array { elems, vec: true } => elems.clone(),
            OpKind::Call(call) => {
                // A computed capacity may overflow, which is a panic.
                let capacity = call.empty_list()?;
                let computed = |op: &Op| matches!(op.kind, OpKind::Binary(..));
                let mut made_here = before.iter().filter(|op| computed(op));
                if capacity.is_some_and(|n| made_here.any(|op| op.results == [n])) {
                    return None;
                }
                Vec::new()
            }
            _ => return None,
        };
        let mut uses = within.yields.iter().filter(|v| **v == first).count();
        let mut count = |v| uses += usize::from(v == first);
        within.ops.iter().for_each(|op| each_use_in(op, &mut count));
        let mut pushes = Vec::new();
        for (k, op) in before.iter().enumerate().skip(declared + 1) {
            if let Some((_, v)) = pushed(op).filter(|(slot, _)| *slot == list) {
                elements.push(v);
                pushes.push(k);
            } else if op.any(&mut |op| op.touches(list)) {
                return None;
            }
        }
        (uses == 1).then_some(Start {
            declared,
            made,
            elements,
            pushed: pushes,
        })
    }
}

impl Growing {
    /// True if the loop reads nothing but its length, and elements that are there.
    fn is_read_below_its_length(&self, func: &Func, ints: &Map<Value, i64>, op: &Op) -> bool {
        let Some((range, _, body)) = op.as_counted_loop() else {
            return false;
        };
        let is_push = |op: &Op| pushed(op).is_some_and(|(slot, _)| slot == self.slot);
        if !body.any(&mut |op| op.touches(self.slot) && !is_push(op)) {
            return true;
        }
        if self.ranges.len() > 1 {
            return false;
        }
        let mut there = There {
            slot: self.slot,
            base: i64::try_from(self.start.elements.len()).unwrap_or(0),
            lo: ints.get(&range.lo).copied(),
            affine: Affine::new(body, &|v| ints.get(&v).copied()),
            made: made_in(body),
            ints,
            func,
            lengths: Set::default(),
        };
        body.ops.iter().all(|op| {
            if is_push(op) {
                there.base += 1;
                return true;
            }
            let mut fine = true;
            op.walk(&mut |op| fine &= there.allows(op));
            fine
        })
    }
}

/// The operations of a region, by their results.
fn made_in(body: &Region) -> Map<Value, &Op> {
    let mut made = Map::default();
    body.walk(&mut |op| {
        made.extend(op.results.iter().map(|v| (*v, op)));
        if let OpKind::For { body, .. } = &op.kind {
            made.insert(body.params[0], op);
        }
    });
    made
}

/// The elements that are there at a place in a trip.
struct There<'a> {
    slot: Slot,
    /// How many there are in the first trip.
    base: i64,
    /// Where the counter begins.
    lo: Option<i64>,
    affine: Affine,
    made: Map<Value, &'a Op>,
    ints: &'a Map<Value, i64>,
    func: &'a Func,
    /// The lengths that were read in this trip.
    lengths: Set<Value>,
}

impl There<'_> {
    /// True if an operation doesn't touch the list, or reads what is there.
    fn allows(&mut self, op: &Op) -> bool {
        match &op.kind {
            OpKind::Len(place) if place.root == self.slot => {
                self.lengths.extend(op.results.iter().copied());
                place.path.is_empty()
            }
            OpKind::Load(place) if place.root == self.slot => {
                matches!(place.path.first(), Some(Proj::Index(k)) if self.has(*k))
            }
            _ => !op.touches(self.slot),
        }
    }

    /// True if an index is certainly that of an element that is there, or so great that reading fails after the loop as well.
    fn has(&self, index: Value) -> bool {
        if !matches!(self.func.ty(index), Ty::Int("usize")) {
            return false;
        }
        if let Some(k) = self.ints.get(&index) {
            return *k < self.base;
        }
        if self.comes_before(index, -1) {
            return true;
        }
        let Some(op) = self.made.get(&index) else {
            return false;
        };
        match &op.kind {
            // A difference is less, or wraps round.
            OpKind::Binary(BinaryOp::Sub, a, b) => {
                let some = self.ints.get(b).is_some_and(|b| *b >= 1);
                some && self.reaches(*a) || self.has(*a)
            }
            OpKind::Binary(BinaryOp::Rem, _, b) => self.lengths.contains(b),
            OpKind::Select(_, a, b) => self.has(*a) && self.has(*b),
            // The counter of a loop in this one.
            OpKind::For { range, .. } if !op.results.contains(&index) => {
                let same = |adapter: &Adapter| matches!(adapter, Adapter::Rev);
                let plain = !range.inclusive && range.adapters.iter().all(same);
                plain && self.reaches(range.hi)
            }
            _ => false,
        }
    }

    /// True if a number isn't greater than the length.
    fn reaches(&self, end: Value) -> bool {
        self.lengths.contains(&end)
            || self.ints.get(&end).is_some_and(|end| *end <= self.base)
            || self.comes_before(end, 0)
            || self.has(end)
    }

    /// True if a number is the counter, moved, and not greater than the length moved by this.
    fn comes_before(&self, v: Value, by: i64) -> bool {
        let offset = self.affine.offsets.get(&v).filter(|at| at.base.is_none());
        let from = offset.zip(self.lo);
        from.is_some_and(|(offset, lo)| offset.by + lo <= self.base + by)
    }
}

/// Makes the list in front of the loop, which is operation `at`, and returns where the loop is then.
fn fill(
    func: &mut Func,
    ints: &Map<Value, i64>,
    within: &mut Region,
    at: usize,
    list: &Growing,
) -> usize {
    let span = within.ops[at].span;
    let mut made = Vec::new();
    let mut seq = Seq::new(func, &mut made, span);
    let trips: Vec<Value> = (list.ranges.iter())
        .map(|range| {
            let [lo, hi] = [range.lo, range.hi].map(|end| again(&mut seq, &list.made, end));
            if ints.get(&range.lo) == Some(&0) {
                hi
            } else {
                less(&mut seq, hi, lo)
            }
        })
        .collect();
    let mut count = trips[0];
    for more in &trips[1..] {
        count = seq.mul(count, *more);
    }
    let count = scaled(&mut seq, count, list);
    let Ty::Vec(elem) = seq.func.slot(list.slot).ty.clone() else {
        return at + 1;
    };
    let elem = blank(&mut seq, &elem);
    let repeat = OpKind::Repeat {
        elem,
        len: RepeatLen::Vec(count),
    };
    let ty = seq.func.slot(list.slot).ty.clone();
    let filled = seq.value(repeat, ty, "list");
    seq.push(OpKind::Init(list.slot, filled));
    for (k, v) in list.start.elements.iter().enumerate() {
        let index = seq.int(&k.to_string(), "usize");
        seq.push(OpKind::Store(element(list.slot, index), *v));
    }
    if let OpKind::For { range, body, .. } = &mut within.ops[at].kind {
        stored(func, ints, range, body, None, &trips[1..], list);
    }
    let length = made.len();
    within.ops.splice(at..at, made);
    for k in &list.start.pushed {
        within.ops[*k].kind = OpKind::Const(Const::Unit);
    }
    within.ops.remove(list.start.declared);
    within.ops.remove(list.start.made);
    at + length - 2
}

fn element(list: Slot, index: Value) -> Place {
    Place::new(list, vec![Proj::Index(index)])
}

/// The length of the list after so many trips of the innermost loop.
fn scaled(seq: &mut Seq<'_>, trips: Value, list: &Growing) -> Value {
    let (pushes, first) = (list.pushes, list.start.elements.len());
    let mut length = trips;
    if pushes != 1 {
        let pushes = seq.int(&pushes.to_string(), "usize");
        length = seq.mul(length, pushes);
    }
    moved(seq, length, first)
}

fn moved(seq: &mut Seq<'_>, v: Value, by: usize) -> Value {
    if by == 0 {
        return v;
    }
    let by = seq.int(&by.to_string(), "usize");
    seq.add(v, by)
}

fn blank(seq: &mut Seq<'_>, ty: &Ty) -> Value {
    let constant = match ty {
        Ty::Tuple(types) => {
            let parts = types.iter().map(|ty| blank(seq, ty)).collect();
            return seq.value(OpKind::Tuple(parts), ty.clone(), "tuple");
        }
        Ty::Int(_) => Const::Int("0".to_owned()),
        Ty::Bool => Const::Bool(false),
        _ => Const::Float("0.0".to_owned()),
    };
    seq.value(OpKind::Const(constant), ty.clone(), "c")
}

/// Stores where the body pushes; `outer` is the number of the trip of the loop around.
fn stored(
    func: &mut Func,
    ints: &Map<Value, i64>,
    range: &Range,
    body: &mut Region,
    outer: Option<(Value, Value)>,
    inner: &[Value],
    list: &Growing,
) {
    let mut ops = Vec::new();
    let span = Span::call_site();
    let mut seq = Seq::new(func, &mut ops, span);
    let mut trip = body.params[0];
    if ints.get(&range.lo) != Some(&0) {
        trip = seq.sub(trip, range.lo);
    }
    if let Some((outer, trips)) = outer {
        let before = seq.mul(outer, trips);
        trip = seq.add(before, trip);
    }
    if let Some((trips, inner)) = inner.split_first() {
        for mut op in std::mem::take(&mut body.ops) {
            if grows(&op, list.slot)
                && let OpKind::For { range, body, .. } = &mut op.kind
            {
                stored(func, ints, range, body, Some((trip, *trips)), inner, list);
            }
            ops.push(op);
        }
    } else {
        let start = scaled(&mut seq, trip, list);
        let mut length = start;
        let mut lengths = Map::default();
        let mut pushes = 0;
        for mut op in std::mem::take(&mut body.ops) {
            if let Some((_, v)) = pushed(&op).filter(|(slot, _)| *slot == list.slot) {
                op.kind = OpKind::Const(Const::Unit);
                let mut seq = Seq::new(func, &mut ops, op.span);
                seq.push(OpKind::Store(element(list.slot, length), v));
                pushes += 1;
                length = moved(&mut seq, start, pushes);
            } else {
                op.walk(&mut |op| {
                    if matches!(&op.kind, OpKind::Len(place) if place.root == list.slot) {
                        lengths.extend(op.results.iter().map(|len| (*len, length)));
                    }
                });
            }
            ops.push(op);
        }
        for op in &mut ops {
            rename(op, &lengths);
        }
        for v in &mut body.yields {
            *v = lengths.get(v).copied().unwrap_or(*v);
        }
    }
    body.ops = ops;
}

#[cfg(test)]
mod tests {
    use crate::testing::primal;

    /// True if the list has its length from the start.
    fn is_filled(body: &str) -> bool {
        let source = format!("fn f(x: &[f64], n: usize) -> f64 {{ {body} t[0] * t[1] }}");
        !primal(&source).to_string().contains("push(")
    }

    #[test]
    fn a_list_that_each_trip_pushes_to_has_its_length() {
        for body in [
            "let mut t = Vec::new(); for i in 0..n { t.push(x[i]); }",
            "let mut t = Vec::with_capacity(n); for i in 3..n { t.push(x[i]); t.push(2.0 * x[i]); }",
            "let mut t = vec![1.0, x[0]]; for v in x { t.push(v * v); }",
            "let mut t = vec![1.0]; t.push(2.0); let m = x.len(); for i in 1..m { t.push(x[i]); }",
            "let mut t = vec![]; for i in 1..n { for j in 2..x.len() { t.push(x[i] * x[j]); } }",
        ] {
            assert!(is_filled(body), "{body}");
        }
    }

    #[test]
    fn it_may_be_read_where_it_is_there() {
        for read in [
            "t[i - 1]",
            "t[0]",
            "t[t.len() - 1]",
            "t.last().unwrap()",
            "t.iter().sum::<f64>()",
        ] {
            let body = format!(
                "let mut t = vec![1.0]; for i in 1..n {{ let v = {read} * x[i]; t.push(v); }}"
            );
            assert!(is_filled(&body), "{body}");
        }
        assert!(is_filled(
            "let mut t: Vec<f64> = vec![]; for i in 0..n { let mut s = x[i]; for j in 0..i { s += t[j]; } t.push(s); }"
        ));
    }

    #[test]
    fn others_grow() {
        for body in [
            "let mut t = vec![]; for i in 0..n { if x[i] > 0.0 { t.push(x[i]); } }",
            "let mut t = vec![]; for i in 0..n { if i > 7 { break; } t.push(x[i]); }",
            "let mut t = vec![]; for i in 0..n { for j in 0..i { t.push(x[j]); } }",
            "let mut t = vec![1.0]; for i in 1..n { let v = t[i] * x[i]; t.push(v); }",
            "let mut t = vec![1.0]; for i in 2..n { let v = t[i - 1] * x[i]; t.push(v); }",
            "let mut t = vec![1.0]; for i in 1..n { t[0] = x[i]; t.push(x[i]); }",
            "let mut t = vec![1.0]; for i in 1..n { t.push(x[i]); t.truncate(2); }",
            "let mut t = vec![1.0]; t.pop(); for i in 1..n { t.push(x[i]); }",
        ] {
            assert!(!is_filled(body), "{body}");
        }
    }
}

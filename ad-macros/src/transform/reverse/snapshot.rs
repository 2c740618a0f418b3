//! Memory of the caller that is restored as a whole.
//!
//! The content that a slice behind `&mut` had on entry has to be restored for the caller. Where the reverse half reads no
//! content that is overwritten later, nothing else has to be restored. Then one copy is made before the first nest of loops
//! that stores to the slice, and written back at the end of the reverse half, instead of a save for each store.
//!
//! The copy costs as much as the slice is long, the saves as much as there are stores. Which is less, only the run tells
//! (a rotation of two rows of a matrix, a leaf of a recursion that works in place): the stores are counted from the loops'
//! bounds before the nest is entered, and where they are fewer than elements, each store saves the old value.
//!
//! Valid for slices of scalars that nothing touches but loads, stores and borrows in counted loops: a callee's pullback
//! would want the content as it was right after the call.

use std::collections::HashMap;

use super::Reverse;
use crate::analyze::own_written_slots;
use crate::ir::{
    BinaryOp, Capacity, Const, Func, Op, OpKind, Pattern, Place, Proj, Range, Region, RepeatLen,
    Slot, SlotKind, Ty, Value,
};

/// How a slice of the caller's is put back.
#[derive(Clone, Copy)]
pub(super) struct Snapshot {
    /// True if it is copied as a whole; else each store saves the old value. Known where the first nest is entered.
    pub(super) whole: Value,
    /// The copy, empty if there is none.
    copy: Value,
}

/// Where the values of a function come from.
#[derive(Default)]
struct Origins<'a> {
    /// The operations that compute them.
    ops: HashMap<Value, &'a Op>,
    /// Of induction variables.
    ranges: HashMap<Value, &'a Range>,
}

impl<'a> Origins<'a> {
    fn find(&mut self, region: &'a Region) {
        for op in &region.ops {
            for result in &op.results {
                self.ops.insert(*result, op);
            }
            if let OpKind::For { range, body, .. } = &op.kind {
                self.ranges.insert(body.params[0], range);
            }
            for inner in op.regions() {
                self.find(inner);
            }
        }
    }

    /// Returns `true` if two values are computed from the same values in the same way.
    fn same(&self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        let (Some(a), Some(b)) = (self.ops.get(&a), self.ops.get(&b)) else {
            return false;
        };
        match (&a.kind, &b.kind) {
            (OpKind::Binary(f, a, b), OpKind::Binary(g, c, d)) => {
                f == g && self.same(*a, *c) && self.same(*b, *d)
            }
            (OpKind::Const(Const::Int(a)), OpKind::Const(Const::Int(b))) => a == b,
            _ => false,
        }
    }
}

impl<'a> Reverse<'a> {
    /// Decides for each slice of the caller's that may be put back as a whole, and copies it before its first store.
    pub(super) fn take_snapshots(&mut self) {
        let src: &'a Func = self.src;
        let mut origins = Origins::default();
        origins.find(&src.body);
        for param in &src.params {
            let Pattern::Slot(slot) = param.pattern else {
                continue;
            };
            let Ty::Slice(elem) = &src.slot(slot).ty else {
                continue;
            };
            let owed = src.slot(slot).kind == SlotKind::RefMut && !param.constant;
            if owed && elem.is_scalar() && !self.plan.restore.contains(&slot) {
                self.copy_at_entry(slot, elem, &origins);
            }
        }
    }

    fn copy_at_entry(&mut self, slot: Slot, elem: &Ty, origins: &Origins<'a>) {
        let body = &self.src.body;
        let stores = |op: &Op| self.stores_in(op, slot);
        let Some(first) = body.ops.iter().position(stores) else {
            return;
        };
        let span = body.ops[first].span;
        self.span = span;
        let mut total = None;
        for op in &body.ops[first..] {
            self.count(op, slot, None, first, origins, &mut total);
        }
        let Some(total) = total else {
            self.plan.restore.insert(slot);
            return;
        };
        let vec = Ty::Vec(Box::new(elem.clone()));
        let mut seq = self.seq_before(first);
        let len = seq.value(OpKind::Len(Place::whole(slot)), Ty::Int("usize"), "len");
        let len = seq.cast(len, &Ty::F64);
        let whole = seq.value(OpKind::Binary(BinaryOp::Ge, total, len), Ty::Bool, "whole");
        let mut sides = [Region::default(), Region::default()];
        for (k, side) in sides.iter_mut().enumerate() {
            let mut inner = super::Seq::new(&mut *seq.func, &mut side.ops, span);
            let kind = if k == 0 {
                OpKind::CloneOf(Place::whole(slot))
            } else {
                let (zero, none) = (zero_of_scalar(&mut inner, elem), inner.int("0", "usize"));
                OpKind::Repeat {
                    elem: zero,
                    len: RepeatLen::Vec(none),
                }
            };
            side.yields = vec![inner.value(kind, vec.clone(), "copy")];
        }
        let [then, other] = sides;
        let kind = OpKind::If {
            cond: whole,
            then,
            other,
        };
        let copy = seq.value(kind, vec, "copy");
        self.snapshots.insert(slot, Snapshot { whole, copy });
    }

    /// Returns `true` if the operation stores to the slot.
    fn stores_in(&self, op: &Op, slot: Slot) -> bool {
        op.any(&mut |op| {
            own_written_slots(self.src, op, &|s| self.root(s)).contains(&slot)
                && !matches!(op.kind, OpKind::Borrow(..))
        })
    }

    /// Returns `true` if the slot is only accessed in ways that a snapshot allows.
    pub(super) fn may_snapshot(&self, slot: Slot) -> bool {
        let (mut may, mut counted) = (true, false);
        let elem = self.src.slot(slot).ty.element().cloned();
        may &=
            matches!(self.src.slot(slot).ty, Ty::Slice(_)) && elem.is_some_and(|t| t.is_scalar());
        for op in &self.src.body.ops {
            op.walk(&mut |op| {
                // A few stores are saved on a stack that needs no allocation.
                if let OpKind::For { range, .. } = &op.kind {
                    counted |= self.src.int_const(range.hi).is_none() && self.stores_in(op, slot);
                }
                if op.slots().iter().any(|(s, _)| self.root(*s) == slot) && !op.is_control() {
                    may &= match &op.kind {
                        OpKind::Load(_) | OpKind::Len(_) | OpKind::Borrow(..) => true,
                        OpKind::Store(place, v) => {
                            self.src.ty(*v).is_scalar()
                                && matches!(place.path.last(), Some(Proj::Index(_)))
                        }
                        _ => false,
                    };
                }
                may &= op.kind.closures().is_empty();
            });
        }
        may && counted
    }

    /// Adds how many stores to the slot there are in the operation, as far as that is known before operation `first` of the body.
    fn count(
        &mut self,
        op: &'a Op,
        slot: Slot,
        times: Option<Value>,
        first: usize,
        origins: &Origins<'a>,
        total: &mut Option<Value>,
    ) {
        if !self.stores_in(op, slot) {
            return;
        }
        if let OpKind::Store(..) = op.kind {
            if let Some(times) = times {
                *total = Some(match *total {
                    Some(sum) => self.seq_before(first).add(sum, times),
                    None => times,
                });
            }
            return;
        }
        let times = match &op.kind {
            OpKind::For { range, .. } => {
                let Some(trips) = self.trips(range, first, origins) else {
                    return;
                };
                Some(match times {
                    Some(times) => self.seq_before(first).mul(times, trips),
                    None => trips,
                })
            }
            OpKind::If { .. } => times,
            _ => return,
        };
        for region in op.regions() {
            for op in &region.ops {
                self.count(op, slot, times, first, origins, total);
            }
        }
    }

    /// Returns `true` if the value is known before operation `first` of the body.
    fn is_known(&self, v: Value, first: usize) -> bool {
        matches!(self.homes.get(&v), Some((0, at)) if at.is_none_or(|at| at < first))
            || self.src.int_const(v).is_some()
    }

    /// At most so many times a loop over the range runs, as a float, which never overflows.
    fn trips(&mut self, range: &Range, first: usize, origins: &Origins<'a>) -> Option<Value> {
        let mut trips = self.at_most(range.hi, first, origins)?;
        if self.is_known(range.lo, first) && self.is_known(range.hi, first) {
            let lo = self.at_most(range.lo, first, origins)?;
            trips = self.seq_before(first).sub(trips, lo);
        }
        let mut seq = self.seq_before(first);
        if range.inclusive {
            let one = seq.number("1.0", &Ty::F64);
            trips = seq.add(trips, one);
        }
        let zero = seq.number("0.0", &Ty::F64);
        let none = seq.value(OpKind::Binary(BinaryOp::Gt, trips, zero), Ty::Bool, "some");
        Some(seq.select(none, trips, zero))
    }

    /// The value, which isn't negative, at most, as a float that is computed before operation `first` of the body.
    fn at_most(&mut self, v: Value, first: usize, origins: &Origins<'a>) -> Option<Value> {
        if let Some(n) = self.src.int_const(v) {
            return Some(self.seq_before(first).number(&format!("{n}.0"), &Ty::F64));
        }
        if let Some(range) = origins.ranges.get(&v) {
            return self.at_most(range.hi, first, origins);
        }
        if self.is_known(v, first) {
            return Some(self.seq_before(first).cast(v, &Ty::F64));
        }
        let op = origins.ops.get(&v)?;
        match &op.kind {
            OpKind::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), a, b) => {
                let a = self.at_most(*a, first, origins)?;
                let b = self.at_most(*b, first, origins)?;
                Some(self.seq_before(first).binary(*op, a, b))
            }
            OpKind::Binary(BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem, a, _) => {
                self.at_most(*a, first, origins)
            }
            // The lesser of two lengths.
            OpKind::Select(_, a, b) => self
                .at_most(*a, first, origins)
                .or_else(|| self.at_most(*b, first, origins)),
            OpKind::Len(place) => self.length_at_most(place, first, origins),
            _ => None,
        }
    }

    /// The length of the list in a place, at most.
    fn length_at_most(
        &mut self,
        place: &Place,
        first: usize,
        origins: &Origins<'a>,
    ) -> Option<Value> {
        let mut place = place.clone();
        while let Some(outer) = self.aliases.get(&place.root) {
            place = outer.extended(&place.path);
        }
        match place.path.last() {
            None if self.slot_homes.get(&place.root) == Some(&(0, None)) => {
                let kind = OpKind::Len(place);
                let mut seq = self.seq_before(first);
                let len = seq.value(kind, Ty::Int("usize"), "len");
                Some(seq.cast(len, &Ty::F64))
            }
            Some(Proj::Range(Some(lo), Some(hi))) => {
                let width = self.width(*lo, *hi, origins)?;
                self.at_most(width, first, origins)
            }
            _ => None,
        }
    }

    /// The value `w`, if the bounds are `lo` and `lo + w`, or `k * w` and `(k + 1) * w`.
    fn width(&self, lo: Value, hi: Value, origins: &Origins<'a>) -> Option<Value> {
        let parts = |v: Value, wanted: BinaryOp| match &origins.ops.get(&v)?.kind {
            OpKind::Binary(op, a, b) if *op == wanted => Some((*a, *b)),
            _ => None,
        };
        let is_next = |next: Value, k: Value| {
            parts(next, BinaryOp::Add).is_some_and(|(a, b)| {
                a == k && self.src.int_const(b) == Some(1)
                    || b == k && self.src.int_const(a) == Some(1)
            })
        };
        if self.src.int_const(lo) == Some(0) {
            return Some(hi);
        }
        if let Some((a, b)) = parts(hi, BinaryOp::Add) {
            if origins.same(a, lo) {
                return Some(b);
            }
            if origins.same(b, lo) {
                return Some(a);
            }
        }
        let ((a, b), (c, d)) = (parts(lo, BinaryOp::Mul)?, parts(hi, BinaryOp::Mul)?);
        if b == d && is_next(c, a) {
            return Some(b);
        }
        (a == c && is_next(d, b)).then_some(a)
    }

    /// Saves the value that operation `i`, a store, overwrites, where the slice wasn't copied as a whole. Records how to undo the store.
    pub(super) fn save_alone(&mut self, i: usize, place: &Place, ty: &Ty, whole: Value) {
        if self.save_in_run_alone(i, place, ty, whole) {
            return;
        }
        let tape = self.tape_slot("old_tape", false, 0);
        self.tapes.push(Op::new(
            OpKind::NewTape(tape, Capacity::Unknown),
            Vec::new(),
            self.span,
        ));
        let span = self.span;
        let mut other = Region::default();
        let mut seq = super::Seq::new(&mut self.out, &mut other.ops, span);
        let old = seq.load(place.clone(), ty.clone(), "old");
        seq.push(OpKind::Push(tape, vec![old]));
        let kind = |other| OpKind::If {
            cond: whole,
            then: Region::default(),
            other,
        };
        self.seq_before(i).push(kind(other));
        let place = self.resolved(place);
        let mut other = Region::default();
        let old = self.out.new_value(ty.clone(), "old", span);
        other.ops.push(Op::new(OpKind::Pop(tape), vec![old], span));
        other
            .ops
            .push(Op::new(OpKind::Store(place, old), Vec::new(), span));
        self.seq().push(kind(other));
    }

    /// The same in a counted loop: the old value is at the position of the trip's number, in a run that is empty where the
    /// slice was copied as a whole.
    fn save_in_run_alone(&mut self, i: usize, place: &Place, ty: &Ty, whole: Value) -> bool {
        let Some(stored) = self.begin_run(self.depth(), ty, "old", Some(whole)) else {
            return false;
        };
        let (span, primal, again) = (self.span, place.clone(), self.resolved(place));
        let kind = |ops| OpKind::If {
            cond: whole,
            then: Region::default(),
            other: Region {
                ops,
                ..Region::default()
            },
        };
        let mut ops = Vec::new();
        let mut seq = super::Seq::new(&mut self.out, &mut ops, span);
        let old = seq.load(primal, ty.clone(), "old");
        stored.store(&mut seq, old);
        self.seq_before(i).push(kind(ops));
        let at = stored.again(self);
        let mut ops = Vec::new();
        let mut seq = super::Seq::new(&mut self.out, &mut ops, span);
        let old = stored.load(&mut seq, at, ty);
        seq.push(OpKind::Store(again, old));
        self.seq().push(kind(ops));
        true
    }

    /// Restores the copied slices, at the end of the reverse half.
    pub(super) fn put_snapshots_back(&mut self) {
        let mut all: Vec<(Slot, Snapshot)> =
            std::mem::take(&mut self.snapshots).into_iter().collect();
        all.sort_unstable_by_key(|(slot, _)| *slot);
        for (slot, Snapshot { whole, copy }) in all {
            let mut then = Region::default();
            then.ops.push(Op::new(
                OpKind::Store(Place::whole(slot), copy),
                Vec::new(),
                self.span,
            ));
            self.seq().push(OpKind::If {
                cond: whole,
                then,
                other: Region::default(),
            });
        }
    }
}

fn zero_of_scalar(seq: &mut super::Seq, ty: &Ty) -> Value {
    match ty {
        Ty::Int(name) => seq.int("0", name),
        Ty::Bool => seq.value(OpKind::Const(Const::Bool(false)), Ty::Bool, "c"),
        ty => seq.zero(ty),
    }
}

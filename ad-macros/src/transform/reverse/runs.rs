//! Residuals of counted loops, stored by position.
//!
//! A residual of a loop has a known position: the trip's number. So each value has a tape of its own, of which a run of the
//! loop takes as many entries as it has trips when it begins, written and read by index, so that neither half checks for
//! capacity and both can be vectorised. Runs mirror each other: the reverse half of the last one takes back the last entries.
//! An inner loop's tape lives as long as the rule, as all tapes do, and keeps its memory from run to run.
//!
//! Valid for loops that count through a range of `usize` in steps of one and aren't left early (the trips are known then), and
//! scalars whose type is known. Whatever else is stored goes on a stack; so is all in a recursion, where each call has tapes of its
//! own, too short to pay for being cleared.

use super::super::seq::Seq;
use super::frame::Run;
use super::{FrameKind, Reverse};
use crate::ir::{
    Adapter, BinaryOp, Capacity, Op, OpKind, Place, Proj, Range, Slot, SlotData, SlotKind, Ty,
    Value,
};

/// Where a value is stored by the trip's number.
pub(super) struct Stored {
    run: Slot,
    again: Slot,
    /// The loop's counter and the start of its range, unless that is zero.
    index: Value,
    lo: Option<Value>,
}

impl Stored {
    /// In the forward half.
    pub(super) fn store(&self, seq: &mut Seq, v: Value) {
        let at = match self.lo {
            Some(lo) => seq.binary(BinaryOp::Sub, self.index, lo),
            None => self.index,
        };
        seq.push(OpKind::Store(element(self.run, at), v));
    }

    /// The operands of the position in the reverse half.
    pub(super) fn again(&self, reverse: &mut Reverse) -> (Value, Option<Value>) {
        (reverse.need(self.index), self.lo.map(|lo| reverse.need(lo)))
    }

    /// In the reverse half.
    pub(super) fn load(
        &self,
        seq: &mut Seq,
        (index, lo): (Value, Option<Value>),
        ty: &Ty,
    ) -> Value {
        let at = match lo {
            Some(lo) => seq.binary(BinaryOp::Sub, index, lo),
            None => index,
        };
        seq.load(element(self.again, at), ty.clone(), "kept")
    }
}

impl<'a> Reverse<'a> {
    /// Stores a value of a loop's body, and gets it back, if it can have a place that the trip's number tells.
    pub(super) fn save_in_run(&mut self, v: Value, depth: usize) -> Option<Value> {
        let data = self.out.value(v).clone();
        if matches!(self.capacity(depth), Capacity::Fixed(_)) {
            return None;
        }
        let stored = self.begin_run(depth, &data.ty, &data.name, None)?;
        let span = self.span;
        let mut seq = Seq::new(&mut self.out, &mut self.frames[depth].end, span);
        stored.store(&mut seq, v);
        let at = stored.again(self);
        let mut seq = Seq::new(&mut self.out, &mut self.frames[depth].prologue, span);
        let kept = stored.load(&mut seq, at, &data.ty);
        self.out.value_mut(kept).name = data.name;
        Some(kept)
    }

    /// A tape for something that each trip of the loop around stores, and its part for a run of the loop, in both halves. It is empty
    /// `unless` that isn't so.
    pub(super) fn begin_run(
        &mut self,
        depth: usize,
        ty: &Ty,
        name: &str,
        unless: Option<Value>,
    ) -> Option<Stored> {
        if !matches!(ty, Ty::F32 | Ty::F64 | Ty::Int(_) | Ty::Bool)
            || self.recursive
            || self.frames[depth].kind != FrameKind::Loop
            || self.closure_around(depth).is_some()
        {
            return None;
        }
        let outer = &self.frames[depth - 1];
        let pos = outer.pos;
        let (range, index) = self.counted(&outer.region.ops[pos])?;
        let tape = self.tape_slot(&format!("{name}_tape"), false, 0);
        self.tapes.push(Op::new(
            OpKind::NewTape(tape, Capacity::Runs),
            Vec::new(),
            self.span,
        ));
        let run = self.run_slot(ty, name, depth - 1);
        let again = self.run_slot(ty, name, depth - 1);
        let (lo, mut hi) = (range.lo, range.hi);
        let mut seq = self.seq_before_at(depth - 1, pos);
        if let Some(whole) = unless {
            hi = seq.select(whole, lo, hi);
        }
        seq.push(OpKind::Run {
            run,
            tape,
            lo,
            hi,
            again: false,
        });
        self.frames[depth].runs.push(Run {
            tape,
            again,
            unless,
        });
        let from_zero = self.src.int_const(lo) == Some(0);
        Some(Stored {
            run,
            again,
            index,
            lo: (!from_zero).then_some(lo),
        })
    }

    /// The range that a loop counts through, and its counter, if the trips are known when it begins.
    pub(super) fn counted<'o>(&self, op: &'o Op) -> Option<(&'o Range, Value)> {
        let (range, _, body) = op.as_counted_loop()?;
        let index = body.params[0];
        let by_one = range.adapters.iter().all(|a| *a == Adapter::Rev);
        (by_one && !range.inclusive && matches!(self.src.ty(index), Ty::Int("usize")))
            .then_some((range, index))
    }

    fn run_slot(&mut self, elem: &Ty, name: &str, depth: usize) -> Slot {
        let slot = self.out.new_slot(SlotData::new(
            Ty::Vec(Box::new(elem.clone())),
            SlotKind::Owned,
            format!("{name}_run"),
            self.span,
        ));
        self.slot_homes.insert(slot, (depth, None));
        slot
    }

    /// Takes back the entries that a run of the loop has stored, before its reverse half.
    pub(super) fn reverse_runs(&mut self, op: &'a Op, runs: &[Run]) {
        let Some((range, _)) = self.counted(op).filter(|_| !runs.is_empty()) else {
            return;
        };
        let (lo, end) = (self.need(range.lo), self.need(range.hi));
        for Run {
            tape,
            again,
            unless,
        } in runs
        {
            let hi = match unless {
                Some(whole) => self.seq().select(*whole, lo, end),
                None => end,
            };
            self.seq().push(OpKind::Run {
                run: *again,
                tape: *tape,
                lo,
                hi,
                again: true,
            });
        }
    }
}

fn element(run: Slot, at: Value) -> Place {
    Place::new(run, vec![Proj::Index(at)])
}

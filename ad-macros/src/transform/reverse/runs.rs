//! Residuals of counted loops, stored by position.
//!
//! What a trip of a loop stores has a place that is known: the trip's number. So each value has a tape of its own, of which a
//! run of the loop takes as many entries as it has trips when it begins, written and read by index, so that neither half
//! checks for capacity and both can be vectorised. Runs mirror each other: the reverse half of the last one gets back
//! the last entries. An inner loop's tape lives as long as the rule, as all tapes do, and keeps its memory from run to run.
//!
//! Valid for loops that count through a range of `usize` in steps of one and aren't left early (the trips are known then), and
//! scalars whose type is known. Whatever else is stored goes on a stack; so is all in a recursion, where each call has tapes of its
//! own, too short to pay for being cleared.

use super::frame::Run;
use super::{FrameKind, Reverse};
use crate::ir::{
    Adapter, BinaryOp, Capacity, Op, OpKind, Place, Proj, Range, Slot, SlotData, SlotKind, Ty,
    Value,
};

impl<'a> Reverse<'a> {
    /// Stores a value of a loop's body, and gets it back, if it can have a place that the trip's number tells.
    pub(super) fn save_in_run(&mut self, v: Value, depth: usize) -> Option<Value> {
        let data = self.out.value(v).clone();
        if !matches!(data.ty, Ty::F32 | Ty::F64 | Ty::Int(_) | Ty::Bool)
            || self.recursive
            || self.frames[depth].kind != FrameKind::Loop
            || self.closure_around(depth).is_some()
            || matches!(self.capacity(depth), Capacity::Fixed(_))
        {
            return None;
        }
        let outer = &self.frames[depth - 1];
        let pos = outer.pos;
        let (range, index) = self.counted(&outer.region.ops[pos])?;
        let tape = self.tape_slot(&format!("{}_tape", data.name), false, 0);
        self.tapes.push(Op {
            kind: OpKind::NewTape(tape, Capacity::Runs),
            results: Vec::new(),
            span: self.span,
        });
        let run = self.run_slot(&data.ty, &data.name, depth - 1);
        let again = self.run_slot(&data.ty, &data.name, depth - 1);
        let lo = range.lo;
        self.seq_before_at(depth - 1, pos).push(OpKind::Run {
            run,
            tape,
            lo,
            hi: range.hi,
            again: false,
        });
        let from_zero = self.src.int_const(lo) == Some(0);
        let mut end = std::mem::take(&mut self.frames[depth].end);
        let mut seq = super::Seq {
            func: &mut self.out,
            ops: &mut end,
            span: self.span,
        };
        let at = if from_zero {
            index
        } else {
            seq.binary(BinaryOp::Sub, index, lo)
        };
        seq.push(OpKind::Store(element(run, at), v));
        self.frames[depth].end = end;

        let (index, lo) = (self.need(index), if from_zero { lo } else { self.need(lo) });
        let mut prologue = std::mem::take(&mut self.frames[depth].prologue);
        let mut seq = super::Seq {
            func: &mut self.out,
            ops: &mut prologue,
            span: self.span,
        };
        let at = if from_zero {
            index
        } else {
            seq.binary(BinaryOp::Sub, index, lo)
        };
        let kept = seq.load(element(again, at), data.ty, &data.name);
        self.frames[depth].prologue = prologue;
        self.frames[depth].runs.push(Run { tape, again });
        Some(kept)
    }

    /// The range that a loop counts through, and its counter, if the trips are known when it begins.
    fn counted(&self, op: &'a Op) -> Option<(&'a Range, Value)> {
        let OpKind::For {
            range,
            stop: false,
            body,
            ..
        } = &op.kind
        else {
            return None;
        };
        let index = body.params[0];
        let by_one = range.adapters.iter().all(|a| *a == Adapter::Rev);
        (by_one && !range.inclusive && matches!(self.src.ty(index), Ty::Int("usize")))
            .then_some((range, index))
    }

    fn run_slot(&mut self, elem: &Ty, name: &str, depth: usize) -> Slot {
        let slot = self.out.new_slot(SlotData {
            ty: Ty::Vec(Box::new(elem.clone())),
            kind: SlotKind::Owned,
            name: format!("{name}_run"),
            ident: None,
            in_option: false,
            frozen: false,
            in_field: false,
            may_borrow: false,
            span: self.span,
        });
        self.slot_homes.insert(slot, (depth, None));
        slot
    }

    /// What a run of the loop has stored, before its reverse half.
    pub(super) fn reverse_runs(&mut self, op: &'a Op, runs: &[Run]) {
        let Some((range, _)) = self.counted(op).filter(|_| !runs.is_empty()) else {
            return;
        };
        let (lo, hi) = (self.need(range.lo), self.need(range.hi));
        for Run { tape, again } in runs {
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
    Place {
        root: run,
        path: vec![Proj::Index(at)],
    }
}

//! A region while it is being reversed: the additions to its forward half, and its reverse half so far.

use std::collections::BTreeMap;

use crate::ir::{Map, Op, OpKind, Region, Set, Slot, Value};

/// How the reverse half gets at a region's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameKind {
    /// It is in scope: the function's body (captured by the pullback), or a region whose two halves stand together.
    Visible,
    /// A loop's body: through tapes.
    Loop,
    /// A closure's body: through the residual that the callee keeps.
    Closure,
    /// A side of a branch: through further results of the branch, or tapes of at most one entry.
    Arm,
}

/// A value of a counted loop's body, stored by position.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) tape: Slot,
    /// The part of the tape that the reverse half reads.
    pub(super) again: Slot,
    /// Nothing is stored if this is so.
    pub(super) unless: Option<Value>,
}

/// One region, its forward half and its reverse half.
pub(super) struct Frame<'a> {
    pub(super) region: &'a Region,
    pub(super) kind: FrameKind,
    /// The index of the operation that is being reversed.
    pub(super) pos: usize,
    /// True if that operation is fused: its two halves are together in the forward half.
    pub(super) fusing: bool,
    /// Residuals, with their names in the reverse half: one entry of one tape for each run of the region.
    pub(super) saved: Vec<(Value, Value)>,
    pub(super) tape: Option<Slot>,
    /// Values with a sized tape of their own.
    pub(super) runs: Vec<Run>,
    /// Operations that are added to the forward half: at its start, before and after operations, in place of them, at its end.
    pub(super) start: Vec<Op>,
    pub(super) before: BTreeMap<usize, Vec<Op>>,
    pub(super) after: BTreeMap<usize, Vec<Op>>,
    pub(super) replaced: Map<usize, Op>,
    pub(super) end: Vec<Op>,
    /// The reverse half: the values that are popped at its start, and the rest.
    pub(super) prologue: Vec<Op>,
    pub(super) rev: Vec<Op>,
    /// Values of the forward half that the reverse half has at hand.
    pub(super) cache: Map<Value, Value>,
    /// Aliases that the reverse half has borrowed again.
    pub(super) aliases: Map<Slot, Slot>,
    /// For a closure: the stacks that go through the callee.
    pub(super) links: Vec<Slot>,
    /// Slots that came over on a tape.
    pub(super) popped: Set<Slot>,
    /// For a side of a branch: its values, and the further results of the branch that carry them.
    pub(super) promoted: Vec<(Value, Value)>,
    /// Operations that were reversed together with their forward half.
    pub(super) fused: Set<usize>,
}

impl<'a> Frame<'a> {
    pub(super) fn new(region: &'a Region, kind: FrameKind) -> Self {
        Frame {
            region,
            kind,
            pos: region.ops.len(),
            fusing: false,
            saved: Vec::new(),
            tape: None,
            runs: Vec::new(),
            start: Vec::new(),
            before: BTreeMap::new(),
            after: BTreeMap::new(),
            replaced: Map::default(),
            end: Vec::new(),
            prologue: Vec::new(),
            rev: Vec::new(),
            cache: Map::default(),
            aliases: Map::default(),
            links: Vec::new(),
            popped: Set::default(),
            promoted: Vec::new(),
            fused: Set::default(),
        }
    }

    /// Where operations go that must run in this region, now: beside the forward half of a fused operation, else at the
    /// end of the reverse half so far.
    pub(super) fn now(&mut self) -> &mut Vec<Op> {
        if self.fusing {
            self.before.entry(self.pos).or_default()
        } else {
            &mut self.rev
        }
    }

    /// The forward half, and the reverse half's operations.
    pub(super) fn finish(mut self) -> (Region, Vec<Op>) {
        let mut reverse = Vec::new();
        if let Some(tape) = self.tape {
            let span = self
                .region
                .ops
                .first()
                .map_or_else(proc_macro2::Span::mixed_site, |op| op.span);
            let (pushed, popped) = self.saved.iter().copied().unzip();
            self.end
                .push(Op::new(OpKind::Push(tape, pushed), Vec::new(), span));
            reverse.push(Op::new(OpKind::Pop(tape), popped, span));
        }
        let mut ops = std::mem::take(&mut self.start);
        for (i, op) in self.region.ops.iter().enumerate() {
            ops.extend(self.before.remove(&i).unwrap_or_default());
            ops.push(self.replaced.remove(&i).unwrap_or_else(|| op.clone()));
            ops.extend(self.after.remove(&i).unwrap_or_default());
        }
        ops.append(&mut self.end);
        let forward = Region {
            params: self.region.params.clone(),
            ops,
            yields: self.region.yields.clone(),
        };
        reverse.append(&mut self.prologue);
        reverse.append(&mut self.rev);
        (forward, reverse)
    }
}

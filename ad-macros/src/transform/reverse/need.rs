//! Residuals: how the reverse half gets values that the forward half computed.
//!
//! A value that is in scope is used as it is. A cheap one (a load from memory that is unchanged or restored, also from
//! one of two places by a decision, integer arithmetic, sums and products of values at hand) is computed again. Anything else is stored: once for each value, however
//! many operations need it. The copy of a recomputed value is in the reverse half of the region where the value was
//! defined, before the reverse half of the operation that needs it, and so outside of inner loops.
//!
//! Residuals of a branch are further results of the branch for scalars, and stacks of at most one entry (`Option`) for pullbacks and other
//! values of unknown type.

use super::super::seq::Seq;
use super::{FrameKind, Reverse, Shape};
use crate::analyze::{Change, Dependences, changes, own_written_slots, relocates};
use crate::diagnostics::bug;
use crate::ir::{
    Arg, BinaryOp, Capacity, Const, Lookup, Op, OpKind, Place, Proj, Region, Rule, Set, Slot,
    SlotKind, Ty, Value,
};

/// The most entries of a tape that needs no allocation.
const FIXED: usize = 16;

/// The most operations that are repeated rather than stored, those on indices aside.
const CHEAP: u32 = 8;

/// The most operations that are looked at for this.
const MOST: usize = 32;

/// The place that an operation reads, and which of its changes change the result.
fn read_by(op: &Op) -> Option<(&Place, Change)> {
    match &op.kind {
        OpKind::Load(place) => Some((place, Change::Content)),
        OpKind::Len(place) => Some((place, Change::Shape)),
        _ => None,
    }
}

impl Reverse<'_> {
    /// The value, or its equal, in the reverse half.
    pub(super) fn need(&mut self, v: Value) -> Value {
        let Some(&(depth, index)) = self.homes.get(&v) else {
            return v;
        };
        if depth >= self.frames.len() {
            bug!("a value is needed outside of its region")
        }
        if self.frames[depth].kind == FrameKind::Visible {
            return v;
        }
        if let Some(cached) = self.frames[depth].cache.get(&v) {
            return *cached;
        }
        let mut cost = self.cost(v);
        if let (None, Some(OpKind::Unary(_, of))) = (cost, self.definition(v).map(|op| &op.kind)) {
            // It is as large as its operand, which other operations may need.
            let of = *of;
            self.need(of);
            cost = self.cost(v);
        }
        if let (None, Some(inner)) = (cost, self.loop_around(depth)) {
            // The region outside of the loop stores the values that a trip takes from it, once for all trips.
            cost = self.cost_given(v, inner);
        }
        let at_hand = match cost {
            Some(cost) if cost <= CHEAP => self.repeat(v, depth, index),
            _ => self.save(v, depth),
        };
        self.frames[depth].cache.insert(v, at_hand);
        at_hand
    }

    /// The source operation that defines a value in a region that is being reversed.
    fn definition(&self, v: Value) -> Option<&Op> {
        let &(depth, index) = self.homes.get(&v)?;
        let op = &self.frames.get(depth)?.region.ops[index?];
        op.results.contains(&v).then_some(op)
    }

    /// How many operations it takes to compute a value again, if that can be done.
    pub(super) fn cost(&self, v: Value) -> Option<u32> {
        self.cost_given(v, 0)
    }

    /// The same, given the values of the regions around that at `inner`.
    fn cost_given(&self, v: Value, inner: usize) -> Option<u32> {
        self.cost_of(v, inner, &mut Set::default())
    }

    /// The same. What has been counted before costs nothing more.
    fn cost_of(&self, v: Value, inner: usize, counted: &mut Set<Value>) -> Option<u32> {
        let &(depth, index) = self.homes.get(&v)?;
        let frame = self.frames.get(depth)?;
        let at_hand = frame.kind == FrameKind::Visible || frame.cache.contains_key(&v);
        if !counted.insert(v) || at_hand {
            return Some(0);
        }
        if counted.len() > MOST {
            return None;
        }
        if depth < inner && self.out.ty(v).is_scalar() {
            return Some(1);
        }
        let op = self.definition(v)?;
        let total = match &op.kind {
            OpKind::Const(Const::Undef | Const::Unit) => return None,
            OpKind::Const(_) => return Some(0),
            OpKind::Binary(BinaryOp::Div | BinaryOp::Rem, a, _) if self.src.ty(*a).is_float() => {
                return None;
            }
            // Part of an address.
            OpKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
                if self.is_position(v) =>
            {
                0
            }
            OpKind::Unary(_, _) | OpKind::Cast(_) | OpKind::Select(..) | OpKind::Binary(..) => 1,
            OpKind::Len(_) => self.can_read_again(op, v, depth, index?).then_some(1)?,
            OpKind::Locate { place, .. } => self.stays(place, depth, index?).then_some(1)?,
            // An index of the user's.
            OpKind::Tuple(parts) if parts.iter().all(|v| self.is_position(*v)) => 1,
            OpKind::Load(_) => {
                let scalar = self.src.ty(v).is_scalar();
                (scalar && self.can_read_again(op, v, depth, index?)).then_some(1)?
            }
            OpKind::If { then, other, .. } => {
                // A load from one of two places.
                let places = [then, other].map(|side| self.read_again(side, v, depth, index));
                let mut sum = 1;
                for place in places {
                    for operand in place?.operands() {
                        sum += self.cost_of(operand, inner, counted)?;
                    }
                }
                sum
            }
            _ => return None,
        };
        let mut sum = total;
        for operand in op.operands() {
            sum += self.cost_of(operand, inner, counted)?;
            if sum > CHEAP {
                return None;
            }
        }
        Some(sum)
    }

    /// The operation by which a side of a branch makes its result, if it only reads memory that can be read again.
    fn read_again<'a>(
        &self,
        side: &'a Region,
        v: Value,
        depth: usize,
        index: Option<usize>,
    ) -> Option<&'a Op> {
        let [op] = &side.ops[..] else { return None };
        let scalar = self.src.ty(v).is_scalar() && side.yields == op.results;
        (scalar && self.can_read_again(op, v, depth, index?)).then_some(op)
    }

    /// Returns `true` if the reverse half can read the slot.
    pub(super) fn reachable(&self, root: Slot) -> bool {
        let data = self.src.slot(root);
        let is_param = self
            .src
            .params
            .iter()
            .any(|p| matches!(p.pattern, crate::ir::Pattern::Slot(s) if s == root));
        if self.closure_params.contains(&root) {
            return true;
        }
        if is_param && data.kind != SlotKind::Owned {
            return !(data.kind == SlotKind::RefMut && super::is_constant(self.src, root));
        }
        if self.moved.contains(&root) && !self.plan.clone.contains(&root) {
            return false;
        }
        // No pullback holds borrows of the arguments.
        if data.may_borrow && self.shape == Shape::Split {
            return false;
        }
        let Some(&(depth, _)) = self.slot_homes.get(&root) else {
            return false;
        };
        self.frames
            .get(depth)
            .is_some_and(|frame| frame.kind == FrameKind::Visible || frame.popped.contains(&root))
    }

    /// Returns `true` if a read of `v` in the reverse half, now, returns the same value as in the forward half. The operation reads memory, and is operation
    /// `index` of the region at `depth` or in it.
    fn can_read_again(&self, op: &Op, v: Value, depth: usize, index: usize) -> bool {
        let Some((place, change)) = read_by(op) else {
            return false;
        };
        let root = self.root(place.root);
        if !self.reachable(root) {
            return false;
        }
        let Some(&write_depth) = self.written.get(&root) else {
            return true;
        };
        if self.is_unchanged(op, depth, index) {
            return true;
        }
        let frame = &self.frames[depth];
        let last = frame.pos.min(frame.region.ops.len() - 1);
        let overwritten = frame.region.ops[index + 1..=last.max(index)]
            .iter()
            .any(|op| self.changes(op, root, change));
        if overwritten {
            return false;
        }
        // No pullback is sure to undo what a call writes to memory without a tangent.
        let is_call = |op: &Op| matches!(op.kind, OpKind::Call(_));
        let calls = |op: &Op| op.any(&mut |op| is_call(op) && self.changes(op, root, change));
        if !self.src.ty(v).is_float() && self.happens_from(root, depth, index, &calls) {
            return false;
        }
        let loops = self.frames[..=depth]
            .iter()
            .filter(|f| matches!(f.kind, FrameKind::Loop | FrameKind::Closure))
            .count();
        self.can_restore(root) && (self.plan.restore.contains(&root) || write_depth <= loops)
    }

    /// Returns `true` if the elements of a list in a place are at the same location in the reverse half. Writing to elements
    /// doesn't move them. Other writes aren't undone for this.
    fn stays(&self, place: &Place, depth: usize, index: usize) -> bool {
        let relocates = |op: &Op| relocates(self.src, op, &|s| self.root(s), place);
        self.reachable(self.root(place.root))
            && !self.happens_from(place.root, depth, index, &relocates)
    }

    /// Returns `true` if nothing changes what an operation reads after it has run.
    fn is_unchanged(&self, op: &Op, depth: usize, index: usize) -> bool {
        read_by(op).is_some_and(|(place, change)| {
            let root = self.root(place.root);
            !self.changed_from(root, depth, index, change)
                || change == Change::Content && self.stays_written(op, place)
        })
    }

    /// Returns `true` if nothing overwrites the place that an operation of the source reads or writes.
    fn stays_written(&self, op: &Op, place: &Place) -> bool {
        let dependences = || Dependences::new(self.src);
        !self.replaced.contains(&self.root(place.root))
            && self.dependences.get_or_init(dependences).stays(op, place)
    }

    fn is_position(&self, v: Value) -> bool {
        matches!(self.src.ty(v), Ty::Int(_) | Ty::Bool)
    }

    /// Returns `true` if an operation may change the slot.
    fn changes(&self, op: &Op, root: Slot, change: Change) -> bool {
        changes(self.src, op, &|s| self.root(s), root, change)
    }

    /// Returns `true` if any operation may change the shape of the slot's content.
    pub(super) fn is_reshaped(&self, root: Slot) -> bool {
        let mut ops = self.src.body.ops.iter();
        ops.any(|op| self.changes(op, root, Change::Shape))
    }

    /// Returns `true` if something may write the slot after operation `index` of the region at `depth` has run.
    pub(super) fn written_from(&self, root: Slot, depth: usize, index: usize) -> bool {
        self.changed_from(root, depth, index, Change::Content)
    }

    fn changed_from(&self, root: Slot, depth: usize, index: usize, change: Change) -> bool {
        self.happens_from(root, depth, index, &|op| self.changes(op, root, change))
    }

    /// Returns `true` if an operation for which `does` holds may run after operation `index` of the region at `depth` has.
    fn happens_from(
        &self,
        root: Slot,
        depth: usize,
        index: usize,
        does: &dyn Fn(&Op) -> bool,
    ) -> bool {
        let home = self.slot_homes.get(&root).map_or(0, |home| home.0);
        let writes = |ops: &[Op]| ops.iter().any(does);
        (0..=depth).any(|d| {
            let frame = &self.frames[d];
            let at = if d == depth { index } else { frame.pos };
            // In a loop, the operations before run again afterwards, unless the slot is made anew.
            let again = d > home && d > 0 && self.is_loop_body(d);
            let from = if again {
                0
            } else {
                (at + 1).min(frame.region.ops.len())
            };
            writes(&frame.region.ops[from..])
        })
    }

    /// Returns `true` if the region at depth `d` is the body of a loop or closure.
    fn is_loop_body(&self, d: usize) -> bool {
        let outer = &self.frames[d - 1];
        outer.region.ops.get(outer.pos).is_some_and(Op::repeats)
    }

    /// Returns `true` if every write to the slot can be undone. A call's pullback undoes the call's writes to memory
    /// that has a shadow, which integers and constant fields haven't.
    pub(super) fn can_restore(&self, root: Slot) -> bool {
        let mut can = true;
        self.src.body.walk(&mut |op| {
            if own_written_slots(self.src, op, &|s| self.root(s)).contains(&root) {
                can &= match &op.kind {
                    OpKind::Store(..) | OpKind::Replace(..) => true,
                    OpKind::Swap(..) => self.act.has_slot(root),
                    OpKind::Call(_) | OpKind::Opaque { .. } => {
                        self.is_undone(op, root) || self.is_put_back(op, root)
                    }
                    _ => false,
                };
            }
        });
        can
    }

    /// Returns `true` if the pullback of a call undoes all that the call writes to the slot.
    fn is_undone(&self, op: &Op, root: Slot) -> bool {
        let OpKind::Call(call) = &op.kind else {
            return false;
        };
        let writes_inactive = |arg: &Arg| match arg {
            Arg::Mut(place) | Arg::Receiver(place) => self.src.is_inactive(place),
            Arg::Value(_) | Arg::Ref(_) | Arg::Function(_) => false,
        };
        call.rule != Rule::Primal
            && self.act.has_slot(root)
            && !call.args.iter().any(writes_inactive)
    }

    /// Computes a value again.
    fn repeat(&mut self, v: Value, depth: usize, index: Option<usize>) -> Value {
        let Some(index) = index else {
            bug!("a region's parameter is computed again")
        };
        let source = &self.frames[depth].region.ops[index];
        let mut op = source.clone();
        if let OpKind::Locate { place, lookup, .. } = &mut op.kind {
            *place = self.primal_place(place);
            *lookup = self.need_lookup(lookup);
        } else if let OpKind::Load(_) | OpKind::Len(_) = op.kind {
            op = self.read_once_more(source, depth, index);
        } else if let OpKind::If { cond, then, other } = &mut op.kind {
            *cond = self.need(*cond);
            for (side, read) in [then, other].into_iter().zip(source.regions()) {
                let mut again = self.read_once_more(&read.ops[0], depth, index);
                let data = self.src.value(again.results[0]).clone();
                again.results = vec![self.out.new_value(data.ty, data.name, data.span)];
                side.yields.clone_from(&again.results);
                side.ops = vec![again];
            }
        } else {
            let mut operands = op.operands().into_iter();
            let needed: Vec<Value> = operands.by_ref().map(|v| self.need(v)).collect();
            let mut needed = needed.into_iter();
            op.each_operand_mut(&mut |v| *v = needed.next().unwrap_or(*v));
        }
        let data = self.src.value(v).clone();
        let mut seq = self.seq_at(depth);
        seq.value(op.kind, data.ty, &data.name)
    }

    /// The read of memory by operation `index`, or in it, once more.
    fn read_once_more(&mut self, op: &Op, depth: usize, index: usize) -> Op {
        let unchanged = self.is_unchanged(op, depth, index);
        let mut again = op.clone();
        let (OpKind::Load(place) | OpKind::Len(place)) = &mut again.kind else {
            bug!("not a load")
        };
        if !unchanged {
            self.plan.restore.insert(self.root(place.root));
        }
        *place = self.primal_place(place);
        again
    }

    /// Stores a value in the forward half, and gets it back.
    fn save(&mut self, v: Value, depth: usize) -> Value {
        let data = self.out.value(v).clone();
        let scalar = data.ty.is_scalar();
        if let Some(again) = self.kept_in_place(v, depth) {
            return again;
        }
        if self.frames[depth].kind == FrameKind::Arm && scalar {
            let result = self.out.new_value(data.ty, data.name, data.span);
            let outer = self.frames[depth - 1].pos;
            self.at_home(result, depth - 1, Some(outer));
            self.frames[depth].promoted.push((v, result));
            return self.need(result);
        }
        if let Some(again) = self.save_in_run(v, depth) {
            return again;
        }
        if self.frames[depth].tape.is_none() {
            let in_loop = self.in_loop(depth);
            let tape = self.tape("residuals", !in_loop, depth);
            self.frames[depth].tape = Some(tape);
        }
        let popped = self.out.new_value(data.ty, data.name, data.span);
        self.frames[depth].saved.push((v, popped));
        popped
    }

    /// A value that its region stores in a place that nothing overwrites: it is read from there.
    fn kept_in_place(&mut self, v: Value, depth: usize) -> Option<Value> {
        let data = self.out.value(v).clone();
        let ops = &self.frames[depth].region.ops;
        let place = ops.iter().find_map(|op| match &op.kind {
            OpKind::Store(place, stored) if *stored == v && data.ty.is_scalar() => {
                let place = self.without_aliases(place);
                let mut cheap = self.reachable(place.root);
                place.each_value(&mut |v| cheap &= self.cost(*v).is_some_and(|cost| cost <= CHEAP));
                (cheap && self.stays_written(op, &place)).then_some(place)
            }
            _ => None,
        })?;
        let mut at_start = true;
        place.each_value(&mut |v| {
            let home = self.homes.get(v);
            at_start &= home.is_none_or(|&(home, index)| home < depth || index.is_none());
        });
        let undone = self.plan.restore.contains(&place.root);
        if !at_start && (undone || self.snapshots.contains_key(&place.root)) {
            // The store may be undone by now.
            return None;
        }
        let place = Place::new(place.root, self.need_path(&place.path));
        let ops = if at_start {
            &mut self.frames[depth].prologue
        } else {
            self.frames[depth].now()
        };
        Some(Seq::new(&mut self.out, ops, self.span).load(place, data.ty, &data.name))
    }

    /// The innermost closure around a region, that region included.
    pub(super) fn closure_around(&self, depth: usize) -> Option<usize> {
        (0..=depth)
            .rev()
            .find(|d| self.frames[*d].kind == FrameKind::Closure)
    }

    /// The innermost loop around a region, that region included, if it is in the same closure.
    fn loop_around(&self, depth: usize) -> Option<usize> {
        let base = self.closure_around(depth).unwrap_or(0);
        (base..=depth)
            .rev()
            .find(|d| self.frames[*d].kind == FrameKind::Loop)
    }

    /// Returns `true` if a region runs more than once in a run of the closure around it, or of the function.
    pub(super) fn in_loop(&self, depth: usize) -> bool {
        let base = self.closure_around(depth).unwrap_or(0);
        self.frames[base..=depth]
            .iter()
            .any(|f| f.kind == FrameKind::Loop)
    }

    pub(super) fn tape_slot(&mut self, name: &str, single: bool, depth: usize) -> Slot {
        let slot = self.out.new_slot(crate::ir::SlotData {
            in_option: single,
            ..crate::ir::SlotData::new(Ty::Tape, SlotKind::Owned, name.to_owned(), self.span)
        });
        self.slot_homes.insert(slot, (depth, None));
        slot
    }

    /// A part of the residual that a closure at `depth` returns to its callee.
    fn link(&mut self, depth: usize) -> Slot {
        let link = self.tape_slot("kept", false, depth);
        self.frames[depth].links.push(link);
        link
    }

    /// A new tape, for a region at `depth`. In a closure it lives for one call, and is part of the residual.
    pub(super) fn tape(&mut self, name: &str, single: bool, depth: usize) -> Slot {
        let closure = self.closure_around(depth);
        if closure == Some(depth) {
            return self.link(depth);
        }
        let slot = self.tape_slot(&format!("{name}_tape"), single, closure.unwrap_or(0));
        if let Some(closure) = closure {
            let link = self.link(closure);
            self.hand_over(closure, link, slot);
        }
        let capacity = self.capacity(depth);
        let op = Op::new(OpKind::NewTape(slot, capacity), Vec::new(), self.span);
        match capacity {
            Capacity::Known(_) => {
                let frame = &mut self.frames[closure.unwrap_or(0)];
                frame.before.entry(frame.pos).or_default().push(op);
            }
            _ => match closure {
                Some(closure) => self.frames[closure].start.push(op),
                None => self.tapes.push(op),
            },
        }
        slot
    }

    /// How often the region at `depth` runs: the product of the loops around it, if all of them count to a number that
    /// is written there; or the end of a range from zero that is in no other loop, and is reached.
    pub(super) fn capacity(&self, depth: usize) -> Capacity {
        let mut fixed = Some(1_usize);
        let base = self.closure_around(depth).unwrap_or(0);
        for frame in &self.frames[base..depth] {
            let Some(op) = frame.region.ops.get(frame.pos) else {
                return Capacity::Unknown;
            };
            let trips = match &op.kind {
                // Both halves of an iteration stand together: the tape is empty again before the next.
                _ if frame.fusing => Some(1),
                OpKind::If { .. } => Some(1),
                OpKind::For { range, .. } if range.adapters.is_empty() => {
                    let (lo, hi) = (self.src.int_const(range.lo), self.src.int_const(range.hi));
                    lo.zip(hi).and_then(|(lo, hi)| {
                        usize::try_from(hi - lo + i64::from(range.inclusive)).ok()
                    })
                }
                _ => None,
            };
            fixed = fixed.zip(trips).and_then(|(a, b)| a.checked_mul(b));
        }
        if let Some(n) = fixed.filter(|n| *n <= FIXED) {
            return Capacity::Fixed(n);
        }
        if depth == base + 1
            && let Some(OpKind::For {
                range, stop: false, ..
            }) = self.frames[base]
                .region
                .ops
                .get(self.frames[base].pos)
                .map(|op| &op.kind)
            && range.adapters.is_empty()
            && !range.inclusive
            && self.src.int_const(range.lo) == Some(0)
            && matches!(self.src.ty(range.hi), Ty::Int("usize"))
        {
            return Capacity::Known(range.hi);
        }
        Capacity::Unknown
    }

    /// Makes an owned slot of the forward half readable in the reverse half, with the content that it ends with.
    pub(super) fn need_slot(&mut self, slot: Slot) {
        let root = self.root(slot);
        if self.src.slot(root).kind != SlotKind::Owned {
            return;
        }
        let in_option = self.src.slot(root).in_option;
        if self.moved.contains(&root) && !in_option {
            self.plan.clone.insert(root);
        }
        let Some(&(depth, _)) = self.slot_homes.get(&root) else {
            return;
        };
        if self.frames[depth].kind == FrameKind::Visible || !self.frames[depth].popped.insert(root)
        {
            return;
        }
        let in_loop = self.in_loop(depth);
        let name = self.src.slot(root).name.clone();
        let tape = self.tape(&name, !in_loop, depth);
        self.hand_over(depth, tape, root);
    }

    /// A tape takes a slot from the end of the forward half of the region at `depth` to the start of its reverse half.
    pub(super) fn hand_over(&mut self, depth: usize, tape: Slot, slot: Slot) {
        let op = |kind| Op::new(kind, Vec::new(), self.span);
        let (push, pop) = (OpKind::PushSlot(tape, slot), OpKind::PopSlot(tape, slot));
        self.frames[depth].end.push(op(push));
        self.frames[depth].prologue.push(op(pop));
    }

    /// A place of the forward half, in the reverse half.
    pub(super) fn primal_place(&mut self, place: &Place) -> Place {
        // Between two uses of an alias, restored memory may be written to.
        if self.aliases.contains_key(&place.root)
            && (self.plan.restore.contains(&self.root(place.root))
                || self.replaced.contains(&self.root(place.root)))
        {
            return self.resolved(place);
        }
        let root = self.reborrow(place.root);
        Place::new(root, self.need_path(&place.path))
    }

    fn need_path(&mut self, path: &[Proj]) -> Vec<Proj> {
        path.iter()
            .map(|proj| match proj {
                Proj::Field(_) | Proj::Variant(..) | Proj::Deref => proj.clone(),
                Proj::Index(i) => Proj::Index(self.need(*i)),
                Proj::At(lookup, at) => {
                    Proj::At(self.need_lookup(lookup), at.map(|at| self.need(at)))
                }
                Proj::Range(lo, hi) => {
                    Proj::Range(lo.map(|v| self.need(v)), hi.map(|v| self.need(v)))
                }
            })
            .collect()
    }

    fn need_lookup(&mut self, lookup: &Lookup) -> Lookup {
        let mut lookup = lookup.clone();
        for operand in lookup.operands_mut() {
            *operand = self.need(*operand);
        }
        lookup
    }

    /// An alias is borrowed again where it is first needed, in the reverse half of the region where it was made.
    fn reborrow(&mut self, slot: Slot) -> Slot {
        let Some(place) = self.aliases.get(&slot).cloned() else {
            return slot;
        };
        let Some(&(depth, _)) = self.slot_homes.get(&slot) else {
            return slot;
        };
        let together = self.frames[depth].fusing
            || (depth > 0 && self.frames[depth].kind == FrameKind::Visible);
        if together {
            return slot;
        }
        if let Some(again) = self.frames[depth].aliases.get(&slot) {
            return *again;
        }
        let place = self.primal_place(&place);
        let mut data = self.out.slot(slot).clone();
        data.ident = None;
        let again = self.out.new_slot(data);
        self.slot_homes.insert(again, (depth, None));
        self.seq_at(depth).push(OpKind::Borrow(again, place));
        self.frames[depth].aliases.insert(slot, again);
        again
    }

    /// A place without aliases, in the reverse half: the address of shadows.
    pub(super) fn resolved(&mut self, place: &Place) -> Place {
        let place = self.without_aliases(place);
        Place::new(place.root, self.need_path(&place.path))
    }

    fn without_aliases(&self, place: &Place) -> Place {
        let mut place = place.clone();
        while let Some(outer) = self.aliases.get(&place.root) {
            place = outer.extended(&place.path);
        }
        place
    }

    /// A zero cotangent for a value of the forward half.
    pub(super) fn zero_of(&mut self, v: Value) -> Value {
        let ty = self.out.ty(v).clone();
        if ty.is_float() {
            return self.seq().zero(&ty);
        }
        let Some(&(depth, index)) = self.homes.get(&v) else {
            bug!("a value without a home")
        };
        let zero = super::super::forward::zero_like(&mut self.seq_after(depth, index), v);
        self.at_home(zero, depth, index);
        self.need(zero)
    }
}

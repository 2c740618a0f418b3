//! The reverse transform, IR to IR.
//!
//! Input: a primal function. Output: either a *split* rule, whose forward half saves residuals and whose pullback is a
//! closure over them, or a *combined* one, in which the seed is known on entry and both halves are in one body.
//!
//! The operations of a region are reversed last to first. The reverse half gets values of the forward half by `need`,
//! which decides whether a value is in scope, computed again, or stored (see `need.rs`). The contract:
//!
//! - when the reverse half of an operation runs, the content of memory is the same as right after (or, once the operation
//!   is undone, right before) the forward half ran;
//! - a cotangent is read, and its place set to zero, where its value was written; it is added to where its value was read.
//!
//! The transform knows which slots must be restored once it has built the reverse half, so it starts over with the facts that it found
//! until nothing changes. The sets only grow.

mod calls;
mod checkpoints;
mod combined;
mod control;
mod frame;
mod functions;
mod fuse;
mod inactive;
mod memory;
mod moved;
mod need;
mod ops;
mod order;
mod runs;
mod snapshot;

pub(crate) use fuse::is_sum;

use std::cell::OnceCell;

use frame::{Frame, FrameKind};
use proc_macro2::Span;

use super::preserved_receivers::keep_receivers;
use super::receivers::is_constant;
use super::seq::Seq;
use crate::analyze::{Activity, Alike, Dependences, activity, own_written_slots};
use crate::ir::{
    Callee, Func, Map, Op, OpKind, PassedBy, Pattern, Place, Pullback, Set, Slot, SlotData,
    SlotKind, Ty, Value,
};

/// Which form of reverse rule is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// A forward half that returns a pullback.
    Split,
    /// One body that takes the seed and the shadows.
    Combined,
}

/// Decisions that are found out on the way; finding one starts the transform over, with it taken from the beginning. They
/// only grow, so this ends.
#[derive(Clone, Default, PartialEq)]
struct Plan {
    /// Slots whose overwritten content is saved and put back.
    restore: Set<Slot>,
    /// Slots that are needed after they were moved, so that a clone is moved instead.
    clone: Set<Slot>,
}

/// Differentiates `func` in reverse mode.
pub(crate) fn reverse(func: &Func, shape: Shape) -> Func {
    let mut plan = Plan::default();
    let first = Reverse::new(func, shape, plan.clone());
    for (index, data) in func.slots.iter().enumerate() {
        let slot = Slot(u32::try_from(index).unwrap_or(u32::MAX));
        if data.kind == SlotKind::RefMut && !is_constant(func, slot) && !first.may_snapshot(slot) {
            plan.restore.insert(slot);
        }
    }
    loop {
        let kept = keep_receivers(func.clone(), &plan.clone);
        let (out, next) = Reverse::new(&kept, shape, plan.clone()).run();
        if next == plan {
            return out;
        }
        plan = next;
    }
}

struct Reverse<'a> {
    src: &'a Func,
    out: Func,
    shape: Shape,
    act: Activity,
    /// Which elements are never overwritten, once something has asked.
    dependences: OnceCell<Dependences<'a>>,
    /// The places that local references alias.
    aliases: Map<Slot, Place>,
    /// Slots that are written after they were initialised, and how deep in loops.
    written: Map<Slot, usize>,
    /// Owned slots whose content is moved out.
    moved: Set<Slot>,
    /// Slots that always have the shape of another one.
    shapes: Map<Slot, Slot>,
    /// The depth of the frame, and the operation there, that defines a value or a slot.
    homes: Map<Value, (usize, Option<usize>)>,
    slot_homes: Map<Slot, (usize, Option<usize>)>,
    /// References that closures take, and that their reverse halves get again.
    closure_params: Set<Slot>,
    frames: Vec<Frame<'a>>,
    /// Cotangents so far.
    bars: Map<Value, Value>,
    shadows: Map<Slot, Slot>,
    /// Parameters of a combined rule whose shadows still have the initial shape.
    unshaped: Set<Slot>,
    tapes: Vec<Op>,
    /// The function calls itself, so that each call has tapes of its own, most of them short.
    recursive: bool,
    /// Slices of the caller's that are put back as a whole.
    snapshots: Map<Slot, snapshot::Snapshot>,
    /// Variables whose content the reverse half of a loop with `#[checkpoint]` replaces, so that nothing may borrow them for longer.
    replaced: Set<Slot>,
    /// Cotangents that a fused operation has computed, to be added when the reverse half arrives there.
    postponed: Map<(usize, usize), Vec<(Value, Value)>>,
    plan: Plan,
    span: Span,
}

/// Returns `true` if a callee has the function's name.
fn names(callee: &Callee, func: &Func) -> bool {
    match callee {
        Callee::Path { path, .. } => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == func.name)
        }
        Callee::Method { name, .. } => *name == func.name,
        _ => false,
    }
}

impl<'a> Reverse<'a> {
    fn new(src: &'a Func, shape: Shape, plan: Plan) -> Self {
        let (mut aliases, mut recursive) = (Map::default(), false);
        src.body.walk(&mut |op| match &op.kind {
            OpKind::Borrow(alias, place) => {
                aliases.insert(*alias, place.clone());
            }
            OpKind::Call(call) => recursive |= names(&call.callee, src),
            _ => {}
        });
        let mut reverse = Reverse {
            src,
            out: src.clone(),
            shape,
            act: activity(src),
            dependences: OnceCell::new(),
            aliases,
            recursive,
            written: Map::default(),
            moved: Set::default(),
            shapes: Alike::new(src).shapes(),
            homes: Map::default(),
            slot_homes: Map::default(),
            closure_params: Set::default(),
            frames: Vec::new(),
            bars: Map::default(),
            shadows: Map::default(),
            unshaped: Set::default(),
            tapes: Vec::new(),
            snapshots: Map::default(),
            replaced: Set::default(),
            postponed: Map::default(),
            plan,
            span: src.name.span(),
        };
        reverse.find_written(&src.body.ops, 0);
        reverse.find_moved();
        reverse
    }

    /// The slot that a chain of aliases leads to.
    fn root(&self, slot: Slot) -> Slot {
        self.aliases
            .get(&slot)
            .map_or(slot, |place| self.root(place.root))
    }

    fn find_written(&mut self, ops: &[Op], depth: usize) {
        for op in ops {
            let deeper = depth + usize::from(op.repeats());
            if !op.is_control() {
                for slot in own_written_slots(self.src, op, &|s| self.root(s)) {
                    let deepest = self.written.entry(slot).or_insert(depth);
                    *deepest = depth.max(*deepest);
                }
            }
            for region in op.regions() {
                self.find_written(&region.ops, deeper);
            }
        }
    }

    fn run(mut self) -> (Func, Plan) {
        let src = self.src;
        self.enter(Frame::new(&src.body, FrameKind::Visible));
        for param in &src.params {
            param.pattern.each_leaf(&mut |leaf| match leaf {
                Pattern::Value(v) => {
                    self.homes.insert(*v, (0, None));
                }
                Pattern::Slot(s) => {
                    self.slot_homes.insert(*s, (0, None));
                }
                _ => {}
            });
        }
        self.take_snapshots();
        let seed = self.seed();
        let shadows: Vec<Pattern> = src.params.iter().map(|p| self.param_shadow(p)).collect();
        if self.shape == Shape::Combined {
            self.fuse_region();
        }
        self.reverse_ops();
        self.put_snapshots_back();
        let out = match self.shape {
            Shape::Split => self.split(seed, shadows),
            Shape::Combined => self.combined(seed, shadows),
        };
        (out, self.plan)
    }

    /// The cotangent of the result.
    fn seed(&mut self) -> Pattern {
        let Some(y) = self.src.body.yields.first().copied() else {
            return Pattern::Unit;
        };
        let data = self.src.value(y);
        let ty = data.ty.any_tangent();
        let y_bar = self.out.new_value(ty, "y_bar", data.span);
        self.homes.insert(y_bar, (0, None));
        if self.act.has(y) {
            self.bars.insert(y, y_bar);
        }
        Pattern::Value(y_bar)
    }

    /// The shadow of a parameter, as the pullback (or the combined rule) takes it.
    fn param_shadow(&mut self, param: &crate::ir::Param) -> Pattern {
        if param.constant {
            return Pattern::Unit;
        }
        if param.function.is_some() {
            return self.function_shadow(param);
        }
        let (ty, name, slot) = match &param.pattern {
            Pattern::Slot(s) => (
                self.src.slot(*s).ty.clone(),
                self.src.slot(*s).name.clone(),
                Some(*s),
            ),
            Pattern::Value(v) => (
                self.src.ty(*v).clone(),
                self.src.value(*v).name.clone(),
                None,
            ),
            _ => return Pattern::Unit,
        };
        if param.by == PassedBy::Value && self.shape == Shape::Split {
            return Pattern::Unit;
        }
        let ty = ty.any_tangent();
        let by_value = param.by == PassedBy::Value;
        let shadow = self.out.new_slot(SlotData::new(
            ty,
            SlotKind::RefMut,
            format!("{name}_bar"),
            param.ident.span(),
        ));
        self.slot_homes.insert(shadow, (0, None));
        if let (Some(slot), false) = (slot, by_value) {
            let frame = &mut self.frames[0];
            let ops = if self.shape == Shape::Combined {
                &mut frame.start
            } else {
                &mut frame.prologue
            };
            let mut seq = Seq::new(&mut self.out, ops, param.ident.span());
            let slice = matches!(seq.func.slot(slot).ty, Ty::Slice(_));
            let used = if slice {
                seq.as_long_as(shadow, slot)
            } else {
                shadow
            };
            self.shadows.insert(slot, used);
            let written = param.by == PassedBy::Mut && self.shape == Shape::Combined;
            if written && self.is_reshaped(slot) {
                self.unshaped.insert(slot);
            }
            self.slot_homes.insert(used, (0, None));
        }
        Pattern::Slot(shadow)
    }

    /// The reverse half of a function takes the place of a shadow.
    fn function_shadow(&mut self, param: &crate::ir::Param) -> Pattern {
        let Pattern::Slot(slot) = param.pattern else {
            crate::diagnostics::bug!("a function that isn't memory")
        };
        let data = self.src.slot(slot).clone();
        let reverse = self.out.new_slot(SlotData {
            name: format!("{}_reverse", data.name),
            ident: None,
            ..data
        });
        self.slot_homes.insert(reverse, (0, None));
        self.shadows.insert(slot, reverse);
        Pattern::Slot(reverse)
    }

    /// The cotangent of an owned parameter, at the end of the reverse half.
    fn owned_cotangent(&mut self, pattern: &Pattern) -> Option<Value> {
        match pattern {
            Pattern::Value(v) => Some(match self.bars.get(v) {
                Some(bar) => *bar,
                None => self.zero_of(*v),
            }),
            Pattern::Slot(s) => Some(match self.shadows.get(s).copied() {
                Some(shadow) => {
                    let ty = self.out.slot(shadow).ty.clone();
                    self.seq().load(Place::whole(shadow), ty, "bar")
                }
                None if self.is_reshaped(*s) => self.zero_at_start(*s),
                None => self.zero_of_slot(*s),
            }),
            _ => None,
        }
    }

    fn split(&mut self, seed: Pattern, shadows: Vec<Pattern>) -> Func {
        let mut yields = Vec::new();
        let mut results = Vec::new();
        for param in &self.src.params {
            if param.constant || param.by != PassedBy::Value || param.function.is_some() {
                results.push(Pattern::Unit);
            } else if let Some(bar) = self.owned_cotangent(&param.pattern) {
                yields.push(bar);
                results.push(Pattern::Value(bar));
            }
        }
        let params = (self.src.params.iter().zip(shadows))
            .map(|(param, shadow)| match (param.by, param.constant) {
                _ if param.function.is_some() => shadow,
                (PassedBy::Value, _) | (PassedBy::Mut, true) => Pattern::Unit,
                (PassedBy::Ref, true) => param.pattern.clone(),
                _ => Pattern::codual(param.pattern.clone(), shadow),
            })
            .collect();
        let (body, reverse) = self.leave();
        let mut out = std::mem::replace(&mut self.out, self.src.clone());
        out.body = body;
        out.body.ops.splice(0..0, std::mem::take(&mut self.tapes));
        out.pullback = Some(Pullback {
            seed,
            params,
            body: crate::ir::Region::new(reverse, yields),
            results,
        });
        out
    }

    fn combined(&mut self, seed: Pattern, shadows: Vec<Pattern>) -> Func {
        for (param, shadow) in self.src.params.iter().zip(&shadows) {
            if param.constant || param.by != PassedBy::Value || param.function.is_some() {
                continue;
            }
            if let (Pattern::Slot(shadow), Some(bar)) =
                (shadow, self.owned_cotangent(&param.pattern))
            {
                self.seq()
                    .push(OpKind::Accumulate(Place::whole(*shadow), bar));
            }
        }
        let (mut body, mut reverse) = self.leave();
        body.ops.splice(0..0, std::mem::take(&mut self.tapes));
        // A function that never returns has no reverse half.
        if !self.src.body.diverges() {
            body.ops.append(&mut reverse);
        }
        let mut out = std::mem::replace(&mut self.out, self.src.clone());
        out.body = body;
        out.extra = vec![seed];
        out.extra
            .extend(shadows.into_iter().filter(|p| !matches!(p, Pattern::Unit)));
        out
    }

    // ---- Frames and sequences. ------------------------------------------------------------------------------------

    fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    fn top(&mut self) -> &mut Frame<'a> {
        let depth = self.depth();
        &mut self.frames[depth]
    }

    fn enter(&mut self, frame: Frame<'a>) {
        let depth = self.frames.len();
        for v in &frame.region.params {
            self.homes.insert(*v, (depth, None));
        }
        for (i, op) in frame.region.ops.iter().enumerate() {
            for v in &op.results {
                self.homes.insert(*v, (depth, Some(i)));
            }
            if let OpKind::Init(s, _) | OpKind::Borrow(s, _) = &op.kind {
                self.slot_homes.insert(*s, (depth, Some(i)));
            }
        }
        self.frames.push(frame);
    }

    fn leave(&mut self) -> (crate::ir::Region, Vec<Op>) {
        match self.frames.pop() {
            Some(frame) => frame.finish(),
            None => crate::diagnostics::bug!("no region to leave"),
        }
    }

    /// Appends to the reverse half of the innermost region.
    fn seq(&mut self) -> Seq<'_> {
        let depth = self.frames.len() - 1;
        Seq::new(&mut self.out, &mut self.frames[depth].rev, self.span)
    }

    /// Appends to the operations that run now in the region at `depth`.
    fn seq_at(&mut self, depth: usize) -> Seq<'_> {
        Seq::new(&mut self.out, self.frames[depth].now(), self.span)
    }

    /// Appends to the forward half, after operation `i` of the region at `depth`.
    fn seq_after(&mut self, depth: usize, i: Option<usize>) -> Seq<'_> {
        let frame = &mut self.frames[depth];
        let ops = match i {
            Some(i) => frame.after.entry(i).or_default(),
            None => &mut frame.start,
        };
        Seq::new(&mut self.out, ops, self.span)
    }

    /// Appends to the forward half, before operation `i` of the innermost region.
    fn seq_before(&mut self, i: usize) -> Seq<'_> {
        self.seq_before_at(self.depth(), i)
    }

    /// Appends to the forward half, before operation `i` of the region at `depth`.
    fn seq_before_at(&mut self, depth: usize, i: usize) -> Seq<'_> {
        Seq::new(
            &mut self.out,
            self.frames[depth].before.entry(i).or_default(),
            self.span,
        )
    }

    /// Records where a value of the forward half that this transform made is defined.
    fn at_home(&mut self, v: Value, depth: usize, i: Option<usize>) -> Value {
        self.homes.insert(v, (depth, i));
        v
    }

    // ---- Cotangents. ----------------------------------------------------------------------------------------------

    fn add_bar(&mut self, v: Value, g: Value) {
        if !self.act.has(v) {
            return;
        }
        let sum = match self.bars.get(&v).copied() {
            Some(bar) => self.seq().tangent_sum(bar, g),
            None => g,
        };
        if self.out.value(sum).name.len() <= 3 && !self.src.value(v).name.is_empty() {
            self.out.values[sum.0 as usize].name = format!("{}_bar", self.src.value(v).name);
        }
        self.bars.insert(v, sum);
    }

    fn take_bar(&mut self, v: Value) -> Option<Value> {
        self.bars.remove(&v)
    }

    /// The cotangents of the results of an operation.
    fn take_bars(&mut self, op: &Op) -> Vec<Option<Value>> {
        op.results.iter().map(|r| self.take_bar(*r)).collect()
    }

    fn bar_or_zero(&mut self, v: Value) -> Value {
        match self.take_bar(v) {
            Some(bar) => bar,
            None => self.zero_of(v),
        }
    }

    fn reverse_ops(&mut self) {
        for i in (0..self.top().region.ops.len()).rev() {
            self.top().pos = i;
            if self.top().fused.contains(&i) {
                self.reverse_fused(i);
            } else {
                self.reverse_op(i);
            }
        }
    }
}

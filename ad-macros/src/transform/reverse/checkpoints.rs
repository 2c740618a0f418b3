//! The reverse of a loop that keeps few of its states: `#[checkpoint(k)]`.
//!
//! The forward half runs the primal, and copies the state before some trips into lists of `k` entries: the carried values, and the variables in memory
//! that the loop writes. The reverse half takes the trips from the last to the first. For each one it loads the last state that was kept
//! before it, runs the primal up to it, which keeps states on the way, and then both halves of the trip, one right after the other:
//!
//! ```text
//! for i in 0..n carry (s) { s = f(s, i) }
//!
//! schedule = new(0, n, k); kept = [s; k]
//! for i in 0..n carry (s) { slot = schedule.keep(i); if slot < k { kept[slot] = s }; s = f(s, i) }
//!
//! for i in (0..n).rev() carry (s_bar) {
//!     slot = schedule.resume(i); s = kept[slot]
//!     for j in schedule.position()..i carry (s) { slot = schedule.keep(j); if slot < k { kept[slot] = s }; s = f(s, j) }
//!     s_bar = pullback of f at (s, i), applied to s_bar
//! }
//! ```
//!
//! So nothing of a trip is stored for longer than the trip takes, and each value of it is in scope in its reverse half. The runtime's
//! `checkpoint::Schedule` decides which states are kept. Valid for the loops that `analyze/checkpoints.rs` lets through.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::super::seq::Seq;
use super::{FrameKind, Reverse};
use crate::analyze::{all_declared, written_slots};
use crate::ir::{
    BinaryOp, Func, Map, Op, OpKind, Pattern, Place, Proj, Range, Region, RepeatLen, Set, Slot, Ty,
    Use, Value,
};
use crate::simplify::renamed;

/// How many states are kept of a loop with the attribute.
pub(super) fn states(op: &Op) -> Option<Value> {
    op.as_counted_loop()
        .and_then(|(range, ..)| range.checkpoints())
}

/// The variables in memory that live outside of a loop with the attribute.
pub(super) struct State {
    written: Vec<Slot>,
    /// Those that it only reads, and that are written later.
    read: Vec<Slot>,
}

/// The variables of a loop's state, and where they are kept.
pub(super) struct Snapshots {
    schedule: Slot,
    /// A list for each carried value.
    values: Vec<Slot>,
    /// The variables in memory that the loop writes, and a list for each.
    memory: Vec<(Slot, Slot)>,
    /// Those that it only reads, and that are written later, with a list of one entry for each.
    read: Vec<(Slot, Slot)>,
}

impl<'a> Reverse<'a> {
    /// The state of a loop that is about to be reversed.
    pub(super) fn state_of(&mut self, op: &Op, i: usize) -> State {
        let depth = self.depth();
        let (own, mut used) = (all_declared(op), Set::default());
        op.walk(&mut |op| used.extend(op.slots().into_iter().map(|(slot, _)| self.root(slot))));
        let changed = written_slots(self.src, op, &|s| self.root(s));
        let mut outside: Vec<Slot> = used
            .into_iter()
            .filter(|slot| !own.contains(slot))
            .collect();
        outside.sort_unstable();
        let (written, mut read): (Vec<Slot>, Vec<Slot>) =
            outside.into_iter().partition(|slot| changed.contains(slot));
        read.retain(|slot| self.written_from(*slot, depth, i));
        self.replaced.extend(written.iter().chain(&read));
        State { written, read }
    }

    /// The body of the forward half, that of the reverse half, and the lists of states, from both halves of a trip.
    pub(super) fn checkpointed(
        &mut self,
        op: &'a Op,
        i: usize,
        state: State,
        (trip, reverse): (Region, Vec<Op>),
    ) -> (Region, Vec<Op>, Snapshots) {
        let Some((range, init, body)) = op.as_counted_loop() else {
            crate::diagnostics::bug!("not a counted loop")
        };
        let snapshots = self.take_states(i, state, range, init);
        let forward = self.keeping(body, &snapshots);

        let mut seq = self.seq();
        let only = seq.int("0", "usize");
        for (variable, list) in &snapshots.read {
            put_back(&mut seq, *variable, *list, only);
        }
        let mut ops = Vec::new();
        let run = self.keeping(body, &snapshots);
        let counter = body.params[0];
        let mut seq = Seq::new(&mut self.out, &mut ops, op.span);
        let schedule = snapshots.schedule;
        let slot = ask(
            &mut seq,
            schedule,
            &|s, k| quote!(#s.resume(#k)),
            &[counter],
        );
        let from = ask(&mut seq, schedule, &|s, _| quote!(#s.position()), &[]);
        seq.func.value_mut(from).ty = seq.func.ty(counter).clone();
        let mut starts = Vec::new();
        for (param, list) in body.params[1..].iter().zip(&snapshots.values) {
            let ty = seq.func.ty(*param).clone();
            starts.push(seq.load(entry(*list, slot), ty, "kept"));
        }
        for (variable, list) in &snapshots.memory {
            put_back(&mut seq, *variable, *list, slot);
        }
        let kind = OpKind::counted(Range::new(from, counter), starts, run);
        ops.push(Op::new(kind, body.params[1..].to_vec(), op.span));
        ops.extend(trip.ops);
        self.in_reverse_half(op, &mut ops);
        ops.extend(reverse);
        (forward, ops, snapshots)
    }

    /// The content of memory before the loop.
    pub(super) fn put_first_back(&mut self, snapshots: &Snapshots) {
        let mut seq = self.seq();
        let first = seq.int("0", "usize");
        for (variable, list) in &snapshots.memory {
            put_back(&mut seq, *variable, *list, first);
        }
    }

    /// Copies the first state to all entries of the lists of states.
    fn take_states(&mut self, i: usize, state: State, range: &Range, init: &[Value]) -> Snapshots {
        let State { written, read } = state;
        let Some(states) = range.checkpoints() else {
            crate::diagnostics::bug!("a loop without checkpoints")
        };
        let depth = self.depth();
        let mut seq = self.seq_before(i);
        let [lo, hi, most] = ["__lo", "__hi", "__states"].map(private);
        let new = quote!(__rt::checkpoint::Schedule::new(#lo, #hi, #most));
        let uses = vec![
            Use::Value(lo, range.lo),
            Use::Value(hi, range.hi),
            Use::Value(most, states),
        ];
        let code = OpKind::code(new, uses);
        let schedule = seq.value(code, Ty::Rule, "schedule");
        let schedule = seq.init(schedule, "schedule");
        let len = ask(&mut seq, schedule, &|s, _| quote!(#s.slots()), &[]);
        let values: Vec<Slot> = (init.iter())
            .map(|first| list(&mut seq, *first, len))
            .collect();
        let mut memory = Vec::new();
        for slot in written {
            let first = copy(&mut seq, Place::whole(slot), slot);
            memory.push((slot, list(&mut seq, first, len)));
        }
        let one = seq.int("1", "usize");
        let mut later = Vec::new();
        for slot in read {
            let content = copy(&mut seq, Place::whole(slot), slot);
            later.push((slot, list(&mut seq, content, one)));
        }
        let read = later;
        let lists = memory.iter().chain(&read).map(|(_, list)| *list);
        let all: Vec<Slot> = (values.iter().copied().chain(lists))
            .chain([schedule])
            .collect();
        for slot in all {
            self.slot_homes.insert(slot, (depth, Some(i)));
            if self.frames[depth].kind != FrameKind::Visible {
                let single = !self.in_loop(depth);
                let tape = self.tape("states", single, depth);
                self.hand_over(depth, tape, slot);
            }
        }
        for (slot, _) in memory.iter().chain(&read) {
            self.need_slot(*slot);
        }
        Snapshots {
            schedule,
            values,
            memory,
            read,
        }
    }

    /// A copy of the primal's body that keeps the states of the schedule.
    fn keeping(&mut self, body: &Region, snapshots: &Snapshots) -> Region {
        let span = self.span;
        let mut region = copied(&mut self.out, body);
        let mut ops = Vec::new();
        let mut seq = Seq::new(&mut self.out, &mut ops, span);
        let schedule = snapshots.schedule;
        let counter = region.params[0];
        let slot = ask(&mut seq, schedule, &|s, k| quote!(#s.keep(#k)), &[counter]);
        let len = ask(&mut seq, schedule, &|s, _| quote!(#s.slots()), &[]);
        let kept = seq.binary(BinaryOp::Lt, slot, len);
        let mut stores = Vec::new();
        let mut inner = Seq::new(&mut *seq.func, &mut stores, span);
        for (param, list) in region.params[1..].iter().zip(&snapshots.values) {
            inner.push(OpKind::Store(entry(*list, slot), *param));
        }
        for (variable, list) in &snapshots.memory {
            let content = copy(&mut inner, Place::whole(*variable), *variable);
            inner.push(OpKind::Store(entry(*list, slot), content));
        }
        seq.push(OpKind::If {
            cond: kept,
            then: Region::new(stores, Vec::new()),
            other: Region::default(),
        });
        ops.append(&mut region.ops);
        region.ops = ops;
        region
    }

    /// Operations of the forward half that run in the reverse half take the values from outside of the loop from there, too.
    fn in_reverse_half(&mut self, op: &Op, ops: &mut [Op]) {
        let own = all_declared(op);
        let (mut values, mut slots) = (Set::default(), Set::default());
        for op in &*ops {
            op.walk(&mut |op| {
                op.each_operand(&mut |v| {
                    values.insert(v);
                });
                slots.extend(op.slots().into_iter().map(|(slot, _)| slot));
                for region in op.regions() {
                    values.extend(region.yields.iter().copied());
                }
            });
        }
        let depth = self.depth();
        let outside =
            |home: Option<&(usize, Option<usize>)>| home.is_some_and(|home| home.0 <= depth);
        let mut outer: Vec<Value> = (values.into_iter())
            .filter(|v| outside(self.homes.get(v)))
            .collect();
        outer.sort_unstable();
        let mut names = Map::default();
        for v in outer {
            let again = self.need(v);
            names.insert(v, again);
        }
        let mut aliases = Set::default();
        for slot in slots {
            if own.contains(&slot) || !outside(self.slot_homes.get(&slot)) {
                continue;
            }
            if self.aliases.contains_key(&slot) {
                aliases.insert(slot);
            } else if self.src.slots.len() > slot.0 as usize {
                self.need_slot(slot);
            }
        }
        for op in ops {
            self.rename_outer(op, &names, &aliases);
        }
    }

    fn rename_outer(&mut self, op: &mut Op, names: &Map<Value, Value>, aliases: &Set<Slot>) {
        op.each_place_mut(&mut |place| {
            if aliases.contains(&place.root) {
                *place = self
                    .resolved(&Place::whole(place.root))
                    .extended(&place.path);
            }
        });
        op.each_operand_mut(&mut |v| *v = names.get(v).copied().unwrap_or(*v));
        op.each_region_mut(&mut |region| {
            for op in &mut region.ops {
                self.rename_outer(op, names, aliases);
            }
            for y in &mut region.yields {
                *y = names.get(y).copied().unwrap_or(*y);
            }
        });
    }
}

/// A list of so many copies of a value.
fn list(seq: &mut Seq, first: Value, len: Value) -> Slot {
    let ty = Ty::Vec(Box::new(seq.func.ty(first).clone()));
    let kind = OpKind::Repeat {
        elem: first,
        len: RepeatLen::Vec(len),
    };
    let list = seq.value(kind, ty, "states");
    seq.init(list, "states")
}

fn entry(list: Slot, slot: Value) -> Place {
    Place::new(list, vec![Proj::Index(slot)])
}

/// A copy of the content of a place of a variable's type.
fn copy(seq: &mut Seq, place: Place, variable: Slot) -> Value {
    let ty = match &seq.func.slot(variable).ty {
        Ty::Slice(elem) => Ty::Vec(elem.clone()),
        ty => ty.clone(),
    };
    let kind = OpKind::copy_of(place, &ty);
    seq.value(kind, ty, "state")
}

fn put_back(seq: &mut Seq, variable: Slot, list: Slot, slot: Value) {
    let content = copy(seq, entry(list, slot), variable);
    seq.push(OpKind::Store(Place::whole(variable), content));
}

fn private(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// A call of a method of the schedule, which returns a `usize`.
fn ask(
    seq: &mut Seq,
    schedule: Slot,
    call: &dyn Fn(&Ident, &Ident) -> TokenStream,
    args: &[Value],
) -> Value {
    let [s, k] = ["__schedule", "__trip"].map(private);
    let tokens = call(&s, &k);
    let mut uses: Vec<Use> = args.iter().map(|v| Use::Value(k.clone(), *v)).collect();
    uses.push(Use::Place {
        ident: s,
        place: Place::whole(schedule),
        by_ref: true,
        mutable: true,
    });
    seq.value(OpKind::code(tokens, uses), Ty::Int("usize"), "slot")
}

/// A copy of a region with values and variables of its own.
fn copied(func: &mut Func, region: &Region) -> Region {
    let (mut values, mut slots) = (Map::default(), Map::default());
    let mut copy = renamed(func, region, &mut values);
    for op in &mut copy.ops {
        with_own_slots(func, op, &values, &mut slots);
    }
    copy
}

fn with_own_slots(
    func: &mut Func,
    op: &mut Op,
    values: &Map<Value, Value>,
    slots: &mut Map<Slot, Slot>,
) {
    if let OpKind::For { range, .. } = &mut op.kind {
        range.forget_checkpoints();
    }
    op.each_place_mut(&mut |place| {
        place.root = slots.get(&place.root).copied().unwrap_or(place.root);
    });
    let mut declare = |slot: &mut Slot| {
        let own = func.new_slot(func.slot(*slot).clone());
        slots.insert(*slot, own);
        *slot = own;
    };
    if let OpKind::Init(slot, _) | OpKind::Borrow(slot, _) = &mut op.kind {
        declare(slot);
    }
    for closure in op.kind.closures_mut() {
        for pattern in closure.params.iter_mut().chain(&mut closure.results) {
            match pattern {
                Pattern::Slot(slot) => declare(slot),
                pattern => {
                    pattern.each_value_mut(&mut |v| *v = values.get(v).copied().unwrap_or(*v));
                }
            }
        }
    }
    op.each_region_mut(&mut |region| {
        for op in &mut region.ops {
            with_own_slots(func, op, values, slots);
        }
    });
}

//! Receivers of method calls. A method may take its receiver by reference or by value, and only rustc knows which.
//!
//! - A receiver that is a temporary gets a place: `make(x).scaled(2.0)`.
//! - A local that the call may move, since nothing uses it afterwards, is kept in an `Option`, from which the callee's
//!   mode takes it or borrows it. An owned parameter, and a local that other calls use before, is moved into such a local
//!   first: then a clone can be moved in its place if the reverse half needs the original.

use std::collections::HashMap;

use super::seq::Seq;
use crate::ir::{Access, Arg, Callee, Func, Op, OpKind, Pattern, Place, Region, Slot, SlotData, SlotKind, Ty};

/// Input: a primal. Output: the same, with every receiver of a method call in a place that suits it.
pub(crate) fn place_receivers(mut func: Func) -> Func {
    let mut body = std::mem::take(&mut func.body);
    give_places(&mut func, &mut body);
    func.body = body;
    func.slots.iter_mut().for_each(|slot| slot.in_option = false);
    for (slot, alone) in movable(&func) {
        if alone {
            func.slots[slot.0 as usize].in_option = true;
        } else {
            let mut body = std::mem::take(&mut func.body);
            let mut number = 0;
            let last = last_use(&body, slot);
            move_to_local(&mut func, &mut body, slot, &mut number, last);
            func.body = body;
        }
    }
    func
}

fn is_param(func: &Func, slot: Slot) -> bool {
    func.params.iter().any(|p| matches!(p.pattern, Pattern::Slot(s) if s == slot))
}

fn give_places(func: &mut Func, region: &mut Region) {
    let mut ops = Vec::new();
    for mut op in std::mem::take(&mut region.ops) {
        for inner in op.regions_mut() {
            give_places(func, inner);
        }
        let span = op.span;
        if let OpKind::Call(call) = &mut op.kind
            && let (Callee::Method { .. }, Some(Arg::Value(v))) = (&call.callee, call.args.first())
        {
            let slot = Seq { func, ops: &mut ops, span }.init(*v, "receiver");
            call.args[0] = Arg::Receiver(Place::whole(slot));
        }
        ops.push(op);
    }
    region.ops = ops;
}

/// Where a slot is declared, used last, and used last as a receiver: the number of the operation, and how many loops
/// are around it.
#[derive(Default)]
struct Uses {
    declared: Option<usize>,
    last: usize,
    received: Option<(usize, usize)>,
    /// How many calls get it in any way.
    calls: usize,
}

/// Owned slots of a type that rustc alone knows, whose last use is as a receiver; and whether no other call gets them.
fn movable(func: &Func) -> Vec<(Slot, bool)> {
    let mut uses: HashMap<Slot, Uses> = HashMap::new();
    let mut number = 0;
    collect(&func.body, 0, &mut number, &mut uses);
    let mut all: Vec<(Slot, bool)> = uses
        .iter()
        .filter(|(slot, found)| {
            let data = func.slot(**slot);
            let declared = found.declared.or_else(|| is_param(func, **slot).then_some(0));
            data.kind == SlotKind::Owned
                && matches!(data.ty, Ty::Named(_) | Ty::Deferred)
                && !is_constant(func, **slot)
                && found.received.is_some_and(|(at, loops)| at == found.last && Some(loops) == declared)
        })
        .map(|(slot, found)| (*slot, found.calls == 1 && !is_param(func, *slot)))
        .collect();
    all.sort_unstable();
    all
}

fn is_constant(func: &Func, slot: Slot) -> bool {
    func.params.iter().any(|p| p.constant && matches!(p.pattern, Pattern::Slot(s) if s == slot))
}

fn collect(region: &Region, loops: usize, number: &mut usize, uses: &mut HashMap<Slot, Uses>) {
    for op in &region.ops {
        *number += 1;
        for (slot, access) in op.slots() {
            let found = uses.entry(slot).or_default();
            found.last = *number;
            found.calls += usize::from(matches!(op.kind, OpKind::Call(_)));
            if access == Access::Declare {
                found.declared = Some(loops);
            }
        }
        if let OpKind::Call(call) = &op.kind
            && let (Callee::Method { .. }, Some(Arg::Receiver(place))) = (&call.callee, call.args.first())
            && place.path.is_empty()
        {
            uses.entry(place.root).or_default().received = Some((*number, loops));
        }
        let inner = loops + usize::from(matches!(op.kind, OpKind::For { .. } | OpKind::Loop { .. }));
        for region in op.regions() {
            collect(region, inner, number, uses);
        }
    }
}

/// The number of the last operation that uses a slot.
fn last_use(body: &Region, slot: Slot) -> usize {
    let (mut number, mut uses) = (0, HashMap::new());
    collect(body, 0, &mut number, &mut uses);
    uses.get(&slot).map_or(0, |found: &Uses| found.last)
}

/// Moves a slot's content into a local of its own before its last use, as a receiver.
fn move_to_local(func: &mut Func, region: &mut Region, slot: Slot, number: &mut usize, last: usize) {
    let mut ops: Vec<Op> = Vec::new();
    for mut op in std::mem::take(&mut region.ops) {
        *number += 1;
        if *number == last
            && let OpKind::Call(call) = &mut op.kind
        {
            let data = func.slot(slot).clone();
            let local = func.new_slot(SlotData { in_option: true, ident: None, ..data.clone() });
            let mut seq = Seq { func, ops: &mut ops, span: op.span };
            let value = seq.load(Place::whole(slot), data.ty, &data.name);
            seq.push(OpKind::Init(local, value));
            call.args[0] = Arg::Receiver(Place::whole(local));
        }
        for inner in op.regions_mut() {
            move_to_local(func, inner, slot, number, last);
        }
        ops.push(op);
    }
    region.ops = ops;
}

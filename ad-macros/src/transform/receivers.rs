//! Receivers of method calls. A method may take its receiver by reference or by value, which only rustc can tell.
//!
//! - A receiver that is a temporary gets a place: `make(x).scaled(2.0)`.
//! - A local that the call may move, since nothing uses it afterwards, is kept in an `Option`, from which the callee's
//!   mode takes it or borrows it. An owned parameter, and a local that other calls use before, is moved into such a local
//!   first: then a clone can be moved in its place if the reverse half needs the original. So is the value that `(*b).finish()`
//!   moves out of a box.

use std::collections::BTreeMap;

use super::seq::Seq;
use crate::analyze::each_with_later_reads;
use crate::ir::{
    Arg, Callee, Func, Lookup, Map, Op, OpKind, Pattern, Place, Proj, Region, Rule, Set, Slot,
    SlotData, SlotKind, Ty,
};

/// Input: a primal. Output: the same, with every receiver of a method call in a place that suits it.
pub(crate) fn place_receivers(mut func: Func) -> Func {
    let mut body = std::mem::take(&mut func.body);
    give_places(&mut func, &mut body);
    func.body = body;
    func.slots
        .iter_mut()
        .for_each(|slot| slot.in_option = false);
    let mut moving: Map<usize, Slot> = Map::default();
    for (slot, Movable { alone, calls }) in movable(&func) {
        if alone {
            func.slots[slot.0 as usize].in_option = true;
        } else {
            moving.extend(calls.into_iter().map(|call| (call, slot)));
        }
    }
    // All at once, since the numbers of operations are those of before.
    let mut body = std::mem::take(&mut func.body);
    move_to_locals(&mut func, &mut body, &mut 0, &moving);
    func.body = body;
    func
}

/// Input: a rule as it will be emitted. Output: the same, in which a receiver that only the primal's own method gets is a plain local again:
/// rustc knows of that method whether it moves or borrows, and there is no mode that takes the receiver out of an `Option`.
pub(crate) fn settle_receivers(mut func: Func) -> Func {
    for slot in settled(&func) {
        func.slots[slot.0 as usize].in_option = false;
    }
    func
}

/// Returns `true` if [`settle_receivers`] changes anything.
pub(crate) fn has_unsettled_receivers(func: &Func) -> bool {
    !settled(func).is_empty()
}

/// Slots in an `Option` that are the receiver of one call, which goes by no rule.
fn settled(func: &Func) -> Vec<Slot> {
    let mut calls: BTreeMap<Slot, Vec<bool>> = BTreeMap::new();
    func.walk(&mut |op| {
        if let OpKind::Call(call) = &op.kind
            && let Some(Arg::Receiver(place)) = call.args.first()
            && place.path.is_empty()
            && func.slot(place.root).in_option
        {
            let plain = matches!(call.rule, Rule::Primal | Rule::Active);
            calls.entry(place.root).or_default().push(plain);
        }
    });
    calls.retain(|_, calls| *calls == [true]);
    calls.into_keys().collect()
}

fn is_param(func: &Func, slot: Slot) -> bool {
    func.params
        .iter()
        .any(|p| matches!(p.pattern, Pattern::Slot(s) if s == slot))
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
            let slot = Seq::new(func, &mut ops, span).init(*v, "receiver");
            call.args[0] = Arg::Receiver(Place::whole(slot));
        }
        ops.push(op);
    }
    region.ops = ops;
}

/// A slot that method calls may move.
struct Movable {
    /// No other call gets it, nor is a part of it borrowed.
    alone: bool,
    /// The numbers of these calls.
    calls: Set<usize>,
}

/// Owned slots of a type that rustc alone knows, whose last use is as a receiver.
fn movable(func: &Func) -> BTreeMap<Slot, Movable> {
    let mut users: Map<Slot, usize> = Map::default();
    func.body.walk(&mut |op| {
        if matches!(op.kind, OpKind::Call(_) | OpKind::Borrow(..)) {
            op.slots()
                .into_iter()
                .for_each(|(slot, _)| *users.entry(slot).or_default() += 1);
        }
    });
    let (copied, assigned, viewed) = (copied(func), assigned(func), viewed(func));
    let mut all: BTreeMap<Slot, Movable> = BTreeMap::new();
    each_with_later_reads(&func.body, &mut |number, op, later| {
        let OpKind::Call(call) = &op.kind else { return };
        let (Callee::Method { name, .. }, Some(Arg::Receiver(place))) =
            (&call.callee, call.args.first())
        else {
            return;
        };
        let data = func.slot(place.root);
        let list = matches!(data.ty, Ty::Vec(_) | Ty::Deque(_));
        let by_value = list && is_by_value(&name.to_string());
        let may_move = data.kind == SlotKind::Owned && (by_value || may_be_moved(&data.ty));
        let boxed = matches!(place.path[..], [Proj::Deref]);
        if may_move
            && (place.path.is_empty() || boxed)
            && !later.contains(&place.root)
            && op
                .slots()
                .iter()
                .filter(|(slot, _)| *slot == place.root)
                .count()
                == 1
            && !is_constant(func, place.root)
            && !copied.contains(&place.root)
            && !viewed.contains(&place.root)
        {
            let alone = !boxed
                && !list
                && users.get(&place.root) == Some(&1)
                && !is_param(func, place.root)
                && !assigned.contains(&place.root);
            let found = all.entry(place.root).or_insert_with(|| Movable {
                alone,
                calls: Set::default(),
            });
            found.calls.insert(number);
        }
    });
    all
}

/// Arrays of a library, of which views are taken: rules borrow receivers that its methods take by value.
fn viewed(func: &Func) -> Set<Slot> {
    let mut viewed = Set::default();
    let is_view = |proj: &Proj| matches!(proj, Proj::At(Lookup::View { .. }, _));
    func.body.walk(&mut |op| {
        op.each_place(&mut |place| {
            if place.path.iter().any(is_view) {
                viewed.insert(place.root);
            }
        });
    });
    viewed
}

/// Slots that are assigned as a whole.
fn assigned(func: &Func) -> Set<Slot> {
    let mut assigned = Set::default();
    func.body.walk(&mut |op| {
        if let OpKind::Store(place, _) = &op.kind
            && place.path.is_empty()
        {
            assigned.insert(place.root);
        }
    });
    assigned
}

/// Slots that are read by value and used again: their types are `Copy`, so that nothing moves them.
fn copied(func: &Func) -> Set<Slot> {
    let mut copied = Set::default();
    each_with_later_reads(&func.body, &mut |_, op, later| {
        if let OpKind::Load(place) = &op.kind
            && place.path.is_empty()
            && later.contains(&place.root)
        {
            copied.insert(place.root);
        }
    });
    copied
}

/// Types that aren't known to be `Copy`, and that have methods by value.
fn may_be_moved(ty: &Ty) -> bool {
    match ty {
        Ty::Named(_) | Ty::Deferred => true,
        Ty::Result(..) => true,
        Ty::Option(t) => !t.is_scalar(),
        // The method is called on the content of the box.
        Ty::Boxed(t) => may_be_moved(t),
        _ => false,
    }
}

/// Returns `true` if a method of lists takes them by value.
fn is_by_value(name: &str) -> bool {
    matches!(name, "into_deque" | "into_list")
}

/// Returns `true` if the slot is a constant parameter.
pub(super) fn is_constant(func: &Func, slot: Slot) -> bool {
    func.params
        .iter()
        .any(|p| p.constant && matches!(p.pattern, Pattern::Slot(s) if s == slot))
}

/// Moves slots' contents into locals of their own before their last uses, as receivers.
fn move_to_locals(
    func: &mut Func,
    region: &mut Region,
    number: &mut usize,
    moving: &Map<usize, Slot>,
) {
    let mut ops: Vec<Op> = Vec::new();
    for mut op in std::mem::take(&mut region.ops) {
        let this = *number;
        *number += 1;
        if let Some(slot) = moving.get(&this).copied()
            && let OpKind::Call(call) = &mut op.kind
            && let Some(Arg::Receiver(place)) = call.args.first().cloned()
        {
            let data = func.slot(slot).clone();
            let ty = match &data.ty {
                Ty::Boxed(inner) if !place.path.is_empty() => (**inner).clone(),
                ty => ty.clone(),
            };
            let local = func.new_slot(SlotData {
                ty: ty.clone(),
                in_option: true,
                ident: None,
                ..data.clone()
            });
            let mut seq = Seq::new(func, &mut ops, op.span);
            let value = seq.load(place, ty, &data.name);
            seq.push(OpKind::Init(local, value));
            call.args[0] = Arg::Receiver(Place::whole(local));
        }
        for inner in op.regions_mut() {
            move_to_locals(func, inner, number, moving);
        }
        ops.push(op);
    }
    region.ops = ops;
}

#[cfg(test)]
mod tests {
    use crate::testing::primal;

    fn in_option(source: &str) -> Vec<String> {
        let func = primal(source);
        let slots = func.slots.iter().filter(|slot| slot.in_option);
        slots.map(|slot| slot.name.clone()).collect()
    }

    #[test]
    fn what_a_last_call_may_move_is_in_an_option() {
        let source = "fn f(x: f64) -> f64 { let a = make(x); a.total() }";
        assert_eq!(in_option(source), ["a"]);
    }

    #[test]
    fn what_has_been_copied_is_not() {
        let source = "fn f(x: f64) -> f64 { let a = make(x); let b: f64 = a * a.sqrt(); b }";
        assert_eq!(in_option(source), Vec::<String>::new());
        let source = "fn f(x: f64) -> f64 { let mut a = make(x); a = next(a); a.total() }";
        assert_eq!(in_option(source), ["a"]);
    }

    #[test]
    fn what_is_assigned_again_is_moved_into_a_local_first() {
        let source = "fn f(x: f64) -> f64 { let mut a = make(x); a = a.next(); a.total() }";
        let func = primal(source);
        assert_eq!(in_option(source), ["a", "a"]);
        assert!(!func.slots[0].in_option, "{func}");
    }

    #[test]
    fn each_of_several_is_moved_before_its_own_last_call() {
        let source = "fn f(x: f64) -> f64 { let a = make(x); let b = make(x); let s: f64 = a.len(x) + b.len(x); s + a.total() + b.total() }";
        let func = primal(source).to_string();
        for call in [
            ".len(self $0, %0)",
            ".len(self $1, %0)",
            ".total(self $2)",
            ".total(self $3)",
        ] {
            assert!(func.contains(call), "{func}");
        }
        for moved in ["%10 a: ? = load $0", "%11 b: ? = load $1"] {
            assert!(func.contains(moved), "{func}");
        }
    }

    #[test]
    fn what_another_argument_borrows_is_not() {
        let source = "fn f(x: f64) -> f64 { let a = make(x); let b: f64 = a.dot(&a); b }";
        assert_eq!(in_option(source), Vec::<String>::new());
    }
}

//! Questions about the shape of a region.

use crate::ir::{Access, Arg, Callee, Func, Op, OpKind, Place, Proj, Set, Slot, Ty, Value};

/// The values that an operation reads, those read in its regions included.
pub(crate) fn uses_in(op: &Op) -> Set<Value> {
    let mut all = Set::default();
    each_use_in(op, &mut |v| {
        all.insert(v);
    });
    all
}

/// Calls `f` on each of them, as often as it is read.
pub(crate) fn each_use_in(op: &Op, f: &mut dyn FnMut(Value)) {
    op.walk(&mut |op| {
        op.each_operand(f);
        op.each_region(&mut |region| region.yields.iter().for_each(|v| f(*v)));
    });
}

/// The slots that the operation itself may write (through aliases too).
pub(crate) fn own_written_slots(func: &Func, op: &Op, roots: &dyn Fn(Slot) -> Slot) -> Set<Slot> {
    let mut all = Set::default();
    for (slot, access) in op.slots() {
        let tape = func.slot(slot).ty.is_tape();
        let only_read = is_receiver(op, slot) && !func.receiver_may_write(slot);
        if matches!(access, Access::Write | Access::Both) && !tape && !only_read {
            all.insert(roots(slot));
        }
    }
    all
}

/// The part of a slot's content that an operation may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Content,
    /// Lengths and variants.
    Shape,
}

/// Returns `true` if an operation, or one nested in it, may change the slot (through aliases too).
pub(crate) fn changes(
    func: &Func,
    op: &Op,
    roots: &dyn Fn(Slot) -> Slot,
    slot: Slot,
    change: Change,
) -> bool {
    if change == Change::Content {
        return written_slots(func, op, roots).contains(&slot);
    }
    op.any(&mut |op| may_reshape(func, op) && own_written_slots(func, op, roots).contains(&slot))
}

/// Returns `true` if an operation may change the shape of the places that it writes.
pub(super) fn may_reshape(func: &Func, op: &Op) -> bool {
    match &op.kind {
        OpKind::Store(_, v) | OpKind::Replace(_, v) => !has_fixed_shape(func.ty(*v)),
        OpKind::Call(call) => call.args.iter().any(|arg| match arg {
            Arg::Value(_) | Arg::Ref(_) | Arg::Function(_) => false,
            Arg::Mut(place) | Arg::Receiver(place) => {
                let ty = &func.slot(place.root).ty;
                let part = matches!(place.path.last(), Some(Proj::Range(..)));
                let rows = matches!(ty, Ty::Slice(_)) && place.path.is_empty();
                let plain = ty.element().is_some_and(has_fixed_shape);
                !(has_fixed_shape(ty) || plain && (part || rows))
            }
        }),
        _ => true,
    }
}

/// Returns `true` if an operation, or one nested in it, may move the elements of a list in a place. Writing to elements doesn't.
pub(crate) fn relocates(func: &Func, op: &Op, roots: &dyn Fn(Slot) -> Slot, place: &Place) -> bool {
    let root = roots(place.root);
    let in_element = |written: &Place| {
        roots(written.root) != root
            || written.root == place.root && is_elsewhere_or_in_element(&written.path, &place.path)
    };
    let moves = |op: &Op| match &op.kind {
        OpKind::Store(p, _) | OpKind::Replace(p, _) => !in_element(p),
        OpKind::Swap(a, b) => !(in_element(a) && in_element(b)),
        OpKind::Call(call) => {
            matches!(call.callee, Callee::Function(_))
                || call.args.iter().any(|arg| match arg {
                    Arg::Value(_) | Arg::Ref(_) => false,
                    Arg::Function(_) => true,
                    Arg::Mut(p) | Arg::Receiver(p) => !in_element(p),
                })
        }
        _ => true,
    };
    op.any(&mut |op| own_written_slots(func, op, roots).contains(&root) && moves(op))
}

/// Returns `true` if the path `written` leads to another field than `path`, or into one of its elements.
fn is_elsewhere_or_in_element(written: &[Proj], path: &[Proj]) -> bool {
    let apart =
        |(a, b): (&Proj, &Proj)| matches!((a, b), (Proj::Field(a), Proj::Field(b)) if a != b);
    let next = written.get(path.len());
    written.iter().zip(path).any(apart)
        || matches!(next, Some(Proj::Index(_) | Proj::At(..) | Proj::Range(..)))
}

/// Returns `true` if all values of a type have the same shape.
pub(crate) fn has_fixed_shape(ty: &Ty) -> bool {
    match ty {
        Ty::Array(t, _) => has_fixed_shape(t),
        Ty::Tuple(ts) => ts.iter().all(has_fixed_shape),
        ty => ty.is_scalar() || matches!(ty, Ty::Unit),
    }
}

/// The slots that an operation, or one nested in it, may write (through aliases too).
pub(crate) fn written_slots(func: &Func, op: &Op, roots: &dyn Fn(Slot) -> Slot) -> Set<Slot> {
    let mut all = Set::default();
    op.walk(&mut |op| all.extend(own_written_slots(func, op, roots)));
    all
}

/// The slots that are declared in an operation's regions and closures.
pub(crate) fn all_declared(op: &Op) -> Set<Slot> {
    let mut own = Set::default();
    op.walk(&mut |op| {
        if let OpKind::Init(slot, _) | OpKind::Borrow(slot, _) = &op.kind {
            own.insert(*slot);
        }
        for closure in op.kind.closures() {
            own.extend(closure.declared());
        }
    });
    own
}

/// Returns `true` if a slot is the receiver of a call.
fn is_receiver(op: &Op, slot: Slot) -> bool {
    match &op.kind {
        OpKind::Call(call) => {
            matches!(call.args.first(), Some(Arg::Receiver(place)) if place.root == slot)
        }
        _ => false,
    }
}

//! Questions about the shape of a region.

use std::collections::HashSet;

use crate::ir::{Access, Arg, Func, Op, OpKind, Slot, Value};

/// The values that an operation reads, those read in its regions included.
pub(crate) fn uses_in(op: &Op) -> HashSet<Value> {
    let mut all = HashSet::new();
    op.walk(&mut |op| {
        op.each_operand(&mut |v| {
            all.insert(v);
        });
        for region in op.regions() {
            all.extend(region.yields.iter().copied());
        }
    });
    all
}

/// The slots that an operation, or one nested in it, may write (through aliases too).
pub(crate) fn written_slots(func: &Func, op: &Op, roots: &dyn Fn(Slot) -> Slot) -> HashSet<Slot> {
    let mut all = HashSet::new();
    op.walk(&mut |op| {
        for (slot, access) in op.slots() {
            let tape = func.slot(slot).ty.is_tape();
            let only_read = is_receiver(op, slot) && !func.receiver_may_write(slot);
            if matches!(access, Access::Write | Access::Both) && !tape && !only_read {
                all.insert(roots(slot));
            }
        }
    });
    all
}

/// Whether a slot is the receiver of a call.
fn is_receiver(op: &Op, slot: Slot) -> bool {
    match &op.kind {
        OpKind::Call(call) => {
            matches!(call.args.first(), Some(Arg::Receiver(place)) if place.root == slot)
        }
        _ => false,
    }
}

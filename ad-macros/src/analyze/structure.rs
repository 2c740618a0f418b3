//! Questions about the shape of a region.

use std::collections::HashSet;

use crate::ir::{Access, Func, Op, OpKind, Slot, Value};

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

/// The slots that the operation itself may write (through aliases too).
pub(crate) fn own_written_slots(
    func: &Func,
    op: &Op,
    roots: &dyn Fn(Slot) -> Slot,
) -> HashSet<Slot> {
    let mut all = HashSet::new();
    for (slot, access) in op.slots() {
        let tape = func.slot(slot).ty.is_tape();
        let shared_receiver =
            matches!(op.kind, OpKind::Call(_)) && func.slot(slot).kind == crate::ir::SlotKind::Ref;
        if matches!(access, Access::Write | Access::Both) && !tape && !shared_receiver {
            all.insert(roots(slot));
        }
    }
    all
}

/// The slots that an operation, or one nested in it, may write (through aliases too).
pub(crate) fn written_slots(func: &Func, op: &Op, roots: &dyn Fn(Slot) -> Slot) -> HashSet<Slot> {
    let mut all = HashSet::new();
    op.walk(&mut |op| all.extend(own_written_slots(func, op, roots)));
    all
}

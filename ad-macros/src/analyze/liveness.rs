//! Which slots are used after an operation: what is used for the last time there may be moved.

use std::collections::HashSet;

use crate::ir::{Op, OpKind, Region, Slot};

/// Calls `visit` on each operation, last to first, with the slots that may be used after it.
pub(crate) fn each_with_later_uses(region: &Region, visit: &mut dyn FnMut(&Op, &HashSet<Slot>)) {
    walk(region, HashSet::new(), false, visit);
}

/// The same, but a slot doesn't count where it is assigned as a whole before anything else is done with it.
pub(crate) fn each_with_later_reads(region: &Region, visit: &mut dyn FnMut(&Op, &HashSet<Slot>)) {
    walk(region, HashSet::new(), true, visit);
}

/// Gives back the slots that are used in the region or after it.
fn walk(
    region: &Region,
    mut later: HashSet<Slot>,
    reads: bool,
    visit: &mut dyn FnMut(&Op, &HashSet<Slot>),
) -> HashSet<Slot> {
    for op in region.ops.iter().rev() {
        visit(op, &later);
        let repeats = matches!(op.kind, OpKind::For { .. } | OpKind::Loop { .. });
        let mut before = later.clone();
        for inner in op.regions() {
            let mut after = later.clone();
            if repeats {
                // What the loop uses, the next iteration uses again, unless it is made anew there.
                after.extend(used(inner).difference(&declared(inner)));
            }
            before.extend(walk(inner, after, reads, visit));
        }
        match &op.kind {
            OpKind::Store(place, _) if reads && place.path.is_empty() => {
                before.remove(&place.root);
            }
            _ => before.extend(op.slots().into_iter().map(|(slot, _)| slot)),
        }
        later = before;
    }
    later
}

fn used(region: &Region) -> HashSet<Slot> {
    let mut all = HashSet::new();
    region.walk(&mut |op| all.extend(op.slots().into_iter().map(|(slot, _)| slot)));
    all
}

fn declared(region: &Region) -> HashSet<Slot> {
    let mut all = HashSet::new();
    region.walk(&mut |op| {
        if let OpKind::Init(slot, _) | OpKind::Borrow(slot, _) = &op.kind {
            all.insert(*slot);
        }
    });
    all
}

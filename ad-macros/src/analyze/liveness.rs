//! Which slots are used after an operation: what is used for the last time there may be moved.

use crate::ir::{Map, Op, OpKind, Region, Set, Slot};

/// Calls `visit` on each operation, last to first, with the slots that may be used after it.
pub(crate) fn each_with_later_uses(region: &Region, visit: &mut dyn FnMut(&Op, &Set<Slot>)) {
    walk(region, Set::default(), false, &lenders(region), visit);
}

/// The same, but a slot doesn't count where it is assigned as a whole before anything else is done with it.
pub(crate) fn each_with_later_reads(region: &Region, visit: &mut dyn FnMut(&Op, &Set<Slot>)) {
    walk(region, Set::default(), true, &lenders(region), visit);
}

/// Gives back the slots that are used in the region or after it.
fn walk(
    region: &Region,
    mut later: Set<Slot>,
    reads: bool,
    lenders: &Map<Slot, Slot>,
    visit: &mut dyn FnMut(&Op, &Set<Slot>),
) -> Set<Slot> {
    for op in region.ops.iter().rev() {
        visit(op, &later);
        let repeats = op.repeats();
        let mut before = later.clone();
        for inner in op.regions() {
            let mut after = later.clone();
            if repeats {
                // What the loop uses, the next iteration uses again, unless it is made anew there.
                after.extend(used(inner, lenders).difference(&declared(inner)));
            }
            before.extend(walk(inner, after, reads, lenders, visit));
        }
        match &op.kind {
            OpKind::Store(place, _) if reads && place.path.is_empty() => {
                before.remove(&place.root);
            }
            OpKind::Borrow(alias, place) => {
                before.remove(alias);
                before.extend(with_lenders(vec![place.root], lenders));
            }
            _ => before.extend(slots(op, lenders)),
        }
        later = before;
    }
    later
}

/// What each alias is borrowed from: its uses are uses of that.
fn lenders(region: &Region) -> Map<Slot, Slot> {
    let mut lenders = Map::default();
    region.walk(&mut |op| {
        if let OpKind::Borrow(alias, place) = &op.kind {
            lenders.insert(*alias, place.root);
        }
    });
    lenders
}

fn slots(op: &Op, lenders: &Map<Slot, Slot>) -> Vec<Slot> {
    let own = op.slots().into_iter().map(|(slot, _)| slot);
    with_lenders(own.collect(), lenders)
}

fn with_lenders(mut all: Vec<Slot>, lenders: &Map<Slot, Slot>) -> Vec<Slot> {
    let mut k = 0;
    while k < all.len() {
        all.extend(lenders.get(&all[k]));
        k += 1;
    }
    all
}

fn used(region: &Region, lenders: &Map<Slot, Slot>) -> Set<Slot> {
    let mut all = Set::default();
    region.walk(&mut |op| all.extend(slots(op, lenders)));
    all
}

/// The slots that are declared in the region or in those nested in it.
pub(crate) fn declared(region: &Region) -> Set<Slot> {
    let mut all = Set::default();
    region.walk(&mut |op| {
        if let OpKind::Init(slot, _) | OpKind::Borrow(slot, _) = &op.kind {
            all.insert(*slot);
        }
    });
    all
}

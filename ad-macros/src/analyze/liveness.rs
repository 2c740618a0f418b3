//! Which slots are used after an operation: what is used for the last time there may be moved.

use std::collections::{HashMap, HashSet};

use crate::ir::{Op, OpKind, Region, Slot};

/// Calls `visit` on each operation, last to first, with the slots that may be used after it.
pub(crate) fn each_with_later_uses(region: &Region, visit: &mut dyn FnMut(&Op, &HashSet<Slot>)) {
    walk(region, HashSet::new(), false, &lenders(region), visit);
}

/// The same, but a slot doesn't count where it is assigned as a whole before anything else is done with it.
pub(crate) fn each_with_later_reads(region: &Region, visit: &mut dyn FnMut(&Op, &HashSet<Slot>)) {
    walk(region, HashSet::new(), true, &lenders(region), visit);
}

/// Gives back the slots that are used in the region or after it.
fn walk(
    region: &Region,
    mut later: HashSet<Slot>,
    reads: bool,
    lenders: &HashMap<Slot, Slot>,
    visit: &mut dyn FnMut(&Op, &HashSet<Slot>),
) -> HashSet<Slot> {
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
fn lenders(region: &Region) -> HashMap<Slot, Slot> {
    let mut lenders = HashMap::new();
    region.walk(&mut |op| {
        if let OpKind::Borrow(alias, place) = &op.kind {
            lenders.insert(*alias, place.root);
        }
    });
    lenders
}

fn slots(op: &Op, lenders: &HashMap<Slot, Slot>) -> Vec<Slot> {
    let own = op.slots().into_iter().map(|(slot, _)| slot);
    with_lenders(own.collect(), lenders)
}

fn with_lenders(mut all: Vec<Slot>, lenders: &HashMap<Slot, Slot>) -> Vec<Slot> {
    let mut k = 0;
    while k < all.len() {
        all.extend(lenders.get(&all[k]));
        k += 1;
    }
    all
}

fn used(region: &Region, lenders: &HashMap<Slot, Slot>) -> HashSet<Slot> {
    let mut all = HashSet::new();
    region.walk(&mut |op| all.extend(slots(op, lenders)));
    all
}

/// The slots that are declared in the region or in those nested in it.
pub(crate) fn declared(region: &Region) -> HashSet<Slot> {
    let mut all = HashSet::new();
    region.walk(&mut |op| {
        if let OpKind::Init(slot, _) | OpKind::Borrow(slot, _) = &op.kind {
            all.insert(*slot);
        }
    });
    all
}

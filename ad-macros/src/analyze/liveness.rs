//! Slots that are used after an operation: the last use of a slot may move it.

use crate::ir::{Map, Op, OpKind, Region, Set, Slot};

/// Called with an operation's number, the operation, and the slots that may be used after it. The number is the position among
/// all operations of the region, each before those nested in it, as `Region::walk` visits them.
type Visit<'v> = dyn FnMut(usize, &Op, &Set<Slot>) + 'v;

/// Calls `visit` on each operation, last to first.
pub(crate) fn each_with_later_uses(region: &Region, visit: &mut Visit<'_>) {
    each(region, false, visit);
}

/// The same, but a slot doesn't count where it is assigned as a whole before anything else is done with it.
pub(crate) fn each_with_later_reads(region: &Region, visit: &mut Visit<'_>) {
    each(region, true, visit);
}

fn each(region: &Region, reads: bool, visit: &mut Visit<'_>) {
    let borrow_sources = borrow_sources(region);
    let mut walk = Walk {
        reads,
        borrow_sources: &borrow_sources,
        visit,
    };
    walk.region(region, 0, Set::default());
}

struct Walk<'a, 'v> {
    reads: bool,
    borrow_sources: &'a Map<Slot, Slot>,
    visit: &'a mut Visit<'v>,
}

impl Walk<'_, '_> {
    /// Returns the slots that are used in the region, whose first operation has the number `first`, or after it.
    fn region(&mut self, region: &Region, first: usize, mut later: Set<Slot>) -> Set<Slot> {
        let mut number = first + size(region);
        for op in region.ops.iter().rev() {
            let regions = op.regions();
            number -= 1 + regions.iter().map(|inner| size(inner)).sum::<usize>();
            (self.visit)(number, op, &later);
            if !regions.is_empty() {
                later = self.nested(op, &regions, number + 1, &later);
            }
            match &op.kind {
                OpKind::Store(place, _) if self.reads && place.path.is_empty() => {
                    later.remove(&place.root);
                }
                OpKind::Borrow(alias, place) => {
                    later.remove(alias);
                    later.extend(with_lenders(vec![place.root], self.borrow_sources));
                }
                _ => later.extend(slots(op, self.borrow_sources)),
            }
        }
        later
    }

    /// The slots that are used in an operation's regions, or after it.
    fn nested(
        &mut self,
        op: &Op,
        regions: &[&Region],
        mut first: usize,
        later: &Set<Slot>,
    ) -> Set<Slot> {
        let mut before = later.clone();
        for inner in regions {
            let mut after = later.clone();
            if op.repeats() {
                // The next iteration uses the same slots again, except those that it declares.
                after.extend(used(inner, self.borrow_sources).difference(&declared(inner)));
            }
            before.extend(self.region(inner, first, after));
            first += size(inner);
        }
        before
    }
}

/// How many operations there are in a region and those nested in it.
fn size(region: &Region) -> usize {
    let mut size = 0;
    region.walk(&mut |_| size += 1);
    size
}

/// The slot that each alias is borrowed from. A use of the alias is a use of that slot.
fn borrow_sources(region: &Region) -> Map<Slot, Slot> {
    let mut borrow_sources = Map::default();
    region.walk(&mut |op| {
        if let OpKind::Borrow(alias, place) = &op.kind {
            borrow_sources.insert(*alias, place.root);
        }
    });
    borrow_sources
}

fn slots(op: &Op, borrow_sources: &Map<Slot, Slot>) -> Vec<Slot> {
    let own = op.slots().into_iter().map(|(slot, _)| slot);
    with_lenders(own.collect(), borrow_sources)
}

fn with_lenders(mut all: Vec<Slot>, borrow_sources: &Map<Slot, Slot>) -> Vec<Slot> {
    let mut k = 0;
    while k < all.len() {
        all.extend(borrow_sources.get(&all[k]));
        k += 1;
    }
    all
}

fn used(region: &Region, borrow_sources: &Map<Slot, Slot>) -> Set<Slot> {
    let mut all = Set::default();
    region.walk(&mut |op| all.extend(slots(op, borrow_sources)));
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

//! Slots of the forward half that are moved out of. After the move the slot can't be read, nor a shadow made for it,
//! unless a clone is moved instead.

use super::Reverse;
use crate::analyze::each_with_later_reads;
use crate::ir::{Map, Op, OpKind, Place, Proj, Set, Slot, SlotKind, Value};

impl Reverse<'_> {
    /// The last use of a slot's content, or of a part of it, by value counts as a move, if that may not be `Copy`; and so does the only
    /// use of a field, whatever is done with other fields later.
    pub(super) fn find_moved(&mut self) {
        let src = self.src;
        let mut moved: Set<Slot> = Set::default();
        each_with_later_reads(&src.body, &mut |_, op, later| {
            if let OpKind::Load(place) = &op.kind
                && !src.ty(op.results[0]).is_copy()
                && !place
                    .path
                    .iter()
                    .any(|proj| matches!(proj, Proj::Index(_) | Proj::At(..)))
                && !later.contains(&place.root)
            {
                let data = src.slot(place.root);
                if data.kind == SlotKind::Owned && !data.ty.is_copy() {
                    moved.insert(place.root);
                }
            }
            moved.extend(
                op.slots()
                    .into_iter()
                    .map(|(slot, _)| slot)
                    .filter(|s| src.slot(*s).in_option),
            );
        });
        let mut places: Map<Slot, Vec<Place>> = Map::default();
        src.body.walk(&mut |op| {
            op.each_place(&mut |place| places.entry(place.root).or_default().push(place.clone()));
        });
        src.body.walk(&mut |op| {
            if let OpKind::Load(place) = &op.kind
                && !src.ty(op.results[0]).is_copy()
                && src.slot(place.root).kind == SlotKind::Owned
                && is_field(place)
                && let Some(all) = places.get(&place.root)
                && all
                    .iter()
                    .filter(|other| other.may_overlap(place, true))
                    .count()
                    == 1
            {
                moved.insert(place.root);
            }
        });
        src.body.walk_regions(&mut |region| {
            for (k, op) in region.ops.iter().enumerate() {
                if let OpKind::Load(place) = &op.kind
                    && !src.ty(op.results[0]).is_copy()
                    && src.slot(place.root).kind == SlotKind::Owned
                    && (is_replaced(place, &region.ops[k + 1..])
                        || is_taken_apart(place, op.results[0], &region.ops[k + 1..]))
                {
                    moved.insert(place.root);
                }
            }
        });
        self.moved = moved;
    }
}

/// Returns `true` if a field that has been read is taken apart next, so that a part of it may be moved while other
/// fields stay: `match s.kind { Kind::A(v) => .. }`.
fn is_taken_apart(place: &Place, field: Value, after: &[Op]) -> bool {
    let unpacked = |op: &Op| matches!(op.kind, OpKind::Unpack { value, .. } if value == field);
    !place.path.is_empty() && after.first().is_some_and(unpacked)
}

fn is_field(place: &Place) -> bool {
    let mut path = place.path.iter();
    !place.path.is_empty() && path.all(|proj| matches!(proj, Proj::Field(_)))
}

/// Returns `true` if a part that has been read is assigned before anything else is done with it: `s.v = step(s.v);`.
fn is_replaced(place: &Place, after: &[Op]) -> bool {
    if !is_field(place) {
        return false;
    }
    for op in after {
        if let OpKind::Store(target, _) = &op.kind
            && target == place
        {
            return true;
        }
        let mut touched = op.touches(place.root);
        op.each_place(&mut |other| {
            touched &= other.root != place.root || other.may_overlap(place, true);
        });
        let inside = op
            .regions()
            .iter()
            .any(|region| region.any(&mut |op| op.touches(place.root)));
        if touched || inside {
            return false;
        }
    }
    false
}

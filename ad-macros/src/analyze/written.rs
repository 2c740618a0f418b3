//! The memory that a region may write: the places of its stores, and the slots that anything else in it may change.
//!
//! Input: a function and a region of it. Holds: a place that the region *spares* has the same content whenever an operation of
//! the region reads it. Aliases that the region makes, and the variables behind mutable ones, count as written.

use crate::ir::{Access, Func, OpKind, Place, Region, Set, Slot, SlotKind};

/// The places and slots that a region writes or declares.
pub(crate) struct Written {
    places: Vec<Place>,
    slots: Set<Slot>,
}

impl Written {
    pub(crate) fn by(func: &Func, region: &Region) -> Self {
        let mut written = Written {
            places: Vec::new(),
            slots: Set::default(),
        };
        region.walk(&mut |op| match &op.kind {
            OpKind::Store(place, _) => written.places.push(place.clone()),
            OpKind::Load(_) | OpKind::CloneOf(_) | OpKind::Len(_) => {}
            OpKind::Borrow(alias, _) if func.slot(*alias).kind == SlotKind::Ref => {
                written.slots.insert(*alias);
            }
            OpKind::Borrow(alias, place) => written.slots.extend([*alias, place.root]),
            _ => {
                let slots = op.slots().into_iter();
                let others = slots.filter(|(_, access)| *access != Access::Read);
                written.slots.extend(others.map(|(slot, _)| slot));
            }
        });
        written
    }

    /// True if nothing in the region writes to the place or declares its variable.
    pub(crate) fn spares(&self, place: &Place) -> bool {
        !self.slots.contains(&place.root)
            && !self
                .places
                .iter()
                .any(|other| other.may_overlap(place, false))
    }
}

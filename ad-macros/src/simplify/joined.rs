//! One variable for a list that is built in one and then moved to another.
//!
//! ```text
//! held = [0; n]; for k in 0..n { held[k] = .. }; c = held     |    c = [0; n]; for k in 0..n { c[k] = .. }
//! ```
//!
//! Input: a primal. Iterator chains that are collected are built like this. Valid where the user can't name the first variable, both are declared in
//! one region, and nothing uses the first one after the move.

use crate::analyze::each_use_in;
use crate::ir::{Func, Op, OpKind, Place, Region, Slot, SlotKind, Ty, Use, Value};

/// Joins the two variables of all such moves.
pub(crate) fn join_moved(mut func: Func) -> Func {
    func.each_half_mut(&mut region);
    func
}

fn region(func: &mut Func, within: &mut Region) {
    let mut at = 0;
    while at < within.ops.len() {
        match moved(func, within, at) {
            Some((load, from, to)) => {
                for op in &mut within.ops[at..] {
                    rename(op, to, from);
                }
                let data = func.slot(to).clone();
                let joined = &mut func.slots[from.0 as usize];
                (joined.name, joined.span) = (data.name, data.span);
                within.ops.remove(at);
                within.ops.remove(load);
                at -= 1;
            }
            None => at += 1,
        }
    }
    for op in &mut within.ops {
        op.each_region_mut(&mut |inner| region(func, inner));
    }
}

/// If operation `at` moves a list to a new variable: where it is read, and both variables.
fn moved(func: &Func, region: &Region, at: usize) -> Option<(usize, Slot, Slot)> {
    let OpKind::Init(to, v) = region.ops[at].kind else {
        return None;
    };
    let load = region.ops[..at].iter().rposition(|op| op.results == [v])?;
    let OpKind::Load(Place { root: from, path }) = &region.ops[load].kind else {
        return None;
    };
    let is_plain = |slot: Slot| {
        let data = func.slot(slot);
        let owned = data.kind == SlotKind::Owned && matches!(data.ty, Ty::Vec(_));
        owned && data.is_plain()
    };
    let declares = |op: &Op| matches!(op.kind, OpKind::Init(slot, _) if slot == *from);
    let fits = path.is_empty()
        && is_plain(*from)
        && is_plain(to)
        && func.slot(*from).ident.is_none()
        && region.ops[..load].iter().any(declares)
        && is_only_use(region, v)
        && !region.ops[load + 1..]
            .iter()
            .any(|op| op.any(&mut |op| op.touches(*from)))
        && !region.ops[at + 1..]
            .iter()
            .any(|op| is_in_users_code(op, to));
    fits.then_some((load, *from, to))
}

fn is_only_use(region: &Region, v: Value) -> bool {
    let mut uses = region.yields.iter().filter(|y| **y == v).count();
    for op in &region.ops {
        each_use_in(op, &mut |used| uses += usize::from(used == v));
    }
    uses == 1
}

/// Returns `true` if verbatim code names the variable.
fn is_in_users_code(op: &Op, slot: Slot) -> bool {
    let names = |used: &Use| matches!(used, Use::Place { place, .. } if place.root == slot);
    op.any(&mut |op| matches!(&op.kind, OpKind::Opaque { uses, .. } if uses.iter().any(names)))
}

fn rename(op: &mut Op, from: Slot, to: Slot) {
    op.each_place_mut(&mut |place| {
        if place.root == from {
            place.root = to;
        }
    });
    op.each_region_mut(&mut |inner| {
        for op in &mut inner.ops {
            rename(op, from, to);
        }
    });
}

//! Values that a loop moves just before it is left.
//!
//! ```text
//! for .. { if done { return finish(s); } .. } finish(s)        for .. { if done { return finish(s.clone()); } .. } finish(s)
//! ```
//! A loop that returns has become one that is left with a flag, by which rustc can't see that `s` isn't used again.

use crate::analyze::{declared, each_with_later_reads};
use crate::ir::{Const, Func, Op, OpKind, Place, Proj, Region, Set, Slot, SlotKind, Ty, Value};

/// Input: a primal. Output: the same, in which a value that is moved where a loop ends, and that seems to be used again, is cloned.
pub(crate) fn clone_at_exits(mut func: Func) -> Func {
    let moves = moved_at_exits(&func);
    if moves.is_empty() {
        return func;
    }
    let mut clones: Set<Value> = Set::default();
    each_with_later_reads(&func.body, &mut |_, op, later| {
        if let OpKind::Load(place) = &op.kind
            && moves.contains(&op.results[0])
            && later.contains(&place.root)
        {
            clones.extend(&op.results);
        }
    });
    func.body.walk_mut(&mut |op| {
        if let OpKind::Load(place) = &op.kind
            && clones.contains(&op.results[0])
        {
            op.kind = OpKind::CloneOf(place.clone());
        }
    });
    func
}

/// A side of a branch: the branch's first result, and whether it is the first side.
type Side = (Value, bool);

/// Loads in branches that end a loop, from locals outside of that loop. Such a load may be a move.
fn moved_at_exits(func: &Func) -> Set<Value> {
    let mut always: Set<Value> = Set::default();
    func.body.walk(&mut |op| {
        if matches!(op.kind, OpKind::Const(Const::Bool(true))) {
            always.extend(&op.results);
        }
    });
    let mut moves = Set::default();
    func.body.walk(&mut |op| {
        let (OpKind::Loop { body, .. }
        | OpKind::For {
            body, stop: true, ..
        }) = &op.kind
        else {
            return;
        };
        let own = declared(body);
        let is_outer = |op: &Op| matches!(&op.kind, OpKind::Load(place) if !own.contains(&place.root) && may_move(func, place, op));
        let mut leaving: Set<Side> = Set::default();
        let mut branches: Vec<&Region> = Vec::new();
        each_leaving(body, body.yields[0], &always, &mut |side, branch| {
            leaving.insert(side);
            branches.push(branch);
        });
        for branch in branches {
            branch.walk(&mut |op| {
                if is_outer(op) {
                    moves.extend(&op.results);
                }
            });
        }
        body.walk_regions(&mut |region| {
            for (k, op) in region.ops.iter().enumerate() {
                if let OpKind::Load(place) = &op.kind
                    && is_outer(op)
                    && is_given_back(place.root, &region.ops[k + 1..], &leaving)
                {
                    moves.extend(&op.results);
                }
            }
        });
    });
    moves
}

/// Returns `true` if a moved slot is assigned next, unless the loop ends before: `t = step(s); if done { return t; } s = t;`.
fn is_given_back(slot: Slot, after: &[Op], leaving: &Set<Side>) -> bool {
    let touches = |op: &Op| op.any(&mut |op| op.touches(slot));
    let Some(next) = after.iter().find(|op| touches(op)) else {
        return false;
    };
    match &next.kind {
        OpKind::Store(place, _) => place.path.is_empty(),
        OpKind::If { then, other, .. } => {
            let ends = |is_then| {
                let result = next.results.first();
                result.is_some_and(|result| leaving.contains(&(*result, is_then)))
            };
            let stays = match (ends(true), ends(false)) {
                (true, false) => [then, other],
                (false, true) => [other, then],
                _ => return false,
            };
            !stays[0].ops.iter().any(touches) && is_given_back(slot, &stays[1].ops, leaving)
        }
        _ => false,
    }
}

/// Calls `f` on the branches whose flag, which becomes `stop` in `region`, is always set.
fn each_leaving<'r>(
    region: &'r Region,
    stop: Value,
    always: &Set<Value>,
    f: &mut dyn FnMut(Side, &'r Region),
) {
    for op in &region.ops {
        let (OpKind::If { then, other, .. }, Some(k)) =
            (&op.kind, op.results.iter().position(|v| *v == stop))
        else {
            continue;
        };
        for (is_then, branch) in [(true, then), (false, other)] {
            let Some(stop) = branch.yields.get(k) else {
                continue;
            };
            if always.contains(stop) {
                f((op.results[0], is_then), branch);
            } else {
                each_leaving(branch, *stop, always, f);
            }
        }
    }
}

/// Returns `true` if reading the place may move it out of a local. (A `Vec` is replaced by an empty one.)
fn may_move(func: &Func, place: &Place, op: &Op) -> bool {
    let ty = func.ty(op.results[0]);
    func.slot(place.root).kind == SlotKind::Owned
        && (place.path.iter()).all(|proj| matches!(proj, Proj::Field(_)))
        && !ty.is_copy()
        && !matches!(ty, Ty::Vec(_))
}

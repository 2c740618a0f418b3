//! Places that are borrowed while a call runs: the callee can't take them by `&mut`, nor move them.
//!
//! ```text
//! let row = m.row(0); let a = m.total(); row[0] * a        let row = m.row(0); let r = &m; let a = r.total(); row[0] * a
//! f(&y[..3], y)                                            f(&y[..3], &*y)
//! f(|t| t * y[0], y)                                       f(|t| t * y[0], &*y)
//! ```
//! In the first the receiver is shared, since an alias of a part is used later. In the second an argument is, since another one has a part of it, and in the
//! third, since a closure reads it.

use super::seq::Seq;
use crate::analyze::each_with_later_uses;
use crate::ir::{
    Arg, Callee, Func, Function, Map, Op, OpKind, Place, Region, Set, Slot, SlotData, SlotKind,
};

/// Input: a primal. Output: the same, with a shared reference for each such receiver and argument.
pub(crate) fn share_borrowed(mut func: Func) -> Func {
    let mut aliases: Map<Slot, Place> = Map::default();
    func.body.walk(&mut |op| {
        if let OpKind::Borrow(alias, place) = &op.kind {
            aliases.insert(*alias, place.clone());
        }
    });
    func.body.walk_mut(&mut |op| share_arguments(op, &aliases));
    if aliases.is_empty() {
        return func;
    }
    let mut shared: Set<usize> = Set::default();
    each_with_later_uses(&func.body, &mut |number, op, later| {
        if let Some(place) = receiver(op)
            && func.slot(place.root).kind != SlotKind::Ref
            && later
                .iter()
                .any(|alias| overlaps(place, *alias, &aliases, &func))
        {
            shared.insert(number);
        }
    });
    if shared.is_empty() {
        return func;
    }
    let mut body = std::mem::take(&mut func.body);
    borrow(&mut func, &mut body, &mut 0, &shared);
    func.body = body;
    func
}

/// A `&mut` variable that is handed over whole, while another argument has it, too, or a part of it, is taken by `&`: else the primal wouldn't
/// compile.
fn share_arguments(op: &mut Op, aliases: &Map<Slot, Place>) {
    let OpKind::Call(call) = &mut op.kind else {
        return;
    };
    let lent: Vec<Set<Slot>> = (call.args.iter())
        .map(|arg| match arg {
            Arg::Ref(place) | Arg::Mut(place) => borrow_sources(place.root, aliases),
            Arg::Function(Function::Closure(closure)) => {
                let mut captured = Set::default();
                closure.body.walk(&mut |op| {
                    let used = op.slots().into_iter();
                    captured.extend(used.flat_map(|(slot, _)| borrow_sources(slot, aliases)));
                });
                captured
            }
            _ => Set::default(),
        })
        .collect();
    for (k, arg) in call.args.iter_mut().enumerate() {
        if let Arg::Mut(place) = arg
            && place.path.is_empty()
            && (lent.iter().enumerate()).any(|(j, lent)| j != k && lent.contains(&place.root))
        {
            *arg = Arg::Ref(place.clone());
        }
    }
}

/// A slot, and those that it is borrowed from.
fn borrow_sources(slot: Slot, aliases: &Map<Slot, Place>) -> Set<Slot> {
    let mut borrow_sources = Set::default();
    let mut next = Some(slot);
    while let Some(slot) = next {
        if !borrow_sources.insert(slot) {
            break;
        }
        next = aliases.get(&slot).map(|place| place.root);
    }
    borrow_sources
}

fn receiver(op: &Op) -> Option<&Place> {
    match &op.kind {
        OpKind::Call(call) if matches!(call.callee, Callee::Method { .. }) => {
            match call.args.first() {
                Some(Arg::Receiver(place)) => Some(place),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns `true` if an alias may be borrowed from the place, or from a part of it.
fn overlaps(place: &Place, alias: Slot, aliases: &Map<Slot, Place>, func: &Func) -> bool {
    let mut lent = aliases.get(&alias);
    while let Some(part) = lent {
        if func.slot(alias).kind == SlotKind::Ref && place.may_overlap(part, true) {
            return true;
        }
        lent = aliases.get(&part.root);
    }
    false
}

fn borrow(func: &mut Func, region: &mut Region, number: &mut usize, shared: &Set<usize>) {
    let mut ops: Vec<Op> = Vec::new();
    for mut op in std::mem::take(&mut region.ops) {
        let this = *number;
        *number += 1;
        if shared.contains(&this)
            && let Some(place) = receiver(&op).cloned()
            && let OpKind::Call(call) = &mut op.kind
        {
            let whole = place.path.is_empty();
            let data = func.slot(place.root).clone();
            let alias = func.new_slot(SlotData {
                ty: if whole {
                    data.ty.clone()
                } else {
                    crate::ir::Ty::Deferred
                },
                kind: SlotKind::Ref,
                ident: None,
                in_option: false,
                ..data
            });
            let mut seq = Seq::new(func, &mut ops, op.span);
            seq.push(OpKind::Borrow(alias, place));
            call.args[0] = Arg::Receiver(Place::whole(alias));
        }
        for inner in op.regions_mut() {
            borrow(func, inner, number, shared);
        }
        ops.push(op);
    }
    region.ops = ops;
}

//! Values whose tangents are cloned, since they are `Copy`, which their tangents need not be.

use crate::analyze::each_with_later_reads;
use crate::ir::{Arg, Callee, Func, OpKind, Place, Proj, Set, Ty, Value};

/// Whole values that are read and used again, and elements of lists, which can't be moved. Such a value is `Copy`; its tangent need not be.
pub(super) fn again(func: &Func) -> Set<Value> {
    let mut copied = Set::default();
    let mut captured = Set::default();
    if let Some(pullback) = &func.pullback {
        pullback
            .body
            .walk(&mut |op| captured.extend(op.slots().into_iter().map(|(slot, _)| slot)));
    }
    let bodies = func.pullback.iter().map(|p| (&p.body, Set::default()));
    for (body, captured) in bodies.chain([(&func.body, captured)]) {
        each_with_later_reads(body, &mut |_, op, later| {
            if let OpKind::Load(place) = &op.kind
                && place.path.is_empty()
                && (later.contains(&place.root) || captured.contains(&place.root))
                && matches!(func.slot(place.root).ty, Ty::Named(_) | Ty::Deferred)
            {
                copied.extend(&op.results);
            }
        });
    }
    func.walk(&mut |op| {
        if let OpKind::Load(place) = &op.kind
            && matches!(place.path.last(), Some(Proj::Index(_)))
            && matches!(func.ty(op.results[0]), Ty::Named(_) | Ty::Deferred)
        {
            copied.extend(&op.results);
        }
    });
    copied
}

/// Operands that are read from a place which is written too: `s.k += x`. The tangent of the place, if it has one, has to
/// stay there until it is overwritten.
pub(super) fn updated(func: &Func) -> Set<Value> {
    let mut operands = Set::default();
    let mut written: Vec<&Place> = Vec::new();
    func.walk(&mut |op| match &op.kind {
        OpKind::Call(call) if matches!(call.callee, Callee::Operator(_)) => {
            operands.extend(call.args.iter().filter_map(|arg| match arg {
                Arg::Value(v) => Some(*v),
                _ => None,
            }));
        }
        OpKind::Store(place, _) if place.through_field() => written.push(place),
        _ => {}
    });
    let mut updated = Set::default();
    func.walk(&mut |op| {
        if let OpKind::Load(place) = &op.kind
            && written.contains(&place)
        {
            updated.extend(op.results.iter().filter(|v| operands.contains(*v)));
        }
    });
    updated
}

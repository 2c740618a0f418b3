//! Gives each receiver that is a temporary a place, since a method may take it by reference: `make(x).scaled(2.0)`.

use super::seq::Seq;
use crate::ir::{Arg, Callee, Func, Op, OpKind, Place, Region};

/// Input: a primal. Output: the same, with every receiver of a method call in a place.
pub(crate) fn place_receivers(mut func: Func) -> Func {
    let mut body = std::mem::take(&mut func.body);
    region(&mut func, &mut body);
    func.body = body;
    func
}

fn region(func: &mut Func, region_: &mut Region) {
    let mut ops = Vec::new();
    for mut op in std::mem::take(&mut region_.ops) {
        for inner in op.regions_mut() {
            region(func, inner);
        }
        receiver(func, &mut op, &mut ops);
        ops.push(op);
    }
    region_.ops = ops;
}

fn receiver(func: &mut Func, op: &mut Op, ops: &mut Vec<Op>) {
    let span = op.span;
    let OpKind::Call(call) = &mut op.kind else {
        return;
    };
    if let (Callee::Method { .. }, Some(Arg::Value(v))) = (&call.callee, call.args.first()) {
        let slot = Seq { func, ops, span }.init(*v, "receiver");
        func.slots[slot.0 as usize].in_option = !func.slot(slot).ty.is_scalar();
        call.args[0] = Arg::Receiver(Place::whole(slot));
    }
}

//! Moves out of variables that are given a new value later.
//!
//! ```text
//! let w = v; v = make();      let w = replace(&mut v, Vec::new()); v = make();
//! ```
//! Then every variable always holds something, which the reverse half can put back.

use super::seq::Seq;
use crate::analyze::each_with_later_uses;
use crate::ir::{Func, Op, OpKind, Region, SlotKind, Ty};

/// Input: a primal. Output: the same, in which no `Vec` is moved out of a variable that is used again.
pub(crate) fn replace_moved_vecs(mut func: Func) -> Func {
    let mut moves = Vec::new();
    each_with_later_uses(&func.body, &mut |_, op, later| {
        if let OpKind::Load(place) = &op.kind
            && later.contains(&place.root)
            && func.slot(place.root).kind == SlotKind::Owned
            && matches!(func.ty(op.results[0]), Ty::Vec(_))
        {
            moves.extend(&op.results);
        }
    });
    let mut body = std::mem::take(&mut func.body);
    rewrite(&mut func, &mut body, &moves);
    func.body = body;
    func
}

fn rewrite(func: &mut Func, region: &mut Region, moves: &[crate::ir::Value]) {
    let mut ops: Vec<Op> = Vec::new();
    for mut op in std::mem::take(&mut region.ops) {
        for inner in op.regions_mut() {
            rewrite(func, inner, moves);
        }
        if let OpKind::Load(place) = &op.kind
            && moves.contains(&op.results[0])
        {
            let (place, ty) = (place.clone(), func.ty(op.results[0]).clone());
            let mut seq = Seq::new(func, &mut ops, op.span);
            let empty = OpKind::Array {
                elems: Vec::new(),
                vec: true,
            };
            let empty = seq.value(empty, ty, "empty");
            op.kind = OpKind::Replace(place, empty);
        }
        ops.push(op);
    }
    region.ops = ops;
}

//! Additions to elements of parts of lists become additions to elements of the lists: `x_bar[lo..hi][j] += v` is `x_bar[lo + j] += v`.
//!
//! Passes on loops then see how the element moves with the counter. Valid because a shadow is as long as its primal, from which the same part
//! has been taken and the same element been read.

use super::rewrite_each;
use crate::ir::{BinaryOp, Func, OpKind, Place, Proj, Ty};
use crate::transform::Seq;

/// Rewrites all such additions.
pub(crate) fn whole_elements(mut func: Func) -> Func {
    rewrite_each(&mut func, &|func, mut op, ops| {
        if let OpKind::Accumulate(place, _) = &mut op.kind {
            let mut seq = Seq {
                func,
                ops,
                span: op.span,
            };
            while in_whole(&mut seq, place) {}
        }
        ops.push(op);
    });
    func
}

/// Takes the last part off the path; `false` if there is none.
fn in_whole(seq: &mut Seq<'_>, place: &mut Place) -> bool {
    let [.., Proj::Range(lo, _), Proj::Index(j)] = place.path[..] else {
        return false;
    };
    if !matches!(seq.func.ty(j), Ty::Int("usize")) {
        return false;
    }
    let index = match lo {
        Some(lo) => seq.binary(BinaryOp::Add, lo, j),
        None => j,
    };
    place.path.truncate(place.path.len() - 2);
    place.path.push(Proj::Index(index));
    true
}

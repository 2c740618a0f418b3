//! Elements of parts of lists become elements of the lists, so that passes on loops see how they move with the counter.
//!
//! ```text
//! x_bar[lo..hi][j] += v                       |     x_bar[lo + j] += v
//! let w = &x[k..k + 2]; w[1] - w[0] * w[0]    |     x[k + 1] - x[k] * x[k]
//! ```
//!
//! Additions: valid because a shadow is as long as its primal, from which the same part has been taken and the same element been read. Reads: valid
//! where all that is read of a borrowed part are elements with known indices. The part is taken no more where its last element is read in any case, which
//! panics as well.

use super::rewrite_each;
use crate::ir::{
    BinaryOp, Func, Map, Op, OpKind, Place, Proj, Region, Set, Slot, SlotKind, Ty, Value,
};
use crate::transform::Seq;

/// Rewrites all such additions and reads.
pub(crate) fn whole_elements(mut func: Func) -> Func {
    let ints = func.integers();
    let parts = parts(&func, &ints);
    let sure = read_for_certain(&func, &ints, &parts);
    rewrite_each(&mut func, &|func, mut op, ops| {
        let span = op.span;
        let mut seq = Seq::new(func, ops, span);
        match &mut op.kind {
            OpKind::Accumulate(place, _) => while in_whole(&mut seq, &ints, place) {},
            OpKind::Load(place) => {
                if let (Some(part), [Proj::Index(j)]) = (parts.get(&place.root), &place.path[..]) {
                    let index = moved(&mut seq, &ints, part.lo, *j);
                    *place = Place::new(part.of, vec![Proj::Index(index)]);
                }
            }
            OpKind::Borrow(alias, _) if sure.contains(alias) => return,
            _ => {}
        }
        ops.push(op);
    });
    func
}

/// `lo + j`
fn moved(seq: &mut Seq<'_>, ints: &Map<Value, i64>, lo: Value, j: Value) -> Value {
    match ints.get(&j) {
        Some(0) => lo,
        _ => seq.binary(BinaryOp::Add, lo, j),
    }
}

/// Takes the last part off the path; `false` if there is none.
fn in_whole(seq: &mut Seq<'_>, ints: &Map<Value, i64>, place: &mut Place) -> bool {
    let [.., Proj::Range(lo, _), Proj::Index(j)] = place.path[..] else {
        return false;
    };
    if !matches!(seq.func.ty(j), Ty::Int("usize")) {
        return false;
    }
    let index = match lo {
        Some(lo) => moved(seq, ints, lo, j),
        None => j,
    };
    place.path.truncate(place.path.len() - 2);
    place.path.push(Proj::Index(index));
    true
}

/// A borrowed part of a list, of which only elements with known indices are read.
struct Part {
    of: Slot,
    lo: Value,
    len: i64,
}

/// The borrowed parts of known length of which only elements are read.
fn parts(func: &Func, ints: &Map<Value, i64>) -> Map<Slot, Part> {
    let mut sums: Map<Value, (Value, i64)> = Map::default();
    func.walk(&mut |op| {
        if let (OpKind::Binary(BinaryOp::Add, a, b), [sum]) = (&op.kind, &op.results[..])
            && let Some(n) = ints.get(b)
        {
            sums.insert(*sum, (*a, *n));
        }
    });
    let mut parts: Map<Slot, Part> = Map::default();
    func.walk(&mut |op| {
        if let OpKind::Borrow(alias, place) = &op.kind
            && let [Proj::Range(Some(lo), Some(hi))] = place.path[..]
            && let Some((from, len)) = sums.get(&hi)
        {
            let (list, part) = (func.slot(place.root), func.slot(*alias));
            let shared = part.kind == SlotKind::Ref && !part.may_borrow && !part.in_option;
            let plain = matches!(list.ty, Ty::Slice(_) | Ty::Vec(_)) && !list.in_option;
            if shared && plain && *from == lo {
                let (of, len) = (place.root, *len);
                parts.insert(*alias, Part { of, lo, len });
            }
        }
    });
    func.walk(&mut |op| {
        for (slot, _) in op.slots() {
            let fits = match &op.kind {
                OpKind::Borrow(alias, _) if *alias == slot => true,
                OpKind::Load(place) => matches!(place.path[..], [Proj::Index(j)]
                    if parts.get(&slot).zip(ints.get(&j)).is_some_and(|(part, j)| (0..part.len).contains(j))),
                _ => false,
            };
            if !fits {
                parts.remove(&slot);
            }
        }
    });
    parts
}

/// The parts whose last element is read where they are taken.
fn read_for_certain(func: &Func, ints: &Map<Value, i64>, parts: &Map<Slot, Part>) -> Set<Slot> {
    let mut sure = Set::default();
    let mut look = |region: &Region| {
        for op in &region.ops {
            let OpKind::Borrow(alias, _) = &op.kind else {
                continue;
            };
            let is_last = |op: &Op| {
                let OpKind::Load(place) = &op.kind else {
                    return false;
                };
                let part = parts.get(&place.root).filter(|_| place.root == *alias);
                let index = match place.path[..] {
                    [Proj::Index(j)] => ints.get(&j),
                    _ => None,
                };
                part.is_some_and(|part| index == Some(&(part.len - 1)))
            };
            if region.ops.iter().any(is_last) {
                sure.insert(*alias);
            }
        }
    };
    func.body.walk_regions(&mut look);
    if let Some(pullback) = &func.pullback {
        pullback.body.walk_regions(&mut look);
    }
    sure
}

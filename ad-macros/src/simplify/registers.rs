//! Keeps an element that each trip of a loop reads and writes in a value (scalar promotion of memory).
//!
//! ```text
//! for j in 0..n { d[k] = d[k] + t * t }     |     s = if 0 < n { d[k] }; s = for j in 0..n carry (s) { s + t * t }; if 0 < n { d[k] = s }
//! ```
//!
//! The sum is then a value like one that the user has written, with one cotangent for all trips. Valid where the index is the same in all trips, and the
//! loop uses no other element of the variable, or only elements that `analyze/indices.rs` knows to be others: `y[i]` for `i` in `k + 1..n`. An element that
//! such a loop reads and doesn't write is read in front of it. The element is touched only if the loop runs, so that it needn't be there otherwise.

use super::promote::{runs, where_it_runs};
use super::rewrite_each;
use crate::analyze::Indices;
use crate::ir::{
    BinaryOp, Const, Func, Map, Op, OpKind, Place, Proj, Range, Region, Ty, Value, ValueData,
};
use crate::transform::Seq;

/// Keeps them in all loops, inner ones first.
pub(crate) fn keep_elements(mut func: Func) -> Func {
    let ints = func.integers();
    let indices = Indices::new(&func);
    rewrite_each(&mut func, &|func, mut op, ops| {
        let (mut after, mut after_runs) = (Vec::new(), Vec::new());
        while let Some(place) = kept(func, &indices, &op) {
            let there = is_there(func, ops, &place);
            let after = if there { &mut after } else { &mut after_runs };
            keep(func, &ints, (&place, there), &mut op, ops, after);
        }
        while let Some(at) = only_read(func, &indices, &op) {
            read_in_front(func, &ints, at, &mut op, ops);
        }
        let range = match &op.kind {
            OpKind::For { range, .. } => Some(range.clone()),
            _ => None,
        };
        ops.push(op);
        ops.append(&mut after);
        if let Some(range) = range {
            where_it_runs(func, &ints, &range, after_runs, ops);
        }
    });
    func
}

/// Returns `true` if the last of the operations that may change the variable uses the same element of it.
fn is_there(func: &Func, before: &[Op], place: &Place) -> bool {
    let mut uses = before
        .iter()
        .rev()
        .filter(|op| op.any(&mut |op| op.touches(place.root)));
    let keeps_length = |op: &&Op| match &op.kind {
        OpKind::Load(_) => op.results.iter().all(|v| func.ty(*v).is_scalar()),
        OpKind::Store(_, v) => func.ty(*v).is_scalar(),
        _ => false,
    };
    uses.by_ref()
        .take_while(keeps_length)
        .any(|op| matches!(&op.kind, OpKind::Load(p) | OpKind::Store(p, _) if p == place))
}

/// Where in its body a loop reads an element that is the same in all trips, while it writes others.
fn only_read(func: &Func, indices: &Indices, op: &Op) -> Option<usize> {
    let OpKind::For { body, .. } = &op.kind else {
        return None;
    };
    let inside = body.made();
    body.ops.iter().position(|op| {
        let OpKind::Load(place) = &op.kind else {
            return false;
        };
        if !is_element(place) {
            return false;
        }
        let plain = func.slot(place.root).is_plain();
        let same = op.operands().iter().all(|v| !inside.contains(*v));
        if !plain || !same || !func.ty(op.results[0]).is_scalar() {
            return false;
        }
        let mut written = false;
        let mut apart = true;
        body.walk(&mut |op| {
            if op.touches(place.root) {
                written |= matches!(op.kind, OpKind::Store(..));
                apart &= match &op.kind {
                    OpKind::Load(p) => p == place || indices.is_elsewhere(p, place),
                    OpKind::Store(p, _) => indices.is_elsewhere(p, place),
                    OpKind::Len(_) => true,
                    _ => false,
                };
            }
        });
        written && apart
    })
}

/// Returns `true` for an element of a list, or of a part from its start.
fn is_element(place: &Place) -> bool {
    matches!(
        place.path[..],
        [Proj::Index(_)] | [Proj::Range(None, _), Proj::Index(_)]
    )
}

/// Reads the place of operation `at` of the loop's body in front of the loop.
fn read_in_front(
    func: &mut Func,
    ints: &Map<Value, i64>,
    at: usize,
    op: &mut Op,
    before: &mut Vec<Op>,
) {
    let OpKind::For { range, body, .. } = &mut op.kind else {
        return;
    };
    let read = body.ops.remove(at);
    let (OpKind::Load(place), [v]) = (read.kind, &read.results[..]) else {
        return;
    };
    let data = func.value(*v).clone();
    let mut seq = Seq::new(func, before, read.span);
    let value = read_if_it_runs(&mut seq, ints, range, &place, &data);
    let names: Map<Value, Value> = std::iter::once((*v, value)).collect();
    body.ops.iter_mut().for_each(|op| rename(op, &names));
    for v in &mut body.yields {
        *v = names.get(v).copied().unwrap_or(*v);
    }
}

/// An element that the loop reads and writes in each trip, and nothing else of that variable but elements that are never the same one.
fn kept(func: &Func, indices: &Indices, op: &Op) -> Option<Place> {
    let (range, _, body) = op.as_counted_loop()?;
    if !matches!(func.ty(range.lo), Ty::Int(_)) {
        return None;
    }
    let made = index_arithmetic(func, body);
    let inside = body.made();
    let same = |v: &Value| made.contains_key(v) || !inside.contains(*v);
    let stored = body.ops.iter().filter_map(|op| match &op.kind {
        OpKind::Store(place, v) if func.ty(*v).is_float() => Some(place),
        _ => None,
    });
    let mut stored = stored.filter(|place| {
        let plain = func.slot(place.root).is_plain();
        matches!(&place.path[..], [Proj::Index(index)] if plain && same(index))
    });
    stored
        .find(|place| {
            let mut only = true;
            let mut touches = 0;
            let is_other = |op: &Op| match &op.kind {
                OpKind::Load(p) | OpKind::Store(p, _) => indices.is_elsewhere(p, place),
                _ => false,
            };
            let uses = |op: &Op| !is_other(op) && op.touches(place.root);
            body.walk(&mut |op| {
                if uses(op) {
                    touches += 1;
                    only &=
                        matches!(&op.kind, OpKind::Load(p) | OpKind::Store(p, _) if p == *place);
                }
            });
            let top = body.ops.iter().filter(|op| match &op.kind {
                OpKind::Load(p) | OpKind::Store(p, _) => p == *place,
                _ => false,
            });
            let first = body.ops.iter().find(|op| uses(op));
            let read_first = first.is_some_and(|op| matches!(op.kind, OpKind::Load(_)));
            only && read_first && top.count() == touches
        })
        .cloned()
}

/// Integer arithmetic of a body that is the same in all trips, with its operands.
fn index_arithmetic(func: &Func, body: &Region) -> Map<Value, Vec<usize>> {
    let inside = body.made();
    let mut made: Map<Value, Vec<usize>> = Map::default();
    for (k, op) in body.ops.iter().enumerate() {
        let integer = match op.kind {
            OpKind::Const(Const::Int(_)) => true,
            OpKind::Binary(BinaryOp::Add | BinaryOp::Mul, a, _) => {
                matches!(func.ty(a), Ty::Int("usize"))
            }
            _ => false,
        };
        let operands = op.operands();
        let same = |v: &Value| made.contains_key(v) || !inside.contains(*v);
        if integer && operands.iter().all(same) {
            let mut all: Vec<usize> = operands
                .iter()
                .flat_map(|v| made.get(v).cloned().unwrap_or_default())
                .collect();
            all.push(k);
            all.sort_unstable();
            all.dedup();
            made.insert(op.results[0], all);
        }
    }
    made
}

/// Reads the element in front of the loop, carries it, and writes it behind the loop. If it isn't known to be there, only where the loop runs.
fn keep(
    func: &mut Func,
    ints: &Map<Value, i64>,
    (place, there): (&Place, bool),
    op: &mut Op,
    before: &mut Vec<Op>,
    after: &mut Vec<Op>,
) {
    let span = op.span;
    let OpKind::For {
        range, init, body, ..
    } = &mut op.kind
    else {
        return;
    };
    // The index is computed in front of the loop.
    if let [Proj::Index(index)] = place.path[..]
        && let Some(made_of) = index_arithmetic(func, body).remove(&index)
    {
        let all = std::mem::take(&mut body.ops).into_iter().enumerate();
        let (moved, stay): (Vec<_>, Vec<_>) = all.partition(|(k, _)| made_of.contains(k));
        before.extend(moved.into_iter().map(|(_, op)| op));
        body.ops = stay.into_iter().map(|(_, op)| op).collect();
    }
    let mut reads = body.ops.iter().filter_map(|op| match &op.kind {
        OpKind::Load(from) if from == place => Some(op.results[0]),
        _ => None,
    });
    let Some(read) = reads.next() else { return };
    let data = func.value(read).clone();
    let mut again = || func.new_value(data.ty.clone(), data.name.clone(), span);
    let (param, last) = (again(), again());
    let mut seq = Seq::new(func, before, span);
    init.push(if there {
        seq.load(place.clone(), data.ty.clone(), &data.name)
    } else {
        read_if_it_runs(&mut seq, ints, range, place, &data)
    });
    let mut now = param;
    let mut names: Map<Value, Value> = Map::default();
    for mut op in std::mem::take(&mut body.ops) {
        match &op.kind {
            OpKind::Load(from) if from == place => {
                names.insert(op.results[0], now);
            }
            OpKind::Store(to, v) if to == place => {
                now = names.get(v).copied().unwrap_or(*v);
            }
            _ => {
                rename(&mut op, &names);
                body.ops.push(op);
            }
        }
    }
    for v in &mut body.yields {
        *v = names.get(v).copied().unwrap_or(*v);
    }
    body.params.push(param);
    body.yields.push(now);
    op.results.push(last);
    after.push(Op::new(
        OpKind::Store(place.clone(), last),
        Vec::new(),
        span,
    ));
}

/// Replaces values in an operation and in its regions.
pub(super) fn rename(op: &mut Op, names: &Map<Value, Value>) {
    let known = |v: &mut Value| *v = names.get(v).copied().unwrap_or(*v);
    op.each_operand_mut(&mut |v| known(v));
    op.each_region_mut(&mut |region| {
        region.ops.iter_mut().for_each(|op| rename(op, names));
        region.yields.iter_mut().for_each(known);
    });
}

/// `if lo < hi { place } else { undefined }`
fn read_if_it_runs(
    seq: &mut Seq<'_>,
    ints: &Map<Value, i64>,
    range: &Range,
    place: &Place,
    data: &ValueData,
) -> Value {
    let (comes_before, runs) = runs(ints, range);
    if runs {
        return seq.load(place.clone(), data.ty.clone(), &data.name);
    }
    let cond = seq.binary(comes_before, range.lo, range.hi);
    let kinds = [OpKind::Load(place.clone()), OpKind::Const(Const::Undef)];
    let [then, other] = kinds.map(|kind| {
        let mut ops = Vec::new();
        let mut side = Seq::new(seq.func, &mut ops, seq.span);
        let yields = vec![side.value(kind, data.ty.clone(), &data.name)];
        Region::new(ops, yields)
    });
    let kind = OpKind::If { cond, then, other };
    seq.value(kind, data.ty.clone(), &data.name)
}

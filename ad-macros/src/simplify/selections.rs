//! A value that a loop keeps or replaces is differentiated in the trip that replaced it last, and in no other.
//!
//! ```text
//! for i in lo..hi carry (best) { s = f(i); if s < best { s } else { best } }
//!
//! for i in lo..hi carry (best, found, at) { s = f(i); if s < best { s, true, i } else { best, found, at } }
//! again = if found { f(at) } else { init }
//! best with the derivative of again
//! ```
//!
//! So the reverse half of a search for an extremum costs one trip, and stores a position instead of a flag for each trip. The loop itself has no
//! derivative any more. Valid where nothing that carries a derivative comes from the trip before, and the trip can be computed again: its
//! operations have no effects, and the loop writes only to memory that a trip declares.

use super::unroll::copy_of;
use super::{Rewrite, rewrite_all};
use crate::diagnostics::bug;
use crate::ir::{
    Access, Carried, Const, Func, Map, Op, OpKind, Place, Region, Set, Slot, SlotData, SlotKind,
    Ty, Value,
};
use crate::transform::{Partial, Seq, partial};

/// The function that returns its first argument, with the derivative of the second one, which is the same number.
const TIED: &str = "tied";

/// Finds the last replacement in all loops that select.
pub(crate) fn select_trips(func: Func) -> Func {
    rewrite_all::<Selection>(func)
}

/// True if a value is tied to another one.
pub(crate) fn has_ties(func: &Func) -> bool {
    func.any(&mut |op| matches!(op.kind, OpKind::Math(TIED, _)))
}

/// Drops the second computation of tied values. Valid where nothing is differentiated any more.
pub(crate) fn untie(mut func: Func) -> Func {
    func.each_half_mut(&mut |_, half| {
        half.walk_mut(&mut |op| {
            if let OpKind::Math(TIED, args) = &mut op.kind {
                args[1] = args[0];
            }
        });
    });
    func
}

/// A loop that selects.
struct Selection {
    /// Which of the carried values are selected.
    kept: Vec<usize>,
    decision: Decision,
    /// The values that replace them.
    new: Vec<Value>,
    /// The operations that compute the new values.
    again: Vec<Op>,
    /// The counter and the other carried values that these operations read.
    position: Vec<Value>,
}

/// The test by which a trip keeps or replaces the values.
#[derive(Clone, PartialEq, Debug)]
enum Decision {
    /// A side of a branch of the body, of a branch in that, and so on.
    Branch(Vec<(usize, bool)>),
    /// A value is selected where another one holds, or doesn't.
    Where(Value, bool),
    /// The least or the greatest of a carried and a new value: the operation.
    Extremum(usize),
}

impl Rewrite for Selection {
    fn of(func: &Func, _: &Map<Value, i64>, op: &Op) -> Option<Selection> {
        let carried = op.carried()?;
        let (body, params, yields) = (carried.body, carried.params, carried.yields);
        let (mut kept, mut new, mut decision) = (Vec::new(), Vec::new(), None);
        let mut pool = Vec::new();
        for (k, (param, next)) in params.iter().zip(yields).enumerate() {
            let ty = func.ty(*param);
            if !ty.may_have_tangent() {
                continue;
            }
            if !ty.is_float() || matches!(ty, Ty::Lanes) {
                return None;
            }
            let mut ops = Vec::new();
            let (replaced, by) = replacement(body, *param, *next, &mut ops)?;
            let known = func.ty(replaced).is_float();
            if !known || *decision.get_or_insert_with(|| by.clone()) != by {
                return None;
            }
            kept.push(k);
            new.push(replaced);
            pool = ops;
        }
        let decision = decision?;
        let selected: Vec<Value> = kept.iter().map(|k| params[*k]).collect();
        let slice = Slice::of(func, body, &pool, &new, &selected)?;
        Some(Selection {
            kept,
            decision,
            new,
            again: slice.ops,
            position: slice.position,
        })
    }

    fn apply(self, func: &mut Func, mut op: Op, ops: &mut Vec<Op>) {
        let span = op.span;
        let Some(Carried { init, body, .. }) = op.carried() else {
            bug!("not a loop")
        };
        let init: Vec<Value> = self.kept.iter().map(|k| init[*k]).collect();
        let mut inside = body.params.clone();
        body.walk(&mut |op| inside.extend(&op.results));
        let results: Vec<Value> = self.kept.iter().map(|k| op.results[*k]).collect();
        for k in &self.kept {
            op.results[*k] = copy_of(func, op.results[*k]);
        }
        let selected: Vec<Value> = self.kept.iter().map(|k| op.results[*k]).collect();
        let (found, at) = self.record(func, &mut op, ops);
        ops.push(op);
        let mut names: Map<Value, Value> = self.position.iter().copied().zip(at).collect();
        let (mut trip, mut slots) = (Vec::new(), Map::default());
        for op in &self.again {
            trip.push(copied(func, op, &mut names, &mut slots));
        }
        for v in inside.iter().chain(&selected) {
            func.value_mut(*v).constant = true;
        }
        let new = self.new.iter();
        let new = new.map(|v| names.get(v).copied().unwrap_or(*v)).collect();
        let then = Region::new(trip, new);
        let other = Region::new(Vec::new(), init);
        let again: Vec<Value> = results.iter().map(|v| copy_of(func, *v)).collect();
        let cond = found;
        let kind = OpKind::If { cond, then, other };
        ops.push(Op::new(kind, again.clone(), span));
        for ((result, value), again) in results.into_iter().zip(selected).zip(again) {
            let tied = OpKind::Math(TIED, vec![value, again]);
            ops.push(Op::new(tied, vec![result], span));
        }
    }
}

impl Selection {
    /// Makes the loop carry whether a trip has replaced the values, and the position of the last one that has. Returns the final values.
    fn record(&self, func: &mut Func, op: &mut Op, ops: &mut Vec<Op>) -> (Value, Vec<Value>) {
        let span = op.span;
        let mut seq = Seq::new(func, ops, span);
        let mut start = vec![seq.value(OpKind::Const(Const::Bool(false)), Ty::Bool, "found")];
        for v in &self.position {
            let ty = seq.func.ty(*v).clone();
            start.push(seq.value(OpKind::Const(Const::Undef), ty, "at"));
        }
        let fresh =
            |func: &mut Func| -> Vec<Value> { start.iter().map(|v| copy_of(func, *v)).collect() };
        let (old, out) = (fresh(func), fresh(func));
        let (OpKind::For { init, body, .. } | OpKind::Loop { init, body }) = &mut op.kind else {
            bug!("not a loop")
        };
        init.extend(&start);
        let next = self.next(func, body, &old, &fresh);
        body.params.extend(old);
        body.yields.extend(next);
        op.results.extend(&out);
        (out[0], out[1..].to_vec())
    }

    /// The record as the body yields it.
    fn next(
        &self,
        func: &mut Func,
        body: &mut Region,
        old: &[Value],
        fresh: &dyn Fn(&mut Func) -> Vec<Value>,
    ) -> Vec<Value> {
        let span = func.value(self.new[0]).span;
        let mut now = |func: &mut Func, ops: &mut Vec<Op>| {
            let mut seq = Seq::new(func, ops, span);
            let found = seq.value(OpKind::Const(Const::Bool(true)), Ty::Bool, "found");
            std::iter::once(found)
                .chain(self.position.iter().copied())
                .collect::<Vec<_>>()
        };
        let (cond, holds) = match &self.decision {
            Decision::Branch(path) => return nested(func, body, path, old, fresh, &mut now),
            Decision::Where(cond, holds) => (*cond, *holds),
            Decision::Extremum(k) => {
                let OpKind::Math(f, args) = body.ops[*k].kind.clone() else {
                    bug!("no extremum")
                };
                let result = body.ops[*k].results[0];
                let mut seq = Seq::new(func, &mut body.ops, span);
                match partial(&mut seq, f, &args, result, 1) {
                    Partial::Where(second) => (second, args[1] == self.new[0]),
                    _ => bug!("an extremum that isn't selected"),
                }
            }
        };
        let new = now(func, &mut body.ops);
        let mut seq = Seq::new(func, &mut body.ops, span);
        let choose = |(new, old): (&Value, &Value)| {
            let (a, b) = if holds { (*new, *old) } else { (*old, *new) };
            seq.select(cond, a, b)
        };
        new.iter().zip(old).map(choose).collect()
    }
}

/// Makes the branch at the end of a path yield the record, and those around it pass it on.
fn nested(
    func: &mut Func,
    region: &mut Region,
    path: &[(usize, bool)],
    old: &[Value],
    fresh: &dyn Fn(&mut Func) -> Vec<Value>,
    now: &mut dyn FnMut(&mut Func, &mut Vec<Op>) -> Vec<Value>,
) -> Vec<Value> {
    let Some(((k, is_then), path)) = path.split_first() else {
        return now(func, &mut region.ops);
    };
    let OpKind::If { then, other, .. } = &mut region.ops[*k].kind else {
        bug!("not a branch")
    };
    let (inside, outside) = if *is_then {
        (then, other)
    } else {
        (other, then)
    };
    let new = nested(func, inside, path, old, fresh, now);
    inside.yields.extend(new);
    if !outside.diverges() {
        outside.yields.extend(old);
    }
    let results = fresh(func);
    region.ops[*k].results.extend(&results);
    results
}

/// The value by which a region replaces a carried one, and the condition for it. Adds the operations that run where it holds.
fn replacement<'r>(
    region: &'r Region,
    param: Value,
    next: Value,
    pool: &mut Vec<&'r Op>,
) -> Option<(Value, Decision)> {
    pool.extend(&region.ops);
    let at = region
        .ops
        .iter()
        .position(|op| op.results.contains(&next))?;
    match &region.ops[at].kind {
        OpKind::If { then, other, .. } => {
            let k = region.ops[at].results.iter().position(|v| *v == next)?;
            let sides = [then.yields.get(k)?, other.yields.get(k)?];
            let (side, is_then) = match sides.map(|v| *v == param) {
                [false, true] => (then, true),
                [true, false] => (other, false),
                _ => return None,
            };
            let new = side.yields[k];
            let mut path = vec![(at, is_then)];
            let mut inner = Vec::new();
            // A branch in the branch may keep it, too.
            let replaced = match replacement(side, param, new, &mut inner) {
                Some((new, Decision::Branch(rest))) => {
                    path.extend(rest);
                    new
                }
                _ => {
                    inner = side.ops.iter().collect();
                    new
                }
            };
            pool.extend(inner);
            Some((replaced, Decision::Branch(path)))
        }
        OpKind::Select(cond, a, b) => match [*a == param, *b == param] {
            [false, true] => Some((*a, Decision::Where(*cond, true))),
            [true, false] => Some((*b, Decision::Where(*cond, false))),
            _ => None,
        },
        OpKind::Math("max" | "min", args) => match [args[0] == param, args[1] == param] {
            [false, true] => Some((args[0], Decision::Extremum(at))),
            [true, false] => Some((args[1], Decision::Extremum(at))),
            _ => None,
        },
        _ => None,
    }
}

/// The operations that compute some values of a trip.
struct Slice {
    ops: Vec<Op>,
    position: Vec<Value>,
}

impl Slice {
    /// The slice, if it can be computed after the loop: `selected` has no part in it.
    fn of(
        func: &Func,
        body: &Region,
        pool: &[&Op],
        values: &[Value],
        selected: &[Value],
    ) -> Option<Slice> {
        let mut declared: Set<Slot> = Set::default();
        let mut written: Set<Slot> = Set::default();
        body.walk(&mut |op| {
            if let OpKind::Borrow(alias, place) = &op.kind
                && func.slot(*alias).kind == SlotKind::RefMut
            {
                written.insert(place.root);
            }
            for (slot, access) in op.slots() {
                match access {
                    Access::Declare => {
                        declared.insert(slot);
                    }
                    Access::Write | Access::Both => {
                        written.insert(slot);
                    }
                    Access::Read => {}
                }
            }
        });
        if !written.is_subset(&declared) {
            return None;
        }
        let mut makers: Map<Value, usize> = Map::default();
        let mut users: Map<Slot, Vec<usize>> = Map::default();
        for (k, op) in pool.iter().enumerate() {
            makers.extend(op.results.iter().map(|v| (*v, k)));
            op.walk(&mut |op| {
                for (slot, _) in op.slots() {
                    users.entry(slot).or_default().push(k);
                }
            });
        }
        let (mut wanted, mut taken): (Vec<Value>, Set<usize>) = (values.to_vec(), Set::default());
        let mut position: Vec<Value> = Vec::new();
        let mut seen: Set<Value> = Set::default();
        while let Some(v) = wanted.pop() {
            if selected.contains(&v) {
                return None;
            }
            if !seen.insert(v) {
                continue;
            }
            if body.params.contains(&v) {
                position.push(v);
                continue;
            }
            let mut open: Vec<usize> = makers.get(&v).copied().into_iter().collect();
            while let Some(k) = open.pop() {
                if !taken.insert(k) {
                    continue;
                }
                let mut fits = true;
                let mut own: Set<Value> = Set::default();
                pool[k].walk(&mut |op| {
                    fits &= is_repeatable(func, op);
                    op.each_region(&mut |region| own.extend(&region.params));
                    own.extend(&op.results);
                    for (slot, _) in op.slots() {
                        if declared.contains(&slot) {
                            open.extend(&users[&slot]);
                        }
                    }
                });
                if !fits {
                    return None;
                }
                crate::analyze::each_use_in(pool[k], &mut |v| {
                    if !own.contains(&v) {
                        wanted.push(v);
                    }
                });
            }
        }
        if !position.iter().all(|v| func.ty(*v).is_scalar()) {
            return None;
        }
        position.sort();
        let ops = pool.iter().enumerate().filter(|(k, _)| taken.contains(k));
        Some(Slice {
            ops: ops.map(|(_, op)| (*op).clone()).collect(),
            position,
        })
    }
}

/// True for an operation that has effects only on slots that the trip declares.
fn is_repeatable(func: &Func, op: &Op) -> bool {
    match &op.kind {
        OpKind::Load(_) => func.ty(op.results[0]).is_copy(),
        OpKind::Tuple(_)
        | OpKind::Untuple(_)
        | OpKind::Array { .. }
        | OpKind::Repeat { .. }
        | OpKind::Len(_)
        | OpKind::CloneOf(_)
        | OpKind::Borrow(..)
        | OpKind::Init(..)
        | OpKind::Store(..)
        | OpKind::If { .. }
        | OpKind::For { .. }
        | OpKind::Unreachable => true,
        _ => op.is_arithmetic(),
    }
}

/// An operation once more, with values and variables of its own.
fn copied(
    func: &mut Func,
    op: &Op,
    names: &mut Map<Value, Value>,
    slots: &mut Map<Slot, Slot>,
) -> Op {
    let region = Region::new(vec![op.clone()], Vec::new());
    let mut copy = super::unroll::renamed(func, &region, names);
    let mut declared = Vec::new();
    copy.walk(&mut |op| {
        let slots = op.slots().into_iter();
        declared.extend(slots.filter_map(|(slot, how)| (how == Access::Declare).then_some(slot)));
    });
    for slot in declared {
        let data = SlotData {
            ident: None,
            ..func.slot(slot).clone()
        };
        slots.insert(slot, func.new_slot(data));
    }
    copy.walk_mut(&mut |op| {
        op.each_place_mut(&mut |place: &mut Place| {
            place.root = slots.get(&place.root).copied().unwrap_or(place.root);
        });
        if let OpKind::Init(slot, _) | OpKind::Borrow(slot, _) = &mut op.kind {
            *slot = slots.get(slot).copied().unwrap_or(*slot);
        }
    });
    match copy.ops.pop() {
        Some(op) => op,
        None => bug!("an operation that is gone"),
    }
}

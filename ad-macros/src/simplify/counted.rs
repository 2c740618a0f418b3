//! A `loop` that counts is a counted loop, and counted loops end in front of their bound.
//!
//! ```text
//! loop carry (i = lo, s) { if i + 1 < len x { .. yield false, i + 1, s + t } else { yield true, i, s } }
//! for i in lo..len x - 1 carry (s) { .. yield s + t }
//!
//! loop carry (i = hi, s) { if i > 0 { j = i - 1; .. yield false, j, s + t } else { yield true, i, s } }
//! for j in (0..hi).rev() carry (s) { i = j + 1; .. yield s + t }
//!
//! for i in lo..=hi { .. }
//! for i in lo..hi + 1 { .. }
//! ```
//!
//! So `while` is as fast as `for`: the reverse half knows the counter without a record of it. Valid where the test comes first, the bound is the same
//! in all trips, and each trip moves the counter by one. A further exit (`break`) becomes the counted loop's.

use proc_macro2::{Ident, Span};
use quote::quote;

use super::{Rewrite, rewrite_all};
use crate::analyze::Bounds;
use crate::diagnostics::bug;
use crate::ir::{
    Access, Adapter, BinaryOp, Const, Func, Map, Op, OpKind, Place, Range, Region, Set, SlotKind,
    Ty, Use, Value,
};
use crate::transform::Seq;

/// Counts all loops that count.
pub(crate) fn count_loops(func: Func) -> Func {
    let mut func = rewrite_all::<Count>(func);
    let bounds = Bounds::new(&func);
    func.each_half_mut(&mut |func, half| {
        let outside = end_in_front(func, &bounds, half);
        half.ops.splice(..0, checks(func, &outside));
    });
    func
}

/// Makes ranges of indices end in front of their bounds.
///
/// There is no number after `usize::MAX`. A loop up to there is left by a `break`, before it gets there; any other is refused when it runs. Returns the
/// bounds from outside of the region that are to be checked in front of it.
fn end_in_front(func: &mut Func, bounds: &Bounds, region: &mut Region) -> Vec<(Value, Span)> {
    let mut defined: Set<Value> = region.params.iter().copied().collect();
    let mut outside = Vec::new();
    for mut op in std::mem::take(&mut region.ops) {
        let is_loop = matches!(op.kind, OpKind::For { .. } | OpKind::Loop { .. });
        let mut unchecked = Vec::new();
        for inner in op.regions_mut() {
            let found = end_in_front(func, bounds, inner);
            if is_loop {
                unchecked.extend(found);
            } else {
                inner.ops.splice(..0, checks(func, &found));
            }
        }
        if let OpKind::For { range, stop, .. } = &mut op.kind
            && range.inclusive
            && matches!(func.ty(range.hi), Ty::Int("usize"))
        {
            let mut seq = Seq::new(func, &mut region.ops, op.span);
            let (lo, hi) = (range.lo, range.hi);
            let stops = *stop && range.adapters.is_empty() && bounds.has_next(lo);
            range.hi = if stops && !bounds.has_next(hi) && !bounds.is_difference(hi) {
                next_or_last(&mut seq, hi)
            } else {
                if !bounds.has_next(hi) {
                    unchecked.push((hi, op.span));
                }
                let one = seq.int("1", "usize");
                seq.binary(BinaryOp::Add, hi, one)
            };
            range.inclusive = false;
        }
        let is_own = |(hi, _): &(Value, Span)| defined.contains(hi);
        let (own, others): (Vec<_>, Vec<_>) = unchecked.into_iter().partition(is_own);
        outside.extend(others);
        region.ops.extend(checks(func, &own));
        defined.extend(&op.results);
        region.ops.push(op);
    }
    outside
}

/// Assertions that each of the values is less than `usize::MAX`.
fn checks(func: &mut Func, values: &[(Value, Span)]) -> Vec<Op> {
    let (mut ops, mut checked) = (Vec::new(), Set::default());
    for (value, span) in values {
        if checked.insert(*value) {
            let mut seq = Seq::new(func, &mut ops, *span);
            let has_next = has_next(&mut seq, *value);
            let ident = Ident::new("has_next", Span::mixed_site());
            let tokens = quote!(
                ::core::assert!(#ident, "a loop up to and with `usize::MAX` has no derivative rule")
            );
            seq.push(OpKind::code(tokens, vec![Use::Value(ident, has_next)]));
        }
    }
    ops
}

/// One more than an index, or `usize::MAX`, where no loop gets that stops.
fn next_or_last(seq: &mut Seq<'_>, index: Value) -> Value {
    let (has_next, one) = (has_next(seq, index), seq.int("1", "usize"));
    let zero = seq.int("0", "usize");
    let by = seq.select(has_next, one, zero);
    seq.binary(BinaryOp::Add, index, by)
}

fn has_next(seq: &mut Seq<'_>, value: Value) -> Value {
    let greatest = Const::Expr(quote!(::core::primitive::usize::MAX));
    let greatest = seq.value(OpKind::Const(greatest), Ty::Int("usize"), "greatest");
    seq.value(
        OpKind::Binary(BinaryOp::Lt, value, greatest),
        Ty::Bool,
        "has_next",
    )
}

/// How a loop counts.
struct Count {
    /// The position of the counter among the carried values.
    position: usize,
    /// The counter of the next trip.
    next: Value,
    up: bool,
    bound: Bound,
    /// Which side of the branch is a trip.
    trip_is_then: bool,
}

/// A trip runs while `counter + moved < end` (`<=` if `closed`), or, of one that counts down, while `counter > end`.
struct Bound {
    end: Value,
    moved: Option<Value>,
    closed: bool,
}

impl Rewrite for Count {
    fn of(func: &Func, ints: &Map<Value, i64>, op: &Op) -> Option<Count> {
        let OpKind::Loop { init, body } = &op.kind else {
            return None;
        };
        let (last, tests) = body.ops.split_last()?;
        let OpKind::If { cond, then, other } = &last.kind else {
            return None;
        };
        if !tests.iter().all(is_test) {
            return None;
        }
        let trip_is_then = leaves(body, last, other);
        if !trip_is_then && !leaves(body, last, then) {
            return None;
        }
        let trip = if trip_is_then { then } else { other };
        if trip.diverges() {
            return None;
        }
        let made = |v: Value, ops: &[Op]| {
            ops.iter()
                .find(|op| op.results == [v])
                .map(|op| op.kind.clone())
        };
        let OpKind::Binary(test, a, b) = made(*cond, tests)? else {
            return None;
        };
        let test = if trip_is_then { test } else { negated(test)? };
        let same = |v: Value| stays(func, body, tests, v);
        let (test, a, b) = if same(a) {
            (mirrored(test)?, b, a)
        } else {
            (test, a, b)
        };
        for (position, counter) in body.params.iter().enumerate() {
            if !matches!(func.ty(*counter), Ty::Int("usize")) {
                continue;
            }
            let next = passed_on(last, trip, body.yields[position + 1]);
            let Some(OpKind::Binary(step, from, one)) = made(next, &trip.ops) else {
                continue;
            };
            let by_one = from == *counter && ints.get(&one) == Some(&1);
            let moved = |v: Value| match made(v, tests) {
                Some(OpKind::Binary(BinaryOp::Add, x, y)) if x == *counter && same(y) => Some(y),
                Some(OpKind::Binary(BinaryOp::Add, x, y)) if y == *counter && same(x) => Some(x),
                _ => None,
            };
            let start = init[position];
            let bound = match (step, test) {
                (BinaryOp::Add, BinaryOp::Lt | BinaryOp::Le) if a == *counter && same(b) => Bound {
                    end: b,
                    moved: None,
                    closed: test == BinaryOp::Le,
                },
                // A counter that starts at a number doesn't wrap round.
                (BinaryOp::Add, BinaryOp::Lt | BinaryOp::Le)
                    if same(b) && ints.contains_key(&start) =>
                {
                    Bound {
                        end: b,
                        moved: Some(moved(a)?),
                        closed: test == BinaryOp::Le,
                    }
                }
                (BinaryOp::Sub, BinaryOp::Gt) if a == *counter && same(b) => Bound {
                    end: b,
                    moved: None,
                    closed: false,
                },
                _ => continue,
            };
            if by_one {
                return Some(Count {
                    position,
                    next,
                    up: step == BinaryOp::Add,
                    bound,
                    trip_is_then,
                });
            }
        }
        None
    }

    fn apply(self, func: &mut Func, op: Op, ops: &mut Vec<Op>) {
        let Op {
            kind: OpKind::Loop { init, mut body },
            mut results,
            span,
        } = op
        else {
            bug!("not a loop")
        };
        let Some(Op {
            kind: OpKind::If { then, other, .. },
            results: joined,
            ..
        }) = body.ops.pop()
        else {
            bug!("no branch ends the loop")
        };
        let mut trip = if self.trip_is_then { then } else { other };
        let yields = body.yields.iter().map(|y| {
            let at = joined.iter().position(|r| r == y);
            at.map_or(*y, |at| trip.yields[at])
        });
        let mut yields: Vec<Value> = yields.collect();
        let stops = !is_false(&body, &trip, yields[0]);
        let (lo, hi) = self.ends(func, &body, init[self.position], stops, ops);
        let inclusive = self.bound.closed && self.bound.moved.is_none();
        let mut params = body.params.clone();
        let mut init = init;
        let counter = params.remove(self.position);
        let (from, result) = (init.remove(self.position), results.remove(self.position));
        let passed = yields.remove(self.position + 1);
        if stops {
            // The counter as it is where the loop is left.
            params.push(func.new_value(Ty::Int("usize"), func.value(counter).name.clone(), span));
            init.push(from);
            yields.push(passed);
            results.push(result);
        } else {
            yields.remove(0);
        }
        let mut inside = std::mem::take(&mut body.ops);
        let induction = if self.up {
            counter
        } else {
            trip.ops.retain(|op| op.results != [self.next]);
            let one = Seq::new(func, &mut inside, span).int("1", "usize");
            let before = OpKind::Binary(BinaryOp::Add, self.next, one);
            inside.push(Op::new(before, vec![counter], span));
            self.next
        };
        inside.append(&mut trip.ops);
        params.insert(0, induction);
        let mut region = Region {
            params,
            ops: inside,
            yields,
        };
        keep_what_is_read(&mut region);
        let range = Range {
            lo,
            hi,
            inclusive,
            adapters: if self.up {
                Vec::new()
            } else {
                vec![Adapter::Rev]
            },
        };
        let kind = OpKind::For {
            range,
            init,
            stop: stops,
            body: region,
        };
        ops.push(Op::new(kind, results, span));
        if !stops {
            let mut seq = Seq::new(func, ops, span);
            let runs = seq.binary(
                if inclusive {
                    BinaryOp::Le
                } else {
                    BinaryOp::Lt
                },
                lo,
                hi,
            );
            let mut end = if self.up { hi } else { lo };
            if inclusive {
                let one = seq.int("1", "usize");
                end = seq.binary(BinaryOp::Add, hi, one);
            }
            ops.push(Op::new(OpKind::Select(runs, end, from), vec![result], span));
        }
    }
}

impl Count {
    /// The ends of the range, computed in front of the loop.
    fn ends(
        &self,
        func: &mut Func,
        body: &Region,
        start: Value,
        stops: bool,
        ops: &mut Vec<Op>,
    ) -> (Value, Value) {
        let mut names: Map<Value, Value> = Map::default();
        let mut wanted: Set<Value> = std::iter::once(self.bound.end)
            .chain(self.bound.moved)
            .collect();
        for op in body.ops.iter().rev() {
            if op.results.iter().any(|v| wanted.contains(v)) {
                wanted.extend(op.operands());
            }
        }
        for op in &body.ops {
            if let [result] = op.results[..]
                && wanted.contains(&result)
            {
                let mut copy = op.clone();
                copy.each_operand_mut(&mut |v| *v = names.get(v).copied().unwrap_or(*v));
                let data = func.value(result).clone();
                let fresh = func.new_value(data.ty, data.name, data.span);
                names.insert(result, fresh);
                copy.results = vec![fresh];
                ops.push(copy);
            }
        }
        let known = |v: Value| names.get(&v).copied().unwrap_or(v);
        let span = body
            .ops
            .first()
            .map_or_else(proc_macro2::Span::call_site, |op| op.span);
        let mut end = known(self.bound.end);
        let mut seq = Seq::new(func, ops, span);
        if !self.up {
            return (end, start);
        }
        if let (true, Some(_)) = (self.bound.closed, self.bound.moved) {
            end = if stops {
                next_or_last(&mut seq, end)
            } else {
                let one = seq.int("1", "usize");
                seq.binary(BinaryOp::Add, end, one)
            };
        }
        if let Some(by) = self.bound.moved.map(known) {
            // No trip runs where nothing is left.
            let short = seq.binary(BinaryOp::Lt, end, by);
            let most = seq.value(OpKind::Select(short, by, end), Ty::Int("usize"), "end");
            end = seq.binary(BinaryOp::Sub, most, by);
        }
        (start, end)
    }
}

/// True of an operation that a test may be made of: it does nothing but compute.
fn is_test(op: &Op) -> bool {
    matches!(
        op.kind,
        OpKind::Const(_)
            | OpKind::Len(_)
            | OpKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
    ) || matches!(op.kind, OpKind::Binary(test, ..) if negated(test).is_some())
}

/// The comparison of integers that holds where this one doesn't.
fn negated(test: BinaryOp) -> Option<BinaryOp> {
    Some(match test {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        _ => return None,
    })
}

/// The same comparison, with its operands in the other order.
fn mirrored(test: BinaryOp) -> Option<BinaryOp> {
    Some(match test {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => return None,
    })
}

/// True of a side of the branch that does nothing but leave the loop.
fn leaves(body: &Region, branch: &Op, side: &Region) -> bool {
    let stop = passed_on(branch, side, body.yields[0]);
    let mut stops = false;
    for op in &side.ops {
        match &op.kind {
            OpKind::Const(Const::Bool(true)) => stops |= op.results == [stop],
            OpKind::Const(_) => {}
            _ => return false,
        }
    }
    let carried = body.params.iter().zip(&body.yields[1..]);
    stops
        && carried
            .into_iter()
            .all(|(param, y)| passed_on(branch, side, *y) == *param)
}

/// The value of a branch's result if this side runs.
fn passed_on(branch: &Op, side: &Region, v: Value) -> Value {
    let at = branch.results.iter().position(|r| *r == v);
    at.and_then(|at| side.yields.get(at)).copied().unwrap_or(v)
}

fn is_false(body: &Region, trip: &Region, v: Value) -> bool {
    let mut all = body.ops.iter().chain(&trip.ops);
    all.any(|op| op.results == [v] && matches!(op.kind, OpKind::Const(Const::Bool(false))))
}

/// True of a value of the test that is the same in all trips.
fn stays(func: &Func, body: &Region, tests: &[Op], v: Value) -> bool {
    if body.params.contains(&v) {
        return false;
    }
    let Some(op) = tests.iter().find(|op| op.results.contains(&v)) else {
        return true;
    };
    let operands = op
        .operands()
        .into_iter()
        .all(|v| stays(func, body, tests, v));
    operands
        && match &op.kind {
            OpKind::Len(place) => keeps_length(func, body, place),
            _ => true,
        }
}

/// True if nothing in the body may change how many elements the place has.
fn keeps_length(func: &Func, body: &Region, place: &Place) -> bool {
    let slot = func.slot(place.root);
    if slot.in_option || slot.may_borrow {
        return false;
    }
    let mut keeps = true;
    func.walk(&mut |op| {
        if let OpKind::Borrow(alias, of) = &op.kind {
            keeps &= of.root != place.root || func.slot(*alias).kind == SlotKind::Ref;
        }
    });
    body.walk(&mut |op| {
        let slots = op.slots();
        let mut touches = slots.iter().filter(|(slot, _)| *slot == place.root);
        keeps &= match &op.kind {
            OpKind::Store(to, _) => {
                let inside = to.path.len() > place.path.len() && to.path.starts_with(&place.path);
                inside || !to.may_overlap(place, false)
            }
            _ => touches.all(|(_, access)| *access == Access::Read),
        };
    });
    keeps
}

/// Removes the operations on integers that only the test needed.
fn keep_what_is_read(region: &mut Region) {
    let mut read: Set<Value> = region.yields.iter().copied().collect();
    let mut kept = Vec::new();
    for op in std::mem::take(&mut region.ops).into_iter().rev() {
        let test = op.regions().is_empty() && is_test(&op);
        if test && !op.results.iter().any(|v| read.contains(v)) {
            continue;
        }
        op.walk(&mut |inner| {
            read.extend(inner.operands());
            read.extend(inner.regions().into_iter().flat_map(|r| r.yields.clone()));
        });
        kept.push(op);
    }
    kept.reverse();
    region.ops = kept;
}

#[cfg(test)]
mod tests {
    use crate::ir::OpKind;
    use crate::testing::primal;

    /// How many counted loops, and others, a function has.
    fn loops(body: &str) -> (usize, usize) {
        let source =
            format!("fn f(x: &mut Vec<f64>, n: usize) -> f64 {{ let mut s = 0.0; {body} s }}");
        let (mut counted, mut others) = (0, 0);
        primal(&source).walk(&mut |op| match op.kind {
            OpKind::For { .. } => counted += 1,
            OpKind::Loop { .. } => others += 1,
            _ => {}
        });
        (counted, others)
    }

    #[test]
    fn loops_that_count_are_counted() {
        for body in [
            "let mut i = 0; while i < x.len() { s += x[i]; i += 1; }",
            "let mut i = 3; while n >= i { s += x[i]; i = i + 1; }",
            "let mut i = 0; while i + 1 < x.len() { x[i] = s; i += 1; }",
            "let mut i = n; loop { if i <= 2 { break; } i -= 1; s += x[i]; if s > 1.0 { break; } }",
        ] {
            assert_eq!(loops(body), (1, 0), "{body}");
        }
        let nested = "let mut i = 0; while i < n { let mut k = i; while k < n { s += x[k]; k += 1; } i += 1; }";
        assert_eq!(loops(nested), (2, 0));
    }

    #[test]
    fn loops_whose_bound_or_step_changes_stay() {
        for body in [
            "let mut i = 0; while i < x.len() { x.push(s); i += 1; }",
            "let mut i = 0; while i < x.len() { let y = &mut *x; y.pop(); i += 1; }",
            "let mut i = 0; let mut m = n; while i < m { m -= 1; i += 1; }",
            "let mut i = 0; while i < n { if x[i] > s { i += 1; } s += 1.0; }",
            "let mut i = 0; while i < n { i += 2; s += 1.0; }",
            "let mut i = n; while i < x.len() { i -= 1; s += 1.0; }",
        ] {
            assert_eq!(loops(body), (0, 1), "{body}");
        }
    }
}

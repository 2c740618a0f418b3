//! Scratch lists that no trip of a loop hands on to the next one (privatisation).
//!
//! ```text
//! let mut z = vec![0.0; n];                        for .. { let mut z = vec![0.0; n]; for i in 0..n { z[i] = ..; } .. z[i] .. }
//! for .. { for i in 0..n { z[i] = ..; } .. z[i] .. }
//! ```
//!
//! Before differentiation [`privatise`] declares such a list in the loop, so that a transform sees that no trip depends on the stores of an
//! earlier one: nothing is saved, and both halves of a trip may be in one loop. Before emission [`lift_buffers`] declares it in front of the
//! loop again, and the shadows and the lists that the user declares inside as well: they are allocated once. `analyze/coverage.rs` says
//! which lists a trip fills before it reads them, and which are full of zeros at its end; the others are set to zero in each trip.

use proc_macro2::{Ident, Span};

use super::promote::runs;
use crate::analyze::{Known, List, Touch, each_use_in, written_slots};
use crate::ir::{
    Arg, Call, Callee, Const, Func, Map, Op, OpKind, Place, Range, Region, RepeatLen, Rule, Set,
    Slot, SlotKind, Ty, Value,
};
use crate::transform::{Seq, is_sum};

/// Declares lists in loops that they are private to, outer loops first.
pub(crate) fn privatise(mut func: Func) -> Func {
    let mut parents: Map<Slot, Slot> = Map::default();
    func.walk(&mut |op| {
        if let OpKind::Borrow(alias, place) = &op.kind {
            parents.insert(*alias, place.root);
        }
    });
    let known = Known::new(&func);
    let mut body = std::mem::take(&mut func.body);
    let sinker = Sinker {
        func: &func,
        known,
        parents,
    };
    sinker.sink(&mut body);
    func.body = body;
    func
}

/// The function whose lists are declared in loops, with known facts.
struct Sinker<'f> {
    func: &'f Func,
    known: Known,
    /// The slots that references alias.
    parents: Map<Slot, Slot>,
}

impl Sinker<'_> {
    fn sink(&self, region: &mut Region) {
        let mut moved: Set<usize> = Set::default();
        for user in 0..region.ops.len() {
            let private: Vec<(usize, Made)> = (0..user)
                .filter_map(|at| Some((at, self.private(region, at, user)?)))
                .collect();
            if private.is_empty() || !self.is_separable(&region.ops[user], &private) {
                continue;
            }
            let declarations = private.iter().flat_map(|(at, made)| [made.at, *at]);
            moved.extend(declarations.clone());
            let declarations: Vec<Op> = declarations.map(|i| region.ops[i].clone()).collect();
            for inner in region.ops[user].regions_mut() {
                inner.ops.splice(0..0, declarations.clone());
            }
        }
        let mut at = 0..;
        region
            .ops
            .retain(|_| !at.next().is_some_and(|at| moved.contains(&at)));
        for op in &mut region.ops {
            for inner in op.regions_mut() {
                self.sink(inner);
            }
        }
    }

    /// The list that operation `at` of the region declares, if operation `user` is a loop that it is private to.
    fn private(&self, region: &Region, at: usize, user: usize) -> Option<Made> {
        let (OpKind::For { body, .. } | OpKind::Loop { body, .. }) = &region.ops[user].kind else {
            return None;
        };
        let made = Made::of(self.func, &self.known, region, at)?;
        let later = &region.ops[at + 1..];
        let list = List::new(self.func, &self.known, made.slot, &made.len, later)?;
        let mut users = (at + 1..region.ops.len()).filter(|i| list.is_in(&region.ops[*i]));
        let only = users.next() == Some(user) && users.next().is_none();
        (only && list.touched_by(&body.ops) != Touch::Reads).then_some(made)
    }

    /// Returns `true` if the trips of a loop pass only sums on to each other, and write no other numbers. Both halves of a trip may then be in one
    /// loop.
    fn is_separable(&self, op: &Op, private: &[(usize, Made)]) -> bool {
        let (OpKind::For { init, .. } | OpKind::Loop { init, .. }) = &op.kind else {
            return false;
        };
        let mut declared: Set<Slot> = private.iter().map(|(_, made)| made.slot).collect();
        op.walk(&mut |op| {
            if let OpKind::Init(slot, _) = op.kind {
                declared.insert(slot);
            }
        });
        let root = |mut slot: Slot| {
            while let Some(parent) = self.parents.get(&slot) {
                slot = *parent;
            }
            slot
        };
        let written = written_slots(self.func, op, &root);
        let inactive = |slot: &Slot| {
            let of = self.func.slot(*slot).ty.element();
            of.is_some_and(|of| of.is_scalar() && !of.is_float())
        };
        (0..init.len()).all(|k| !self.func.ty(init[k]).is_float() || is_sum(op, k))
            && written
                .iter()
                .all(|slot| declared.contains(slot) || inactive(slot))
    }
}

/// Declares lists in front of the outermost loop in whose trips they have one length. Others use the memory of the trip before.
pub(crate) fn lift_buffers(mut func: Func) -> Func {
    let lifter = Lifter {
        known: Known::new(&func),
        ints: func.integers(),
    };
    let mut body = std::mem::take(&mut func.body);
    lifter.lift(&mut func, &mut body);
    func.body = body;
    if let Some(mut pullback) = func.pullback.take() {
        lifter.lift(&mut func, &mut pullback.body);
        func.pullback = Some(pullback);
    }
    func
}

/// The constants of a function whose lists are lifted.
struct Lifter {
    known: Known,
    ints: Map<Value, i64>,
}

impl Lifter {
    fn lift(&self, func: &mut Func, region: &mut Region) {
        let mut ops = Vec::with_capacity(region.ops.len());
        for mut op in std::mem::take(&mut region.ops) {
            let span = op.span;
            if let Some((ranges, body)) = repeated(&mut op) {
                let mut inside: Set<Value> = Set::default();
                body.walk_regions(&mut |region| {
                    inside.extend(&region.params);
                    inside.extend(region.ops.iter().flat_map(|op| &op.results));
                });
                let mut seq = Seq {
                    func: &mut *func,
                    ops: &mut ops,
                    span,
                };
                self.lift_from(&mut seq, &inside, &ranges, body);
            }
            for inner in op.regions_mut() {
                self.lift(func, inner);
            }
            ops.push(op);
        }
        region.ops = ops;
    }

    /// Declares lists of the body, and of loops in it, by `seq`, which is in front of the loops over the ranges. The values `inside` of the outermost
    /// aren't known there.
    fn lift_from(
        &self,
        seq: &mut Seq<'_>,
        inside: &Set<Value>,
        ranges: &[Range],
        body: &mut Region,
    ) {
        let mut at = 0;
        while at < body.ops.len() {
            if let Some((inner, body)) = repeated(&mut body.ops[at])
                && !(inner.iter()).any(|r| [r.lo, r.hi].iter().any(|v| inside.contains(v)))
            {
                self.lift_from(seq, inside, &[ranges, &inner].concat(), body);
            }
            if let Some(made) = Made::of(seq.func, &self.known, body, at)
                && let RepeatLen::Vec(len) = made.len
                && !inside.contains(&len)
                && let Some(clear) = needs_clearing(seq.func, &self.known, &made, body, at)
            {
                let len = if_they_run(seq, &self.ints, ranges, len);
                let mut ops = Vec::new();
                if clear {
                    let span = body.ops[at].span;
                    let zero = OpKind::SetZero(Place::whole(made.slot));
                    Seq {
                        ops: &mut ops,
                        func: seq.func,
                        span,
                    }
                    .push(zero);
                }
                body.ops.splice(at..=at, ops);
                body.ops.remove(made.at);
                let elem = seq.value(OpKind::Const(made.elem), made.elem_ty, "c");
                declare(seq, made.slot, elem, len);
                at = at.saturating_sub(1);
                continue;
            }
            if let Some(made) = Made::of(seq.func, &self.known, body, at)
                && let RepeatLen::Vec(len) = made.len
                && inside.contains(&len)
                && List::new(
                    seq.func,
                    &self.known,
                    made.slot,
                    &made.len,
                    &body.ops[at + 1..],
                )
                .is_some()
            {
                let filled =
                    !made.is_read_before_it_is_filled(seq.func, &self.known, &body.ops[at + 1..]);
                let elem = seq.value(OpKind::Const(made.elem.clone()), made.elem_ty, "c");
                let none = seq.int("0", "usize");
                declare(seq, made.slot, elem, none);
                let mut ops = Vec::new();
                let mut inner = Seq {
                    ops: &mut ops,
                    func: seq.func,
                    span: body.ops[at].span,
                };
                if !filled {
                    call_method(&mut inner, made.slot, "clear", &[]);
                }
                call_method(&mut inner, made.slot, "resize", &[len, elem]);
                body.ops.splice(at..=at, ops);
                body.ops.remove(made.at);
                continue;
            }
            at += 1;
        }
    }
}

/// `let mut slot = vec![elem; len];`
fn declare(seq: &mut Seq<'_>, slot: Slot, elem: Value, len: Value) {
    let len = RepeatLen::Vec(len);
    let ty = seq.func.slot(slot).ty.clone();
    let list = seq.value(OpKind::Repeat { elem, len }, ty, "list");
    seq.push(OpKind::Init(slot, list));
}

/// `slot.name(args);`
fn call_method(seq: &mut Seq<'_>, slot: Slot, name: &str, args: &[Value]) {
    let callee = Callee::Method {
        name: Ident::new(name, Span::mixed_site()),
        turbofish: None,
    };
    let receiver = std::iter::once(Arg::Receiver(Place::whole(slot)));
    let args = receiver.chain(args.iter().copied().map(Arg::Value));
    let mut call = Call::new(callee, Rule::Primal, args.collect());
    call.dropped = true;
    seq.value(OpKind::Call(Box::new(call)), Ty::Unit, name);
}

/// Returns `true` if the list has to be set to zero where the body has declared it; `None` if it can't be declared in front.
fn needs_clearing(
    func: &Func,
    known: &Known,
    made: &Made,
    body: &Region,
    at: usize,
) -> Option<bool> {
    let rest = &body.ops[at + 1..];
    let list = List::new(func, known, made.slot, &made.len, rest)?;
    if list.touched_by(rest) != Touch::Reads || made.zero && list.is_cleared_by(rest) {
        return Some(false);
    }
    made.zero.then_some(true)
}

/// The body of a loop, and the range that decides if it has trips: a loop without one has at least one trip.
fn repeated(op: &mut Op) -> Option<(Vec<Range>, &mut Region)> {
    match &mut op.kind {
        OpKind::For { range, body, .. } => Some((vec![range.clone()], body)),
        OpKind::Loop { body, .. } => Some((Vec::new(), body)),
        _ => None,
    }
}

/// The length if the loops over the ranges have trips, else zero: a list that no trip needs takes no memory.
fn if_they_run(
    seq: &mut Seq<'_>,
    ints: &Map<Value, i64>,
    ranges: &[Range],
    mut len: Value,
) -> Value {
    for range in ranges {
        let (comes_before, is_known) = runs(ints, range);
        if !is_known {
            let runs = seq.binary(comes_before, range.lo, range.hi);
            let none = seq.int("0", "usize");
            len = seq.select(runs, len, none);
        }
    }
    len
}

/// `let mut slot = vec![constant; len];` or the same of an array, of which nothing else uses the value.
pub(super) struct Made {
    pub(super) slot: Slot,
    /// Where in the region the value is made.
    at: usize,
    elem: Const,
    elem_ty: Ty,
    pub(super) zero: bool,
    len: RepeatLen,
}

impl Made {
    /// The list that operation `at` of the region initialises.
    pub(super) fn of(func: &Func, known: &Known, region: &Region, at: usize) -> Option<Self> {
        let OpKind::Init(slot, v) = region.ops[at].kind else {
            return None;
        };
        let data = func.slot(slot);
        let plain = data.kind == SlotKind::Owned && !data.in_option && !data.in_field;
        if !plain || !data.ty.element().is_some_and(Ty::is_scalar) {
            return None;
        }
        let made = region.ops[..at].iter().rposition(|op| op.results == [v])?;
        let OpKind::Repeat { elem, len } = &region.ops[made].kind else {
            return None;
        };
        let mut uses = 0;
        for op in &region.ops {
            each_use_in(op, &mut |used| uses += usize::from(used == v));
        }
        let only = uses == 1 && !region.yields.contains(&v);
        Some(Made {
            slot,
            at: made,
            elem: known.constant(*elem).filter(|_| only)?.clone(),
            elem_ty: func.ty(*elem).clone(),
            zero: known.is_zero(*elem),
            len: len.clone(),
        })
    }

    /// Returns `true` if the following operations may read an element of the list before they have stored all.
    pub(super) fn is_read_before_it_is_filled(
        &self,
        func: &Func,
        known: &Known,
        later: &[Op],
    ) -> bool {
        let list = List::new(func, known, self.slot, &self.len, later);
        list.is_none_or(|list| list.touched_by(later) == Touch::Reads)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pipeline::{for_emission, reverse_rule};
    use crate::testing::primal;
    use crate::transform::Shape;

    const SCRATCH: &str = "fn f(x: &[f64], n: usize) -> f64 {
        let mut z = vec![0.0; n];
        let mut total = 0.0;
        for p in 0..x.len() {
            for i in FROM..n { z[i] = x[p] * x[p]; }
            for i in 0..n { total += z[i].exp(); }
        }
        total
    }";

    #[test]
    fn a_list_that_each_trip_fills_is_private() {
        let func = primal(&SCRATCH.replace("FROM", "0"));
        expect![[r#"
            fn f(x: $0 &[f64], const n: %0 usize) -> f64 {
              %1 c: f64 = const 0.0
              %3 total: f64 = const 0.0
              %4 c: usize = const 0
              %5 len: usize = len $0
              %20 total: f64 = for %6 p: usize in %4..%5 carry (%7 total: f64 = %3) {
                %2 z: Vec<f64> = vec [%1; %0]
                init $1 z: Vec<f64> = %2
                %8 c: usize = const 0
                for %9 i: usize in %4..%0 {
                  %10 x: f64 = load $0[%6]
                  %11 x: f64 = load $0[%6]
                  %12 t: f64 = mul %10, %10
                  store $1[%9] = %12
                }
                %13 c: usize = const 0
                %19 total: f64 = for %14 i: usize in %4..%0 carry (%15 total: f64 = %7) {
                  %16 z: f64 = load $1[%14]
                  %17 t: f64 = exp %16
                  %18 total: f64 = add %15, %17
                  yield %18
                }
                yield %19
              }
              yield %20
            } -> %20
        "#]]
        .assert_eq(&func.to_string());
        let part = primal(&SCRATCH.replace("FROM", "1")).to_string();
        let [list, outer] = ["init", "for "].map(|text| part.find(text));
        assert!(list < outer, "{part}");
    }

    #[test]
    fn lists_and_shadows_are_made_in_front_of_the_loop_and_nothing_is_saved() {
        let rule = reverse_rule(&primal(&SCRATCH.replace("FROM", "0")), Shape::Combined);
        let text = for_emission(&rule).to_string();
        assert!(!text.contains("tape z"), "{text}");
        let loops = text.find("for ");
        let lists: Vec<usize> = text.match_indices(" init ").map(|(at, _)| at).collect();
        assert!(
            lists.len() >= 2 && lists.iter().all(|at| Some(*at) < loops),
            "{text}"
        );
    }

    #[test]
    fn a_list_of_another_length_in_each_trip_uses_the_memory_of_the_trip_before() {
        let source = SCRATCH.replace("FROM", "0").replace(
            "for p in 0..x.len() {",
            "for p in 0..x.len() { let n = n + p; let mut z = vec![0.0; n];",
        );
        for (source, cleared) in [
            (source.clone(), false),
            (
                source.replace("for i in 0..n { z", "for i in 1..n { z"),
                true,
            ),
        ] {
            let rule = reverse_rule(&primal(&source), Shape::Combined);
            let text = for_emission(&rule).to_string();
            let loops = text.find("for ");
            let lists = text.match_indices(" init ").all(|(at, _)| Some(at) < loops);
            assert!(lists && text.contains("resize"), "{text}");
            assert_eq!(text.contains("clear"), cleared, "{text}");
        }
    }
}

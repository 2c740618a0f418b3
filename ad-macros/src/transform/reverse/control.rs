//! The reverse of branches and loops.

use std::collections::BTreeSet;

use super::super::seq::Seq;
use super::{Frame, FrameKind, Reverse};
use crate::analyze::uses_in;
use crate::diagnostics::bug;
use crate::ir::{Adapter, BinaryOp, Carried, Const, Map, Op, OpKind, Range, Region, Ty, Value};

/// The two halves of one side of a branch.
struct Side {
    forward: Region,
    ops: Vec<Op>,
    bars: Map<Value, Value>,
    promoted: Vec<(Value, Value)>,
    diverges: bool,
}

impl<'a> Reverse<'a> {
    /// `(r..) = if c { A; (a..) } else { B; (b..) }` | `if c { a_bar = r_bar; A reversed } else { b_bar = r_bar; B reversed }`
    pub(super) fn reverse_if(&mut self, op: &'a Op, i: usize) {
        let OpKind::If { cond, then, other } = &op.kind else {
            bug!("not a branch")
        };
        let result_bars = self.take_bars(op);
        let before = self.bars.clone();
        let mut sides = Vec::new();
        for region in [then, other] {
            self.bars.clone_from(&before);
            self.enter(Frame::new(region, FrameKind::Arm));
            sides.push(self.reverse_side(region, &result_bars));
        }
        self.bars.clone_from(&before);
        self.span = op.span;
        let [mut then_side, mut other_side] = [sides.remove(0), sides.remove(0)];
        let changed = Self::changed([&then_side, &other_side], &before);
        self.promote(op, i, *cond, &mut then_side, &mut other_side);
        if changed.is_empty() && then_side.ops.is_empty() && other_side.ops.is_empty() {
            return;
        }
        let cond = self.need(*cond);
        for side in [&mut then_side, &mut other_side] {
            if side.diverges {
                side.ops = vec![Op::new(OpKind::Unreachable, Vec::new(), self.span)];
            }
        }
        let mut results = Vec::new();
        let mut yields = [Vec::new(), Vec::new()];
        for u in &changed {
            results.push(self.fresh_bar(*u));
            for (side, yields) in [&then_side, &other_side].into_iter().zip(&mut yields) {
                if side.diverges {
                    continue;
                }
                let bar = side.bars.get(u).or_else(|| before.get(u)).copied();
                yields.push(bar.unwrap_or_else(|| self.zero_of(*u)));
            }
        }
        let [then_yields, other_yields] = yields;
        let then = Region::new(then_side.ops, then_yields);
        let other = Region::new(other_side.ops, other_yields);
        let span = self.span;
        self.top().rev.push(Op::new(
            OpKind::If { cond, then, other },
            results.clone(),
            span,
        ));
        self.bars.extend(changed.into_iter().zip(results));
    }

    fn reverse_side(&mut self, region: &'a Region, result_bars: &[Option<Value>]) -> Side {
        let diverges = region.diverges();
        if !diverges {
            for (y, bar) in region.yields.iter().zip(result_bars) {
                if let Some(bar) = bar {
                    self.add_bar(*y, *bar);
                }
            }
            self.reverse_ops();
        }
        let promoted = std::mem::take(&mut self.top().promoted);
        let depth = self.depth();
        let homes = &self.homes;
        self.bars
            .retain(|v, _| homes.get(v).is_some_and(|home| home.0 < depth));
        let bars = self.bars.clone();
        let (forward, ops) = self.leave();
        Side {
            forward,
            ops,
            bars,
            promoted,
            diverges,
        }
    }

    /// The outer values whose cotangents a side has changed.
    fn changed(sides: [&Side; 2], before: &Map<Value, Value>) -> Vec<Value> {
        let mut all = BTreeSet::new();
        for side in sides {
            all.extend(
                side.bars
                    .iter()
                    .filter(|(v, bar)| before.get(v) != Some(bar))
                    .map(|(v, _)| *v),
            );
        }
        all.into_iter().collect()
    }

    /// The forward half of a branch gains results: values of a side that its reverse half reads.
    fn promote(&mut self, op: &Op, i: usize, cond: Value, then: &mut Side, other: &mut Side) {
        let mut results = op.results.clone();
        let promoted: Vec<_> = then.promoted.drain(..).map(|p| (p, true)).collect();
        let promoted: Vec<_> = promoted
            .into_iter()
            .chain(other.promoted.drain(..).map(|p| (p, false)))
            .collect();
        for ((v, result), in_then) in promoted {
            results.push(result);
            let (from, to) = if in_then {
                (&mut *then, &mut *other)
            } else {
                (&mut *other, &mut *then)
            };
            from.forward.yields.push(v);
            if !to.diverges {
                let ty = self.out.ty(v).clone();
                let mut seq = Seq::new(&mut self.out, &mut to.forward.ops, op.span);
                let undef = seq.value(OpKind::Const(Const::Undef), ty, "undef");
                to.forward.yields.push(undef);
            }
        }
        let kind = OpKind::If {
            cond,
            then: then.forward.clone(),
            other: other.forward.clone(),
        };
        self.top()
            .replaced
            .insert(i, Op::new(kind, results, op.span));
    }

    /// A loop: its body reversed, in a loop that counts the other way. Cotangents of carried values are carried; those of
    /// outer values are carried as sums.
    pub(super) fn reverse_loop(&mut self, op: &'a Op, i: usize) {
        let Some(Carried {
            init,
            body,
            params,
            yields,
            ..
        }) = op.carried()
        else {
            bug!("not a loop")
        };
        let states = super::checkpoints::states(op);
        let state = states.map(|_| self.state_of(op, i));
        let counted = op.as_counted_loop().is_some() && self.is_reversible(op);
        let carried: Vec<usize> = (0..params.len())
            .filter(|k| self.act.has(params[*k]))
            .collect();
        let outer = self.outer_active(op);
        let result_bars = self.take_bars(op);
        let before = std::mem::take(&mut self.bars);

        // The reversed body's parameters.
        let counter_ty = if counted {
            self.src.ty(body.params[0]).clone()
        } else {
            Ty::Int("usize")
        };
        let counter_name = if counted {
            self.src.value(body.params[0]).name.clone()
        } else {
            "k".into()
        };
        let counter = match states {
            // The two halves of a trip stand together.
            Some(_) => body.params[0],
            None => self.out.new_value(counter_ty, counter_name, op.span),
        };
        let carried_bars: Vec<Value> = (carried.iter())
            .map(|k| self.fresh_bar(params[*k]))
            .collect();
        let outer_bars: Vec<Value> = outer.iter().map(|u| self.fresh_bar(*u)).collect();
        for sum in &outer_bars {
            self.out.value_mut(*sum).unordered = true;
        }

        let kind = match states {
            Some(_) => FrameKind::Visible,
            None => FrameKind::Loop,
        };
        self.enter(Frame::new(body, kind));
        self.bars
            .extend(outer.iter().copied().zip(outer_bars.iter().copied()));
        if counted {
            self.top().cache.insert(body.params[0], counter);
        } else if let OpKind::For { range, .. } = &op.kind {
            self.counter_at(range, body.params[0], counter);
        }
        for (k, bar) in carried.iter().zip(&carried_bars) {
            self.add_bar(yields[*k], *bar);
        }
        self.reverse_ops();
        self.span = op.span;
        let mut next: Vec<Value> = (carried.iter())
            .map(|k| self.bar_or_zero(params[*k]))
            .collect();
        let kept: Vec<usize> = (0..outer.len())
            .filter(|k| self.bars.get(&outer[*k]) != Some(&outer_bars[*k]))
            .collect();
        next.extend(
            kept.iter()
                .map(|k| self.bars.get(&outer[*k]).copied().unwrap_or(outer_bars[*k])),
        );
        let runs = std::mem::take(&mut self.top().runs);
        let (mut forward, mut ops) = self.leave();
        self.bars = before;

        let has_effect = !ops.is_empty() || !kept.is_empty() || !carried.is_empty();
        let snapshots = state.filter(|_| has_effect).map(|state| {
            let trip = (std::mem::take(&mut forward), std::mem::take(&mut ops));
            let (primal, again, snapshots) = self.checkpointed(op, i, state, trip);
            (forward, ops) = (primal, again);
            snapshots
        });
        let trips = (has_effect && !counted).then(|| self.count_trips(op, i, &mut forward));
        if trips.is_none() {
            let mut new = op.clone();
            if let OpKind::For { body, .. } | OpKind::Loop { body, .. } = &mut new.kind {
                *body = forward;
            }
            self.top().replaced.insert(i, new);
        }
        if !has_effect {
            return;
        }
        let mut starts = Vec::new();
        for k in &carried {
            starts.push(match result_bars[*k] {
                Some(bar) => bar,
                None => self.zero_of(op.results[*k]),
            });
        }
        for k in &kept {
            starts.push(match self.bars.get(&outer[*k]) {
                Some(bar) => *bar,
                None => self.zero_of(outer[*k]),
            });
        }
        let range = match (&op.kind, trips) {
            (OpKind::For { range, .. }, None) => {
                let bars = carried_bars
                    .iter()
                    .copied()
                    .chain(kept.iter().map(|k| outer_bars[*k]));
                let bars: Vec<Value> = bars.collect();
                // In a loop that runs backwards, so do reads of tapes: last written, still at hand.
                let backwards = states.is_some() || !runs.is_empty() && self.in_loop(self.depth());
                if !backwards && self.is_free(op, &ops, &bars, &next) {
                    self.same_range(range)
                } else {
                    self.reversed_range(range)
                }
            }
            (_, Some(trips)) => {
                let (lo, hi) = (self.seq().int("0", "usize"), self.need(trips));
                Range {
                    lo,
                    hi,
                    inclusive: false,
                    adapters: vec![Adapter::Rev],
                }
            }
            _ => bug!("a loop without a count"),
        };
        self.reverse_runs(op, &runs);
        let mut body_params = vec![counter];
        body_params.extend(&carried_bars);
        body_params.extend(kept.iter().map(|k| outer_bars[*k]));
        let body = Region {
            params: body_params,
            ops,
            yields: next,
        };
        let results: Vec<Value> = (carried.iter().map(|k| init[*k]))
            .chain(kept.iter().map(|k| outer[*k]))
            .map(|v| self.fresh_bar(v))
            .collect();
        let kind = OpKind::counted(range, starts, body);
        self.top().rev.push(Op::new(kind, results.clone(), op.span));
        if let Some(snapshots) = snapshots {
            self.put_first_back(&snapshots);
        }
        for (k, bar) in kept.iter().zip(&results[carried.len()..]) {
            self.bars.insert(outer[*k], *bar);
        }
        for (k, bar) in carried.iter().zip(&results) {
            self.add_bar(init[*k], *bar);
        }
    }

    /// The active values of outer regions that a loop's body reads, in a fixed order.
    pub(super) fn outer_active(&self, op: &Op) -> Vec<Value> {
        let depth = self.frames.len();
        let body = op.regions();
        let mut all = BTreeSet::new();
        for region in &body {
            region.ops.iter().for_each(|op| all.extend(uses_in(op)));
            all.extend(region.yields.iter().copied());
        }
        all.into_iter()
            .filter(|v| self.act.has(*v) && self.homes.get(v).is_some_and(|home| home.0 < depth))
            .filter(|v| !body.iter().any(|region| defines(region, *v)))
            .collect()
    }

    /// The induction variable at trip `k`, where a range that may be left early is reversed by its count.
    fn counter_at(&mut self, range: &Range, i: Value, k: Value) {
        if !range.adapters.is_empty() {
            return;
        }
        let ty = self.src.ty(i).clone();
        // A counter of a type that only rustc can resolve can't be computed: it is stored, if it is read.
        if !matches!(ty, Ty::Int(_)) {
            return;
        }
        let lo = self.need(range.lo);
        let span = self.span;
        let depth = self.depth();
        let mut seq = Seq::new(&mut self.out, &mut self.frames[depth].prologue, span);
        let k = if matches!(ty, Ty::Int("usize")) {
            k
        } else {
            seq.cast(k, &ty)
        };
        let again = if seq.func.int_const(range.lo) == Some(0) {
            k
        } else {
            seq.binary(BinaryOp::Add, lo, k)
        };
        self.top().cache.insert(i, again);
    }

    /// The forward half counts its trips; the count is one more result.
    fn count_trips(&mut self, op: &Op, i: usize, forward: &mut Region) -> Value {
        let usize_ty = Ty::Int("usize");
        let start = self.seq_before(i).int("0", "usize");
        let param = self.out.new_value(usize_ty.clone(), "trips", op.span);
        let mut seq = Seq::new(&mut self.out, &mut forward.ops, op.span);
        let one = seq.int("1", "usize");
        let next = seq.binary(BinaryOp::Add, param, one);
        forward.params.push(param);
        forward.yields.push(next);
        let trips = self.out.new_value(usize_ty, "trips", op.span);
        let mut new = op.clone();
        new.results.push(trips);
        if let OpKind::For { body, init, .. } | OpKind::Loop { body, init } = &mut new.kind {
            *body = forward.clone();
            init.push(start);
        }
        self.top().replaced.insert(i, new);
        let depth = self.depth();
        self.at_home(trips, depth, Some(i))
    }

    /// Returns `true` if the range can be walked from its end: std's `step_by` needs to know the length for that.
    fn is_reversible(&self, op: &Op) -> bool {
        let OpKind::For { range, .. } = &op.kind else {
            return false;
        };
        let steps = range
            .adapters
            .iter()
            .any(|a| matches!(a, Adapter::StepBy(_)));
        let exact = match self.src.ty(range.lo) {
            Ty::Int(name) if range.inclusive => matches!(*name, "u8" | "i8" | "u16" | "i16"),
            Ty::Int(name) => matches!(
                *name,
                "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "usize" | "isize"
            ),
            _ => false,
        };
        !steps || exact
    }

    fn same_range(&mut self, range: &Range) -> Range {
        let mut same = range.clone();
        (same.lo, same.hi) = (self.need(range.lo), self.need(range.hi));
        for adapter in &mut same.adapters {
            if let Adapter::StepBy(k) = adapter {
                *k = self.need(*k);
            }
        }
        same
    }

    fn reversed_range(&mut self, range: &Range) -> Range {
        let (lo, hi) = (self.need(range.lo), self.need(range.hi));
        let mut adapters: Vec<Adapter> = range
            .adapters
            .iter()
            .filter_map(|adapter| match adapter {
                Adapter::Rev => Some(Adapter::Rev),
                Adapter::StepBy(k) => Some(Adapter::StepBy(self.need(*k))),
                Adapter::Checkpoint(_) => None,
            })
            .collect();
        if adapters.last() == Some(&Adapter::Rev) {
            adapters.pop();
        } else {
            adapters.push(Adapter::Rev);
        }
        Range {
            lo,
            hi,
            inclusive: range.inclusive,
            adapters,
        }
    }
}

/// Returns `true` if a value is defined in a region, or in one nested there.
fn defines(region: &Region, v: Value) -> bool {
    let mut found = region.params.contains(&v);
    region.walk(&mut |op| {
        found |= op.results.contains(&v) || op.regions().iter().any(|r| r.params.contains(&v));
    });
    found
}

//! Fusion: where the cotangents of a loop's results are known before the loop runs, its forward and reverse halves stand
//! in one loop, and nothing is stored.
//!
//! ```text
//! for i in 0..n { s += x[i].sin() }      for i in 0..n { s += x[i].sin(); x_bar[i] += s_bar * x[i].cos() }
//! ```
//!
//! The active carried values must be sums that grow by a term in each iteration, so that their cotangent is the same in
//! all. The loop must not write active memory that lives outside of it, and the active memory that it reads must not be written later: then
//! the order in which contributions are added to shadows doesn't matter. Inactive memory is written in the primal's order, as nothing runs in
//! another; only memory that the reverse half restores must not be written. Branches whose results' cotangents are known early are fused
//! in the same way, and calls become calls of the callee's combined rule (see `combined.rs`).

use super::{Frame, FrameKind, Reverse};
use crate::analyze::{uses_in, written_slots};
use crate::diagnostics::bug;
use crate::ir::{BinaryOp, Carried, Const, Map, Op, OpKind, Region, Slot, UnaryOp, Value};

/// The most operations that are done again, earlier.
const CHEAP: u32 = 8;

impl<'a> Reverse<'a> {
    /// Fuses all operations that can be fused in the innermost region, which is in scope and whose yields' cotangents are known.
    pub(super) fn fuse_region(&mut self) {
        let region = self.top().region;
        for i in 0..region.ops.len() {
            let op = &region.ops[i];
            match &op.kind {
                OpKind::For { .. } | OpKind::Loop { .. } | OpKind::If { .. } => {}
                OpKind::Call(call) if self.has_combined(call) => {}
                _ => continue,
            }
            self.top().pos = i;
            let Some(seeds) = self.early_seeds(region, op, i) else {
                continue;
            };
            if !self.separable(region, op, i) {
                continue;
            }
            let mut known: Map<usize, Value> = Map::default();
            for (k, seed) in seeds.iter().enumerate() {
                if let Some(seed) = seed {
                    let value = self.build_early(seed, i);
                    known.insert(k, value);
                }
            }
            if known.is_empty() {
                continue;
            }
            self.span = op.span;
            self.top().fusing = true;
            match &op.kind {
                OpKind::If { .. } => self.fuse_if(op, i, &known),
                OpKind::Call(call) => self.combine(op, i, call, known[&0]),
                _ => self.fuse_loop(op, i, &known),
            }
            self.top().fusing = false;
            self.top().fused.insert(i);
        }
        self.top().pos = region.ops.len();
    }

    /// How the cotangent of each active result can be computed before operation `i`; `None` if one can't.
    fn early_seeds(&mut self, region: &Region, op: &Op, i: usize) -> Option<Vec<Option<Early>>> {
        let mut seeds = Vec::new();
        for (k, r) in op.results.iter().enumerate() {
            if !self.act.has(*r) {
                // Nothing reads the last value, but the value for the next iteration has a cotangent of its own.
                if carried_param(op, k).is_some_and(|param| self.act.has(param)) {
                    return None;
                }
                seeds.push(None);
                continue;
            }
            if !self.src.ty(*r).is_float() {
                return None;
            }
            if matches!(op.kind, OpKind::For { .. } | OpKind::Loop { .. }) && !is_sum(op, k) {
                return None;
            }
            seeds.push(self.early(region, *r, i)?);
        }
        Some(seeds)
    }

    /// The cotangent of a value as an expression in values that are known before operation `i`. Outer `None`: it isn't
    /// known; inner `None`: it is zero.
    fn early(&self, region: &Region, v: Value, i: usize) -> Option<Option<Early>> {
        let mut terms = Vec::new();
        for op in &region.ops {
            if op.operands().contains(&v) {
                if op.results.iter().all(|r| !self.act.has(*r))
                    && op.regions().is_empty()
                    && op.slots().is_empty()
                {
                    continue;
                }
                terms.extend(self.early_use(region, op, v, i)?);
            } else if uses_in(op).contains(&v) {
                return None;
            }
        }
        if region.yields.contains(&v) {
            // The seeds of this region's yields are the only cotangents that are known so far.
            if region.yields.iter().filter(|y| **y == v).count() > 1 {
                return None;
            }
            terms.extend(self.bars.get(&v).map(|bar| Early::Known(*bar)));
        }
        Some(
            terms
                .into_iter()
                .reduce(|a, b| Early::Sum(Box::new(a), Box::new(b))),
        )
    }

    fn early_use(&self, region: &Region, op: &Op, v: Value, i: usize) -> Option<Option<Early>> {
        let known = |o: Value| o != v && self.known_before(region, o, i);
        let scaled =
            |g: Option<Early>, by: Value, op: Scale| g.map(|g| Early::Scaled(Box::new(g), by, op));
        match &op.kind {
            OpKind::Unary(UnaryOp::Neg, _) => Some(
                self.early(region, op.results[0], i)?
                    .map(|g| Early::Negated(Box::new(g))),
            ),
            OpKind::Binary(BinaryOp::Add, a, b) if a != b => self.early(region, op.results[0], i),
            OpKind::Binary(BinaryOp::Sub, a, b) if a != b => {
                let g = self.early(region, op.results[0], i)?;
                Some(if *a == v {
                    g
                } else {
                    g.map(|g| Early::Negated(Box::new(g)))
                })
            }
            OpKind::Binary(BinaryOp::Mul, a, b) => {
                let by = if *a == v { *b } else { *a };
                known(by).then_some(())?;
                Some(scaled(self.early(region, op.results[0], i)?, by, Scale::By))
            }
            OpKind::Binary(BinaryOp::Div, a, b) if *a == v && known(*b) => Some(scaled(
                self.early(region, op.results[0], i)?,
                *b,
                Scale::Over,
            )),
            // A later loop that goes on adding to the same sum.
            OpKind::For { init, .. } | OpKind::Loop { init, .. } => {
                if op
                    .regions()
                    .iter()
                    .any(|r| r.ops.iter().any(|op| uses_in(op).contains(&v)))
                {
                    return None;
                }
                let mut total = None;
                for (k, _) in init.iter().enumerate().filter(|(_, start)| **start == v) {
                    if !is_sum(op, k) || total.is_some() {
                        return None;
                    }
                    total = Some(self.early(region, op.results[k], i)?);
                }
                total
            }
            _ => None,
        }
    }

    /// Returns `true` if a value is in scope before operation `i` of a region, or can be computed there: from values in scope, by a
    /// few cheap operations that follow in the same region, and read no memory that is written in between.
    fn known_before(&self, region: &Region, v: Value, i: usize) -> bool {
        self.cost_before(region, v, i)
            .is_some_and(|cost| cost <= CHEAP)
    }

    fn cost_before(&self, region: &Region, v: Value, i: usize) -> Option<u32> {
        let depth = self.depth();
        let &(home, at) = self.homes.get(&v)?;
        let at = match at {
            Some(at) if home == depth && at >= i => at,
            _ => return (home <= depth).then_some(0),
        };
        let op = &region.ops[at];
        let own = match &op.kind {
            OpKind::Const(Const::Float(_) | Const::Expr(_) | Const::Int(_)) => return Some(0),
            OpKind::Load(place) => {
                let root = self.root(place.root);
                let written =
                    |op: &Op| written_slots(self.src, op, &|s| self.root(s)).contains(&root);
                let declared = self.slot_homes.get(&place.root);
                let in_scope = declared.is_some_and(|&(home, declared)| {
                    home < depth || home == depth && declared.is_none_or(|at| at < i)
                });
                let stays = self.src.ty(v).is_scalar() && !region.ops[i..at].iter().any(written);
                (in_scope && stays).then_some(1)?
            }
            OpKind::Unary(..) | OpKind::Cast(_) | OpKind::Select(..) | OpKind::Binary(..)
                if op.results.len() == 1 && self.src.ty(v).is_scalar() =>
            {
                1
            }
            _ => return None,
        };
        let mut sum = own;
        for operand in op.operands() {
            sum += self.cost_before(region, operand, i)?;
            if sum > CHEAP {
                return None;
            }
        }
        Some(sum)
    }

    fn build_early(&mut self, early: &Early, i: usize) -> Value {
        match early {
            Early::Known(v) => *v,
            Early::Negated(a) => {
                let a = self.build_early(a, i);
                self.seq_before(i).neg(a)
            }
            Early::Sum(a, b) => {
                let (a, b) = (self.build_early(a, i), self.build_early(b, i));
                self.seq_before(i).add(a, b)
            }
            Early::Scaled(a, by, op) => {
                let a = self.build_early(a, i);
                let by = self.before_or_again(*by, i);
                let mut seq = self.seq_before(i);
                match op {
                    Scale::By => seq.mul(a, by),
                    Scale::Over => seq.strong_div(a, by),
                }
            }
        }
    }

    /// A value that is defined later is computed before the operation too.
    fn before_or_again(&mut self, v: Value, i: usize) -> Value {
        let depth = self.depth();
        match self.homes.get(&v) {
            Some(&(home, Some(at))) if home == depth && at >= i => {
                let mut op = self.frames[depth].region.ops[at].clone();
                op.each_operand_mut(&mut |operand| *operand = self.before_or_again(*operand, i));
                let data = self.src.value(v).clone();
                self.seq_before(i).value(op.kind, data.ty, &data.name)
            }
            _ => v,
        }
    }

    /// Returns `true` if the reverse half of the operation may run before the following operations, and, for loops, each
    /// iteration's before the next.
    fn separable(&self, region: &Region, op: &Op, i: usize) -> bool {
        let root = |s| self.root(s);
        let mut declared = crate::ir::Set::default();
        op.walk(&mut |op| {
            if let OpKind::Init(s, _) | OpKind::Borrow(s, _) = &op.kind {
                declared.insert(*s);
            }
        });
        let own = written_slots(self.src, op, &root);
        let harmless = |s: &Slot| !self.act.has_slot(*s) && !self.plan.restore.contains(s);
        if own.iter().any(|s| !declared.contains(s) && !harmless(s)) {
            return false;
        }
        let mut read = crate::ir::Set::default();
        op.walk(&mut |op| read.extend(op.slots().iter().map(|(s, _)| self.root(*s))));
        read.retain(|s| !harmless(s));
        let later = &region.ops[i + 1..];
        let written_later = later
            .iter()
            .flat_map(|op| written_slots(self.src, op, &root));
        // A value that is moved later can't be read, and no shadow can be made for it.
        let moves = |op: &Op| matches!(&op.kind, OpKind::Load(p) if self.moved.contains(&p.root) && read.contains(&p.root));
        let moved_later = later.iter().any(|op| op.any(&mut |op| moves(op)));
        !moved_later && !written_later.into_iter().any(|s| read.contains(&s))
    }

    /// Active outer values that the operation reads get their cotangents as further results of the fused operation.
    fn fuse_loop(&mut self, op: &'a Op, i: usize, known: &Map<usize, Value>) {
        let Some(Carried {
            init, body, yields, ..
        }) = op.carried()
        else {
            bug!("not a loop")
        };
        let outer = self.outer_active(op);
        let before = std::mem::take(&mut self.bars);
        let outer_bars: Vec<Value> = outer.iter().map(|u| self.fresh_bar(*u)).collect();
        for sum in &outer_bars {
            self.out.value_mut(*sum).unordered = true;
        }
        self.enter(Frame::new(body, FrameKind::Visible));
        self.bars
            .extend(outer.iter().copied().zip(outer_bars.iter().copied()));
        for (k, seed) in known {
            self.add_bar(yields[*k], *seed);
        }
        self.fuse_region();
        self.reverse_ops();
        let kept: Vec<usize> = (0..outer.len())
            .filter(|k| self.bars.get(&outer[*k]) != Some(&outer_bars[*k]))
            .collect();
        let next: Vec<Value> = kept
            .iter()
            .map(|k| self.bars.get(&outer[*k]).copied().unwrap_or(outer_bars[*k]))
            .collect();
        let (mut forward, mut reverse) = self.leave();
        self.bars = before;
        forward.ops.append(&mut reverse);
        forward.params.extend(kept.iter().map(|k| outer_bars[*k]));
        forward.yields.extend(next);
        let mut new = op.clone();
        let mut starts = Vec::new();
        for k in &kept {
            let ty = self.tangent_of(outer[*k]);
            let zero = if ty.is_float() {
                self.seq_before(i).zero(&ty)
            } else {
                self.zero_before(outer[*k], i)
            };
            starts.push(zero);
        }
        let results: Vec<Value> = kept.iter().map(|k| self.fresh_bar(outer[*k])).collect();
        match &mut new.kind {
            OpKind::For { init, body, .. } | OpKind::Loop { init, body } => {
                init.extend(starts);
                *body = forward;
            }
            _ => bug!("not a loop"),
        }
        new.results.extend(&results);
        self.top().replaced.insert(i, new);
        let mut later: Vec<(Value, Value)> = kept.iter().map(|k| outer[*k]).zip(results).collect();
        later.extend(known.iter().map(|(k, seed)| (init[*k], *seed)));
        later.sort_unstable();
        self.postponed.insert((self.frames.len() - 1, i), later);
    }

    fn fuse_if(&mut self, op: &'a Op, i: usize, known: &Map<usize, Value>) {
        let OpKind::If { cond, then, other } = &op.kind else {
            bug!("not a branch")
        };
        let before = std::mem::take(&mut self.bars);
        let mut halves = Vec::new();
        for region in [then, other] {
            self.bars.clear();
            self.enter(Frame::new(region, FrameKind::Visible));
            let depth = self.depth();
            if region.diverges() {
                let (forward, _) = self.leave();
                halves.push((forward, Map::default(), true));
                continue;
            }
            for (k, seed) in known {
                self.add_bar(region.yields[*k], *seed);
            }
            self.fuse_region();
            self.reverse_ops();
            let homes = &self.homes;
            self.bars
                .retain(|v, _| homes.get(v).is_some_and(|home| home.0 < depth));
            let bars = std::mem::take(&mut self.bars);
            let (mut forward, mut reverse) = self.leave();
            forward.ops.append(&mut reverse);
            halves.push((forward, bars, false));
        }
        self.bars = before;
        let mut changed: Vec<Value> = halves
            .iter()
            .flat_map(|(_, bars, _)| bars.keys().copied())
            .collect();
        changed.sort_unstable();
        changed.dedup();
        let mut results = op.results.clone();
        let mut later = Vec::new();
        for u in changed {
            let result = self.fresh_bar(u);
            results.push(result);
            later.push((u, result));
            for (forward, bars, diverges) in &mut halves {
                if *diverges {
                    continue;
                }
                let bar = match bars.get(&u) {
                    Some(bar) => *bar,
                    None => {
                        let ty = self.tangent_of(u);
                        if ty.is_float() {
                            self.seq_before(i).zero(&ty)
                        } else {
                            self.zero_before(u, i)
                        }
                    }
                };
                forward.yields.push(bar);
            }
        }
        let mut regions = halves.into_iter().map(|(forward, _, _)| forward);
        if let (Some(then), Some(other)) = (regions.next(), regions.next()) {
            let kind = OpKind::If {
                cond: *cond,
                then,
                other,
            };
            self.top()
                .replaced
                .insert(i, Op::new(kind, results, op.span));
        }
        self.postponed.insert((self.frames.len() - 1, i), later);
    }

    pub(super) fn fresh_bar(&mut self, v: Value) -> Value {
        let ty = self.tangent_of(v);
        let name = format!("{}_bar", self.src.value(v).name);
        self.out.new_value(ty, name, self.span)
    }

    fn zero_before(&mut self, v: Value, i: usize) -> Value {
        super::super::forward::zero_like(&mut self.seq_before(i), v)
    }

    /// When the reverse half arrives at a fused operation, only the cotangents of outer values are left to add.
    pub(super) fn reverse_fused(&mut self, i: usize) {
        let op = &self.top().region.ops[i];
        for r in &op.results {
            self.bars.remove(r);
        }
        for (v, bar) in self
            .postponed
            .remove(&(self.frames.len() - 1, i))
            .unwrap_or_default()
        {
            self.add_bar(v, bar);
        }
    }
}

/// A cotangent that is known early.
enum Early {
    Known(Value),
    Negated(Box<Early>),
    Sum(Box<Early>, Box<Early>),
    Scaled(Box<Early>, Value, Scale),
}

/// How a cotangent is scaled by a primal value.
#[derive(Clone, Copy)]
enum Scale {
    By,
    Over,
}

/// Carried value `k` of a loop, in its body.
fn carried_param(op: &Op, k: usize) -> Option<Value> {
    op.carried().map(|carried| carried.params[k])
}

/// Returns `true` if carried value `k` of a loop is a sum: terms are only added to it or subtracted from it, and nothing else reads it.
pub(crate) fn is_sum(op: &Op, k: usize) -> bool {
    let Some(carried) = op.carried() else {
        return false;
    };
    let (body, param, end) = (carried.body, carried.params[k], carried.yields[k]);
    // Another yield of the same value would be a second reader.
    let yielded = body.yields.iter().filter(|y| **y == end).count();
    yielded == 1 && reaches(body, param, end)
}

/// Returns `true` if `end` is `start` and a sum of terms, with no other reader of it on the way.
fn reaches(region: &Region, start: Value, end: Value) -> bool {
    let readers: Vec<&Op> = region
        .ops
        .iter()
        .filter(|op| uses_in(op).contains(&start))
        .collect();
    if start == end {
        return readers.is_empty();
    }
    let [op] = readers.as_slice() else {
        return false;
    };
    if region.yields.contains(&start) {
        return false;
    }
    match &op.kind {
        OpKind::Binary(BinaryOp::Add, a, b) => a != b && reaches(region, op.results[0], end),
        OpKind::Binary(BinaryOp::Sub, a, b) => {
            *a == start && a != b && reaches(region, op.results[0], end)
        }
        OpKind::If { then, other, cond } => {
            if *cond == start {
                return false;
            }
            let ends: Vec<usize> = (0..op.results.len())
                .filter(|r| reaches_in(then, start, *r) && reaches_in(other, start, *r))
                .collect();
            matches!(ends.as_slice(), [r] if reaches(region, op.results[*r], end))
        }
        OpKind::For { init, .. } | OpKind::Loop { init, .. } => {
            let places: Vec<usize> = (0..init.len()).filter(|n| init[*n] == start).collect();
            let in_body = op.regions().iter().any(|r| {
                r.yields.contains(&start) || r.ops.iter().any(|op| uses_in(op).contains(&start))
            });
            !in_body
                && matches!(places.as_slice(), [n] if is_sum(op, *n) && reaches(region, op.results[*n], end))
        }
        _ => false,
    }
}

/// Returns `true` if a side of a branch yields, in position `r` and there alone, `start` and a sum of terms.
fn reaches_in(region: &Region, start: Value, r: usize) -> bool {
    if region.diverges() {
        return true;
    }
    let end = region.yields[r];
    if end == start {
        return region.yields.iter().filter(|y| **y == start).count() == 1
            && !region.ops.iter().any(|op| uses_in(op).contains(&start));
    }
    region.yields.iter().filter(|y| **y == end).count() == 1 && reaches(region, start, end)
}

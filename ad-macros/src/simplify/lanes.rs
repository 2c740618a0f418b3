//! Sums of cotangents that a loop carries, taken out of it, so that they can be added in lanes.
//!
//! ```text
//! for j in 0..n carry (s_bar) { t = c_bar[j]; a_bar[j] += s * t; s_bar += t * a[j] }
//! s_bar = s_bar + sum of c_bar[0..n], a[0..n] (t, a) { t * a }; for j in 0..n { a_bar[j] += s * c_bar[j] }
//! ```
//!
//! In a loop that carries a sum each addition waits for the one before, which takes most of the loop's time. Valid for sums whose order is ours,
//! where each term is read from slices at the counter, which the loop doesn't write before it reads them. Done where the loop carries nothing else, and computes
//! nothing that would be expensive to compute twice.
//!
//! The order of a sum is ours if the sum is a cotangent, never if it is the primal's. The reverse transform marks the sums that it carries
//! round loops (`ValueData::unordered`), and so are their tangents marked.

use super::{Rewrite, rewrite_all};
use crate::analyze::{Affine, Offset, uses_in};
use crate::ir::{
    Adapter, BinaryOp, Func, Map, Op, OpKind, Place, Proj, Range, Region, Set, Ty, UnaryOp, Value,
};
use crate::transform::Seq;

/// The most slices that a sum runs over.
const PARTS: usize = 4;

/// The fewest trips, where they are known.
const TRIPS: i64 = 8;

/// Takes them out of all loops.
pub(crate) fn lanes(func: Func) -> Func {
    rewrite_all::<Sums>(func)
}

/// Returns `true` if the function has counted loops.
pub(crate) fn has_loops(func: &Func) -> bool {
    func.any(&mut |op| matches!(op.kind, OpKind::For { .. }))
}

/// Sums that are taken out of a loop: for each carried value its terms, with their signs.
struct Sums {
    terms: Vec<Vec<(BinaryOp, Value)>>,
    affine: Affine,
    range: Range,
    ints: [Option<i64>; 2],
}

impl Rewrite for Sums {
    fn of(func: &Func, ints: &Map<Value, i64>, op: &Op) -> Option<Self> {
        let (range, init, body) = op.as_counted_loop()?;
        let (counter, carried) = body.params.split_first()?;
        let simple = |op: &Op| is_simple(func, op);
        let counted = matches!(func.ty(*counter), Ty::Int("usize"))
            && !range.inclusive
            && range.adapters.iter().all(|a| matches!(a, Adapter::Rev));
        if init.is_empty() || !counted || !body.ops.iter().all(simple) {
            return None;
        }
        let int = |v: Value| ints.get(&v).copied();
        let ends = [int(range.lo), int(range.hi)];
        if let [Some(lo), Some(hi)] = ends
            && hi - lo < TRIPS
        {
            return None;
        }
        let terms = carried.iter().zip(&body.yields);
        let terms = terms
            .map(|(c, y)| {
                let float = matches!(func.ty(*c), Ty::F32 | Ty::F64);
                let known = func.value(*c).unordered && float;
                known.then(|| terms_of(body, *c, *y)).flatten()
            })
            .collect::<Option<Vec<_>>>()?;
        let sums = Self {
            terms,
            affine: Affine::new(body, &int),
            range: range.clone(),
            ints: ends,
        };
        let fits = sums.terms.iter().all(|terms| sums.fits(func, body, terms));
        fits.then_some(sums)
    }

    /// `let sum = if lo < hi { sum of parts } else { 0.0 }; s = s + sum`
    fn apply(self, func: &mut Func, op: Op, ops: &mut Vec<Op>) {
        let Op {
            kind:
                OpKind::For {
                    range,
                    init,
                    stop,
                    mut body,
                },
            results,
            span,
        } = op
        else {
            return ops.push(op);
        };
        for ((terms, start), result) in self.terms.iter().zip(init).zip(results) {
            let sum = self.sum(func, &body, terms, span, ops);
            let kind = OpKind::Binary(BinaryOp::Add, start, sum);
            ops.push(Op::new(kind, vec![result], span));
        }
        let carried: Set<Value> = body.params.drain(1..).collect();
        body.yields.clear();
        // Remove the operations that only compute the sums.
        let mut gone = carried;
        body.ops.retain(|op| {
            let chain = matches!(op.kind, OpKind::Binary(..))
                && op.operands().iter().any(|v| gone.contains(v));
            if chain {
                gone.extend(&op.results);
            }
            !chain
        });
        let kind = OpKind::For {
            range,
            init: Vec::new(),
            stop,
            body,
        };
        ops.push(Op::new(kind, Vec::new(), span));
    }
}

impl Sums {
    /// The operations that the terms are made of, in their order.
    fn made_of<'r>(&self, body: &'r Region, terms: &[(BinaryOp, Value)]) -> Vec<&'r Op> {
        let mut wanted: Set<Value> = terms.iter().map(|(_, term)| *term).collect();
        let mut ops: Vec<&Op> = Vec::new();
        for op in body.ops.iter().rev() {
            if op.results.iter().any(|v| wanted.contains(v)) {
                ops.push(op);
                if self.part(op).is_none() {
                    wanted.extend(op.operands());
                }
            }
        }
        ops.reverse();
        ops
    }

    /// The slice's element that the operation reads at the counter.
    fn part<'o>(&self, op: &'o Op) -> Option<(&'o Place, Offset)> {
        let OpKind::Load(place) = &op.kind else {
            return None;
        };
        let (Proj::Index(index), prefix) = place.path.split_last()? else {
            return None;
        };
        let fixed = |v: &Value| !self.affine.inside.contains(*v);
        let same = prefix.iter().all(|proj| match proj {
            Proj::Range(lo, hi) => lo.iter().chain(hi).all(fixed),
            _ => false,
        });
        let offset = self.affine.offsets.get(index)?;
        // The first one is behind the part's start.
        let starts = offset.by + self.ints[0].unwrap_or(0) >= 0;
        (same && starts).then_some((place, *offset))
    }

    fn fits(&self, func: &Func, body: &Region, terms: &[(BinaryOp, Value)]) -> bool {
        let ops = self.made_of(body, terms);
        let like = terms.first().map(|(_, term)| *term);
        let same =
            |v: Value| like.is_some_and(|like| func.ty(v).to_string() == func.ty(like).to_string());
        let mut parts = 0;
        let made: Set<Value> = ops.iter().flat_map(|op| op.results.clone()).collect();
        for op in &ops {
            if let OpKind::Load(place) = &op.kind {
                let slot = func.slot(place.root);
                let list = matches!(slot.ty, Ty::Slice(_) | Ty::Vec(_)) || slot.ty.is_tape();
                let known = same(op.results[0]) && self.part(op).is_some();
                if !known
                    || !list
                    || slot.in_option
                    || slot.in_field
                    || slot.may_borrow
                    || !stays(body, op, place)
                {
                    return false;
                }
                parts += 1;
            } else if op
                .operands()
                .iter()
                .any(|v| self.affine.inside.contains(*v) && !made.contains(v))
            {
                // The counter itself.
                return false;
            }
        }
        let known = |(_, term): &(BinaryOp, Value)| made.contains(term);
        (1..=PARTS).contains(&parts) && terms.iter().all(known)
    }

    fn sum(
        &self,
        func: &mut Func,
        body: &Region,
        terms: &[(BinaryOp, Value)],
        span: proc_macro2::Span,
        ops: &mut Vec<Op>,
    ) -> Value {
        let ty = func.ty(terms[0].1).clone();
        let made = self.made_of(body, terms);
        let mut before = Vec::new();
        let mut new: Map<Value, Value> = Map::default();
        let (mut parts, mut params, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for op in made {
            let again = |func: &mut Func, v: Value| {
                let data = func.value(v).clone();
                func.new_value(data.ty, data.name, data.span)
            };
            let results: Vec<Value> = op.results.iter().map(|v| again(func, *v)).collect();
            if let Some((place, offset)) = self.part(op) {
                let mut seq = Seq::new(func, &mut before, span);
                parts.push(self.slice(&mut seq, place, offset));
                params.push(results[0]);
            } else {
                let mut op = op.clone();
                op.each_operand_mut(&mut |v| *v = new.get(v).copied().unwrap_or(*v));
                op.results.clone_from(&results);
                inner.push(op);
            }
            new.extend(op.results.iter().copied().zip(results));
        }
        let mut seq = Seq::new(func, &mut inner, span);
        let mut total: Option<Value> = None;
        for (sign, term) in terms {
            let term = new[term];
            total = Some(match (total, sign) {
                (None, BinaryOp::Sub) => {
                    seq.value(OpKind::Unary(UnaryOp::Neg, term), ty.clone(), "t")
                }
                (None, _) => term,
                (Some(total), sign) => seq.binary(*sign, total, term),
            });
        }
        let region = Region {
            params,
            ops: inner,
            yields: total.into_iter().collect(),
        };
        let (mut taken, sum) = (before, func.new_value(ty.clone(), "sum", span));
        let kind = OpKind::Sum {
            parts,
            body: region,
        };
        taken.push(Op::new(kind, vec![sum], span));
        if self.is_there(&taken) {
            ops.append(&mut taken);
            return sum;
        }
        // Nothing of it can be taken amiss where the loop doesn't run.
        let mut seq = Seq::new(func, ops, span);
        let runs = seq.binary(BinaryOp::Lt, self.range.lo, self.range.hi);
        let mut none = Vec::new();
        let zero = Seq::new(seq.func, &mut none, span).zero(&ty);
        let kind = OpKind::If {
            cond: runs,
            then: Region::new(taken, vec![sum]),
            other: Region::new(none, vec![zero]),
        };
        Seq::new(seq.func, seq.ops, span).value(kind, ty, "sum")
    }

    /// Returns `true` if the parts are in bounds even if the loop has no trips.
    fn is_there(&self, taken: &[Op]) -> bool {
        match self.ints {
            [Some(lo), Some(hi)] => lo < hi,
            [Some(0), None] => taken.iter().all(|op| match &op.kind {
                OpKind::Sum { parts, .. } => parts
                    .iter()
                    .all(|part| matches!(part.path[..], [Proj::Range(None, _)])),
                _ => true,
            }),
            _ => false,
        }
    }

    /// The part of a slice that the loop runs over.
    fn slice(&self, seq: &mut Seq<'_>, place: &Place, offset: Offset) -> Place {
        let mut end = |v: Value, int: Option<i64>| {
            let moved = match (offset.by, int) {
                (0, Some(0)) => None,
                (0, _) => Some(v),
                (by, Some(n)) => Some(seq.int(&(n + by).to_string(), "usize")),
                (by, None) => {
                    let n = seq.int(&by.unsigned_abs().to_string(), "usize");
                    let op = if by < 0 { BinaryOp::Sub } else { BinaryOp::Add };
                    Some(seq.binary(op, v, n))
                }
            };
            match (offset.base, moved) {
                (Some(base), Some(moved)) => Some(seq.binary(BinaryOp::Add, base, moved)),
                (base, moved) => base.or(moved),
            }
        };
        let lo = end(self.range.lo, self.ints[0]);
        let hi = end(self.range.hi, self.ints[1]);
        let mut path = place.path[..place.path.len() - 1].to_vec();
        path.push(Proj::Range(lo, hi));
        Place::new(place.root, path)
    }
}

/// Returns `true` if the operation reads the value from before the loop.
fn stays(body: &Region, load: &Op, place: &Place) -> bool {
    let mut read = false;
    body.ops.iter().all(|op| {
        read |= std::ptr::eq(op, load);
        let touched = op.touches(place.root);
        match &op.kind {
            OpKind::Store(to, _) | OpKind::Accumulate(to, _) if touched => read && to == place,
            _ => true,
        }
    })
}

/// The terms that are added to the carried value, and subtracted from it, if nothing else reads it.
fn terms_of(body: &Region, carried: Value, end: Value) -> Option<Vec<(BinaryOp, Value)>> {
    let mut terms = Vec::new();
    let mut sum = carried;
    while sum != end {
        let mut users = body.ops.iter().filter(|op| uses_in(op).contains(&sum));
        let (Some(op), None) = (users.next(), users.next()) else {
            return None;
        };
        if body.yields.contains(&sum) {
            return None;
        }
        let term = match op.kind {
            OpKind::Binary(BinaryOp::Add, a, b) if a == sum && b != sum => (BinaryOp::Add, b),
            OpKind::Binary(BinaryOp::Add, b, a) if a == sum && b != sum => (BinaryOp::Add, b),
            OpKind::Binary(BinaryOp::Sub, a, b) if a == sum && b != sum => (BinaryOp::Sub, b),
            _ => return None,
        };
        terms.push(term);
        sum = op.results[0];
    }
    let read = body.ops.iter().any(|op| uses_in(op).contains(&end));
    let once = body.yields.iter().filter(|v| **v == end).count() == 1;
    (once && !read && !terms.is_empty()).then_some(terms)
}

/// Returns `true` if the operation is cheap, and can be vectorised.
pub(super) fn is_simple(func: &Func, op: &Op) -> bool {
    match &op.kind {
        OpKind::Const(_)
        | OpKind::Unary(..)
        | OpKind::Binary(..)
        | OpKind::Select(..)
        | OpKind::StrongMul(..) => true,
        OpKind::Load(_) => func.ty(op.results[0]).is_scalar(),
        OpKind::Store(_, v) | OpKind::Accumulate(_, v) => func.ty(*v).is_float(),
        _ => false,
    }
}

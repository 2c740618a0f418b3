//! Splits a loop that adds several parts to a list into one loop for each part (loop distribution).
//!
//! ```text
//! for j in 0..n { t = a * c[j]; x_bar[i + j] += t; x_bar[k + j] += t }
//! for j in 0..n { x_bar[i + j] += a * c[j] }; for j in 0..n { x_bar[k + j] += a * c[j] }
//! ```
//!
//! Nobody knows whether two parts overlap, so that one loop over both needs a check for each access, and nothing of it is done in lanes. Valid
//! where the loop only adds to the list, and reads nothing that another trip writes. Done where the terms are cheap enough to be computed
//! for each part.

use super::lanes::is_simple;
use super::promote::only_adds_to;
use super::rewrite_each;
use super::unroll::renamed;
use crate::analyze::Affine;
use crate::ir::{Access, Func, Map, Op, OpKind, Place, Proj, Region, Set, Slot, Ty, Value};

/// The most parts of one list.
const PARTS: usize = 4;

/// The most operations of a body.
const OPERATIONS: usize = 24;

/// Distributes all loops, inner ones first.
pub(crate) fn distribute(mut func: Func) -> Func {
    let ints = func.integers();
    rewrite_each(&mut func, &|func, mut op, ops| {
        let parts = parts(func, &op, &ints);
        ops.extend(parts.iter().map(|part| part.alone(func, &op)));
        let gone: Set<usize> = parts.into_iter().flat_map(|part| part.additions).collect();
        if !gone.is_empty() {
            op.each_region_mut(&mut |body| {
                let all = std::mem::take(&mut body.ops).into_iter().enumerate();
                let stay = all.filter(|(k, _)| !gone.contains(k));
                body.ops = stay.map(|(_, op)| op).collect();
            });
        }
        ops.push(op);
    });
    func
}

/// A part of a list that a loop adds to.
struct Part {
    root: Slot,
    /// Projections in front of the counter in each index.
    prefix: Vec<Proj>,
    base: Option<Value>,
    /// Which operations of the body add to it.
    additions: Vec<usize>,
    /// The operations that compute the terms, in their order; none, if they have to stay with the rest of the loop.
    made_of: Option<Vec<usize>>,
}

/// The parts of one list that get loops of their own: all that a loop adds to, but one.
fn parts(func: &Func, op: &Op, ints: &Map<Value, i64>) -> Vec<Part> {
    let Some((range, _, body)) = op.as_counted_loop() else {
        return Vec::new();
    };
    if range.inclusive || !matches!(func.ty(range.lo), Ty::Int("usize")) {
        return Vec::new();
    }
    let affine = Affine::new(body, &|v| ints.get(&v).copied());
    let mut found: Vec<Part> = Vec::new();
    for (k, op) in body.ops.iter().enumerate() {
        let OpKind::Accumulate(place, _) = &op.kind else {
            continue;
        };
        let Some((Proj::Index(index), prefix)) = place.path.split_last() else {
            return Vec::new();
        };
        let Some(offset) = affine.offsets.get(index) else {
            return Vec::new();
        };
        let known = found.iter_mut().find(|part| {
            part.root == place.root && part.prefix == prefix && part.base == offset.base
        });
        match known {
            Some(part) => part.additions.push(k),
            None => found.push(Part {
                root: place.root,
                prefix: prefix.to_vec(),
                base: offset.base,
                additions: vec![k],
                made_of: None,
            }),
        }
    }
    let several = |root: Slot| found.iter().filter(|part| part.root == root).count() > 1;
    let Some(list) = found
        .iter()
        .map(|part| part.root)
        .find(|root| several(*root))
    else {
        return Vec::new();
    };
    found.retain(|part| part.root == list);
    if found.len() > PARTS || !only_adds_to(func, body, list) {
        return Vec::new();
    }
    for part in &mut found {
        part.made_of = made_of(func, body, &affine, &part.additions);
    }
    found.sort_by_key(|part| part.made_of.is_none());
    let last = found.pop();
    if found.iter().any(|part| part.made_of.is_none()) || last.is_none() {
        return Vec::new();
    }
    found
}

/// The operations that compute the terms, and the additions, if they are few and cheap, carry nothing from another trip, and read nothing that a
/// trip has written.
fn made_of(func: &Func, body: &Region, affine: &Affine, additions: &[usize]) -> Option<Vec<usize>> {
    let mut wanted: Set<Value> = Set::default();
    let mut all = Vec::new();
    for (k, op) in body.ops.iter().enumerate().rev() {
        if additions.contains(&k) || op.results.iter().any(|v| wanted.contains(v)) {
            if !is_simple(func, op) {
                return None;
            }
            if let OpKind::Load(place) = &op.kind
                && !stays(body, affine, k, place)
            {
                return None;
            }
            wanted.extend(op.operands());
            all.push(k);
        }
    }
    all.reverse();
    let alone = body.params[1..].iter().all(|v| !wanted.contains(v));
    (alone && all.len() <= OPERATIONS).then_some(all)
}

/// True if operation `at` reads the value of the place from before the loop: each trip writes to a place of its own, and later.
fn stays(body: &Region, affine: &Affine, at: usize, place: &Place) -> bool {
    let own = match place.path.last() {
        Some(Proj::Index(index)) => affine.offsets.contains_key(index),
        _ => false,
    };
    body.ops.iter().enumerate().all(|(k, op)| {
        let mut fine = true;
        op.walk(&mut |inner| {
            let slots = inner.slots();
            let mut of_place = slots.iter().filter(|(slot, _)| *slot == place.root);
            fine &= match &inner.kind {
                OpKind::Store(to, _) => to.root != place.root || own && to == place && k > at,
                _ => of_place.all(|(_, how)| *how == Access::Read),
            };
        });
        fine
    })
}

impl Part {
    /// A loop that does nothing but add to the part.
    fn alone(&self, func: &mut Func, op: &Op) -> Op {
        let mut copy = op.clone();
        let (OpKind::For { init, body, .. }, Some(made_of)) = (&mut copy.kind, &self.made_of)
        else {
            unreachable!("it is a loop that has been looked at")
        };
        init.clear();
        body.params.truncate(1);
        body.yields.clear();
        body.ops = made_of.iter().map(|k| body.ops[*k].clone()).collect();
        *body = renamed(func, body, &mut Map::default());
        copy.results.clear();
        copy
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::OpKind;
    use crate::pipeline::{for_emission, reverse_rule};
    use crate::testing::primal;
    use crate::transform::Shape;

    /// How many loops without a loop in them the combined rule has.
    fn loops(body: &str) -> usize {
        let source = format!(
            "fn f(x: &[f64], c: &mut [f64], n: usize, k: usize) -> f64 {{ let mut s = 0.0; for j in 0..n {{ {body} }} for j in 0..n {{ s += c[j]; }} s }}"
        );
        let rule = reverse_rule(&primal(&source), Shape::Combined);
        let mut found = 0;
        for_emission(&rule).walk(&mut |op| {
            found += usize::from(matches!(op.kind, OpKind::For { .. }));
        });
        found
    }

    #[test]
    fn parts_of_one_list_get_loops_of_their_own() {
        let one = loops("c[j] = x[j] * 2.0;");
        assert_eq!(loops("c[j] = x[j] + 0.5 * x[n + j];"), one + 1);
        assert_eq!(loops("c[j] = x[j] + x[n + j] * x[k + j];"), one + 2);
    }

    #[test]
    fn what_another_trip_writes_stays_in_one_loop() {
        let one = loops("c[j] = x[j].exp();");
        assert_eq!(loops("c[j] = c[j + 1] * x[j] * x[n + j];"), one);
        // Dear terms are computed once.
        let one = loops("s += x[j].exp();");
        assert_eq!(loops("s += x[j].exp() * x[n + j].sin();"), one);
    }
}

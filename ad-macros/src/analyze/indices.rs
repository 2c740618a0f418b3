//! Indices: which elements of a list are certainly different ones.
//!
//! Input: a function. An index is a polynomial in counters and in values that are read or computed in other ways. With the ranges of the counters, and the
//! conditions of the branches around, two equal indices are a system of inequalities; if it has no solution, the elements differ. An index `i * n + k` with `k`
//! in `0..n` is a pair `(i, k)`. Conservative: an index may be of a kind that isn't followed. Sums and products of indices don't wrap round, as debug builds
//! check. A difference is followed only where it can't be negative.

use super::linear::{Atom, Poly, System};
use crate::ir::{
    Adapter, BinaryOp, Const, DenseSet, Func, Map, OpKind, Place, Proj, Range, Region, Set, Ty,
    Value,
};

/// The most leaves of two indices that are compared. A sum of sums may have as many as there are paths to its operands.
const MOST_LEAVES: usize = 64;

/// The indices of a function.
pub(crate) struct Indices {
    /// Those of its values that are of the type of indices.
    values: DenseSet<Value>,
    /// Sums, differences, products and comparisons.
    arithmetic: Map<Value, (BinaryOp, Value, Value)>,
    numbers: Map<Value, i64>,
    /// Of a constant, the first one with the same text.
    constants: Map<Value, Value>,
    ranges: Map<Value, Range>,
    /// The number of loops around a definition.
    depths: Map<Value, usize>,
}

impl Indices {
    pub(crate) fn new(func: &Func) -> Self {
        let mut all = Indices {
            values: DenseSet::default(),
            arithmetic: Map::default(),
            numbers: func.integers(),
            constants: Map::default(),
            ranges: Map::default(),
            depths: Map::default(),
        };
        for (index, data) in func.values.iter().enumerate() {
            if matches!(data.ty, Ty::Int("usize")) {
                let number = u32::try_from(index).unwrap_or(u32::MAX);
                all.values.insert(Value(number));
            }
        }
        let mut constants = Map::default();
        all.find(&func.body, 0, &mut constants);
        if let Some(pullback) = &func.pullback {
            all.find(&pullback.body, 0, &mut constants);
        }
        all
    }

    fn find(&mut self, region: &Region, depth: usize, constants: &mut Map<String, Value>) {
        self.depths
            .extend(region.params.iter().map(|v| (*v, depth)));
        for op in &region.ops {
            self.depths.extend(op.results.iter().map(|v| (*v, depth)));
            match (&op.kind, &op.results[..]) {
                (OpKind::Const(Const::Expr(tokens)), [v]) => {
                    let first = *constants.entry(tokens.to_string()).or_insert(*v);
                    self.constants.insert(*v, first);
                }
                (OpKind::Binary(op, a, b), [v]) if self.values.contains(*a) => {
                    self.arithmetic.insert(*v, (*op, *a, *b));
                }
                (OpKind::For { range, body, .. }, _) => {
                    self.ranges.insert(body.params[0], range.clone());
                }
                _ => {}
            }
            let inner = depth + usize::from(op.repeats());
            op.each_region(&mut |region| self.find(region, inner, constants));
        }
    }

    /// The start of a comparison. Values that loops inside of the depth define are others for the second place.
    pub(super) fn point(&self, depth: usize, second: bool) -> Point<'_> {
        Point {
            all: self,
            depth,
            second,
            system: System::default(),
            counters: Set::default(),
            fresh: u32::MAX,
        }
    }

    /// The value that an index is greater by than another one: `n`, of `i * n` and `(i + 1) * n`. Holds where sums and products wrap round, too.
    pub(crate) fn difference(&self, from: Value, to: Value) -> Option<Value> {
        let mut leaves = Vec::new();
        let [from, to] = [from, to].map(|v| self.polynomial(v, &mut leaves));
        let difference = to?.plus(-1, &from?)?;
        let (_, v) = leaves.into_iter().rfind(|(leaf, _)| *leaf == difference)?;
        Some(v)
    }

    /// An index as a polynomial in values that it is computed from, which are among the leaves. `None`: there are too many.
    fn polynomial(&self, v: Value, leaves: &mut Vec<(Poly, Value)>) -> Option<Poly> {
        if leaves.len() > MOST_LEAVES {
            return None;
        }
        if let Some((op, a, b)) = self.arithmetic.get(&v).filter(|_| self.values.contains(v)) {
            let mut sides = || Some((self.polynomial(*a, leaves)?, self.polynomial(*b, leaves)?));
            match op {
                BinaryOp::Add => return sides().and_then(|(a, b)| a.plus(1, &b)),
                BinaryOp::Sub => return sides().and_then(|(a, b)| a.plus(-1, &b)),
                BinaryOp::Mul => return sides().and_then(|(a, b)| a.times(&b)),
                _ => {}
            }
        }
        let first = self.constants.get(&v).copied().unwrap_or(v);
        let number = self.numbers.get(&v).copied().map(Poly::number);
        let leaf = number.unwrap_or_else(|| Poly::atom((first.0, false)));
        leaves.push((leaf.clone(), v));
        Some(leaf)
    }

    /// Returns `true` if two places in one trip of all loops are never the same.
    pub(crate) fn is_elsewhere(&self, place: &Place, other: &Place) -> bool {
        let [place, other] = [(place, false), (other, true)]
            .map(|(place, second)| self.point(usize::MAX, second).at(place));
        place.zip(other).and_then(|(a, b)| differ(a, b, None)) == Some(true)
    }
}

/// A step of a path.
pub(super) enum Step {
    Field(syn::Member),
    Index(Poly),
    Same,
}

/// Returns `true` if two paths never lead to the same place, the second one in a later trip of a loop that counts. `None`: it isn't known.
pub(super) fn differ(
    (mut point, steps): (Point<'_>, Vec<Step>),
    (other, other_steps): (Point<'_>, Vec<Step>),
    later: Option<(Value, &Range)>,
) -> Option<bool> {
    point.system.positive.extend(other.system.positive);
    point.system.zero.extend(other.system.zero);
    if let Some((counter, range)) = later {
        let [a, b] = [false, true].map(|second| Poly::atom((counter.0, second)));
        let turns = range.adapters.iter().filter(|a| **a == Adapter::Rev);
        let back = turns.count() % 2 == 1;
        let (a, b) = if back { (b, a) } else { (a, b) };
        point.is_above(&a, 1, &b)?;
    }
    for steps in steps.iter().zip(&other_steps) {
        match steps {
            (Step::Field(a), Step::Field(b)) if a != b => return Some(true),
            (Step::Index(a), Step::Index(b)) => point.equate(a, b)?,
            (Step::Field(_), Step::Field(_)) | (Step::Same, Step::Same) => {}
            _ => break,
        }
    }
    Some(point.system.has_no_solution())
}

/// A moment of a run, and all that is known of indices then.
pub(super) struct Point<'i> {
    all: &'i Indices,
    depth: usize,
    second: bool,
    system: System,
    counters: Set<Value>,
    fresh: u32,
}

impl Point<'_> {
    /// With the steps to a place.
    pub(super) fn at(mut self, place: &Place) -> Option<(Self, Vec<Step>)> {
        let steps = self.steps(place)?;
        Some((self, steps))
    }

    fn atom(&self, v: Value) -> Atom {
        let depth = self.all.depths.get(&v).copied().unwrap_or(0);
        (v.0, self.second && depth > self.depth)
    }

    /// A value that isn't followed further.
    fn opaque(&mut self, v: Value) -> Option<Poly> {
        let poly = Poly::atom(self.atom(v));
        if self.is_index(v) {
            self.system.positive.push(poly.clone());
            if let Some(range) = self.all.ranges.get(&v)
                && self.counters.insert(v)
            {
                let (lo, hi) = (self.index(range.lo)?, self.index(range.hi)?);
                self.is_above(&lo, 0, &poly)?;
                self.is_above(&poly, i64::from(!range.inclusive), &hi)?;
            }
        }
        Some(poly)
    }

    fn is_index(&self, v: Value) -> bool {
        self.all.values.contains(v)
    }

    /// An index as a polynomial. `None`: its numbers are too large.
    fn index(&mut self, v: Value) -> Option<Poly> {
        if let Some(number) = self.all.numbers.get(&v) {
            return Some(Poly::number(*number));
        }
        if let Some(first) = self.all.constants.get(&v) {
            return self.opaque(*first);
        }
        let Some((op, a, b)) = self.all.arithmetic.get(&v).filter(|_| self.is_index(v)) else {
            return self.opaque(v);
        };
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
            return self.opaque(v);
        }
        let (a, b) = (self.index(*a)?, self.index(*b)?);
        match op {
            BinaryOp::Add => a.plus(1, &b),
            BinaryOp::Mul => a.times(&b),
            _ => {
                let difference = a.plus(-1, &b)?;
                if self.is_positive(&difference)? {
                    Some(difference)
                } else {
                    self.opaque(v)
                }
            }
        }
    }

    fn is_positive(&self, poly: &Poly) -> Option<bool> {
        let mut system = self.system.clone();
        let negative = Poly::number(-1).plus(-1, poly)?;
        system.positive.push(negative);
        Some(system.has_no_solution())
    }

    /// `b - a - least` isn't negative.
    fn is_above(&mut self, a: &Poly, least: i64, b: &Poly) -> Option<()> {
        let difference = b.plus(-1, a)?.plus(-least, &Poly::number(1))?;
        self.system.positive.push(difference);
        Some(())
    }

    /// The moment is in a trip of the counter's loop.
    pub(super) fn counts(&mut self, counter: Value) {
        // If its bounds aren't followed, less is known.
        self.opaque(counter);
    }

    /// A condition is true, or false.
    pub(super) fn assume(&mut self, condition: Value, side: bool) {
        self.follow(condition, side);
    }

    fn follow(&mut self, condition: Value, side: bool) -> Option<()> {
        let (op, a, b) = self.all.arithmetic.get(&condition)?;
        let (a, b) = (self.index(*a)?, self.index(*b)?);
        match (op, side) {
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => self.is_above(&a, 1, &b),
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => self.is_above(&a, 0, &b),
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => self.is_above(&b, 1, &a),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => self.is_above(&b, 0, &a),
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                self.system.zero.push(a.plus(-1, &b)?);
                Some(())
            }
            (BinaryOp::Ne, true) | (BinaryOp::Eq, false) => {
                if self.is_positive(&b.plus(-1, &a)?)? {
                    self.is_above(&a, 1, &b)
                } else if self.is_positive(&a.plus(-1, &b)?)? {
                    self.is_above(&b, 1, &a)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The steps of a path, as far as they are followed. A part of a list is an index that may be any in it.
    fn steps(&mut self, place: &Place) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut path = place.path.iter().peekable();
        while let Some(proj) = path.next() {
            steps.push(match proj {
                Proj::Field(member) => Step::Field(member.clone()),
                Proj::Variant(..) | Proj::Deref => Step::Same,
                Proj::At(..) => break,
                Proj::Index(i) => Step::Index(self.index(*i)?),
                Proj::Range(..) => {
                    let (mut index, mut end) = (Poly::default(), None);
                    let mut proj = Some(proj);
                    while let Some(Proj::Range(lo, hi)) = proj {
                        let lo = lo.map_or(Some(Poly::default()), |lo| self.index(lo))?;
                        index = index.plus(1, &lo)?;
                        if let Some(hi) = hi {
                            let hi = self.index(*hi)?;
                            end = Some(hi.plus(1, &index)?.plus(-1, &lo)?);
                        }
                        proj =
                            path.next_if(|next| matches!(next, Proj::Range(..) | Proj::Index(_)));
                    }
                    let within = match proj {
                        Some(Proj::Index(i)) => self.index(*i)?,
                        _ => {
                            self.fresh -= 1;
                            let any = Poly::atom((self.fresh, self.second));
                            self.system.positive.push(any.clone());
                            any
                        }
                    };
                    index = index.plus(1, &within)?;
                    if let Some(end) = end {
                        self.is_above(&index, 1, &end)?;
                    }
                    Step::Index(index)
                }
            });
        }
        Some(steps)
    }

    /// Two indices are equal. Those into rows of the same length are in the same row and column.
    fn equate(&mut self, a: &Poly, b: &Poly) -> Option<()> {
        let length = |atom: &Atom| {
            let [[_, a], [_, b]] = [a, b].map(|index| index.divided(*atom));
            let inside = |rest: &Poly| {
                let last = Poly::atom(*atom)
                    .plus(-1, rest)?
                    .plus(-1, &Poly::number(1))?;
                Some(self.is_positive(rest)? && self.is_positive(&last)?)
            };
            inside(&a) == Some(true) && inside(&b) == Some(true)
        };
        let shared = |atom: &Atom| !atom.1 && b.factors().any(|other| other == *atom);
        match a.factors().filter(shared).find(length) {
            Some(length) => {
                let [[row, column], [other_row, other_column]] =
                    [a, b].map(|index| index.divided(length));
                self.equate(&row, &other_row)?;
                self.equate(&column, &other_column)
            }
            None => {
                self.system.zero.push(a.plus(-1, b)?);
                Some(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::primal;

    /// True if `x[index]` is another element than `x[i]`, in a loop of `k` inside of one of `i`.
    fn are_apart(range: &str, index: &str) -> bool {
        let body = format!("for i in 0..n {{ for k in {range} {{ s += x[{index}] * x[i]; }} }}");
        let source = format!("fn f(x: &[f64], n: usize) -> f64 {{ let mut s = 0.0; {body} s }}");
        let func = primal(&source);
        let mut counters = Vec::new();
        let mut places = Vec::new();
        func.walk(&mut |op| match &op.kind {
            OpKind::For { body, .. } => counters.push(body.params[0]),
            OpKind::Load(place) => places.push(place.clone()),
            _ => {}
        });
        let is_fixed = |place: &&Place| place.path == [Proj::Index(counters[0])];
        let moving = places.iter().find(|place| !is_fixed(place));
        let moving = moving.expect("another index");
        let fixed = places.iter().find(is_fixed).expect("the element");
        Indices::new(&func).is_elsewhere(moving, fixed)
    }

    #[test]
    fn only_what_is_always_another_index_is_elsewhere() {
        for (range, index, expected) in [
            ("0..i", "k", true),
            ("0..=i", "k", false),
            ("0..n", "k", false),
            ("i..n", "k", false),
            ("i + 1..n", "k", true),
            ("i + 2..=n", "k", true),
            ("1 + i..n", "k", true),
            // There is a trip, and so `n` is at least one.
            ("i + n..9", "k", true),
            ("i * n..9", "k", false),
            ("0..n", "i + 1", true),
            ("0..n", "1 + i", true),
            ("0..n", "i + k", false),
            ("i + 1..n", "k + n", true),
            ("i + 1..n", "n + k", true),
        ] {
            assert_eq!(are_apart(range, index), expected, "{range}, {index}");
        }
    }
}

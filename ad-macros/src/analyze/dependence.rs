//! Dependences: whether an element that an operation reads or writes may be read or written by another one later.
//!
//! Input: a function, whose pullback runs after its body. Two operations on one variable are compared for each loop around both, with the second one in a
//! later trip, and in one trip of all of them. `indices.rs` tells if their elements differ. Conservative: `false` means that the element may be used.

use std::cell::RefCell;

use super::indices::{Indices, Point, differ};
use super::own_written_slots;
use crate::ir::{Access, Func, Map, Op, OpKind, Place, Range, Region, Set, Slot, Value};

/// A loop or a side of a branch around an operation.
#[derive(Clone, Copy)]
enum Around<'f> {
    /// With the counter and its range, if it counts.
    Loop(*const Op, Option<(Value, &'f Range)>),
    Side(Value, bool),
}

/// Where an operation stands.
#[derive(Clone, Default)]
struct Site<'f> {
    /// The outermost one first.
    around: Vec<Around<'f>>,
    /// In the order of the text.
    position: usize,
    /// It stands in a closure, or in a loop that reverse mode runs again.
    unknown: bool,
}

impl<'f> Site<'f> {
    fn loops(&self) -> impl Iterator<Item = (*const Op, Option<(Value, &'f Range)>)> {
        self.around.iter().filter_map(|around| match around {
            Around::Loop(op, counted) => Some((*op, *counted)),
            Around::Side(..) => None,
        })
    }

    /// The loops around both, from the outside.
    fn common(&self, other: &Self) -> Vec<Option<(Value, &'f Range)>> {
        let both = self.loops().zip(other.loops());
        let same = both.take_while(|(a, b)| a.0 == b.0);
        same.map(|(a, _)| a.1).collect()
    }
}

/// The operations on memory of a function.
pub(crate) struct Dependences<'f> {
    func: &'f Func,
    indices: Indices,
    /// The number of loops around the declaration of a variable.
    homes: Map<Slot, usize>,
    aliases: Map<Slot, &'f Place>,
    sites: Map<*const Op, Site<'f>>,
    writes: Map<Slot, Vec<&'f Op>>,
    reads: Map<Slot, Vec<&'f Op>>,
    answers: RefCell<Map<(*const Op, Slot), bool>>,
}

impl<'f> Dependences<'f> {
    pub(crate) fn new(func: &'f Func) -> Self {
        let mut all = Dependences {
            func,
            indices: Indices::new(func),
            homes: Map::default(),
            aliases: Map::default(),
            sites: Map::default(),
            writes: Map::default(),
            reads: Map::default(),
            answers: RefCell::default(),
        };
        all.find(&func.body, &Site::default());
        if let Some(pullback) = &func.pullback {
            all.find(&pullback.body, &Site::default());
        }
        all
    }

    fn find(&mut self, region: &'f Region, around: &Site<'f>) {
        let depth = around.loops().count();
        for op in &region.ops {
            if let OpKind::Borrow(slot, place) = &op.kind {
                self.aliases.insert(*slot, place);
            }
            if let OpKind::Init(slot, _) = &op.kind {
                self.homes.insert(*slot, depth);
            }
            let mut site = around.clone();
            site.position = self.sites.len();
            self.sites.insert(op, site.clone());
            for root in own_written_slots(self.func, op, &|slot| self.root(slot)) {
                self.writes.entry(root).or_default().push(op);
            }
            if !matches!(op.kind, OpKind::Borrow(..) | OpKind::Len(_)) {
                let read =
                    |(_, access): &(Slot, Access)| matches!(access, Access::Read | Access::Both);
                for (slot, _) in op.slots().into_iter().filter(read) {
                    self.reads.entry(self.root(slot)).or_default().push(op);
                }
            }
            match &op.kind {
                OpKind::If { cond, then, other } => {
                    for (region, side) in [(then, true), (other, false)] {
                        let mut inner = site.clone();
                        inner.around.push(Around::Side(*cond, side));
                        self.find(region, &inner);
                    }
                }
                OpKind::For { range, body, .. } => {
                    site.unknown |= range.checkpoints().is_some();
                    let counted = Some((body.params[0], range));
                    site.around.push(Around::Loop(op, counted));
                    self.find(body, &site);
                }
                _ => {
                    site.unknown |= !op.is_control();
                    site.around.push(Around::Loop(op, None));
                    op.each_region(&mut |region| self.find(region, &site));
                }
            }
        }
    }

    /// The variable that a slot is, or is a part of.
    pub(crate) fn root(&self, slot: Slot) -> Slot {
        let place = self.aliases.get(&slot);
        place.map_or(slot, |place| self.root(place.root))
    }

    /// A place without aliases.
    fn resolved(&self, place: &Place) -> Place {
        let mut place = place.clone();
        while let Some(outer) = self.aliases.get(&place.root) {
            place = outer.extended(&place.path);
        }
        place
    }

    /// Returns `true` if nothing writes to the place that an operation of the function uses after the operation has run.
    pub(crate) fn stays(&self, op: &Op, place: &Place) -> bool {
        let place = self.resolved(place);
        let key = (std::ptr::from_ref(op), place.root);
        if let Some(known) = self.answers.borrow().get(&key) {
            return *known;
        }
        let writes = self.writes.get(&place.root);
        let apart = |write: &&Op| self.is_elsewhere(op, &place, write);
        let answer = writes.is_none_or(|writes| writes.iter().all(apart));
        self.answers.borrow_mut().insert(key, answer);
        answer
    }

    /// Returns `true` if nothing reads the place that an operation of the function uses after the operation has run.
    pub(crate) fn is_read_no_more(&self, op: &Op, place: &Place) -> bool {
        let place = self.resolved(place);
        let apart = |read: &&Op| self.is_elsewhere(op, &place, read);
        (self.reads.get(&place.root)).is_none_or(|reads| reads.iter().all(apart))
    }

    /// Returns `true` if nothing has written to the place that an operation uses when the operation runs, since its variable was declared.
    pub(crate) fn is_first(&self, op: &Op, place: &Place) -> bool {
        let root = self.root(place.root);
        let apart = |write: &&Op| {
            let declares = matches!(write.kind, OpKind::Init(slot, _) if slot == root);
            let places = self.places(write, root);
            let apart = |place: &Place| self.is_elsewhere(write, place, op);
            declares || !places.is_empty() && places.iter().all(apart)
        };
        (self.writes.get(&root)).is_none_or(|writes| writes.iter().all(apart))
    }

    /// The places of a variable that an operation uses, without aliases.
    fn places(&self, op: &Op, root: Slot) -> Vec<Place> {
        let mut places = Vec::new();
        op.each_place(&mut |place| places.push(self.resolved(place)));
        places.retain(|place| place.root == root);
        places
    }

    /// Returns `true` if the operation `later` never uses the place after another one has used it.
    fn is_elsewhere(&self, op: &Op, place: &Place, later: &Op) -> bool {
        let (Some(first), Some(second)) = (self.site(op), self.site(later)) else {
            return false;
        };
        let used = self.places(later, place.root);
        if first.unknown || second.unknown || used.is_empty() {
            return false;
        }
        let common = first.common(second);
        let home = self.home(place.root);
        let apart = |depth: usize| {
            let counted = common.get(depth).copied().flatten();
            let mut used = used.iter();
            used.all(|other| self.apart((first, place), (second, other), depth, counted))
        };
        (home..common.len()).all(apart)
            && (second.position < first.position || std::ptr::eq(op, later) || apart(common.len()))
    }

    /// Returns `true` if two places are never the same where the second one is used in a later trip of the loop at the depth, or in the same trip of all
    /// loops around both.
    fn apart(
        &self,
        (first, place): (&Site<'f>, &Place),
        (second, other): (&Site<'f>, &Place),
        depth: usize,
        later: Option<(Value, &Range)>,
    ) -> bool {
        let point = self.point(first, depth, false).at(place);
        let other = self.point(second, depth, true).at(other);
        let differ = |(a, b): (_, _)| differ(a, b, later);
        point.zip(other).and_then(differ) == Some(true)
    }

    /// Returns `true` if no trip of a loop writes to an element of these variables that another trip reads or writes.
    pub(crate) fn has_separate_trips(&self, op: &Op, roots: &Set<Slot>) -> bool {
        let (Some(around), Some((range, _, body))) = (self.site(op), op.as_counted_loop()) else {
            return false;
        };
        let depth = around.loops().count();
        let mut uses: Vec<(&Site<'f>, Place, bool)> = Vec::new();
        let mut followed = true;
        body.walk(&mut |op| {
            let written = own_written_slots(self.func, op, &|slot| self.root(slot));
            let mut places = Vec::new();
            op.each_place(&mut |place| places.push(self.resolved(place)));
            let unnamed = |root: &Slot| !places.iter().any(|place| place.root == *root);
            let outside = |root: &Slot| roots.contains(root) && self.home(*root) <= depth;
            followed &= !written.iter().any(|root| outside(root) && unnamed(root));
            places.retain(|place| outside(&place.root));
            if matches!(op.kind, OpKind::Borrow(..) | OpKind::Len(_)) || places.is_empty() {
                return;
            }
            match self.site(op).filter(|site| !site.unknown) {
                Some(site) => uses.extend(places.into_iter().map(|place| {
                    let writes = written.contains(&place.root);
                    (site, place, writes)
                })),
                None => followed = false,
            }
        });
        let later = Some((body.params[0], range));
        let apart = |a: (_, &_), b: (_, &_)| self.apart(a, b, depth, later);
        let mut pairs = uses.iter().flat_map(|(a, place, writes)| {
            let others = uses
                .iter()
                .filter(|(.., other_writes)| *writes || *other_writes);
            others.map(move |(b, other, _)| ((*a, place), (*b, other)))
        });
        followed && pairs.all(|(a, b)| a.1.root != b.1.root || apart(a, b))
    }

    /// The number of loops around the declaration of a variable.
    fn home(&self, slot: Slot) -> usize {
        self.homes.get(&slot).copied().unwrap_or(0)
    }

    /// The moment at which an operation runs. Values that loops inside of the depth define are others for the second operation.
    fn point(&self, site: &Site<'f>, depth: usize, second: bool) -> Point<'_> {
        let mut point = self.indices.point(depth, second);
        for around in &site.around {
            match around {
                Around::Loop(_, Some((counter, _))) => point.counts(*counter),
                Around::Loop(_, None) => {}
                Around::Side(condition, side) => point.assume(*condition, *side),
            }
        }
        point
    }

    fn site(&self, op: &Op) -> Option<&Site<'f>> {
        self.sites.get(&std::ptr::from_ref(op))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::primal;

    /// For each element of `y` that `body` reads, in the order of the text: `true` if nothing overwrites it later.
    fn stay(body: &str) -> Vec<bool> {
        let source = format!(
            "fn f(x: &[f64], n: usize, p: &[usize]) -> f64 {{ let mut y = x.to_vec(); {body} y[0] }}"
        );
        let func = primal(&source);
        let list = func.slots.iter().position(|slot| slot.name == "y");
        let all = Dependences::new(&func);
        let mut found = Vec::new();
        func.walk(&mut |op| {
            if let OpKind::Load(place) = &op.kind
                && Some(all.root(place.root).0 as usize) == list
            {
                found.push(all.stays(op, place));
            }
        });
        found.pop();
        found
    }

    #[test]
    fn elements_that_no_later_trip_writes_stay() {
        for (body, expected) in [
            ("for i in 1..n { y[i] = y[i - 1] * x[i]; }", true),
            ("for i in 0..n { y[i + 1] = y[i] * x[i]; }", true),
            ("for i in 0..n { y[i] = y[i + 1] * x[i]; }", false),
            ("for i in (0..n).rev() { y[i] = y[i + 1] * x[i]; }", true),
            ("for i in (0..n).rev() { y[i + 1] = y[i] * x[i]; }", false),
            (
                "for i in (0..n).rev().rev() { y[i] = y[i + 1] * x[i]; }",
                false,
            ),
            ("for i in 0..n { y[p[i]] = y[i] * x[i]; }", false),
            ("for i in 0..n { y[2 * i] = y[2 * i + 1] * x[i]; }", true),
            ("for i in 0..n { y[2 * i] = y[i] * x[i]; }", false),
            (
                "for i in 0..n { for j in 0..i { y[i] = y[j] * x[i]; } }",
                true,
            ),
            (
                "for i in 0..n { for j in 0..n { if j < i { y[i] = y[j] * x[i]; } } }",
                true,
            ),
            (
                "for i in 0..n { for j in 0..n { y[i] = y[j] * x[i]; } }",
                false,
            ),
            (
                "for k in 0..n { for i in k + 1..n { y[i] = y[k] * x[i]; } }",
                true,
            ),
            (
                "for k in 0..n { for i in 0..n { if i != k { y[i] = y[k] * x[i]; } } }",
                false,
            ),
            (
                "let mut k = 0; while k < n { y[k + 1] = y[k] * x[k]; k += 1; }",
                true,
            ),
            (
                "for _ in 0..n { for i in 1..n { y[i] = y[i - 1] * x[i]; } }",
                false,
            ),
        ] {
            assert_eq!(stay(body), [expected], "{body}");
        }
    }

    #[test]
    fn rows_of_a_flat_list_are_apart() {
        for (body, expected) in [
            (
                "for i in 0..n { for k in i + 1..n { for j in 0..n { y[k * n + j] = y[i * n + j] * x[k]; } } }",
                true,
            ),
            (
                "for i in 0..n { for k in 0..n { for j in 0..n { y[k * n + j] = y[i * n + j] * x[k]; } } }",
                false,
            ),
            (
                "for i in 0..n { for j in 0..=i { for k in 0..j { y[i * n + j] = y[j * n + k] * x[k]; } } }",
                true,
            ),
            (
                "for i in 0..n { for j in 0..n { y[i * n + j] = y[j * n + i] * x[j]; } }",
                false,
            ),
            // A column that isn't less than the length of a row.
            (
                "for i in 1..n { for j in 0..=n { y[i * n + j] = y[i * n - n + j] * x[j]; } }",
                false,
            ),
            (
                "for i in 1..n { for j in 0..n { y[i * n + j] = y[(i - 1) * n + j] * x[j]; } }",
                true,
            ),
            (
                "for i in 1..n { let at = i * n; for j in 0..n { y[at..at + n][j] = y[(i - 1) * n..at][j] * x[j]; } }",
                true,
            ),
        ] {
            assert_eq!(stay(body), [expected], "{body}");
        }
    }

    #[test]
    fn a_factorisation_overwrites_no_factor() {
        let body = "for i in 0..n { for j in 0..=i { let mut s = x[i * n + j]; for k in 0..j { s -= y[i * n + k] * y[j * n + k]; } \
            if i == j { y[i * n + i] = s.sqrt(); } else { y[i * n + j] = s / y[j * n + j]; } } }";
        assert_eq!(stay(body), [true; 3]);
    }

    #[test]
    fn differences_may_wrap_round() {
        // In a release build, `n - 1` is the greatest number if `n` is zero.
        let body = "for i in 0..n - 1 { y[i + 1] = y[i] * x[i]; if x[i] > 0.0 { break; } }";
        assert_eq!(stay(body), [true]);
        let body = "for i in 0..9 { y[n - 1] = y[n + i] * x[i]; }";
        assert_eq!(stay(body), [false]);
    }
}

//! Variables that are copies of one, as far as they aren't written: contents of one shape, fields of one value.
//!
//! ```text
//! let mut u = start.to_vec();
//! for .. { let mut next = u.clone(); .. next[i][j] = ..; .. u = next; }        `u` and `next` always have the shape of `start`
//!
//! let (mut u, mut next) = (grid.clone(), grid.clone());
//! for .. { .. next.cells[i] = ..; .. swap(&mut u, &mut next); }                 `u.width` and `next.width` are `grid.width`
//! ```
//! Variables and values that are cloned or moved from one another as a whole make a class. If one of them alone, the source, gets its content from
//! elsewhere, and once, the others are first made of a member that is there already, so that they stand in the scope of the source. Then all of
//! them agree, while the source lives, in what nothing writes to in any of them: in their shape, or in a field. Anything else is unknown.

use super::structure::{has_fixed_shape, may_reshape, own_written_slots};
use crate::ir::{
    Classes, Clones, Func, Map, Op, OpKind, Pattern, Place, Proj, Set, Slot, SlotKind, Value,
};

/// A variable, or a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Slot(Slot),
    Value(Value),
}

/// The classes of a function's variables.
pub(crate) struct Alike<'f> {
    func: &'f Func,
    /// The source of each member, sources included.
    sources: Map<Slot, Slot>,
    /// Sources of classes whose shape may change.
    reshaped: Set<Slot>,
    /// The parts of members that are written, by their sources.
    written: Vec<Place>,
    /// Sources that may be moved, or written while something borrows them.
    taken: Set<Slot>,
    /// Variables that are written as a whole.
    assigned: Set<Slot>,
}

impl<'f> Alike<'f> {
    pub(crate) fn new(func: &'f Func) -> Self {
        let mut finder = Finder {
            func,
            aliases: Map::default(),
            classes: Classes::default(),
            defined: Set::default(),
            holders: Map::default(),
            sources: Vec::new(),
            unknown: Vec::new(),
            written: Vec::new(),
            taken: Set::default(),
            assigned: Set::default(),
        };
        for param in &func.params {
            param.pattern.each_leaf(&mut |leaf| {
                if let Pattern::Slot(slot) = leaf {
                    finder.defined.insert(Node::Slot(*slot));
                    finder.sources.push((Node::Slot(*slot), *slot));
                }
            });
        }
        func.body.walk(&mut |op| match &op.kind {
            OpKind::Borrow(alias, place) => {
                finder.aliases.insert(*alias, place.clone());
            }
            OpKind::Init(slot, v) => {
                finder.defined.insert(Node::Slot(*slot));
                finder.holders.insert(*v, *slot);
            }
            _ => {}
        });
        func.body.walk(&mut |op| finder.op(op));
        finder.settle()
    }

    /// The variable, other than this one, that always has the same shape.
    pub(crate) fn shape_of(&self, slot: Slot) -> Option<Slot> {
        let source = *self.sources.get(&slot)?;
        (source != slot && !self.reshaped.contains(&source)).then_some(source)
    }

    /// [`Alike::shape_of`] all variables that have one.
    pub(crate) fn shapes(&self) -> Map<Slot, Slot> {
        let all = self.sources.keys();
        all.filter_map(|slot| Some((*slot, self.shape_of(*slot)?)))
            .collect()
    }

    /// The source of a variable, from which its length may be read instead.
    pub(crate) fn length_of(&self, slot: Slot) -> Option<Slot> {
        let source = self.shape_of(slot)?;
        (self.assigned.contains(&slot) && !self.taken.contains(&source)).then_some(source)
    }

    /// The source of a variable, from which the field of an integer or a flag may be read instead.
    pub(crate) fn field_of(&self, place: &Place) -> Option<Slot> {
        let source = *self.sources.get(&place.root)?;
        let here = Place::new(source, place.path.clone());
        let ty = &self.func.slot(place.root).ty;
        self.func.struct_of(ty)?;
        let same = self.func.clones_of(ty) == Some(Clones::Same);
        let apart = !self.written.iter().any(|w| w.may_overlap(&here, false));
        let field = matches!(&place.path[..], [Proj::Field(_)]);
        (field && same && apart && source != place.root && !self.taken.contains(&source))
            .then_some(source)
    }
}

struct Finder<'f> {
    func: &'f Func,
    aliases: Map<Slot, Place>,
    classes: Classes<Node>,
    /// Nodes whose definitions have been seen.
    defined: Set<Node>,
    /// The variables that are declared with values.
    holders: Map<Value, Slot>,
    /// Nodes whose contents come from elsewhere, with the variables that hold them.
    sources: Vec<(Node, Slot)>,
    /// Nodes whose content may be any.
    unknown: Vec<Node>,
    /// Parts of variables that are written, and if their shapes may change.
    written: Vec<(Place, bool)>,
    taken: Set<Slot>,
    assigned: Set<Slot>,
}

impl<'f> Finder<'f> {
    fn op(&mut self, op: &Op) {
        let shaped = |v: &&Value| !has_fixed_shape(self.func.ty(**v));
        let results: Vec<Value> = op.results.iter().filter(shaped).copied().collect();
        self.defined.extend(results.iter().map(|v| Node::Value(*v)));
        // A clone that the user has written may have another shape.
        let same = |v: &Value| self.func.clones_of(self.func.ty(*v)) == Some(Clones::Same);
        let read = match &op.kind {
            OpKind::Load(place) => self.whole(place),
            OpKind::CloneOf(place) if results.iter().all(same) => self.whole(place),
            _ => None,
        };
        let written = match &op.kind {
            OpKind::Init(slot, v) => Some((*slot, *v)),
            OpKind::Store(place, v) => self.whole(place).map(|slot| (slot, *v)),
            _ => None,
        };
        if let OpKind::Load(place) = &op.kind
            && !results.is_empty()
        {
            self.taken.insert(self.root(place.root));
        }
        if let OpKind::Borrow(alias, place) = &op.kind
            && self.func.slot(*alias).kind != SlotKind::Ref
        {
            self.taken.insert(self.root(place.root));
        }
        if let Some(slot) = read {
            for v in results {
                self.classes.unite(Node::Value(v), Node::Slot(slot));
            }
        } else if let Some((slot, v)) = written {
            if let OpKind::Store(..) = op.kind {
                self.assigned.insert(slot);
            }
            self.classes.unite(Node::Slot(slot), Node::Value(v));
        } else if let OpKind::Swap(a, b) = &op.kind
            && let (Some(a), Some(b)) = (self.whole(a), self.whole(b))
        {
            self.assigned.extend([a, b]);
            self.classes.unite(Node::Slot(a), Node::Slot(b));
        } else if let OpKind::If { then, other, .. } = &op.kind {
            for side in [then, other] {
                for (result, v) in op.results.iter().zip(&side.yields) {
                    self.classes.unite(Node::Value(*result), Node::Value(*v));
                }
            }
        } else {
            self.other(op, results);
        }
    }

    /// The results are from elsewhere, and what the operation writes may get anything.
    fn other(&mut self, op: &Op, results: Vec<Value>) {
        for v in results {
            let node = Node::Value(v);
            match self.holders.get(&v) {
                Some(slot) => self.sources.push((node, *slot)),
                None => self.unknown.push(node),
            }
        }
        let reshapes = may_reshape(self.func, op);
        let written = own_written_slots(self.func, op, &|slot| self.root(slot));
        let mut places: Vec<Place> = written.iter().map(|slot| Place::whole(*slot)).collect();
        if let OpKind::Store(place, _) = &op.kind {
            places = vec![self.resolved(place)];
        }
        let places = places.into_iter().map(|place| (place, reshapes));
        self.written.extend(places);
    }

    /// A place without aliases.
    fn resolved(&self, place: &Place) -> Place {
        match self.aliases.get(&place.root) {
            Some(outer) => self.resolved(&outer.extended(&place.path)),
            None => place.clone(),
        }
    }

    fn root(&self, slot: Slot) -> Slot {
        let outer = self.aliases.get(&slot);
        outer.map_or(slot, |place| self.root(place.root))
    }

    /// The variable that a place is the whole of.
    fn whole(&self, place: &Place) -> Option<Slot> {
        let place = self.resolved(place);
        let all = |proj: &Proj| matches!(proj, Proj::Range(None, None));
        place.path.iter().all(all).then_some(place.root)
    }

    fn settle(mut self) -> Alike<'f> {
        let is_odd = |node: &Node| match node {
            Node::Slot(slot) => !self.defined.contains(node) || !self.func.slot(*slot).is_plain(),
            Node::Value(_) => !self.defined.contains(node),
        };
        let odd = self.classes.nodes().map(|(node, _)| node).filter(is_odd);
        self.unknown.extend(odd.collect::<Vec<_>>());
        let mut blocked: Set<usize> = Set::default();
        for node in &self.unknown {
            let index = self.classes.index(*node);
            blocked.insert(self.classes.root(index));
        }
        let mut of_class: Map<usize, Slot> = Map::default();
        for (node, slot) in &self.sources {
            let index = self.classes.index(*node);
            let class = self.classes.root(index);
            if of_class.insert(class, *slot).is_some() {
                blocked.insert(class);
            }
        }
        let mut sources = Map::default();
        for (node, index) in self.classes.nodes() {
            let class = self.classes.root(index);
            if let (Node::Slot(slot), Some(source)) = (node, of_class.get(&class))
                && !blocked.contains(&class)
            {
                sources.insert(slot, *source);
            }
        }
        let (mut reshaped, mut written) = (Set::default(), Vec::new());
        for (place, reshapes) in self.written {
            let Some(source) = sources.get(&place.root) else {
                continue;
            };
            if reshapes {
                reshaped.insert(*source);
            }
            written.push(Place::new(*source, place.path));
        }
        Alike {
            func: self.func,
            sources,
            reshaped,
            written,
            taken: self.taken,
            assigned: self.assigned,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Alike;
    use crate::ir::Slot;
    use crate::testing::primal;

    /// The variables with a shape from another one, by name.
    fn shaped(source: &str) -> String {
        let func = primal(source);
        let name = |slot| func.slot(slot).name.clone();
        let alike = Alike::new(&func);
        let slots = (0..).map(Slot).take(func.slots.len());
        let mut all: Vec<String> = slots
            .filter_map(|slot| Some((slot, alike.shape_of(slot)?)))
            .map(|(slot, from)| format!("{} as {}", name(slot), name(from)))
            .collect();
        all.sort();
        all.join(", ")
    }

    fn step(body: &str) -> String {
        shaped(&format!(
            "fn f(start: &[Vec<f64>], steps: usize) -> f64 {{ let mut u = start.to_vec(); for k in 0..steps {{ let mut next = u.clone(); next[1][1] = u[0][1]; {body} u = next; }} u[0][0] }}"
        ))
    }

    #[test]
    fn copies_that_replace_each_other_have_one_shape() {
        assert_eq!(step(""), "next as start, u as start");
        assert_eq!(
            step("if next[0][0] > 3.0 { break; }"),
            "next as start, u as start"
        );
        let swapped = "fn f(n: usize) -> f64 { let mut u = vec![vec![1.0; n]; n]; let mut v = u.clone(); for k in 0..n { v[k][0] = u[0][k]; std::mem::swap(&mut u, &mut v); } u[0][0] }";
        assert_eq!(shaped(swapped), "v as u");
    }

    #[test]
    fn a_list_that_may_grow_or_come_gets_others_has_any_shape() {
        for body in [
            "next.push(vec![1.0]);",
            "next[0].push(1.0);",
            "next[0] = vec![1.0; k];",
            "next.swap(0, 1);",
            "if k == 3 { next = vec![vec![1.0; k]; k]; }",
            "next = next.iter().map(|row| row.clone()).collect();",
        ] {
            assert_eq!(step(body), "", "{body}");
        }
        let two = "fn f(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 { let mut u = a.to_vec(); let v = b.to_vec(); for k in 0..2 { u = v.clone(); } u[0][0] }";
        assert_eq!(shaped(two), "");
    }
}

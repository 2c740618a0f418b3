//! Variables whose contents have one shape for as long as they live.
//!
//! ```text
//! let mut u = start.to_vec();
//! for .. { let mut next = u.clone(); .. next[i][j] = ..; .. u = next; }        `u` and `next` always have the shape of `start`
//! ```
//! Variables and values that are cloned or moved from one another as a whole make a class, unless something writes to a part of them and
//! may change its shape. If one of them alone gets its shape from elsewhere, and once, that is the shape of all of them while it lives:
//! each other one is first made of a member that is there already, so that it stands in the scope of that one. Anything else is unknown.

use super::structure::{has_fixed_shape, may_reshape, own_written_slots};
use crate::ir::{Classes, Func, Map, Op, OpKind, Pattern, Place, Proj, Set, Slot, Value};

/// A variable, or a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Slot(Slot),
    Value(Value),
}

/// For each variable that has its shape from another one: that one, a parameter or a variable.
pub(crate) fn shapes(func: &Func) -> Map<Slot, Slot> {
    let mut finder = Finder {
        func,
        aliases: Map::default(),
        classes: Classes::default(),
        defined: Set::default(),
        holders: Map::default(),
        sources: Vec::new(),
        unknown: Vec::new(),
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

struct Finder<'f> {
    func: &'f Func,
    aliases: Map<Slot, Place>,
    classes: Classes<Node>,
    /// Nodes whose definitions have been seen.
    defined: Set<Node>,
    /// The variables that are declared with values.
    holders: Map<Value, Slot>,
    /// Nodes whose shapes come from elsewhere, with the variables that hold them.
    sources: Vec<(Node, Slot)>,
    /// Nodes with a shape that may be any, or may change.
    unknown: Vec<Node>,
}

impl Finder<'_> {
    fn op(&mut self, op: &Op) {
        let shaped = |v: &&Value| !has_fixed_shape(self.func.ty(**v));
        let results: Vec<Value> = op.results.iter().filter(shaped).copied().collect();
        self.defined.extend(results.iter().map(|v| Node::Value(*v)));
        let read = match &op.kind {
            OpKind::Load(place) | OpKind::CloneOf(place) => self.whole(place),
            _ => None,
        };
        let written = match &op.kind {
            OpKind::Init(slot, v) => Some((*slot, *v)),
            OpKind::Store(place, v) => self.whole(place).map(|slot| (slot, *v)),
            _ => None,
        };
        if let Some(slot) = read {
            for v in results {
                self.classes.unite(Node::Value(v), Node::Slot(slot));
            }
        } else if let Some((slot, v)) = written {
            self.classes.unite(Node::Slot(slot), Node::Value(v));
        } else if let OpKind::Swap(a, b) = &op.kind
            && let (Some(a), Some(b)) = (self.whole(a), self.whole(b))
        {
            self.classes.unite(Node::Slot(a), Node::Slot(b));
        } else if let OpKind::If { then, other, .. } = &op.kind {
            for side in [then, other] {
                for (result, v) in op.results.iter().zip(&side.yields) {
                    self.classes.unite(Node::Value(*result), Node::Value(*v));
                }
            }
        } else {
            self.from_elsewhere(op, results);
        }
    }

    /// The results have a shape of their own, and what the operation writes may get any.
    fn from_elsewhere(&mut self, op: &Op, results: Vec<Value>) {
        for v in results {
            let node = Node::Value(v);
            match self.holders.get(&v) {
                Some(slot) => self.sources.push((node, *slot)),
                None => self.unknown.push(node),
            }
        }
        if may_reshape(self.func, op) {
            let written = own_written_slots(self.func, op, &|slot| self.root(slot));
            self.unknown.extend(written.into_iter().map(Node::Slot));
        }
    }

    fn root(&self, slot: Slot) -> Slot {
        let outer = self.aliases.get(&slot);
        outer.map_or(slot, |place| self.root(place.root))
    }

    /// The variable that a place is the whole of.
    fn whole(&self, place: &Place) -> Option<Slot> {
        let all = |proj: &Proj| matches!(proj, Proj::Range(None, None));
        if !place.path.iter().all(all) {
            return None;
        }
        match self.aliases.get(&place.root) {
            Some(outer) => self.whole(outer),
            None => Some(place.root),
        }
    }

    fn settle(mut self) -> Map<Slot, Slot> {
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
        let mut shaped: Map<usize, Slot> = Map::default();
        for (node, slot) in &self.sources {
            let index = self.classes.index(*node);
            let class = self.classes.root(index);
            if shaped.insert(class, *slot).is_some() {
                blocked.insert(class);
            }
        }
        let mut all = Map::default();
        for (node, index) in self.classes.nodes() {
            let class = self.classes.root(index);
            if let (Node::Slot(slot), Some(source)) = (node, shaped.get(&class))
                && slot != *source
                && !blocked.contains(&class)
            {
                all.insert(slot, *source);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::shapes;
    use crate::testing::primal;

    /// The variables with a shape from another one, by name.
    fn shaped(source: &str) -> String {
        let func = primal(source);
        let name = |slot| func.slot(slot).name.clone();
        let mut all: Vec<String> = (shapes(&func).into_iter())
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
    fn a_list_that_may_grow_or_come_from_elsewhere_has_any_shape() {
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

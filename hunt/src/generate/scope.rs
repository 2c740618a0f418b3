//! [`Scope`]: the variables that an expression may mention, and the exits that a statement may take.

use crate::tree::{Node, Part, Sort, Ty, tree};

/// How a variable holds its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Own,
    Ref,
    Mut,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of this type.
    Value(Ty),
    /// `[f64]`
    Slice,
    /// A closure from numbers to a number; how many it takes.
    Closure(usize),
    /// `&dyn` or `impl` of the program's trait.
    Object,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) by: By,
    /// Whether its value may be changed.
    pub(super) writable: bool,
    /// The least length of a list; what an integer is below.
    pub(super) bound: usize,
}

impl Variable {
    /// The name, as a part of an expression.
    pub(super) fn mention(&self) -> Part {
        Part::Use(self.name.clone())
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.kind, Kind::Slice | Kind::Value(Ty::Vec | Ty::Array(_)))
    }

    pub(super) fn is_float(&self) -> bool {
        self.kind == Kind::Value(Ty::Float)
    }

    /// The number itself.
    pub(super) fn number(&self) -> Node {
        let template = if self.by == By::Own { "$" } else { "(*$)" };
        tree!(Sort::Expr(Ty::Float), template, self.mention())
    }

    /// The number, as a place.
    pub(super) fn place(&self) -> Node {
        let template = if self.by == By::Own { "$" } else { "*$" };
        tree!(Sort::Fixed, template, self.mention())
    }
}

/// What `return` gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Returns {
    Unit,
    Value(Ty),
}

#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) vars: Vec<Variable>,
    /// Labels of the loops around.
    pub(super) loops: Vec<String>,
    pub(super) returns: Returns,
    /// Inside of a closure nothing leaves the function.
    pub(super) closed: bool,
    /// Numbers are of a type parameter.
    pub(super) generic: bool,
}

impl Scope {
    pub(super) fn new() -> Self {
        Self {
            vars: Vec::new(),
            loops: Vec::new(),
            returns: Returns::Value(Ty::Float),
            closed: false,
            generic: false,
        }
    }

    pub(super) fn add(&mut self, name: &str, kind: Kind, by: By, writable: bool, bound: usize) {
        self.vars.retain(|v| v.name != name);
        let name = name.to_owned();
        self.vars.push(Variable {
            name,
            kind,
            by,
            writable,
            bound,
        });
    }

    pub(super) fn float(&mut self, name: &str, writable: bool) {
        self.add(name, Kind::Value(Ty::Float), By::Own, writable, 0);
    }

    pub(super) fn float_by(&mut self, name: &str, by: By) {
        self.add(name, Kind::Value(Ty::Float), by, by == By::Mut, 0);
    }

    pub(super) fn int(&mut self, name: &str, below: usize) {
        self.add(name, Kind::Value(Ty::Int), By::Own, false, below);
    }

    pub(super) fn slice(&mut self, name: &str, at_least: usize, writable: bool) {
        let by = if writable { By::Mut } else { By::Ref };
        self.add(name, Kind::Slice, by, writable, at_least);
    }

    pub(super) fn value(&mut self, name: &str, ty: Ty, writable: bool, bound: usize) {
        self.add(name, Kind::Value(ty), By::Own, writable, bound);
    }

    /// The same without a variable that something else holds.
    pub(super) fn without(&self, names: &[String]) -> Self {
        let mut scope = self.clone();
        scope.vars.retain(|v| !names.contains(&v.name));
        scope
    }

    /// The scope of a closure's body: it changes nothing and leaves nothing.
    pub(super) fn closure(&self) -> Self {
        let mut scope = self.clone();
        scope.closed = true;
        scope.loops.clear();
        for v in &mut scope.vars {
            v.writable = false;
        }
        scope
    }

    pub(super) fn matching(&self, f: impl Fn(&Variable) -> bool) -> Vec<Variable> {
        self.vars.iter().filter(|v| f(v)).cloned().collect()
    }

    /// What a closure has captured isn't changed while it lives.
    pub(super) fn freeze(&mut self, node: &Node) {
        let uses = node.uses();
        for v in &mut self.vars {
            if uses.contains(&v.name) {
                v.writable = false;
            }
        }
    }
}

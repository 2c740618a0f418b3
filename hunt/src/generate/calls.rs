//! Calls of the program's own functions, closures and methods.

use super::Generator;
use super::items::{Signature, Takes, Type, length};
use super::scope::{By, Kind, Returns, Scope, Variable};
use crate::tree::{Node, Part, Sort, Ty, tree};

impl Generator {
    /// A call that gives a number.
    pub(super) fn call_float(&mut self, scope: &Scope, d: usize) -> Option<Node> {
        const FLOAT: Sort = Sort::Expr(Ty::Float);
        let callables = scope.matching(|v| matches!(v.kind, Kind::Closure(_) | Kind::Object));
        if !callables.is_empty() && self.random.chance(50) {
            let v = self.random.pick(&callables).clone();
            return Some(match v.kind {
                Kind::Closure(2) => tree!(
                    FLOAT,
                    "$($, $)",
                    v.mention(),
                    self.tame(scope, d),
                    self.tame(scope, 0)
                )
                .sized(4.0),
                Kind::Closure(_) => {
                    tree!(FLOAT, "$($)", v.mention(), self.tame(scope, d)).sized(4.0)
                }
                _ => {
                    let method = *self.random.pick(&["val", "again"]);
                    tree!(FLOAT, "$.$($)", v.mention(), method, self.tame(scope, d)).sized(4.0)
                }
            });
        }
        self.call_of(&Ty::Float, scope, d)
    }

    /// A call of one of the program's functions that changes nothing and returns such a value.
    pub(super) fn call_of(&mut self, ty: &Ty, scope: &Scope, d: usize) -> Option<Node> {
        let returns = Returns::Value(ty.clone());
        let functions: Vec<Signature> = self
            .functions
            .iter()
            .filter(|f| f.returns == returns && !f.changes())
            .cloned()
            .collect();
        if functions.is_empty() || self.fuel < 0 || scope.generic {
            return None;
        }
        // An argument may be what another call gives.
        self.fuel -= 1;
        let f = self.one_of(&functions);
        self.call(&f, scope, d)
    }

    /// One of these functions, rather one that nothing calls yet.
    pub(super) fn one_of(&mut self, functions: &[Signature]) -> Signature {
        let open: Vec<Signature> = functions
            .iter()
            .filter(|f| self.is_open(f))
            .cloned()
            .collect();
        if !open.is_empty() && self.random.chance(75) {
            return self.random.pick(&open).clone();
        }
        self.random.pick(functions).clone()
    }

    /// Whether nothing calls it yet.
    pub(super) fn is_open(&self, f: &Signature) -> bool {
        !self.called.contains(&f.name)
    }

    /// A call of a function, if there is something to hand over.
    pub(super) fn call(&mut self, f: &Signature, scope: &Scope, d: usize) -> Option<Node> {
        let sort = match &f.returns {
            Returns::Unit => Sort::Expr(Ty::Other),
            Returns::Value(ty) => Sort::Expr(ty.clone()),
        };
        // What is borrowed to be changed stands in no other argument.
        let mut taken = Vec::new();
        let mut arguments: Vec<Option<Node>> = vec![None; f.takes.len()];
        for (argument, takes) in arguments.iter_mut().zip(&f.takes) {
            if matches!(takes, Takes::Mut(_) | Takes::SliceMut(_)) {
                let free = scope.without(&taken);
                let (node, name) = self.borrowed(takes, &free)?;
                taken.push(name);
                *argument = Some(node);
            }
        }
        let free = scope.without(&taken);
        for (argument, takes) in arguments.iter_mut().zip(&f.takes) {
            if argument.is_none() {
                *argument = Some(match takes {
                    // A receiver borrows by itself.
                    Takes::Ref(ty) if f.method => self.receiver_of(ty, &free, d),
                    _ => self.argument(takes, &free, d)?,
                });
            }
        }
        self.called.insert(f.name.clone());
        let mut parts: Vec<Part> = Vec::new();
        let mut arguments = arguments.into_iter().flatten();
        let template = if f.method {
            parts.push(arguments.next()?.into());
            "$.$("
        } else {
            "$("
        };
        parts.push(Part::Use(f.name.clone()));
        let arguments: Vec<Part> = arguments.map(Part::Node).collect();
        let template = format!("{template}{})", vec!["$"; arguments.len()].join(", "));
        parts.extend(arguments);
        Some(Node::new(sort, &template, parts).sized(3.0))
    }

    fn receiver_of(&mut self, ty: &Ty, scope: &Scope, d: usize) -> Node {
        let kind = Kind::Value(ty.clone());
        let vars = scope.matching(|v| v.kind == kind);
        if vars.is_empty() {
            return self.value(ty, scope, d);
        }
        tree!(Sort::Fixed, "$", self.random.pick(&vars).mention())
    }

    /// A unique borrow, and of what.
    fn borrowed(&mut self, takes: &Takes, scope: &Scope) -> Option<(Node, String)> {
        let options = match takes {
            Takes::SliceMut(n) => scope.matching(|v| v.is_list() && v.writable && v.bound >= *n),
            Takes::Mut(ty) => {
                let kind = Kind::Value(ty.clone());
                scope.matching(|v| v.writable && v.kind == kind)
            }
            _ => return None,
        };
        if options.is_empty() {
            // An element will do as a number.
            if *takes == Takes::Mut(Ty::Float) {
                let lists = scope.matching(|v| v.is_list() && v.writable && v.bound > 0);
                if lists.is_empty() {
                    return None;
                }
                let v = self.random.pick(&lists).clone();
                let i = self.int(scope, v.bound);
                return Some((tree!(Sort::Fixed, "&mut $[$]", v.mention(), i), v.name));
            }
            return None;
        }
        let v = self.random.pick(&options).clone();
        let named = matches!(v.kind, Kind::Value(Ty::Named(_)));
        let template = match (v.by, takes) {
            // Receivers borrow by themselves.
            (By::Own, Takes::Mut(_)) if named => "$",
            (By::Own, _) => "&mut $",
            _ => "$",
        };
        // A struct that is handed over as an argument rather than as a receiver doesn't come here: methods alone take it.
        if let (Takes::SliceMut(n), true) = (takes, self.random.chance(25))
            && v.bound > *n
        {
            let node = tree!(Sort::Fixed, "&mut $[$..]", v.mention(), v.bound - n);
            return Some((node, v.name));
        }
        Some((tree!(Sort::Fixed, template, v.mention()), v.name))
    }

    fn argument(&mut self, takes: &Takes, scope: &Scope, d: usize) -> Option<Node> {
        let d = d.min(1);
        Some(match takes {
            Takes::Value(ty) => self.value(ty, scope, d),
            Takes::Ref(Ty::Float) => {
                let floats = scope.matching(Variable::is_float);
                if floats.is_empty() || self.random.chance(30) {
                    tree!(Sort::Fixed, "&($)", self.tame(scope, d))
                } else {
                    let v = self.random.pick(&floats).clone();
                    let template = if v.by == By::Own { "&$" } else { "&*$" };
                    tree!(Sort::Fixed, template, v.mention())
                }
            }
            Takes::Ref(ty) => {
                let kind = Kind::Value(ty.clone());
                let vars = scope.matching(|v| v.kind == kind);
                if vars.is_empty() {
                    tree!(Sort::Fixed, "&$", self.value(ty, scope, d))
                } else {
                    let v = self.random.pick(&vars).clone();
                    let template = if v.by == By::Own { "(&$)" } else { "$" };
                    tree!(Sort::Fixed, template, v.mention())
                }
            }
            Takes::Slice(n) => self.borrowed_slice(*n, scope, |_| true)?,
            // What is constant mustn't get what is differentiated.
            Takes::ConstantSlice(n) => self.borrowed_slice(*n, scope, |v| v.name == "c")?,
            Takes::ConstantFloat => match scope.vars.iter().find(|v| v.name == "c") {
                Some(c) => {
                    let c = c.clone();
                    self.element(&c, scope)
                }
                None => self.literal(),
            },
            Takes::Int(below) => self.int(scope, *below),
            Takes::Function => {
                let closures = scope.matching(|v| v.kind == Kind::Closure(1));
                if !closures.is_empty() && self.random.chance(30) {
                    return Some(tree!(
                        Sort::Fixed,
                        "&$",
                        self.random.pick(&closures).mention()
                    ));
                }
                let name = self.fresh("t");
                let mut inner = scope.closure();
                inner.float(&name, false);
                let body = self.tame(&inner, d);
                tree!(Sort::Fixed, "|$: ~| $", Part::Def(name), body)
            }
            Takes::Object => {
                let names: Vec<Ty> = self
                    .types
                    .iter()
                    .filter(|t| matches!(t, Type::Struct { contract: true, .. }))
                    .map(|t| Ty::Named(t.name().to_owned()))
                    .collect();
                if names.is_empty() {
                    return None;
                }
                let ty = self.random.pick(&names).clone();
                return self.argument(&Takes::Ref(ty), scope, d);
            }
            Takes::Mut(_) | Takes::SliceMut(_) => return None,
        })
    }

    fn borrowed_slice(
        &mut self,
        least: usize,
        scope: &Scope,
        of: impl Fn(&Variable) -> bool,
    ) -> Option<Node> {
        let lists = scope.matching(|v| v.is_list() && v.bound >= least && of(v));
        if lists.is_empty() {
            return None;
        }
        let v = self.random.pick(&lists).clone();
        let more = v.bound - least;
        Some(match self.random.below(5) {
            0 => tree!(
                Sort::Fixed,
                "&$[$..]",
                v.mention(),
                self.random.below(more + 1)
            ),
            1 => {
                let end = least + self.random.below(more + 1);
                tree!(Sort::Fixed, "&$[..$]", v.mention(), end)
            }
            _ => {
                let template = if v.kind == Kind::Slice { "$" } else { "&$" };
                tree!(Sort::Fixed, template, v.mention())
            }
        })
    }

    /// `let r = itself(.., depth - 1);`
    pub(super) fn recursive_call(&mut self, f: &Signature, scope: &Scope) -> Option<Node> {
        if scope.generic {
            return None;
        }
        let mut taken = Vec::new();
        let mut parts = vec![Part::Use(f.name.clone())];
        let mut nodes = Vec::new();
        for takes in &f.takes[..f.takes.len() - 1] {
            let free = scope.without(&taken);
            if matches!(takes, Takes::Mut(_) | Takes::SliceMut(_)) {
                let (node, name) = self.borrowed(takes, &free)?;
                taken.push(name);
                nodes.push(node);
            } else {
                nodes.push(tree!(Sort::Fixed, ""));
            }
        }
        let free = scope.without(&taken);
        for (node, takes) in nodes.iter_mut().zip(&f.takes) {
            if node.parts.is_empty() {
                *node = match takes {
                    Takes::Function
                    | Takes::Object
                    | Takes::ConstantSlice(_)
                    | Takes::ConstantFloat => {
                        return None;
                    }
                    // A clone, since what is called with may be needed again.
                    Takes::Value(ty) if length(ty) == 2 => tree!(
                        Sort::Fixed,
                        "vec![$, $]",
                        self.tame(&free, 0),
                        self.tame(&free, 0)
                    ),
                    other => self.argument(other, &free, 1)?,
                };
            }
        }
        let template = format!("let _r = $({}depth - 1);\n", "$, ".repeat(nodes.len()));
        parts.extend(nodes.into_iter().map(Part::Node));
        Some(Node::new(Sort::Stmt, &template, parts))
    }
}

impl Signature {
    /// Whether it changes what it gets.
    pub(super) fn changes(&self) -> bool {
        self.takes
            .iter()
            .any(|t| matches!(t, Takes::Mut(_) | Takes::SliceMut(_)))
    }
}

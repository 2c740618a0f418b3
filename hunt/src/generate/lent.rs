//! Functions that give references, iterators and closures: their bodies stand for their calls.

use super::Generator;
use super::scope::{By, Kind, Scope};
use crate::tree::{Node, Part, Sort, Ty, tree};

/// The kind of result of such a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// A slice of at least one element.
    Slice,
    /// An element of a list.
    Element,
    /// A place in a list.
    Place,
    /// An iterator over numbers.
    Iterator,
    /// A closure from a number to a number.
    Closure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameter {
    List,
    Change,
    Number,
    Position,
}

#[derive(Clone, Debug)]
pub(super) struct Lender {
    name: String,
    gives: Gives,
    takes: Vec<Parameter>,
}

const FLOAT: Sort = Sort::Expr(Ty::Float);

impl Generator {
    /// Writes a function that lends.
    pub(super) fn lender(&mut self) {
        use Parameter::{Change, List, Number, Position};

        self.begin(16);
        let name = self.fresh("h");
        let mut scope = Scope::new();
        scope.slice("list", 2, false);
        scope.float("t", false);
        scope.int("k", 3);
        let mut scope = scope.closure();
        let gives = *self.random.pick(&[
            Gives::Slice,
            Gives::Slice,
            Gives::Element,
            Gives::Place,
            Gives::Iterator,
            Gives::Iterator,
            Gives::Closure,
            Gives::Closure,
        ]);
        let (takes, header, body) = match gives {
            Gives::Slice => {
                let c = self.condition(&scope, 1);
                let (header, template, takes) = match self.random.below(4) {
                    0 => (
                        "(list: &[~], t: ~, k: usize) -> &[~]",
                        "{ if $ { &list[1..] } else { list } }",
                        vec![List, Number, Position],
                    ),
                    1 => (
                        "(list: &[~], t: ~, k: usize) -> &[~]",
                        "{ let (l, r) = list.split_at(1); if $ { l } else { r } }",
                        vec![List, Number, Position],
                    ),
                    2 => (
                        "(list: &[~], t: ~, k: usize) -> &[~]",
                        "{ match k % 2 { 0 if $ => &list[..list.len() - 1], 0 => list, _ => &list[1..] } }",
                        vec![List, Number, Position],
                    ),
                    _ => (
                        "<'a>(list: &'a [~], other: &'a [~], t: ~, k: usize) -> &'a [~]",
                        "{ if $ { list } else { other } }",
                        vec![List, List, Number, Position],
                    ),
                };
                (takes, header, tree!(Sort::Fixed, template, c))
            }
            Gives::Element => {
                let c = self.condition(&scope, 1);
                let template = *self.random.pick(&[
                    "{ if $ { &list[0] } else { &list[k % list.len()] } }",
                    "{ let i = if $ { 1 } else { list.len() - 1 }; &list[i] }",
                ]);
                (
                    vec![List, Number, Position],
                    "(list: &[~], t: ~, k: usize) -> &~",
                    tree!(Sort::Fixed, template, c),
                )
            }
            Gives::Place => (
                vec![Change, Position],
                "(list: &mut [~], k: usize) -> &mut ~",
                tree!(
                    Sort::Fixed,
                    *self.random.pick(&[
                        "{ &mut list[k % 2] }",
                        "{ let i = k % list.len(); &mut list[i] }",
                    ])
                ),
            ),
            Gives::Iterator => {
                let before = if self.random.chance(40) {
                    let a = self.fresh("a");
                    let e = self.tame(&scope, 1);
                    scope.float(&a, false);
                    tree!(Sort::Stmt, "let $ = $;\n", Part::Def(a), Self::typed(e))
                } else {
                    tree!(Sort::Stmt, "")
                };
                let v = self.fresh("v");
                let mut inner = scope.clone();
                inner.float_by(&v, By::Ref);
                let e = Self::typed(self.tame(&inner, 2));
                let chain = *self.random.pick(&[
                    "iter()",
                    "iter().rev()",
                    "iter().skip(k)",
                    "iter().take(2)",
                ]);
                (
                    vec![List, Number, Position],
                    "(list: &[~], t: ~, k: usize) -> impl Iterator<Item = ~>",
                    tree!(
                        Sort::Fixed,
                        "{\n$list.$.map(move |$| $)\n}",
                        before,
                        chain,
                        Part::Def(v),
                        e
                    ),
                )
            }
            Gives::Closure => {
                let before = if self.random.chance(40) {
                    let a = self.fresh("a");
                    let e = self.tame(&scope, 1);
                    scope.float(&a, false);
                    tree!(Sort::Stmt, "let $ = $;\n", Part::Def(a), Self::typed(e))
                } else {
                    tree!(Sort::Stmt, "")
                };
                let z = self.fresh("z");
                let mut inner = scope.clone();
                inner.float(&z, false);
                let e = Self::typed(self.tame(&inner, 2));
                let boxed = self.random.chance(25);
                let (header, template) = if boxed {
                    (
                        "<'a>(list: &'a [~], t: ~, k: usize) -> Box<dyn Fn(~) -> ~ + 'a>",
                        "{\n$Box::new(move |$: ~| $)\n}",
                    )
                } else {
                    (
                        "(list: &[~], t: ~, k: usize) -> impl Fn(~) -> ~",
                        "{\n$move |$: ~| $\n}",
                    )
                };
                (
                    vec![List, Number, Position],
                    header,
                    tree!(Sort::Fixed, template, before, Part::Def(z), e),
                )
            }
        };
        let template = format!("$pub fn ${header} $\n");
        self.items.push(tree!(
            Sort::Item,
            &template,
            Part::Attribute("#[differentiable]\n".to_owned()),
            Part::Def(name.clone()),
            body
        ));
        self.lenders.push(Lender { name, gives, takes });
    }

    /// A call of one that gives this.
    pub(super) fn lent(&mut self, gives: Gives, scope: &Scope) -> Option<Node> {
        if scope.generic {
            return None;
        }
        let lenders: Vec<Lender> = self
            .lenders
            .iter()
            .filter(|l| l.gives == gives)
            .cloned()
            .collect();
        if lenders.is_empty() {
            return None;
        }
        let lender = self.random.pick(&lenders).clone();
        let mut parts = vec![Part::Use(lender.name.clone())];
        let mut scope = scope.clone();
        for takes in &lender.takes {
            let node = match takes {
                Parameter::List => {
                    let lists = scope.matching(|v| v.is_list() && v.bound >= 2);
                    let v = self
                        .random
                        .pick(if lists.is_empty() {
                            return None;
                        } else {
                            &lists
                        })
                        .clone();
                    let template = if v.kind == Kind::Slice { "$" } else { "&$" };
                    tree!(Sort::Fixed, template, v.mention())
                }
                Parameter::Change => {
                    let lists = scope.matching(|v| v.is_list() && v.bound >= 2 && v.writable);
                    let v = self
                        .random
                        .pick(if lists.is_empty() {
                            return None;
                        } else {
                            &lists
                        })
                        .clone();
                    scope = scope.without(std::slice::from_ref(&v.name));
                    let template = if v.by == By::Own { "&mut $" } else { "$" };
                    tree!(Sort::Fixed, template, v.mention())
                }
                Parameter::Number => Self::typed(self.tame(&scope, 1)),
                Parameter::Position => self.int(&scope, 3),
            };
            parts.push(node.into());
        }
        let template = format!("$({})", vec!["$"; lender.takes.len()].join(", "));
        Some(Node::new(Sort::Fixed, &template, parts))
    }

    /// A number from something that is lent.
    pub(super) fn of_lent(&mut self, scope: &Scope) -> Option<Node> {
        if let Some(call) = self.lent(Gives::Element, scope)
            && self.random.chance(50)
        {
            return Some(tree!(FLOAT, "(*$)", call));
        }
        if let Some(call) = self.lent(Gives::Iterator, scope)
            && self.random.chance(60)
        {
            let v = self.fresh("v");
            let mut inner = scope.closure();
            inner.float(&v, false);
            let e = Self::typed(self.tame(&inner, 1));
            if self.random.chance(30) {
                let start = self.literal();
                let template = "$.map(|$| $).fold($, |a, b| a + b * b)";
                return Some(tree!(FLOAT, template, call, Part::Def(v), e, start).sized(6.0));
            }
            let template = *self
                .random
                .pick(&["$.map(|$| $).sum::<~>()", "$.take(2).map(|$| $).sum::<~>()"]);
            return Some(tree!(FLOAT, template, call, Part::Def(v), e).sized(5.0));
        }
        let call = self.lent(Gives::Slice, scope)?;
        let template = *self.random.pick(&[
            "$[0]",
            "$.iter().sum::<~>()",
            "$.iter().map(|e| e * e).sum::<~>()",
            "$.last().copied().unwrap_or_default()",
        ]);
        Some(tree!(FLOAT, template, call).sized(4.0))
    }

    /// Something that is lent gets a name, or is written to.
    pub(super) fn lent_statement(&mut self, scope: &mut Scope, d: usize) -> Node {
        if let Some(call) = self.lent(Gives::Place, scope)
            && self.random.chance(50)
        {
            let used: Vec<String> = call.uses().into_iter().collect();
            let e = self.tame(&scope.without(&used), d);
            let template = *self.random.pick(&["*$ += $;\n", "*$ = $;\n", "*$ *= $;\n"]);
            return tree!(Sort::Stmt, template, call, e);
        }
        if let Some(call) = self.lent(Gives::Closure, scope)
            && self.random.chance(60)
        {
            let name = self.fresh("g");
            scope.freeze(&call);
            scope.add(&name, Kind::Closure(1), By::Own, false, 0);
            return tree!(Sort::Stmt, "let $ = $;\n", Part::Def(name), call);
        }
        if let Some(call) = self.lent(Gives::Iterator, scope)
            && self.random.chance(50)
        {
            let v = self.fresh("v");
            let mut inner = scope.clone();
            inner.freeze(&call);
            inner.float(&v, false);
            let (a, b) = (self.write(&mut inner, d), self.write(&mut inner, d));
            return tree!(Sort::Stmt, "for $ in $ {\n$$}\n", Part::Def(v), call, a, b);
        }
        if let Some(call) = self.lent(Gives::Slice, scope) {
            let name = self.fresh("l");
            scope.freeze(&call);
            scope.slice(&name, 1, false);
            return tree!(Sort::Stmt, "let $ = $;\n", Part::Def(name), call);
        }
        self.list_statement(scope, d)
    }
}

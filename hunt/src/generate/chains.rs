//! Chains of iterators that end in a number.

use super::Generator;
use super::scope::{By, Kind, Scope, Variable};
use crate::tree::{Node, Part, Sort, Ty, tree};

/// A chain as far as it is written.
struct Chain {
    node: Node,
    /// The pattern of an item, and what it binds.
    pattern: String,
    items: Vec<(String, Kind, By, usize)>,
    /// Whether it can be reversed.
    exact: bool,
}

impl Generator {
    pub(super) fn chain(&mut self, scope: &Scope, d: usize) -> Node {
        const FLOAT: Sort = Sort::Expr(Ty::Float);
        let mut chain = self.source(scope);
        for _ in 0..self.random.below(3) {
            self.adapter(&mut chain, scope);
        }
        let mut inner = scope.closure();
        for (name, kind, by, bound) in &chain.items {
            inner.add(name, kind.clone(), *by, false, *bound);
        }
        let Chain { node, pattern, .. } = chain;
        let pattern = tree!(Sort::Fixed, "$", Part::Def(pattern));
        let body = self.tame(&inner, d);
        let body = Self::typed(body);
        match self.random.below(9) {
            0..=3 => tree!(FLOAT, "$.map(|$| $).sum::<~>()", node, pattern, body).sized(5.0),
            4 => {
                let (e, acc) = (self.tamed(body, scope, 1.1), self.fresh("acc"));
                let (def, mention) = (Part::Def(acc.clone()), Part::Use(acc));
                let start = self.tame(scope, 0);
                tree!(
                    FLOAT,
                    "$.fold($, |$, $| $ * $ + $)",
                    node,
                    start,
                    def,
                    pattern,
                    mention,
                    self.literal(),
                    e
                )
                .sized(5.0)
            }
            5 => {
                let body = self.tamed(body, scope, 1.1);
                tree!(FLOAT, "$.map(|$| $).product::<~>()", node, pattern, body).sized(2.0)
            }
            6 => {
                let end = *self.random.pick(&["max_by", "min_by"]);
                tree!(
                    FLOAT,
                    "$.map(|$| $).$(|a, b| a.total_cmp(b)).unwrap_or($)",
                    node,
                    pattern,
                    body,
                    end,
                    self.literal()
                )
            }
            7 => {
                let state = self.fresh("st");
                tree!(
                    FLOAT,
                    "$.scan($, |$, $| { *$ += $; Some(*$) }).map(|v| v.sin()).sum::<~>()",
                    node,
                    self.tame(scope, 0),
                    Part::Def(state.clone()),
                    pattern,
                    Part::Use(state.clone()),
                    body,
                    Part::Use(state)
                )
                .sized(5.0)
            }
            _ => {
                let list = self.fresh("l");
                tree!(
                    FLOAT,
                    "{ let $: Vec<~> = $.map(|$| $).collect(); $.iter().sum::<~>() }",
                    Part::Def(list.clone()),
                    node,
                    pattern,
                    body,
                    Part::Use(list)
                )
                .sized(5.0)
            }
        }
    }

    fn source(&mut self, scope: &Scope) -> Chain {
        let lists = scope.matching(Variable::is_list);
        let float = Kind::Value(Ty::Float);
        let v = self.fresh("v");
        if lists.is_empty() || self.random.chance(12) {
            let n = self.random.below(4);
            return Chain {
                node: tree!(Sort::Fixed, "(0..$)", n),
                pattern: v.clone(),
                items: vec![(v, Kind::Value(Ty::Int), By::Own, 4)],
                exact: true,
            };
        }
        let a = self.random.pick(&lists).clone();
        match self.random.below(8) {
            0..=2 => Chain {
                node: tree!(Sort::Fixed, "$.iter()", a.mention()),
                pattern: v.clone(),
                items: vec![(v, float, By::Ref, 0)],
                exact: true,
            },
            3 => {
                let copied = *self.random.pick(&["copied", "cloned"]);
                Chain {
                    node: tree!(Sort::Fixed, "$.iter().$()", a.mention(), copied),
                    pattern: v.clone(),
                    items: vec![(v, float, By::Own, 0)],
                    exact: true,
                }
            }
            4 => {
                let i = self.fresh("i");
                Chain {
                    node: tree!(Sort::Fixed, "$.iter().enumerate()", a.mention()),
                    pattern: format!("({i}, {v})"),
                    items: vec![
                        (i, Kind::Value(Ty::Int), By::Own, 1000),
                        (v, float, By::Ref, 0),
                    ],
                    exact: true,
                }
            }
            5 => {
                let (b, w) = (self.random.pick(&lists).clone(), self.fresh("w"));
                let template = *self
                    .random
                    .pick(&["$.iter().zip($.iter())", "$.iter().zip(&$[..])"]);
                Chain {
                    node: tree!(Sort::Fixed, template, a.mention(), b.mention()),
                    pattern: format!("({v}, {w})"),
                    items: vec![(v, float.clone(), By::Ref, 0), (w, float, By::Ref, 0)],
                    exact: true,
                }
            }
            6 => {
                let (method, least) = *self.random.pick(&[
                    ("windows(2)", 2),
                    ("chunks(2)", 1),
                    ("chunks_exact(2)", 2),
                ]);
                Chain {
                    node: tree!(Sort::Fixed, "$.$", a.mention(), method),
                    pattern: v.clone(),
                    items: vec![(v, Kind::Slice, By::Ref, least)],
                    exact: true,
                }
            }
            _ => {
                let b = self.random.pick(&lists).clone();
                Chain {
                    node: tree!(
                        Sort::Fixed,
                        "$.iter().chain($.iter())",
                        a.mention(),
                        b.mention()
                    ),
                    pattern: v.clone(),
                    items: vec![(v, float, By::Ref, 0)],
                    exact: false,
                }
            }
        }
    }

    fn adapter(&mut self, chain: &mut Chain, scope: &Scope) {
        let node = std::mem::replace(&mut chain.node, Node::number(0.0));
        chain.node = match self.random.below(5) {
            0 if chain.exact => tree!(Sort::Fixed, "$.rev()", node),
            1 => tree!(
                Sort::Fixed,
                "$.skip($)",
                node,
                self.int(&scope.closure(), 3)
            ),
            2 => tree!(Sort::Fixed, "$.take($)", node, 1 + self.random.below(3)),
            3 => {
                chain.exact = false;
                tree!(Sort::Fixed, "$.step_by(2)", node)
            }
            _ => {
                let Some((name, ..)) = chain
                    .items
                    .iter()
                    .find(|(_, kind, ..)| *kind == Kind::Value(Ty::Float))
                    .cloned()
                else {
                    chain.node = node;
                    return;
                };
                let by = chain
                    .items
                    .iter()
                    .find(|i| i.0 == name)
                    .map_or(By::Own, |i| i.2);
                chain.exact = false;
                let (def, mention) = (Part::Def(chain.pattern.clone()), Part::Use(name));
                let template = if by == By::Ref {
                    "$.filter(|&$| *$ < $)"
                } else {
                    "$.filter(|&$| $ < $)"
                };
                tree!(Sort::Fixed, template, node, def, mention, self.literal())
            }
        };
    }
}

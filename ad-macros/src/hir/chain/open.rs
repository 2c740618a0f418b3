//! Chains that a loop can count: its range, its bindings, and the code for an item.

use proc_macro2::Span;

use super::Chain;
use super::positions::At;
use crate::hir::closure::Callable;
use crate::hir::parse::Parser;
use crate::hir::{Adapter, Expr, ExprKind, Iterable, Pat, Stmt, Var};

/// A chain as a counted loop.
pub(super) struct Opened {
    pub(super) head: Iterable,
    pub(super) pat: Pat,
    pub(super) item: Tree,
}

/// An item, in terms of the variables that the loop binds.
pub(super) enum Tree {
    Var(Var),
    /// `&list[k]`, or `&mut list[k]`.
    Element(Var, Var, bool),
    /// The item at a position.
    At(At, Var),
    Tuple(Vec<Tree>),
    Map(Box<Tree>, Callable),
    Clone(Box<Tree>),
}

impl Chain {
    /// Returns `true` if each item has a position that is known without running the chain.
    pub(super) fn is_countable(&self, parser: &mut Parser) -> bool {
        match self {
            Chain::Source(_) | Chain::Listed(..) | Chain::Repeat(..) | Chain::Positions(..) => true,
            Chain::Enumerate(inner)
            | Chain::Rev(inner)
            | Chain::Cloned(inner)
            | Chain::Map(inner, _) => inner.is_countable(parser),
            Chain::Take(inner, _) => inner.is_countable(parser) && !inner.steps_unknown(),
            // Skipped items are computed all the same, which is observable if a closure writes to something.
            Chain::Skip(inner, _) | Chain::StepBy(inner, _) => {
                inner.is_countable(parser) && !inner.steps_unknown() && !inner.mutates(parser)
            }
            Chain::Zip(a, b) => a.is_countable(parser) && b.is_countable(parser),
            _ => false,
        }
    }

    pub(super) fn steps_unknown(&self) -> bool {
        matches!(self, Chain::Source(Iterable::Unknown(_)))
            || self.inner().iter().any(|inner| inner.steps_unknown())
    }

    /// Returns `true` if the items are pairs, as far as the adapters tell.
    pub(in crate::hir) fn is_of_pairs(&self) -> bool {
        matches!(self, Chain::Enumerate(_) | Chain::Zip(..))
            || self.kept().is_some_and(Chain::is_of_pairs)
    }

    pub(super) fn mutates(&self, parser: &mut Parser) -> bool {
        matches!(self, Chain::Map(_, Callable::Closure(f)) if f.mutates(parser))
            || self.inner().iter().any(|inner| inner.mutates(parser))
    }
}

impl Parser {
    /// The loop of a countable chain.
    pub(super) fn open(&mut self, chain: Chain, span: Span) -> Opened {
        match chain {
            Chain::Source(head) => {
                let counts = matches!(head, Iterable::Range { .. } | Iterable::Count(_));
                let name = if counts { "k" } else { "item" };
                let var = self.fixed_temporary(name, span);
                if counts {
                    self.counters.insert(var);
                }
                Opened {
                    head,
                    pat: Pat::name(var),
                    item: Tree::Var(var),
                }
            }
            Chain::Listed(list, mutable) => {
                let (zero, of) = (self.count("0", span), self.read(list, span));
                let var = self.fixed_temporary("k", span);
                self.counters.insert(var);
                Opened {
                    head: Iterable::between(zero, self.method_of(of, "len")),
                    pat: Pat::name(var),
                    item: Tree::Element(list, var, mutable),
                }
            }
            Chain::Repeat(value, len) => {
                let lo = self.count("0", span);
                Opened {
                    head: match len {
                        Some(len) => Iterable::between(lo, len),
                        None => Iterable::Count(lo.into()),
                    },
                    pat: Pat::Wild,
                    item: Tree::Var(value),
                }
            }
            Chain::Positions(at, lo, hi) => {
                let k = self.fixed_temporary("k", span);
                self.counters.insert(k);
                Opened {
                    head: self.head_between(lo, hi, span),
                    pat: Pat::name(k),
                    item: Tree::At(*at, k),
                }
            }
            Chain::Enumerate(inner) => {
                let inner = self.open(*inner, span);
                let var = self.fixed_temporary("k", span);
                self.counters.insert(var);
                Opened {
                    head: Iterable::Enumerate(Box::new(plain(inner.head))),
                    pat: pair(Pat::name(var), inner.pat),
                    item: Tree::Tuple(vec![Tree::Var(var), inner.item]),
                }
            }
            Chain::Zip(a, b) => {
                let (a, b) = (self.open(*a, span), self.open(*b, span));
                Opened {
                    head: Iterable::Zip(Box::new(plain(a.head)), Box::new(plain(b.head))),
                    pat: pair(a.pat, b.pat),
                    item: Tree::Tuple(vec![a.item, b.item]),
                }
            }
            Chain::Map(inner, f) => {
                let inner = self.open(*inner, span);
                Opened {
                    item: Tree::Map(Box::new(inner.item), f),
                    ..inner
                }
            }
            Chain::Cloned(inner) => {
                let inner = self.open(*inner, span);
                Opened {
                    item: Tree::Clone(Box::new(inner.item)),
                    ..inner
                }
            }
            Chain::Rev(inner) => self.positioned(*inner, span, |head| adapted(head, Adapter::Rev)),
            Chain::StepBy(inner, n) => {
                let step = Adapter::StepBy(Box::new(self.read(n, span)));
                self.positioned(*inner, span, |head| adapted(head, step))
            }
            Chain::Skip(inner, n) => {
                let n = Box::new(self.read(n, span));
                self.positioned(*inner, span, |head| {
                    Iterable::Skip(Box::new(plain(head)), n)
                })
            }
            Chain::Take(inner, n) => {
                let n = Box::new(self.read(n, span));
                self.positioned(*inner, span, |head| {
                    Iterable::Take(Box::new(plain(head)), n)
                })
            }
            _ => crate::diagnostics::bug!("a chain that can't be counted"),
        }
    }

    /// `lo..hi`.
    pub(super) fn head_between(&mut self, lo: Var, hi: Option<Var>, span: Span) -> Iterable {
        let lo = self.read(lo, span);
        match hi {
            Some(hi) => Iterable::between(lo, self.read(hi, span)),
            None => Iterable::Count(lo.into()),
        }
    }

    fn positioned(
        &mut self,
        inner: Chain,
        span: Span,
        change: impl FnOnce(Iterable) -> Iterable,
    ) -> Opened {
        let inner = self.open(inner, span);
        Opened {
            head: change(inner.head),
            ..inner
        }
    }

    /// An item's value, where the loop has bound its variables.
    pub(super) fn item_value(&mut self, tree: &Tree, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        match tree {
            Tree::Var(var) => self.read(*var, span),
            Tree::Element(list, k, mutable) => {
                let (list, k) = (self.read(*list, span), self.read(*k, span));
                let kind = ExprKind::Index(Box::new(list), Box::new(k));
                let element = self.node(kind, span);
                self.node(ExprKind::Ref(*mutable, Box::new(element)), span)
            }
            Tree::At(at, k) => self.item_at(at, *k, span, stmts),
            Tree::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.item_value(part, span, stmts));
                let parts = parts.collect();
                self.node(ExprKind::Tuple(parts), span)
            }
            Tree::Map(inner, f) => {
                let inner = self.item_value(inner, span, stmts);
                self.apply_here(f, vec![inner], span, stmts)
            }
            Tree::Clone(inner) => {
                let inner = self.item_value(inner, span, stmts);
                self.cloned(inner)
            }
        }
    }

    /// `item.clone()`, of a tuple's parts.
    pub(super) fn cloned(&mut self, item: Expr) -> Expr {
        self.method_of(item, "clone")
    }
}

fn pair(a: Pat, b: Pat) -> Pat {
    Pat::Tuple {
        elems: vec![a, b],
        rest: None,
    }
}

/// A head with one more adapter, which a range has inside.
fn adapted(mut head: Iterable, adapter: Adapter) -> Iterable {
    match &mut head {
        Iterable::Range { adapters, .. } => adapters.push(adapter),
        _ => return outside(head, adapter),
    }
    head
}

fn outside(head: Iterable, adapter: Adapter) -> Iterable {
    match adapter {
        Adapter::Rev => Iterable::Rev(Box::new(head)),
        Adapter::StepBy(step) => Iterable::StepBy(Box::new(head), step),
        Adapter::Checkpoint(_) => crate::diagnostics::bug!("an attribute of a loop in a chain"),
    }
}

/// A range's adapters as heads of their own, beside something else.
fn plain(mut head: Iterable) -> Iterable {
    let Iterable::Range { adapters, .. } = &mut head else {
        return head;
    };
    let adapters = std::mem::take(adapters);
    adapters.into_iter().fold(head, outside)
}

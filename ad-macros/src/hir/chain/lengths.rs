//! Chains that have positions: the item at each, and their number, when the chain is made.

use proc_macro2::Span;

use super::Chain;
use super::positions::At;
use crate::enclosing::lists;
use crate::hir::parse::Parser;
use crate::hir::{Chunks, Elements, Expr, ExprKind, Iterable, Stmt, Var};
use crate::ir::BinaryOp;
use crate::paths::last_name;
use crate::types::written::without_references;

/// An iterator by position.
pub(super) struct Positions {
    pub(super) at: At,
    /// How many there are; `None` without end.
    pub(super) len: Option<Var>,
}

impl Chain {
    /// Returns `true` if each item can be made of its position alone, at any time.
    pub(super) fn has_positions(&self, parser: &mut Parser) -> bool {
        match self {
            Chain::Source(head) => match head {
                Iterable::Range { adapters, .. } => adapters.is_empty(),
                Iterable::Elements { of, .. } => parser.may_be_list(of),
                Iterable::Count(_) | Iterable::Chunks { .. } => true,
                _ => false,
            },
            Chain::Listed(..) | Chain::Repeat(..) | Chain::Positions(..) => true,
            Chain::Rev(inner) => !inner.is_endless() && inner.has_positions(parser),
            Chain::Enumerate(inner)
            | Chain::Cloned(inner)
            | Chain::Skip(inner, _)
            | Chain::Take(inner, _)
            | Chain::StepBy(inner, _) => inner.has_positions(parser),
            Chain::Zip(a, b) => a.has_positions(parser) && b.has_positions(parser),
            Chain::Chained(a, b) => {
                !a.is_endless() && a.has_positions(parser) && b.has_positions(parser)
            }
            Chain::Map(inner, _) => inner.has_positions(parser) && !self.mutates(parser),
            _ => false,
        }
    }

    /// Returns `true` if it has positions and no end.
    fn is_endless(&self) -> bool {
        match self {
            Chain::Source(Iterable::Count(_))
            | Chain::Repeat(_, None)
            | Chain::Positions(_, _, None) => true,
            Chain::Enumerate(inner)
            | Chain::Cloned(inner)
            | Chain::Skip(inner, _)
            | Chain::StepBy(inner, _)
            | Chain::Map(inner, _) => inner.is_endless(),
            Chain::Zip(a, b) => a.is_endless() && b.is_endless(),
            Chain::Chained(_, b) => b.is_endless(),
            _ => false,
        }
    }
}

impl Parser {
    /// `chain.cycle()`: by positions up to the last integer, or none of an empty chain.
    ///
    /// ```text
    /// Input:  x.iter().cycle()
    /// Output: &x[k % n] at position k, where n = x.len()
    /// ```
    pub(super) fn cycle(
        &mut self,
        chain: &Chain,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Chain> {
        if chain.is_endless() || !chain.has_positions(self) {
            return None;
        }
        let mut chain = chain.clone();
        self.settle_chain(&mut chain, stmts);
        let Positions { at, len } = self.positions(chain, span, stmts);
        let len = len?;
        let [none, front] = ["0", "0"].map(|zero| self.count(zero, span));
        let length = self.read(len, span);
        let is_empty = self.binary_of(BinaryOp::Eq, length, none);
        let none = self.count("0", span);
        let last = self.expr(&syn::parse_quote_spanned!(span=> ::core::primitive::usize::MAX));
        let end = self.either(is_empty, none, last);
        let end = self.counter("end", end, stmts);
        let front = self.counter("front", front, stmts);
        Some(Chain::Positions(
            Box::new(At::Cyclic(Box::new(at), len)),
            front,
            Some(end),
        ))
    }

    /// A chain that has positions, once it is settled.
    pub(super) fn positions(
        &mut self,
        chain: Chain,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Positions {
        match chain {
            Chain::Source(head) => self.source_positions(head, span, stmts),
            Chain::Listed(list, mutable) => self.list_positions(list, mutable, span, stmts),
            Chain::Repeat(value, len) => Positions {
                at: At::Value(value),
                len: len.map(|len| self.fixed("len", len, stmts)),
            },
            Chain::Positions(at, lo, hi) => {
                let len = hi.map(|hi| self.of_vars(hi, BinaryOp::Sub, lo, span));
                let len = len.map(|len| self.fixed("len", len, stmts));
                let at = At::Shifted(at, lo);
                Positions { at, len }
            }
            Chain::Enumerate(inner) => self.at_same(*inner, span, stmts, At::Enumerated),
            Chain::Cloned(inner) => self.at_same(*inner, span, stmts, At::Cloned),
            Chain::Map(inner, f) => self.at_same(*inner, span, stmts, |at| At::Mapped(at, f)),
            Chain::Zip(a, b) => {
                let a = self.positions(*a, span, stmts);
                let b = self.positions(*b, span, stmts);
                let len = match (a.len, b.len) {
                    (Some(a), Some(b)) => Some(self.lesser(a, b, span, stmts)),
                    (len, None) | (None, len) => len,
                };
                let at = At::Both(Box::new(a.at), Box::new(b.at));
                Positions { at, len }
            }
            Chain::Chained(a, b) => {
                let a = self.positions(*a, span, stmts);
                let b = self.positions(*b, span, stmts);
                let Some(before) = a.len else {
                    crate::diagnostics::bug!("a chain after one without end")
                };
                let len = (b.len).map(|len| self.of_vars(before, BinaryOp::Add, len, span));
                let len = len.map(|len| self.fixed("len", len, stmts));
                let at = At::Either(Box::new(a.at), before, Box::new(b.at));
                Positions { at, len }
            }
            Chain::Take(inner, n) => {
                let Positions { at, len } = self.positions(*inner, span, stmts);
                let len = len.map(|len| self.lesser(len, n, span, stmts));
                let len = len.or(Some(n));
                Positions { at, len }
            }
            Chain::Skip(inner, n) => {
                let Positions { at, len } = self.positions(*inner, span, stmts);
                let len = len.map(|len| self.less(len, n, span));
                let len = len.map(|len| self.fixed("len", len, stmts));
                let at = At::Shifted(Box::new(at), n);
                Positions { at, len }
            }
            Chain::StepBy(inner, n) => {
                let Positions { at, len } = self.positions(*inner, span, stmts);
                let len = len.map(|len| self.parts_of(len, n, span));
                let len = len.map(|len| self.fixed("len", len, stmts));
                let at = At::Strided(Box::new(at), n);
                Positions { at, len }
            }
            Chain::Rev(inner) => {
                let Positions { at, len } = self.positions(*inner, span, stmts);
                let at = match len {
                    Some(len) => At::Backwards(Box::new(at), len),
                    None => at,
                };
                Positions { at, len }
            }
            _ => crate::diagnostics::bug!("a chain without positions"),
        }
    }

    fn at_same(
        &mut self,
        inner: Chain,
        span: Span,
        stmts: &mut Vec<Stmt>,
        at: impl FnOnce(Box<At>) -> At,
    ) -> Positions {
        let inner = self.positions(inner, span, stmts);
        Positions {
            at: at(Box::new(inner.at)),
            len: inner.len,
        }
    }

    fn source_positions(&mut self, head: Iterable, span: Span, stmts: &mut Vec<Stmt>) -> Positions {
        match head {
            Iterable::Count(lo) => Positions {
                at: At::Number(self.fixed("lo", *lo, stmts)),
                len: None,
            },
            Iterable::Range {
                lo, hi, inclusive, ..
            } => {
                let (lo, hi) = (self.fixed("lo", *lo, stmts), self.fixed("hi", *hi, stmts));
                let len = self.range_len(lo, hi, inclusive, span);
                Positions {
                    at: At::Number(lo),
                    len: Some(self.fixed("len", len, stmts)),
                }
            }
            Iterable::Elements { of, access } => {
                let borrowed = match access {
                    Elements::Shared => Some(false),
                    Elements::Mut => Some(true),
                    Elements::Own => self.is_borrowed(&of),
                };
                let list = match borrowed {
                    Some(mutable) if access != Elements::Own => {
                        self.node(ExprKind::Ref(mutable, of), span)
                    }
                    _ => *of,
                };
                let list = self.fixed("list", list, stmts);
                let Some(mutable) = borrowed else {
                    let list = Chain::Listed(list, false);
                    return self.at_same(list, span, stmts, At::Cloned);
                };
                self.list_positions(list, mutable, span, stmts)
            }
            Iterable::Chunks {
                of,
                size,
                kind,
                mutable,
            } => {
                let list = self.node(ExprKind::Ref(mutable, of), span);
                let list = self.fixed("list", list, stmts);
                let size = self.fixed("size", *size, stmts);
                let len = self.list_len(list, span, stmts);
                let len = self.chunk_count(len, size, kind, span, stmts);
                Positions {
                    at: At::Chunk {
                        list,
                        size,
                        kind,
                        mutable,
                    },
                    len: Some(self.fixed("len", len, stmts)),
                }
            }
            _ => crate::diagnostics::bug!("a source without positions"),
        }
    }

    /// Returns `true` if a variable or expression is a list, as far as its type is written.
    fn may_be_list(&self, of: &Expr) -> bool {
        let ExprKind::Var(var) = of.kind else {
            return true;
        };
        let ty = self.written.get(&var).map(without_references);
        let Some(syn::Type::Path(path)) = ty else {
            return true;
        };
        let others = "BTreeMap BTreeSet BinaryHeap HashMap HashSet LinkedList Option Result";
        !last_name(&path.path).is_some_and(|name| lists(others, &name))
    }

    /// How `into_iter()` borrows, as far as the source tells: `Some(true)` by `&mut`, `Some(false)` by `&`. `None` if
    /// the items may be moved.
    fn is_borrowed(&self, of: &Expr) -> Option<bool> {
        match &of.kind {
            ExprKind::Ref(mutable, _) => Some(*mutable),
            ExprKind::Var(var) => match self.written.get(var)? {
                syn::Type::Reference(ty) => Some(ty.mutability.is_some()),
                _ => None,
            },
            _ => None,
        }
    }

    fn list_positions(
        &mut self,
        list: Var,
        mutable: bool,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Positions {
        Positions {
            at: At::Element(list, mutable),
            len: Some(self.list_len(list, span, stmts)),
        }
    }

    pub(super) fn list_len(&mut self, list: Var, span: Span, stmts: &mut Vec<Stmt>) -> Var {
        let list = self.read(list, span);
        stmts.push(Stmt::Expr(self.list_check(list.clone())));
        let len = self.method_of(list, "len");
        self.fixed("len", len, stmts)
    }

    /// `if lo < hi { distance(lo, hi) } else { 0 }`.
    fn range_len(&mut self, lo: Var, hi: Var, inclusive: bool, span: Span) -> Expr {
        let op = if inclusive {
            BinaryOp::Le
        } else {
            BinaryOp::Lt
        };
        let some = self.of_vars(lo, op, hi, span);
        let [lo, hi] = [lo, hi].map(|end| self.read(end, span));
        let kind = ExprKind::Distance(Box::new(lo), Box::new(hi));
        let mut len = self.node(kind, span);
        if inclusive {
            let one = self.count("1", span);
            len = self.binary_of(BinaryOp::Add, len, one);
        }
        let zero = self.count("0", span);
        self.either(some, len, zero)
    }

    /// How many chunks or windows there are.
    fn chunk_count(
        &mut self,
        len: Var,
        size: Var,
        kind: Chunks,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        match kind {
            Chunks::All => self.parts_of(len, size, span),
            Chunks::Exact => self.of_vars(len, BinaryOp::Div, size, span),
            Chunks::Windows => {
                let (len, one) = (self.read(len, span), self.count("1", span));
                let most = self.binary_of(BinaryOp::Add, len, one);
                let most = self.fixed("most", most, stmts);
                self.less(most, size, span)
            }
        }
    }

    /// `if n < len { len - n } else { 0 }`.
    fn less(&mut self, len: Var, n: Var, span: Span) -> Expr {
        let more = self.of_vars(n, BinaryOp::Lt, len, span);
        let rest = self.of_vars(len, BinaryOp::Sub, n, span);
        let zero = self.count("0", span);
        self.either(more, rest, zero)
    }

    /// `len / n`, rounded up.
    fn parts_of(&mut self, len: Var, n: Var, span: Span) -> Expr {
        let (len, before) = (self.read(len, span), self.read(n, span));
        let one = self.count("1", span);
        let before = self.binary_of(BinaryOp::Sub, before, one);
        let whole = self.binary_of(BinaryOp::Add, len, before);
        let n = self.read(n, span);
        self.binary_of(BinaryOp::Div, whole, n)
    }

    pub(super) fn lesser(&mut self, a: Var, b: Var, span: Span, stmts: &mut Vec<Stmt>) -> Var {
        let less = self.of_vars(a, BinaryOp::Lt, b, span);
        let [one, other] = [a, b].map(|var| self.read(var, span));
        let least = self.either(less, one, other);
        self.fixed("len", least, stmts)
    }
}

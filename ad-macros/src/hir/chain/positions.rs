//! Items by position: of iterators that are stepped by hand, and of their remaining items.
//!
//! ```text
//! Input:  x.iter().zip(lo..hi).rev()
//! Output: (&x[n - 1 - k], lo + (n - 1 - k)) at position k, where n = min(x.len(), hi - lo)
//! ```
//!
//! So an iterator in a variable is two integers, and an item is looked up wherever a pattern binds it: there is no `Option` of a reference.
//! The parser finds out by syntax whether a variable is stepped, when it is declared (`uses.rs`). A variable that is used in any other way
//! stays as it is, which is right where nothing is active.

use proc_macro2::Span;

use crate::hir::closure::Callable;
use crate::hir::parse::Parser;
use crate::hir::{Chunks, Expr, ExprKind, Stmt, Var};
use crate::ir::BinaryOp;

/// The item at a position.
#[derive(Clone)]
pub(in crate::hir) enum At {
    /// `lo + k`.
    Number(Var),
    /// `&list[k]`, or `&mut list[k]`.
    Element(Var, bool),
    /// `&list[k * size..(k + 1) * size]`, or by `&mut`.
    Chunk {
        list: Var,
        size: Var,
        kind: Chunks,
        mutable: bool,
    },
    /// The same everywhere.
    Value(Var),
    Enumerated(Box<At>),
    Both(Box<At>, Box<At>),
    /// The first before position `n`, else the second at `k - n`.
    Either(Box<At>, Var, Box<At>),
    /// At `k + n`.
    Shifted(Box<At>, Var),
    /// At `k * n`.
    Strided(Box<At>, Var),
    /// At `k % n`.
    Cyclic(Box<At>, Var),
    /// At `n - 1 - k`.
    Backwards(Box<At>, Var),
    Mapped(Box<At>, Callable),
    Cloned(Box<At>),
}

impl At {
    /// Returns `true` if items are references, or have parts that are.
    pub(in crate::hir) fn refers(&self) -> bool {
        match self {
            At::Element(..) | At::Chunk { .. } => true,
            At::Number(_) | At::Value(_) | At::Mapped(..) | At::Cloned(_) => false,
            At::Both(a, b) | At::Either(a, _, b) => a.refers() || b.refers(),
            At::Enumerated(inner)
            | At::Shifted(inner, _)
            | At::Strided(inner, _)
            | At::Cyclic(inner, _)
            | At::Backwards(inner, _) => inner.refers(),
        }
    }

    /// Returns `true` if the items are references to elements.
    pub(super) fn is_element(&self) -> bool {
        match self {
            At::Element(_, mutable) => !mutable,
            At::Shifted(inner, _)
            | At::Strided(inner, _)
            | At::Cyclic(inner, _)
            | At::Backwards(inner, _) => inner.is_element(),
            At::Either(a, _, b) => a.is_element() && b.is_element(),
            _ => false,
        }
    }
}

impl Parser {
    /// The item at a position, which is there.
    pub(in crate::hir) fn item_at(
        &mut self,
        at: &At,
        k: Var,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        match at {
            At::Number(lo) => {
                let k = self.read(k, span);
                let k = ExprKind::Position(Box::new(k));
                let (lo, k) = (self.read(*lo, span), self.node(k, span));
                let number = self.binary_of(BinaryOp::Add, lo, k);
                let number = self.counter("i", number, stmts);
                self.read(number, span)
            }
            At::Element(list, mutable) => {
                let (list, k) = (self.read(*list, span), self.read(k, span));
                let kind = ExprKind::Index(Box::new(list), Box::new(k));
                let element = self.node(kind, span);
                self.node(ExprKind::Ref(*mutable, Box::new(element)), span)
            }
            At::Chunk {
                list,
                size,
                kind,
                mutable,
            } => self.chunk_at(*list, (*size, *kind), *mutable, k, span, stmts),
            At::Value(value) => {
                let is_reference = self.repeated_references.contains(value);
                let value = self.read(*value, span);
                if is_reference {
                    value
                } else {
                    self.cloned(value)
                }
            }
            At::Enumerated(inner) => {
                let item = self.item_at(inner, k, span, stmts);
                let k = self.read(k, span);
                self.node(ExprKind::Tuple(vec![k, item]), span)
            }
            At::Both(a, b) => {
                let parts = [a, b].map(|at| self.item_at(at, k, span, stmts));
                self.node(ExprKind::Tuple(parts.into()), span)
            }
            At::Either(a, n, b) => {
                let cond = self.of_vars(k, BinaryOp::Lt, *n, span);
                let mut then = Vec::new();
                let item = self.item_at(a, k, span, &mut then);
                let item = self.after(then, item);
                let mut other = Vec::new();
                let later = self.moved_at(b, BinaryOp::Sub, *n, k, span, &mut other);
                let later = self.after(other, later);
                self.either(cond, item, later)
            }
            At::Shifted(inner, n) => self.moved_at(inner, BinaryOp::Add, *n, k, span, stmts),
            At::Strided(inner, n) => self.moved_at(inner, BinaryOp::Mul, *n, k, span, stmts),
            At::Cyclic(inner, n) => self.moved_at(inner, BinaryOp::Rem, *n, k, span, stmts),
            At::Backwards(inner, n) => {
                let (n, one) = (self.read(*n, span), self.count("1", span));
                let last = self.binary_of(BinaryOp::Sub, n, one);
                let k = self.read(k, span);
                let from_end = self.binary_of(BinaryOp::Sub, last, k);
                let k = self.counter("k", from_end, stmts);
                self.item_at(inner, k, span, stmts)
            }
            At::Mapped(inner, f) => {
                let item = self.item_at(inner, k, span, stmts);
                self.apply_here(f, vec![item], span, stmts)
            }
            At::Cloned(inner) => {
                let item = self.item_at(inner, k, span, stmts);
                self.cloned(item)
            }
        }
    }

    fn moved_at(
        &mut self,
        inner: &At,
        op: BinaryOp,
        n: Var,
        k: Var,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let k = self.of_vars(k, op, n, span);
        let k = self.counter("k", k, stmts);
        self.item_at(inner, k, span, stmts)
    }

    fn chunk_at(
        &mut self,
        list: Var,
        (size, kind): (Var, Chunks),
        mutable: bool,
        k: Var,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let mut lo = self.read(k, span);
        if kind != Chunks::Windows {
            let size = self.read(size, span);
            lo = self.binary_of(BinaryOp::Mul, lo, size);
        }
        let lo = self.counter("lo", lo, stmts);
        let (lo, size) = (self.read(lo, span), self.read(size, span));
        let hi = self.again(&lo);
        let hi = self.binary_of(BinaryOp::Add, hi, size);
        let mut hi = self.counter("hi", hi, stmts);
        if kind == Chunks::All {
            let len = self.list_len(list, span, stmts);
            hi = self.lesser(hi, len, span, stmts);
        }
        let range = ExprKind::Range {
            lo: Some(Box::new(lo)),
            hi: Some(Box::new(self.read(hi, span))),
            inclusive: false,
        };
        let (list, range) = (self.read(list, span), self.node(range, span));
        let chunk = self.node(ExprKind::Index(Box::new(list), Box::new(range)), span);
        self.node(ExprKind::Ref(mutable, Box::new(chunk)), span)
    }

    /// `let name = value;`, of an integer.
    pub(super) fn counter(&mut self, name: &str, value: Expr, stmts: &mut Vec<Stmt>) -> Var {
        let var = self.fixed(name, value, stmts);
        self.counters.insert(var);
        var
    }
}

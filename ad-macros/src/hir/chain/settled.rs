//! Chains that variables hold: what they are made of is evaluated where they are made, and may change before they are used.
//!
//! ```text
//! Input:  let chain = (0..n).scan(s, f); n = 1; chain.sum()
//! Output: let (end, init) = (n, s); n = 1; (0..end).scan(init, f).sum()
//! ```

use super::Chain;
use crate::hir::parse::Parser;
use crate::hir::{Elements, Expr, ExprKind, Head, Stmt};

impl Parser {
    pub(in crate::hir) fn settled(&mut self, chain: Chain, stmts: &mut Vec<Stmt>) -> Chain {
        let mut inside = |chain: Box<Chain>| Box::new(self.settled(*chain, stmts));
        match chain {
            Chain::Source(head) => Chain::Source(self.settled_head(head, stmts)),
            Chain::Repeat(value, len) => {
                Chain::Repeat(value, len.map(|len| self.settled_expr(len, stmts)))
            }
            Chain::Scan(inner, init, f) => {
                let inner = inside(inner);
                Chain::Scan(inner, self.settled_expr(init, stmts), f)
            }
            Chain::Listed(..)
            | Chain::Given(_)
            | Chain::Successors(..)
            | Chain::Cursor(_)
            | Chain::Positions(..) => chain,
            Chain::Enumerate(inner) => Chain::Enumerate(inside(inner)),
            Chain::Rev(inner) => Chain::Rev(inside(inner)),
            Chain::Cloned(inner) => Chain::Cloned(inside(inner)),
            Chain::Zip(a, b) => Chain::Zip(inside(a), inside(b)),
            Chain::Chained(a, b) => Chain::Chained(inside(a), inside(b)),
            Chain::Skip(inner, n) => Chain::Skip(inside(inner), n),
            Chain::Take(inner, n) => Chain::Take(inside(inner), n),
            Chain::StepBy(inner, n) => Chain::StepBy(inside(inner), n),
            Chain::Map(inner, f) => Chain::Map(inside(inner), f),
            Chain::Inspect(inner, f) => Chain::Inspect(inside(inner), f),
            Chain::Filter(inner, f) => Chain::Filter(inside(inner), f),
            Chain::FilterMap(inner, f) => Chain::FilterMap(inside(inner), f),
            Chain::TakeWhile(inner, f) => Chain::TakeWhile(inside(inner), f),
            Chain::SkipWhile(inner, f) => Chain::SkipWhile(inside(inner), f),
            Chain::MapWhile(inner, f) => Chain::MapWhile(inside(inner), f),
            Chain::FlatMap(inner, f) => Chain::FlatMap(inside(inner), f),
            Chain::Flatten(inner) => Chain::Flatten(inside(inner)),
        }
    }

    fn settled_head(&mut self, head: Head, stmts: &mut Vec<Stmt>) -> Head {
        let mut boxed = |expr: Box<Expr>| Box::new(self.settled_expr(*expr, stmts));
        match head {
            Head::Range {
                lo,
                hi,
                inclusive,
                adapters,
            } => Head::Range {
                lo: boxed(lo),
                hi: boxed(hi),
                inclusive,
                adapters,
            },
            Head::Count(lo) => Head::Count(boxed(lo)),
            Head::Chunks {
                of,
                size,
                kind,
                mutable,
            } => Head::Chunks {
                of,
                size: boxed(size),
                kind,
                mutable,
            },
            // What is borrowed can't change; an array that is taken may, as it is copied.
            Head::Elements {
                of,
                access: Elements::Own,
            } if of.root().is_some() && !matches!(of.kind, ExprKind::Ref(..)) => Head::Elements {
                of: boxed(of),
                access: Elements::Own,
            },
            head => head,
        }
    }

    fn settled_expr(&mut self, expr: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let fixed = match &expr.kind {
            ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Path(_) => true,
            ExprKind::Var(var) => !self.vars[var.0 as usize].mutable,
            _ => false,
        };
        if fixed {
            return expr;
        }
        let span = expr.span;
        let var = self.held("settled", expr, stmts);
        self.read(var, span)
    }
}

//! Chains that variables hold: their operands are evaluated where the chains are made, and may change before they are used.
//!
//! ```text
//! Input:  let chain = (0..n).scan(s, f); n = 1; chain.sum()
//! Output: let (end, init) = (n, s); n = 1; (0..end).scan(init, f).sum()
//!
//! Input:  let chain = rows[k].iter().zip([a, 2.0 * b]); k = 1; a = 0.0; ..
//! Output: let (row, first, second) = (k, a, 2.0 * b); k = 1; a = 0.0; rows[row].iter().zip([first, second]) ..
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
        match head {
            Head::Range {
                lo,
                hi,
                inclusive,
                adapters,
            } => Head::Range {
                lo: Box::new(self.settled_expr(*lo, stmts)),
                hi: Box::new(self.settled_expr(*hi, stmts)),
                inclusive,
                adapters,
            },
            Head::Count(lo) => Head::Count(Box::new(self.settled_expr(*lo, stmts))),
            Head::Chunks {
                of,
                size,
                kind,
                mutable,
            } => Head::Chunks {
                of: Box::new(self.settled_place(*of, stmts)),
                size: Box::new(self.settled_expr(*size, stmts)),
                kind,
                mutable,
            },
            Head::Elements { of, access } => {
                let borrowed = access != Elements::Own || matches!(of.kind, ExprKind::Ref(..));
                let listed = matches!(of.kind, ExprKind::Array { .. });
                let of = if borrowed || listed {
                    self.settled_place(*of, stmts)
                } else {
                    self.settled_expr(*of, stmts)
                };
                Head::Elements {
                    of: Box::new(of),
                    access,
                }
            }
            Head::Other(of) => Head::Other(Box::new(self.settled_place(*of, stmts))),
            head => head,
        }
    }

    /// A place whose borrow lives as long as the chain, so that nothing but its indices and arguments may change; or a list of such places and values.
    fn settled_place(&mut self, mut expr: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let mut place = |part: &mut Box<Expr>| {
            let settled = self.settled_place((**part).clone(), stmts);
            **part = settled;
        };
        match &mut expr.kind {
            ExprKind::Field(of, _) | ExprKind::Deref(of) | ExprKind::Ref(_, of) => place(of),
            ExprKind::Index(of, index) => {
                place(of);
                let settled = self.settled_value((**index).clone(), stmts);
                **index = settled;
            }
            ExprKind::Range { lo, hi, .. } => {
                for end in lo.iter_mut().chain(hi) {
                    let settled = self.settled_expr((**end).clone(), stmts);
                    **end = settled;
                }
            }
            ExprKind::Method { receiver, args, .. } => {
                place(receiver);
                self.settled_values(args, stmts);
            }
            ExprKind::Call { args, .. } => self.settled_values(args, stmts),
            ExprKind::Array { elems, .. } => self.settled_values(elems, stmts),
            _ => {}
        }
        expr
    }

    fn settled_values(&mut self, values: &mut [Expr], stmts: &mut Vec<Stmt>) {
        for value in values {
            *value = self.settled_value(value.clone(), stmts);
        }
    }

    fn settled_value(&mut self, value: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        match value.kind {
            ExprKind::Ref(..) | ExprKind::Range { .. } => self.settled_place(value, stmts),
            ExprKind::Closure(_) => value,
            _ => self.settled_expr(value, stmts),
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

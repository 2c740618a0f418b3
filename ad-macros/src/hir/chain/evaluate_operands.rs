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
use crate::hir::{Elements, Expr, ExprKind, Iterable, Stmt};

impl Parser {
    pub(in crate::hir) fn settle_chain(&mut self, chain: &mut Chain, stmts: &mut Vec<Stmt>) {
        for inner in chain.inner_mut() {
            self.settle_chain(inner, stmts);
        }
        match chain {
            Chain::Source(head) => self.settle_head(head, stmts),
            Chain::Repeat(_, Some(expr)) | Chain::Scan(_, expr, _) => self.settle(expr, stmts),
            _ => {}
        }
    }

    fn settle_head(&mut self, head: &mut Iterable, stmts: &mut Vec<Stmt>) {
        match head {
            Iterable::Range { lo, hi, .. } => {
                self.settle(lo, stmts);
                self.settle(hi, stmts);
            }
            Iterable::Count(lo) => self.settle(lo, stmts),
            Iterable::Chunks { of, size, .. } => {
                self.settle_place(of, stmts);
                self.settle(size, stmts);
            }
            Iterable::Elements { of, access } => {
                let borrowed = *access != Elements::Own || matches!(of.kind, ExprKind::Ref(..));
                if borrowed || matches!(of.kind, ExprKind::Array { .. }) {
                    self.settle_place(of, stmts);
                } else {
                    self.settle(of, stmts);
                }
            }
            Iterable::Unknown(of) => self.settle_place(of, stmts),
            _ => {}
        }
    }

    /// A place whose borrow lives as long as the chain, so that nothing but its indices and arguments may change; or a list of such places and values.
    fn settle_place(&mut self, expr: &mut Expr, stmts: &mut Vec<Stmt>) {
        match &mut expr.kind {
            ExprKind::Field(of, _) | ExprKind::Deref(of) | ExprKind::Ref(_, of) => {
                self.settle_place(of, stmts);
            }
            ExprKind::Index(of, index) => {
                self.settle_place(of, stmts);
                self.settle_value(index, stmts);
            }
            ExprKind::Range { lo, hi, .. } => {
                for end in lo.iter_mut().chain(hi) {
                    self.settle(end, stmts);
                }
            }
            ExprKind::Method { receiver, args, .. } => {
                self.settle_place(receiver, stmts);
                args.iter_mut()
                    .for_each(|arg| self.settle_value(arg, stmts));
            }
            ExprKind::Call { args, .. } | ExprKind::Array { elems: args, .. } => {
                args.iter_mut()
                    .for_each(|arg| self.settle_value(arg, stmts));
            }
            _ => {}
        }
    }

    fn settle_value(&mut self, value: &mut Expr, stmts: &mut Vec<Stmt>) {
        match value.kind {
            ExprKind::Ref(..) | ExprKind::Range { .. } => self.settle_place(value, stmts),
            ExprKind::Closure(_) => {}
            _ => self.settle(value, stmts),
        }
    }

    fn settle(&mut self, expr: &mut Expr, stmts: &mut Vec<Stmt>) {
        if !self.is_settled(expr) {
            let var = self.held("settled", expr.clone(), stmts);
            *expr = self.read(var, expr.span);
        }
    }

    /// True for an operand that has the same value wherever it is evaluated.
    pub(super) fn is_settled(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Path(_) => true,
            ExprKind::Var(var) => !self.vars[var.0 as usize].mutable,
            _ => false,
        }
    }
}

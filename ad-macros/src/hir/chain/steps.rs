//! Single steps of an iterator that a variable holds.
//!
//! ```text
//! Input:  it.next()
//! Output: let k = front; let some = k < back; if some { front = k + 1; }, and the item at `k` where there is some
//! ```

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::Chain;
use super::choose::Selected;
use super::next_item::NextItem;
use super::stepped::Cursor;
use crate::hir::closure::Callable;
use crate::hir::parse::Parser;
use crate::hir::{Expr, ExprKind, Logic, Stmt, Var};
use crate::ir::BinaryOp;
use crate::std_model::{STEPS, syntax_does};
use crate::syntax::method_call;

impl Parser {
    /// A step of an iterator that is kept in a variable: `it.next()`, `it.peek()`, ...
    pub(super) fn step(&mut self, source: &syn::Expr, stmts: &mut Vec<Stmt>) -> Option<NextItem> {
        let call = method_call(source)?;
        let Chain::Cursor(cursor) = self.stepped(&call.receiver)?.clone() else {
            return None;
        };
        let span = call.method.span();
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let maybe = match (call.method.to_string().as_str(), &args[..]) {
            ("next", []) => self.next_of(&cursor, None, span, stmts),
            ("nth", [n]) => {
                let n = self.expr(n);
                let n = self.fixed("n", n, stmts);
                self.next_of(&cursor, Some(n), span, stmts)
            }
            ("next_back", []) => self.next_back_of(&cursor, span, stmts)?,
            ("peek", []) => self.peek_of(&cursor, span, stmts).by_reference(),
            ("next_if", [f]) => {
                let f = self.callable(f, stmts)?;
                self.next_if_of(&cursor, &f, span, stmts)
            }
            _ => return None,
        };
        self.named += 1;
        Some(maybe)
    }

    /// ```text
    /// let k = front; let some = k < back; if some { front = k + 1; }
    /// let k = front + n; let some = k < back; if some { front = k + 1; } else { front = back; }
    /// ```
    fn next_of(
        &mut self,
        cursor: &Cursor,
        skipped: Option<Var>,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> NextItem {
        let mut k = self.read(cursor.front, span);
        if let Some(n) = skipped {
            let n = self.read(n, span);
            k = self.binary_of(BinaryOp::Add, k, n);
        }
        let k = self.counter("k", k, stmts);
        let some = self.is_before(k, cursor.back, span, stmts);
        let next = self.after_position(k, span);
        let then = vec![self.set(cursor.front, next)];
        let other = match (skipped, cursor.back) {
            (Some(_), Some(back)) => {
                let back = self.read(back, span);
                vec![self.set(cursor.front, back)]
            }
            _ => Vec::new(),
        };
        let cond = self.read(some, span);
        stmts.push(self.choose(cond, then, other));
        cursor.maybe(some, k)
    }

    /// `let some = front < back; if some { back -= 1; } let k = back;`
    fn next_back_of(
        &mut self,
        cursor: &Cursor,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Option<NextItem> {
        let back = cursor.back?;
        let some = self.is_before(cursor.front, Some(back), span, stmts);
        let cond = self.read(some, span);
        let then = vec![self.step_by(back, BinaryOp::Sub, span)];
        stmts.push(self.choose(cond, then, Vec::new()));
        let k = self.read(back, span);
        let k = self.counter("k", k, stmts);
        Some(cursor.maybe(some, k))
    }

    /// `let k = front; let some = k < back;`
    fn peek_of(&mut self, cursor: &Cursor, span: Span, stmts: &mut Vec<Stmt>) -> NextItem {
        let k = self.read(cursor.front, span);
        let k = self.counter("k", k, stmts);
        let some = self.is_before(k, cursor.back, span, stmts);
        cursor.maybe(some, k)
    }

    /// `let k = front; let some = k < back && f(&list[k]); if some { front = k + 1; }`
    fn next_if_of(
        &mut self,
        cursor: &Cursor,
        f: &Callable,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> NextItem {
        let mut next = self.peek_of(cursor, span, stmts);
        let mut test = Vec::new();
        let item = self.item_of(&next, span, &mut test);
        let item = self.borrow(item);
        let holds = self.apply_here(f, vec![item], span, &mut test);
        let holds = self.after(test, holds);
        let some = self.read(next.some, span);
        let kind = ExprKind::Logic(Logic::And, Box::new(some), Box::new(holds));
        let some = self.node(kind, span);
        next.some = self.fixed("some", some, stmts);
        let cond = self.read(next.some, span);
        let then = vec![self.step_by(cursor.front, BinaryOp::Add, span)];
        stmts.push(self.choose(cond, then, Vec::new()));
        next
    }

    fn is_before(&mut self, k: Var, back: Option<Var>, span: Span, stmts: &mut Vec<Stmt>) -> Var {
        let some = match back {
            Some(back) => self.of_vars(k, BinaryOp::Lt, back, span),
            None => self.node(ExprKind::Bool(true), span),
        };
        self.fixed("some", some, stmts)
    }

    pub(super) fn after_position(&mut self, k: Var, span: Span) -> Expr {
        let (k, one) = (self.read(k, span), self.count("1", span));
        self.binary_of(BinaryOp::Add, k, one)
    }

    /// Returns `true` if an expression is a step.
    pub(in crate::hir) fn is_step(&self, source: &syn::Expr) -> bool {
        let syn::Expr::MethodCall(call) = source else {
            return false;
        };
        syntax_does(call, STEPS) && self.stepped(&call.receiver).is_some()
    }

    /// The selection that a step is.
    pub(super) fn selected_step(
        &mut self,
        source: &syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Selected> {
        let maybe = match source {
            syn::Expr::Path(path) => self.known_maybe(path, stmts)?,
            _ => self.step(source, stmts)?,
        };
        let mut then = Vec::new();
        let value = self.item_of(&maybe, source.span(), &mut then);
        Some(Selected {
            some: maybe.some,
            stmts: then,
            value,
        })
    }

    /// `it.len()`.
    pub(super) fn stepped_len(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let Chain::Cursor(cursor) = self.stepped(&call.receiver)?.clone() else {
            return None;
        };
        let span = call.method.span();
        self.named += 1;
        let (front, back) = (self.read(cursor.front, span), self.read(cursor.back?, span));
        Some(self.binary_of(BinaryOp::Sub, back, front))
    }

    /// `it.next();`, whose item is dropped.
    pub(in crate::hir) fn dropped_step(
        &mut self,
        call: &syn::ExprMethodCall,
        source: &syn::Expr,
    ) -> Option<Expr> {
        self.stepped(&call.receiver)?;
        let mut stmts = Vec::new();
        self.selected(source, &mut stmts)?;
        Some(self.finished(stmts, None, source))
    }
}

//! Expressions and statements that the parser makes itself.

use proc_macro2::{Ident, Span};

use super::parse::Parser;
use super::{Block, Expr, ExprKind, Let, Pat, Scope, Stmt, Var};
use crate::ir::BinaryOp;

impl Parser {
    pub(super) fn read(&mut self, var: Var, span: Span) -> Expr {
        self.node(ExprKind::Var(var), span)
    }

    pub(super) fn borrow(&mut self, of: Expr) -> Expr {
        let span = of.span;
        self.node(ExprKind::Ref(false, Box::new(of)), span)
    }

    /// An integer whose type the context tells.
    pub(super) fn integer(&mut self, digits: &str, span: Span) -> Expr {
        self.node(ExprKind::Int(digits.into(), None), span)
    }

    /// An integer of type `usize`.
    pub(super) fn count(&mut self, digits: &str, span: Span) -> Expr {
        self.node(ExprKind::Int(digits.into(), Some("usize".into())), span)
    }

    pub(super) fn binary_of(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let span = left.span;
        self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
    }

    /// `receiver.name()`.
    pub(super) fn method_of(&mut self, receiver: Expr, name: &str) -> Expr {
        let span = receiver.span;
        let kind = ExprKind::method(
            receiver,
            Ident::new(name, span.resolved_at(Span::mixed_site())),
            Vec::new(),
        );
        self.node(kind, span)
    }

    pub(super) fn set(&mut self, var: Var, value: Expr) -> Stmt {
        let span = value.span;
        let place = self.read(var, span);
        let kind = ExprKind::Assign(Box::new(place), Box::new(value));
        Stmt::Expr(self.node(kind, span))
    }

    pub(super) fn update(&mut self, var: Var, op: BinaryOp, value: Expr) -> Stmt {
        let span = value.span;
        let place = self.read(var, span);
        let kind = ExprKind::AssignOp(op, Box::new(place), Box::new(value));
        Stmt::Expr(self.node(kind, span))
    }

    /// `var += 1;`, or another step.
    pub(super) fn step_by(&mut self, var: Var, op: BinaryOp, span: Span) -> Stmt {
        let one = self.count("1", span);
        self.update(var, op, one)
    }

    /// `let mut name = 0usize;`.
    pub(super) fn counting(&mut self, name: &str, span: Span, stmts: &mut Vec<Stmt>) -> Var {
        let zero = self.count("0", span);
        self.state(name, None, zero, stmts)
    }

    /// `a op b`.
    pub(super) fn of_vars(&mut self, a: Var, op: BinaryOp, b: Var, span: Span) -> Expr {
        let [a, b] = [a, b].map(|var| self.read(var, span));
        self.binary_of(op, a, b)
    }

    /// `if cond { then } else { other }`; without `other` where that is empty.
    pub(super) fn choose(&mut self, cond: Expr, then: Vec<Stmt>, other: Vec<Stmt>) -> Stmt {
        let span = cond.span;
        let other = (!other.is_empty()).then(|| Block::statements(other, span));
        let kind = ExprKind::branch(cond, Block::statements(then, span), other);
        Stmt::Expr(self.node(kind, span))
    }

    /// `if cond { then } else { other }` as a value.
    pub(super) fn either(&mut self, cond: Expr, then: Expr, other: Expr) -> Expr {
        let span = cond.span;
        let [then, other] = [then, other].map(Self::as_block);
        let kind = ExprKind::branch(cond, then, Some(other));
        self.node(kind, span)
    }

    pub(super) fn leave(&mut self, scope: Scope, span: Span) -> Stmt {
        Stmt::Expr(self.node(ExprKind::Break(scope, None), span))
    }

    /// `{ stmts; value }`; the value alone where there are no statements.
    pub(super) fn after(&mut self, stmts: Vec<Stmt>, value: Expr) -> Expr {
        if stmts.is_empty() {
            return value;
        }
        let span = value.span;
        let block = Block::with_value(stmts, value, span);
        self.node(ExprKind::Block(block, None), span)
    }

    /// `let mut name: ty = init;`, with a variable that is assigned later.
    pub(super) fn state(
        &mut self,
        name: &str,
        ty: Option<syn::Type>,
        init: Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Var {
        let span = init.span;
        let var = self.temporary(name, span);
        self.vars[var.0 as usize].mutable = true;
        stmts.push(typed(Pat::name(var), ty, init));
        var
    }

    /// `let name = init;`.
    pub(super) fn held(&mut self, name: &str, init: Expr, stmts: &mut Vec<Stmt>) -> Var {
        let span = init.span;
        let var = self.temporary(name, span);
        stmts.push(Stmt::bind(Pat::name(var), init, span));
        var
    }

    /// A loop or labelled block that only the parser leaves.
    pub(super) fn new_scope(&mut self) -> Scope {
        self.scope_count += 1;
        Scope(self.scope_count - 1)
    }
}

/// `let pat: ty = init;`.
pub(super) fn typed(pat: Pat, ty: Option<syn::Type>, init: Expr) -> Stmt {
    let span = init.span;
    Stmt::Let(Box::new(Let {
        pat,
        ty,
        init: Some(init),
        span,
    }))
}

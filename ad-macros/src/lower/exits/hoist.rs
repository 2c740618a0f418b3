//! Exits in operands, and the exits themselves.

use super::leave::leaving;
use super::{Mode, Rewriter};
use crate::diagnostics::error;
use crate::hir::{Block, Expr, ExprKind, Logic, Scope, Stmt, Var};
use crate::types::Type;

impl Rewriter<'_> {
    /// Moves the first operand that control may leave to a statement of its own, with those before it, so that the order of
    /// evaluation stays. The returned expression has one such operand less.
    pub(super) fn hoist(&mut self, mut expr: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let span = expr.span;
        // Input:  a && b
        // Output: if a { b } else { false }
        if let ExprKind::Logic(logic, left, right) = expr.kind {
            let known = self.node(ExprKind::Bool(logic == Logic::Or), Type::Bool, span);
            let [right, known] =
                [*right, known].map(|value| Block::with_value(Vec::new(), value, span));
            let (then, other) = match logic {
                Logic::And => (right, known),
                Logic::Or => (known, right),
            };
            return self.branch(*left, then, other, Type::Bool, span);
        }
        let mut operands = Vec::new();
        operands_of(&mut expr, &mut operands);
        let Some(first) = operands
            .iter()
            .position(|operand| !leaving(operand).is_empty())
        else {
            self.errors.push(error(
                span,
                "`break`, `continue` or `return` in this position is not supported",
                "bind the value with `let` first",
            ));
            return self.node(ExprKind::Unit, Type::Unit, span);
        };
        for (k, operand) in operands.into_iter().take(first + 1).enumerate() {
            let ty = self.types.expr(operand.id);
            let moves = ty.is_scalar() || k == first;
            let simple = matches!(
                operand.kind,
                ExprKind::Float(..) | ExprKind::Int(..) | ExprKind::Bool(_) | ExprKind::Ref(..)
            );
            if simple && k != first {
                continue;
            }
            if !moves && operand.root().is_none() {
                self.errors.push(error(
                    operand.span,
                    "`break`, `continue` or `return` in an operand after this one is not supported",
                    "bind both operands with `let` first",
                ));
                continue;
            }
            if moves {
                let unit = self.node(ExprKind::Unit, Type::Unit, span);
                let (stmt, read) = self.bound(std::mem::replace(operand, unit), "operand");
                stmts.push(stmt);
                *operand = read;
            }
        }
        // The source still has the exit.
        expr.source = None;
        expr
    }

    /// A statement that leaves, at the end of its block.
    pub(super) fn leave(&mut self, expr: Expr, mode: &Mode) -> Block {
        let span = expr.span;
        match (expr.kind, mode) {
            (ExprKind::Return(value), Mode::Tail) => {
                let value = value.map(|value| *value);
                let unit = matches!(self.types.output, Type::Unit);
                match value {
                    Some(value) if unit => {
                        self.statements(vec![Stmt::Expr(value)], None, mode, span)
                    }
                    value => self.statements(Vec::new(), value, mode, span),
                }
            }
            (kind, Mode::Tail) => {
                let stmts = self.exit(Expr { kind, ..expr }, &[]);
                Block::statements(stmts, span)
            }
            (kind, Mode::Unit(ends)) => {
                let stmts = self.exit(Expr { kind, ..expr }, ends);
                Block::statements(stmts, span)
            }
        }
    }

    /// The assignments that replace an exit. Running to the end of the current block is the same as leaving `ends`.
    pub(super) fn exit(&mut self, expr: Expr, ends: &[Scope]) -> Vec<Stmt> {
        let span = expr.span;
        match expr.kind {
            ExprKind::Return(value) => {
                let mut stmts = self.return_value(value.map(|value| *value), span);
                for k in 0..self.frames.len() {
                    stmts.push(self.stop(k, span));
                }
                stmts.push(self.set_flag(|this| &mut this.returned, "returned", span));
                stmts
            }
            ExprKind::Break(scope, value) => {
                let Some(k) = self.frames.iter().position(|frame| frame.scope == scope) else {
                    return Vec::new();
                };
                let target = self.frames[k].value.clone();
                let mut stmts = Vec::new();
                if let Some(value) = value {
                    let inner = std::mem::take(&mut stmts);
                    stmts = self.deliver(*value, target, &[]);
                    stmts.extend(inner);
                }
                let at_end = ends.contains(&scope) && self.is_block(scope);
                let from = if at_end { k + 1 } else { k };
                for inner in from..self.frames.len() {
                    stmts.push(self.stop(inner, span));
                }
                stmts
            }
            ExprKind::Continue(scope) => {
                let Some(k) = self.frames.iter().position(|frame| frame.scope == scope) else {
                    return Vec::new();
                };
                let mut stmts = Vec::new();
                for inner in k + 1..self.frames.len() {
                    stmts.push(self.stop(inner, span));
                }
                if !ends.contains(&scope) {
                    stmts.push(self.set_flag(|this| &mut this.frames[k].again, "again", span));
                }
                stmts
            }
            _ => Vec::new(),
        }
    }

    /// The value of a `return` from within a loop or nested branch.
    fn return_value(&mut self, value: Option<Expr>, span: proc_macro2::Span) -> Vec<Stmt> {
        let Some(value) = value else {
            return Vec::new();
        };
        if matches!(self.types.output, Type::Unit) {
            return self.deliver(value, None, &[]);
        }
        let output = self.types.output.clone();
        if matches!(output, Type::Ref(..)) {
            self.errors.push(error(
                span,
                format!(
                    "returning a `{}` from inside of a loop is not supported yet",
                    output.lower()
                ),
                "break with a flag, and return after the loop",
            ));
            return Vec::new();
        }
        let known = self.result.clone();
        let result = known.unwrap_or_else(|| self.sink(&output, "result", span));
        self.result = Some(result.clone());
        let target = result.place(self, span);
        self.deliver(value, Some(target), &[])
    }

    /// Returns `true` if a scope is a labelled block, not a loop.
    fn is_block(&self, scope: Scope) -> bool {
        self.frames
            .iter()
            .any(|frame| frame.scope == scope && frame.is_block)
    }

    fn stop(&mut self, frame: usize, span: proc_macro2::Span) -> Stmt {
        self.set_flag(|this| &mut this.frames[frame].stop, "stop", span)
    }

    /// `flag = true;`, with a new flag where there is none yet.
    fn set_flag(
        &mut self,
        flag: impl Fn(&mut Self) -> &mut Option<Var>,
        name: &str,
        span: proc_macro2::Span,
    ) -> Stmt {
        let known = *flag(self);
        let var = known.unwrap_or_else(|| self.variable(name, Type::Bool, span));
        *flag(self) = Some(var);
        let place = self.read(var, span);
        let value = self.node(ExprKind::Bool(true), Type::Bool, span);
        self.assign(place, value, span)
    }
}

/// The operands of an expression that are evaluated one after the other, and always.
fn operands_of<'a>(expr: &'a mut Expr, operands: &mut Vec<&'a mut Expr>) {
    let mut all = |operand| operands.push(operand);
    if is_simple(expr) {
        return expr.each_child_mut(&mut all);
    }
    match &mut expr.kind {
        // The right side comes first.
        ExprKind::Assign(place, value) | ExprKind::AssignOp(_, place, value) => {
            all(value);
            all(place);
        }
        ExprKind::If { cond, .. } => all(cond),
        ExprKind::For { head, .. } | ExprKind::Collect { head, .. } => head.each_expr_mut(&mut all),
        _ => {}
    }
}

/// Returns `true` if an expression evaluates all that is directly below it, in that order.
fn is_simple(expr: &Expr) -> bool {
    !matches!(
        expr.kind,
        ExprKind::Assign(..)
            | ExprKind::AssignOp(..)
            | ExprKind::If { .. }
            | ExprKind::For { .. }
            | ExprKind::Collect { .. }
            | ExprKind::Block(..)
            | ExprKind::Loop { .. }
            | ExprKind::Map(_)
            | ExprKind::Closure(_)
            | ExprKind::Break(..)
            | ExprKind::Return(_)
    )
}

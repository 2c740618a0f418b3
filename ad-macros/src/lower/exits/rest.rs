//! A statement that control may leave, and the rest of its block.

use proc_macro2::Span;

use super::leave::{Exit, always, always_block, leaving};
use super::{Mode, Rewriter};
use crate::hir::{Block, Expr, ExprKind, Let, Logic, Pat, Stmt};
use crate::types::Type;

/// The statements and the value that follow a statement in its block.
pub(super) struct Rest {
    pub(super) stmts: Vec<Stmt>,
    pub(super) value: Option<Expr>,
    pub(super) span: Span,
}

impl Rest {
    /// Only a value, if any.
    fn value(value: Option<Expr>, span: Span) -> Rest {
        Rest {
            stmts: Vec::new(),
            value,
            span,
        }
    }

    fn is_empty(&self) -> bool {
        self.stmts.is_empty() && self.value.is_none()
    }

    /// `first`, then this.
    fn after(self, mut first: Vec<Stmt>) -> Rest {
        first.extend(self.stmts);
        Rest {
            stmts: first,
            ..self
        }
    }
}

impl Rewriter<'_> {
    pub(super) fn rest(&mut self, rest: Rest, mode: &Mode) -> Block {
        self.statements(rest.stmts, rest.value, mode, rest.span)
    }

    /// An expression statement with the exits that leave it.
    pub(super) fn leaving_statement(
        &mut self,
        expr: Expr,
        exits: &[Exit],
        rest: Rest,
        mode: &Mode,
    ) -> Block {
        let span = expr.span;
        match expr.kind {
            ExprKind::Return(_) | ExprKind::Break(..) | ExprKind::Continue(_) => {
                self.leave(expr, mode)
            }
            ExprKind::If { cond, then, other } => {
                if !leaving(&cond).is_empty() {
                    let (stmt, cond) = self.bound(*cond, "cond");
                    let kind = ExprKind::branch(cond, then, other);
                    let branch = self.node(kind, Type::Unit, span);
                    return self.rest(rest.after(vec![stmt, Stmt::Expr(branch)]), mode);
                }
                let other = other.unwrap_or(Block::statements(Vec::new(), span));
                self.leaving_if(*cond, then, other, exits, rest, mode, span)
            }
            ExprKind::Block(block, None) if !self.ends_guards(&block) => {
                let mut stmts = block.stmts;
                stmts.extend(block.value.map(|value| Stmt::Expr(*value)));
                self.rest(rest.after(stmts), mode)
            }
            ExprKind::Block(..) | ExprKind::Loop { .. } | ExprKind::For { .. } => {
                if let ExprKind::For { head, .. } = &expr.kind
                    && head.any_expr(&mut |e| !leaving(e).is_empty())
                {
                    return self.hoisted(expr, rest, mode);
                }
                let ended = always(&expr);
                let stmts = self.deliver(expr, None, &[]);
                self.guarded(stmts, exits, ended, rest, mode)
            }
            ExprKind::Assign(place, value) if leaving(&place).is_empty() => {
                // The rest may not run. Where the value is computed, only the assignment is left.
                let ended = always(&value);
                let stmts = self.delivered(*place, *value, span);
                match stmts {
                    Ok(stmts) => self.guarded(stmts, exits, ended, rest, mode),
                    Err(expr) => self.hoisted(*expr, rest, mode),
                }
            }
            _ => self.hoisted(expr, rest, mode),
        }
    }

    /// `place = value;` with the assignment where the value is computed, if `value` is control flow.
    fn delivered(&mut self, place: Expr, value: Expr, span: Span) -> Result<Vec<Stmt>, Box<Expr>> {
        match &value.kind {
            ExprKind::If { cond, .. } if leaving(cond).is_empty() => {}
            ExprKind::Block(..)
            | ExprKind::Loop { .. }
            | ExprKind::Return(_)
            | ExprKind::Break(..)
            | ExprKind::Continue(_) => {}
            _ => {
                let kind = ExprKind::Assign(Box::new(place), Box::new(value));
                return Err(Box::new(self.node(kind, Type::Unit, span)));
            }
        }
        Ok(self.deliver(value, Some(place), &[]))
    }

    #[allow(clippy::too_many_arguments)] // the parts of an `if`, and where it stands
    fn leaving_if(
        &mut self,
        mut cond: Expr,
        then: Block,
        other: Block,
        exits: &[Exit],
        rest: Rest,
        mode: &Mode,
        span: Span,
    ) -> Block {
        self.rewrite_expr(&mut cond);
        let ty = match mode {
            Mode::Tail => self.types.output.clone(),
            Mode::Unit(_) => Type::Unit,
        };
        // Where an arm always exits, the rest belongs to the other one.
        let (then_ends, other_ends) = (always_block(&then), always_block(&other));
        if then_ends || other_ends || rest.is_empty() {
            let nothing = Rest::value(None, span);
            let (after_then, after_other) = if then_ends {
                (nothing, rest)
            } else if other_ends {
                (rest, nothing)
            } else {
                (nothing, Rest::value(None, span))
            };
            let then = self.arm(then, after_then, mode);
            let other = self.arm(other, after_other, mode);
            let branch = self.branch(cond, then, other, ty, span);
            return ending(branch, mode, span);
        }
        let unit = Mode::Unit(Vec::new());
        let (then, other) = (self.block(then, &unit), self.block(other, &unit));
        let branch = self.branch(cond, then, other, Type::Unit, span);
        self.guarded(vec![Stmt::Expr(branch)], exits, false, rest, mode)
    }

    /// The statements of an arm, whose value nobody wants, and then the rest.
    fn arm(&mut self, arm: Block, rest: Rest, mode: &Mode) -> Block {
        let mut stmts = arm.stmts;
        stmts.extend(arm.value.map(|value| Stmt::Expr(*value)));
        self.rest(rest.after(stmts), mode)
    }

    /// `let pattern = init;` with the exits that leave `init`.
    pub(super) fn leaving_let(
        &mut self,
        stmt: Box<Let>,
        exits: &[Exit],
        rest: Rest,
        mode: &Mode,
    ) -> Block {
        let Let {
            pat,
            ty,
            init,
            span,
        } = *stmt;
        let Some(init) = init else {
            return self.rest(rest, mode);
        };
        let bind = |value: Expr| {
            let (pat, ty) = (pat.clone(), ty.clone());
            Stmt::Let(Box::new(Let {
                pat,
                ty,
                init: Some(value),
                span,
            }))
        };
        if always(&init) {
            return self.leaving_statement(init, exits, rest, mode);
        }
        let init_ty = self.types.expr(init.id).clone();
        match init.kind {
            ExprKind::If {
                cond,
                then,
                other: Some(other),
            } if leaving(&cond).is_empty() && (always_block(&then) || always_block(&other)) => {
                // The binding moves to where the value is computed.
                let moved = |arm: Block| match (always_block(&arm), arm.value) {
                    (false, Some(value)) => {
                        let mut stmts = arm.stmts;
                        stmts.push(bind(*value));
                        Block::statements(stmts, arm.span)
                    }
                    (_, value) => Block {
                        stmts: arm.stmts,
                        value,
                        span: arm.span,
                    },
                };
                let (then, other) = (moved(then), moved(other));
                self.leaving_if(*cond, then, other, exits, rest, mode, span)
            }
            ExprKind::Block(block, None) if !self.ends_guards(&block) => {
                let mut stmts = block.stmts;
                stmts.extend(block.value.map(|value| bind(*value)));
                self.rest(rest.after(stmts), mode)
            }
            ExprKind::If { .. } | ExprKind::Block(..) | ExprKind::Loop { .. } => {
                let init_span = init.span;
                let sink = self.sink(&init_ty, "value", init_span);
                let mut stmts = self.declare_sink(&sink, init_span);
                let target = sink.place(self, init_span);
                stmts.extend(self.deliver(init, Some(target), &[]));
                let value = sink.read(self, init_span);
                let rest = rest.after(vec![bind(value)]);
                self.guarded(stmts, exits, false, rest, mode)
            }
            _ => {
                let mut stmts = Vec::new();
                let init = self.hoist(init, &mut stmts);
                stmts.push(bind(init));
                self.rest(rest.after(stmts), mode)
            }
        }
    }

    /// The value of a block where the function ends.
    pub(super) fn tail_value(&mut self, value: Expr, span: Span) -> Block {
        let exits = leaving(&value);
        let nothing = Rest::value(None, span);
        match value.kind {
            ExprKind::If {
                cond,
                then,
                other: Some(other),
            } if leaving(&cond).is_empty() => {
                let mut cond = *cond;
                self.rewrite_expr(&mut cond);
                let then = self.block(then, &Mode::Tail);
                let other = self.block(other, &Mode::Tail);
                let ty = self.types.output.clone();
                let branch = self.branch(cond, then, other, ty, span);
                Block::with_value(Vec::new(), branch, span)
            }
            ExprKind::Block(block, None) => self.block(block, &Mode::Tail),
            ExprKind::Return(_) => self.leave(value, &Mode::Tail),
            _ if always(&value) || matches!(self.types.expr(value.id), Type::Unit) => {
                self.leaving_statement(value, &exits, nothing, &Mode::Tail)
            }
            ExprKind::Loop { .. } | ExprKind::Block(..) | ExprKind::If { .. } => {
                let ty = self.types.expr(value.id).clone();
                let sink = self.sink(&ty, "value", span);
                let mut stmts = self.declare_sink(&sink, span);
                let target = sink.place(self, span);
                stmts.extend(self.deliver(value, Some(target), &[]));
                let value = Some(sink.read(self, span));
                let rest = Rest::value(value, span);
                self.guarded(stmts, &exits, false, rest, &Mode::Tail)
            }
            _ => {
                let mut stmts = Vec::new();
                let value = Some(self.hoist(value, &mut stmts));
                self.statements(stmts, value, &Mode::Tail, span)
            }
        }
    }

    /// `stmts`, by which control may leave through `exits`, and the rest if it didn't.
    fn guarded(
        &mut self,
        mut stmts: Vec<Stmt>,
        exits: &[Exit],
        ended: bool,
        rest: Rest,
        mode: &Mode,
    ) -> Block {
        let span = rest.span;
        if ended {
            let value = self.result_value(mode, span).map(Box::new);
            return Block { stmts, value, span };
        }
        let exits_matter = !rest.is_empty() || matches!(mode, Mode::Tail);
        let rest = self.rest(rest, mode);
        let Some(cond) = self.flags(exits, span).filter(|_| exits_matter) else {
            stmts.extend(rest.stmts);
            return Block {
                stmts,
                value: rest.value,
                span,
            };
        };
        if rest.stmts.is_empty() && rest.value.is_none() {
            return Block::statements(stmts, span);
        }
        let value = self.result_value(mode, span).map(Box::new);
        let ty = match mode {
            Mode::Tail => self.types.output.clone(),
            Mode::Unit(_) => Type::Unit,
        };
        let left = Block {
            stmts: Vec::new(),
            value,
            span,
        };
        let branch = self.branch(cond, left, rest, ty, span);
        let end = ending(branch, mode, span);
        stmts.extend(end.stmts);
        Block {
            stmts,
            value: end.value,
            span,
        }
    }

    /// The function's result where a `return` has been taken.
    fn result_value(&mut self, mode: &Mode, span: Span) -> Option<Expr> {
        if !matches!(mode, Mode::Tail) || matches!(self.types.output, Type::Unit) {
            return None;
        }
        self.result.clone().map(|result| result.read(self, span))
    }

    /// A condition that is true if one of `exits` has been taken.
    fn flags(&mut self, exits: &[Exit], span: Span) -> Option<Expr> {
        let mut flags = Vec::new();
        match self.frames.last() {
            None => flags.extend(self.returned),
            Some(frame) => {
                let own = Exit::Continue(frame.scope);
                if exits.iter().any(|exit| *exit != own) {
                    flags.extend(frame.stop);
                }
                if exits.contains(&own) {
                    flags.extend(frame.again);
                }
            }
        }
        let mut cond = None;
        for flag in flags {
            let flag = self.read(flag, span);
            cond = Some(match cond {
                None => flag,
                Some(cond) => {
                    let kind = ExprKind::Logic(Logic::Or, Box::new(cond), Box::new(flag));
                    self.node(kind, Type::Bool, span)
                }
            });
        }
        cond
    }

    /// A variable for an expression, and the statement that binds it.
    pub(super) fn bound(&mut self, expr: Expr, name: &str) -> (Stmt, Expr) {
        let (ty, span) = (self.types.expr(expr.id).clone(), expr.span);
        let var = self.variable(name, ty, span);
        let pat = Pat::name(var);
        let stmt = Stmt::bind(pat, expr, span);
        (stmt, self.read(var, span))
    }

    /// A statement of which an operand leaves.
    fn hoisted(&mut self, expr: Expr, rest: Rest, mode: &Mode) -> Block {
        let mut stmts = Vec::new();
        let expr = self.hoist(expr, &mut stmts);
        stmts.push(Stmt::Expr(expr));
        self.rest(rest.after(stmts), mode)
    }
}

/// A block that ends with this expression.
fn ending(expr: Expr, mode: &Mode, span: Span) -> Block {
    match mode {
        Mode::Tail => Block::with_value(Vec::new(), expr, span),
        Mode::Unit(_) => Block::statements(vec![Stmt::Expr(expr)], span),
    }
}

//! `break`, `continue` and `return` become values, so that later stages only handle `if` and loops that run from the
//! first statement of their body to the last.
//!
//! Where one arm of an `if` always exits, the rest of the block moves into the other arm:
//!
//! ```text
//! Input:  if n == 0 { return 1.0; } rest
//! Output: if n == 0 { 1.0 } else { rest }
//! ```
//!
//! Otherwise an exit sets a flag of each loop that it leaves, and the rest of the block is guarded by it:
//!
//! ```text
//! Input:  for i in r { if a { if b { break; } s } t } u
//! Output: for i in r { let stop = false; if a { if b { stop = true; } else { s } } if stop {} else { t } } u
//! ```
//!
//! The value of a `return` or `break` goes through a variable, unless the exit stands where the function or block ends
//! anyway. The variables of the output are `let`s and assignments like the user's own.
//!
//! Invariants of the output: no `Break`, `Continue`, `Return`; a `For` or `Loop` that may end early names its flag.
//!
//! So reversal has no case for early exits, and the exit that was taken is an ordinary residual. The price: rustc doesn't see that a loop
//! is left, so values that are moved there are cloned (`transform/exits.rs`). A result that leaves a loop goes through an `Option`, which
//! is read by `replace(&mut option, None)`: the option ends as `None` on every path, so its cotangent has one shape, and nothing is cloned
//! (`sink.rs`).

mod hoist;
mod late;
mod leave;
mod rest;
mod sink;

use std::collections::HashMap;

use proc_macro2::Span;

use super::hir_builder::HirBuilder;
use crate::diagnostics::Errors;
use crate::hir::{Block, Expr, ExprKind, Func, Pat, Scope, Stmt, Var};
use crate::types::{Type, Types};
use leave::{Exit, leaving};
use sink::Sink;

/// Rewrites the body of `func`.
pub(super) fn rewrite(func: &mut Func, types: &mut Types, errors: &mut Errors) {
    late::rewrite(func, types);
    let span = func.name.span();
    let body = func.take_body();
    let mut rewriter = Rewriter {
        func,
        types,
        errors,
        frames: Vec::new(),
        returned: None,
        result: None,
        maybe: HashMap::new(),
    };
    let mut body = rewriter.block(body, &Mode::Tail);
    // The variables for a `return` are declared at the beginning.
    let mut stmts = Vec::new();
    if let Some(flag) = rewriter.returned {
        stmts.push(rewriter.declare_flag(flag, span));
    }
    if let Some(result) = rewriter.result.take() {
        stmts.extend(rewriter.declare_sink(&result, span));
    }
    stmts.append(&mut body.stmts);
    func.body = Block { stmts, ..body };
}

/// Where a block stands.
#[derive(Clone, Debug)]
enum Mode {
    /// Where the function ends with it: its value is the function's.
    Tail,
    /// Its value is dropped. Running to its end is the same as leaving or continuing these.
    Unit(Vec<Scope>),
}

/// A loop or labelled block around the current point.
struct Frame {
    scope: Scope,
    /// Set when control leaves it before its end.
    stop: Option<Var>,
    /// Set when control goes on with the next iteration.
    again: Option<Var>,
    /// Where a `break`'s value goes.
    value: Option<Expr>,
    /// A labelled block.
    is_block: bool,
}

struct Rewriter<'a> {
    func: &'a mut Func,
    types: &'a mut Types,
    errors: &'a mut Errors,
    frames: Vec<Frame>,
    returned: Option<Var>,
    result: Option<Sink>,
    /// Sinks that are options, and the type of their payload.
    maybe: HashMap<Var, Type>,
}

impl Rewriter<'_> {
    // ---- Making expressions. -------------------------------------------------------------------------------------

    fn make(&mut self) -> HirBuilder<'_> {
        HirBuilder {
            func: self.func,
            types: self.types,
        }
    }

    fn node(&mut self, kind: ExprKind, ty: Type, span: Span) -> Expr {
        self.make().node(kind, ty, span)
    }

    fn variable(&mut self, name: &str, ty: Type, span: Span) -> Var {
        self.make().variable(name, ty, true, span)
    }

    fn read(&mut self, var: Var, span: Span) -> Expr {
        self.make().read(var, span)
    }

    fn declare_flag(&mut self, flag: Var, span: Span) -> Stmt {
        let init = self.node(ExprKind::Bool(false), Type::Bool, span);
        let pat = Pat::name(flag);
        Stmt::bind(pat, init, span)
    }

    fn branch(&mut self, cond: Expr, then: Block, other: Block, ty: Type, span: Span) -> Expr {
        let kind = ExprKind::branch(cond, then, Some(other));
        self.node(kind, ty, span)
    }

    // ---- Blocks. -------------------------------------------------------------------------------------------------

    fn block(&mut self, block: Block, mode: &Mode) -> Block {
        let mut stmts = block.stmts;
        let mut value = block.value;
        if let Mode::Unit(_) = mode {
            stmts.extend(value.take().map(|value| Stmt::Expr(*value)));
        }
        self.statements(stmts, value.map(|value| *value), mode, block.span)
    }

    /// Rewrites statements up to the first that control may leave, which takes care of those after it.
    fn statements(
        &mut self,
        stmts: Vec<Stmt>,
        value: Option<Expr>,
        mode: &Mode,
        span: Span,
    ) -> Block {
        let mut done = Vec::new();
        let mut stmts = stmts.into_iter();
        while let Some(mut stmt) = stmts.next() {
            let exits = match &stmt {
                Stmt::Expr(expr) => leaving(expr),
                Stmt::Let(stmt) => stmt.init.as_ref().map(leaving).unwrap_or_default(),
            };
            if exits.is_empty() {
                match &mut stmt {
                    Stmt::Expr(expr) => self.rewrite_expr(expr),
                    Stmt::Let(stmt) => stmt
                        .init
                        .iter_mut()
                        .for_each(|init| self.rewrite_expr(init)),
                }
                done.push(stmt);
                continue;
            }
            let rest = rest::Rest {
                stmts: stmts.collect(),
                value,
                span,
            };
            let after = match stmt {
                Stmt::Expr(expr) => self.leaving_statement(expr, &exits, rest, mode),
                Stmt::Let(stmt) => self.leaving_let(stmt, &exits, rest, mode),
            };
            done.extend(after.stmts);
            return Block {
                stmts: done,
                value: after.value,
                span,
            };
        }
        let Some(mut value) = value else {
            return Block::statements(done, span);
        };
        if leaving(&value).is_empty() {
            self.rewrite_expr(&mut value);
            return Block::with_value(done, value, span);
        }
        let after = self.tail_value(value, span);
        done.extend(after.stmts);
        Block {
            stmts: done,
            value: after.value,
            span,
        }
    }

    /// Rewrites the loops in an expression that control doesn't leave.
    fn rewrite_expr(&mut self, expr: &mut Expr) {
        match &expr.kind {
            ExprKind::For { .. } | ExprKind::Loop { .. } => {
                let ty = self.types.expr(expr.id).clone();
                if matches!(ty, Type::Unit | Type::Never) {
                    let (rewritten, ..) = self.rewrite_loop(expr.clone(), None);
                    *expr = rewritten;
                } else {
                    self.valued(expr, ty);
                }
            }
            ExprKind::Block(_, Some(_)) => {
                let ty = self.types.expr(expr.id).clone();
                self.valued(expr, ty);
            }
            ExprKind::Block(block, None) => {
                let block = self.plain_block(block.clone());
                expr.kind = ExprKind::Block(block, None);
            }
            _ => self.inside_parts(expr),
        }
    }

    fn inside_parts(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::If { cond, then, other } => {
                self.rewrite_expr(cond);
                *then = self.plain_block(then.clone());
                if let Some(other) = other {
                    *other = self.plain_block(other.clone());
                }
            }
            _ => expr.each_child_mut(&mut |child| self.rewrite_expr(child)),
        }
    }

    /// A block that control doesn't leave.
    fn plain_block(&mut self, mut block: Block) -> Block {
        block.each_expr_mut(&mut |expr| self.rewrite_expr(expr));
        block
    }

    /// `loop` and labelled blocks with a value, where control doesn't leave for anywhere else.
    fn valued(&mut self, expr: &mut Expr, ty: Type) {
        let span = expr.span;
        let sink = self.sink(&ty, "value", span);
        let mut stmts = self.declare_sink(&sink, span);
        let target = sink.place(self, span);
        stmts.extend(self.deliver(expr.clone(), Some(target), &[]));
        let value = Some(Box::new(sink.read(self, span)));
        let block = Block { stmts, value, span };
        *expr = self.node(ExprKind::Block(block, None), ty, span);
    }

    // ---- Loops. --------------------------------------------------------------------------------------------------

    /// A loop whose body has no exits left; `value` is where the values of its `break`s go.
    fn rewrite_loop(&mut self, expr: Expr, value: Option<Expr>) -> (Expr, Vec<Exit>) {
        let exits = leaving(&expr);
        let span = expr.span;
        let kind = match expr.kind {
            ExprKind::For {
                scope,
                pat,
                mut head,
                body,
                ..
            } => {
                head.each_expr_mut(&mut |e| self.rewrite_expr(e));
                let (body, stop) = self.loop_body(scope, body, value);
                ExprKind::For {
                    scope,
                    pat,
                    head,
                    body,
                    stop,
                }
            }
            ExprKind::Loop {
                scope,
                body,
                is_while,
                ..
            } => {
                let (body, stop) = self.loop_body(scope, body, value);
                ExprKind::Loop {
                    scope,
                    body,
                    stop,
                    is_while,
                }
            }
            other => other,
        };
        let ends = match &kind {
            ExprKind::Loop { stop, .. } => stop.is_some(),
            _ => true,
        };
        let ty = if ends { Type::Unit } else { Type::Never };
        let mut rewritten = self.node(kind, ty, span);
        // Its source still has the exits.
        rewritten.source = expr.source.filter(|_| exits.is_empty());
        (rewritten, exits)
    }

    fn loop_body(
        &mut self,
        scope: Scope,
        body: Block,
        value: Option<Expr>,
    ) -> (Block, Option<Var>) {
        let span = body.span;
        self.frames.push(Frame {
            scope,
            stop: None,
            again: None,
            value,
            is_block: false,
        });
        let body = self.block(body, &Mode::Unit(vec![scope]));
        let Some(frame) = self.frames.pop() else {
            crate::diagnostics::bug!("a loop without a frame")
        };
        let flags = frame.stop.into_iter().chain(frame.again);
        let mut stmts: Vec<Stmt> = flags.map(|flag| self.declare_flag(flag, span)).collect();
        stmts.extend(body.stmts);
        (Block { stmts, ..body }, frame.stop)
    }
}

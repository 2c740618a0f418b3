//! Variables that a value goes through on its way out.

use proc_macro2::Span;

use super::super::branch::guards;
use super::super::maps::some;
use super::Rewriter;
use crate::hir::{Block, Expr, ExprKind, Let, Pat, Stmt, Var};
use crate::types::Type;

/// One variable for a scalar or a reference; for a tuple of scalars, one for each component; for anything else, an `Option` that is
/// `None` until the value is there.
#[derive(Clone, Debug)]
pub(super) struct Sink {
    vars: Vec<Var>,
    tuple: Option<Type>,
}

impl Sink {
    /// The variables, to be assigned.
    pub(super) fn place(&self, rewriter: &mut Rewriter<'_>, span: Span) -> Expr {
        let mut parts: Vec<Expr> = self
            .vars
            .iter()
            .map(|var| rewriter.read(*var, span))
            .collect();
        match (&self.tuple, parts.pop()) {
            (None, Some(only)) => only,
            (Some(ty), last) => {
                parts.extend(last);
                rewriter.node(ExprKind::Tuple(parts), ty.clone(), span)
            }
            (None, None) => rewriter.node(ExprKind::Unit, Type::Unit, span),
        }
    }
}

impl Sink {
    /// Reads the value that has been assigned.
    pub(super) fn read(&self, rewriter: &mut Rewriter<'_>, span: Span) -> Expr {
        let [var] = self.vars[..] else {
            return self.place(rewriter, span);
        };
        let Some(ty) = rewriter.maybe.get(&var).cloned() else {
            return self.place(rewriter, span);
        };
        // Input:  sink
        // Output: { let Some(value) = replace(&mut sink, None); value }
        let value = rewriter.variable("value", ty.clone(), span);
        let pat = Pat::Variant {
            path: some(),
            fields: vec![(syn::Member::from(0), Pat::name(value))],
        };
        let taken = rewriter.taken(var, span);
        let block = Block::with_value(
            vec![Stmt::bind(pat, taken, span)],
            rewriter.read(value, span),
            span,
        );
        rewriter.node(ExprKind::Block(block, None), ty, span)
    }
}

impl Rewriter<'_> {
    /// `replace(&mut option, None)`: the option keeps its variant on every way through the function, and so the shape of its cotangent.
    fn taken(&mut self, option: Var, span: Span) -> Expr {
        let place = self.read(option, span);
        let ty = self.types.var(option).clone();
        let reference = Type::Ref(true, ty.clone().into());
        let none = self.none(ty.clone(), span);
        let place = self.node(ExprKind::Ref(true, Box::new(place)), reference, span);
        let kind = ExprKind::Call {
            path: syn::parse_quote!(::core::mem::replace),
            args: vec![place, none],
        };
        self.node(kind, ty, span)
    }

    fn none(&mut self, ty: Type, span: Span) -> Expr {
        let path = syn::parse_quote!(::core::option::Option::None);
        self.node(ExprKind::Path(path), ty, span)
    }

    /// `place = value;`, where the place may be a sink.
    pub(super) fn assign(&mut self, place: Expr, value: Expr, span: Span) -> Stmt {
        // It has no value: it is there for its effects.
        if matches!(place.kind, ExprKind::Unit) {
            return Stmt::Expr(value);
        }
        let maybe = match place.kind {
            ExprKind::Var(var) => self.maybe.contains_key(&var),
            _ => false,
        };
        let value = if maybe {
            let ty = self.types.expr(place.id).clone();
            self.node(ExprKind::variant(some(), value), ty, span)
        } else {
            value
        };
        let kind = ExprKind::Assign(Box::new(place), Box::new(value));
        Stmt::Expr(self.node(kind, Type::Unit, span))
    }

    /// Variables for a value of type `ty`.
    pub(super) fn sink(&mut self, ty: &Type, name: &str, span: Span) -> Sink {
        let (vars, tuple) = match ty {
            Type::Tuple(types) if types.iter().all(Type::is_scalar) => {
                let vars = types.iter().map(|ty| self.variable(name, ty.clone(), span));
                (vars.collect(), Some(ty.clone()))
            }
            Type::Unit | Type::Never => (Vec::new(), None),
            ty if ty.is_scalar() || matches!(ty, Type::Ref(..)) => {
                (vec![self.variable(name, ty.clone(), span)], None)
            }
            ty => {
                let var = self.variable(name, Type::Option(ty.clone().into()), span);
                self.maybe.insert(var, ty.clone());
                (vec![var], None)
            }
        };
        Sink { vars, tuple }
    }

    pub(super) fn declare_sink(&mut self, sink: &Sink, span: Span) -> Vec<Stmt> {
        let vars = sink.vars.iter();
        vars.map(|var| {
            let ty = self.types.var(*var).clone();
            let pat = Pat::name(*var);
            if matches!(ty, Type::Ref(..)) {
                // A name leads nowhere until it is assigned.
                return Stmt::Let(Box::new(Let {
                    pat,
                    ty: None,
                    init: None,
                    span,
                }));
            }
            let init = if self.maybe.contains_key(var) {
                self.none(ty, span)
            } else {
                self.node(ExprKind::Undef, ty, span)
            };
            Stmt::bind(pat, init, span)
        })
        .collect()
    }

    /// `target = expr;`, where control may leave `expr`: the assignment moves to where a value is computed.
    pub(super) fn deliver(
        &mut self,
        expr: Expr,
        target: Option<Expr>,
        ends: &[crate::hir::Scope],
    ) -> Vec<Stmt> {
        use super::Mode;
        use super::leave::leaving;

        let span = expr.span;
        let mode = Mode::Unit(ends.to_vec());
        match expr.kind {
            ExprKind::If { cond, then, other } if !leaving(&cond).is_empty() => {
                let ty = self.types.expr(expr.id).clone();
                let (first, cond) = self.bound(*cond, "cond");
                let kind = ExprKind::branch(cond, then, other);
                let branch = self.node(kind, ty, span);
                let second = match target {
                    Some(target) => self.assign(target, branch, span),
                    None => Stmt::Expr(branch),
                };
                self.statements(vec![first, second], None, &mode, span)
                    .stmts
            }
            ExprKind::If { cond, then, other } => {
                let then = self.deliver_block(then, target.clone(), &mode);
                let other = match other {
                    Some(other) => self.deliver_block(other, target, &mode),
                    None => Block::statements(Vec::new(), span),
                };
                let mut cond = *cond;
                self.rewrite_expr(&mut cond);
                vec![Stmt::Expr(self.branch(cond, then, other, Type::Unit, span))]
            }
            ExprKind::Block(block, None) => {
                let whole = self.ends_guards(&block);
                let body = self.deliver_block(block, target, &mode);
                self.dissolved(body, whole)
            }
            ExprKind::Block(block, Some(scope)) => {
                let whole = self.ends_guards(&block);
                let value = target.clone();
                let (stop, again) = (None, None);
                self.frames.push(super::Frame {
                    scope,
                    stop,
                    again,
                    value,
                    is_block: true,
                });
                let body = self.deliver_block(block, target, &Mode::Unit(vec![scope]));
                let stop = self.frames.pop().and_then(|frame| frame.stop);
                let mut stmts: Vec<Stmt> = stop
                    .into_iter()
                    .map(|flag| self.declare_flag(flag, span))
                    .collect();
                stmts.extend(self.dissolved(body, whole));
                stmts
            }
            ExprKind::Loop { .. } | ExprKind::For { .. } => {
                vec![Stmt::Expr(self.rewrite_loop(expr, target).0)]
            }
            ExprKind::Return(_) | ExprKind::Break(..) | ExprKind::Continue(_) => {
                self.exit(expr, ends)
            }
            _ => {
                let exits = !leaving(&expr).is_empty();
                let stmt = match target {
                    Some(target) => self.assign(target, expr, span),
                    None => Stmt::Expr(expr),
                };
                if exits {
                    // An operand leaves: the statement's own rewriting hoists it.
                    return self.statements(vec![stmt], None, &mode, span).stmts;
                }
                vec![self.finished(stmt)]
            }
        }
    }

    /// True if something has to end where this block ends.
    pub(super) fn ends_guards(&self, block: &Block) -> bool {
        guards(block, self.func, self.types).next().is_some()
    }

    /// The statements of a block, or the block as a whole.
    fn dissolved(&mut self, block: Block, whole: bool) -> Vec<Stmt> {
        if !whole {
            return block.stmts;
        }
        let span = block.span;
        vec![Stmt::Expr(self.node(
            ExprKind::Block(block, None),
            Type::Unit,
            span,
        ))]
    }

    fn finished(&mut self, mut stmt: Stmt) -> Stmt {
        if let Stmt::Expr(expr) = &mut stmt {
            self.rewrite_expr(expr);
        }
        stmt
    }

    fn deliver_block(
        &mut self,
        block: super::Block,
        target: Option<Expr>,
        mode: &super::Mode,
    ) -> super::Block {
        let (mut stmts, span) = (block.stmts, block.span);
        if let Some(value) = block.value {
            let never = matches!(self.types.expr(value.id), Type::Never);
            stmts.push(match target {
                Some(target) if !never => self.assign(target, *value, span),
                _ => Stmt::Expr(*value),
            });
        }
        self.statements(stmts, None, mode, span)
    }
}

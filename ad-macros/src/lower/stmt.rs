//! Blocks and `let`.

use quote::quote;

use super::builder::{Binding, Failed, Flow, Lowered, Lowerer};
use super::storage::Storage;
use crate::hir::{Block, Expr, ExprKind, Let, Pat, Stmt, Var};
use crate::ir::{Const, OpKind, SlotKind, Use};
use crate::std_model::{UNWRAPS, does};
use crate::types::Type;

impl Lowerer<'_> {
    /// The statements of a block and its value. An error in one statement doesn't hide those in the next.
    pub(super) fn block(&mut self, block: &Block) -> Lowered<Flow> {
        let ran = self.statements(&block.stmts);
        if let Ok(Flow::Never) = ran {
            return Ok(Flow::Never);
        }
        let flow = match &block.value {
            Some(value) if matches!(self.ty(value), Type::Unit | Type::Never) => {
                self.dropped(value)?
            }
            Some(value) => Flow::Value(self.value(value)?),
            None => Flow::Unit,
        };
        ran.map(|_| flow)
    }

    /// Statements, all of them even if one has an error.
    pub(super) fn statements(&mut self, stmts: &[Stmt]) -> Lowered<Flow> {
        let mut failed = false;
        for stmt in stmts {
            let flow = match stmt {
                Stmt::Let(stmt) => self.let_stmt(stmt),
                Stmt::Expr(expr) => self.dropped(expr),
            };
            match flow {
                Ok(Flow::Never) => return Ok(Flow::Never),
                Ok(_) => {}
                Err(Failed) => failed = true,
            }
        }
        if failed { Err(Failed) } else { Ok(Flow::Unit) }
    }

    fn called_for_effect(&mut self, expr: &Expr) -> Lowered<Flow> {
        let outer = (self.dropped, self.statement);
        (self.dropped, self.statement) = (Some(effect_of(expr).id), Some(expr.id));
        let flow = self.flow(expr);
        (self.dropped, self.statement) = outer;
        flow
    }

    /// An expression whose value nobody wants.
    fn dropped(&mut self, expr: &Expr) -> Lowered<Flow> {
        match &expr.kind {
            // A place is not read.
            ExprKind::Var(_) => Ok(Flow::Unit),
            _ => match self.called_for_effect(expr)? {
                Flow::Never => Ok(Flow::Never),
                _ => Ok(Flow::Unit),
            },
        }
    }

    fn let_stmt(&mut self, stmt: &Let) -> Lowered<Flow> {
        let flow = self.reject_guard(stmt);
        let flow = flow.and_then(|()| self.initialised(stmt));
        if flow.is_err() {
            stmt.pat
                .each_var(&mut |var| self.bind(var, Binding::Failed));
        }
        flow
    }

    fn initialised(&mut self, stmt: &Let) -> Lowered<Flow> {
        let Some(init) = &stmt.init else {
            self.uninitialised(stmt);
            return Ok(Flow::Unit);
        };
        if matches!(self.ty(init), Type::Never) {
            self.flow(init)?;
            return Ok(Flow::Never);
        }
        if matches!(self.ty(init), Type::Deferred | Type::Inactive(_))
            && self.is_free(init)
            && self.guarded(stmt, init)?
        {
            return Ok(Flow::Unit);
        }
        if matches!(stmt.pat, Pat::Wild) && matches!(init.kind, ExprKind::Method { .. }) {
            self.called_for_effect(init)?;
            return Ok(Flow::Unit);
        }
        match (&stmt.pat, &init.kind) {
            // `let (a, b) = (x, y);`: all is evaluated before anything is bound.
            (Pat::Tuple { elems, rest: None }, ExprKind::Tuple(inits))
                if elems.len() == inits.len() =>
            {
                self.bind_each(elems, inits)?;
            }
            (pat, _) => self.bind_expr(pat, init)?,
        }
        Ok(Flow::Unit)
    }

    /// A constant that may only exist for its `Drop`: `let _ = f();` drops it at once,
    /// `let _guard = Guard(3);` where the block ends.
    fn guarded(&mut self, stmt: &Let, init: &Expr) -> Lowered<bool> {
        let made = matches!(init.kind, ExprKind::Struct { .. });
        let named = match stmt.pat {
            Pat::Wild if made || matches!(init.kind, ExprKind::Call { .. }) => None,
            Pat::Bind { var, by_ref: None } if made && self.is_unread(var) => Some(var),
            _ => return Ok(false),
        };
        let Flow::Value(value) = self.opaque(init)? else {
            return Ok(true);
        };
        if let Some(var) = named {
            self.own(var, value);
        } else {
            let ident = self.private("dropped");
            let kind = OpKind::code(
                quote!({ let #ident = #ident; }),
                vec![Use::Value(ident, value)],
            );
            self.effect(kind, stmt.span);
        }
        Ok(true)
    }

    /// True if a variable's name says that nothing reads it.
    fn is_unread(&self, var: Var) -> bool {
        let data = self.hir.var(var);
        !data.synthetic && data.ident.to_string().starts_with('_')
    }

    /// `let y;`.
    fn uninitialised(&mut self, stmt: &Let) {
        let depth = self.depth;
        stmt.pat.each_var(&mut |var| {
            let ty = self.types.var(var).clone();
            let binding = match self.storage[var.0 as usize] {
                Storage::Value if ty.is_scalar() => {
                    let span = stmt.span;
                    let value = self.constant(Const::Undef, ty.lower(), span);
                    self.call_it(value, var, 0);
                    Binding::Value(value)
                }
                _ => Binding::Late { depth },
            };
            self.bind(var, binding);
        });
    }

    /// A slot for a variable, or the alias that `let name = &place[a..b]` makes.
    pub(super) fn own(&mut self, var: crate::hir::Var, value: crate::ir::Value) {
        let ty = self.out.ty(value).clone();
        let slot = self.variable_slot(var, ty, SlotKind::Owned);
        let span = self.hir.var(var).ident.span();
        self.effect(crate::ir::OpKind::Init(slot, value), span);
        let place = crate::ir::Place::whole(slot);
        self.bind(var, Binding::memory(place));
    }
}

/// The call whose value nobody wants, apart from whether it went well: `tx.send(x)` of `tx.send(x).unwrap();`.
fn effect_of(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Method { receiver, name, .. }
            if does(&name.to_string(), UNWRAPS)
                && matches!(receiver.kind, ExprKind::Method { .. }) =>
        {
            receiver
        }
        _ => expr,
    }
}

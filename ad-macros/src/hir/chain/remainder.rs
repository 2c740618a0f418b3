//! The remainder of exact chunks: a slice that is named where the chunks are.
//!
//! ```text
//! Input:  let chunks = x.chunks_exact(n); .. chunks.remainder() ..
//! Output: let rest = &x[x.len() / n * n..]; .. rest ..
//! ```

use proc_macro2::Span;

use super::Chain;
use crate::hir::parse::Parser;
use crate::hir::{Chunks, Expr, ExprKind, Iterable, Pat, Stmt, Var, build};
use crate::ir::BinaryOp;

impl Parser {
    /// Names the remainder of a chain of exact chunks.
    pub(super) fn leave_over(
        &mut self,
        chain: &Chain,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Var> {
        let Chain::Source(Iterable::Chunks {
            of,
            size,
            kind: Chunks::Exact,
            mutable: false,
        }) = chain
        else {
            return None;
        };
        let len = self.method_of((**of).clone(), "len");
        let chunks = self.binary_of(BinaryOp::Div, len, (**size).clone());
        let lo = self.binary_of(BinaryOp::Mul, chunks, (**size).clone());
        let range = ExprKind::Range {
            lo: Some(Box::new(lo)),
            hi: None,
            inclusive: false,
        };
        let range = self.node(range, span);
        let rest = ExprKind::Index(of.clone(), Box::new(range));
        let rest = self.node(rest, span);
        let rest = self.borrow(rest);
        let var = self.temporary("rest", span);
        stmts.push(build::typed(Pat::name(var), None, rest));
        self.droppable.insert(var);
        Some(var)
    }

    /// `chunks.remainder()`
    pub(super) fn remainder(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if call.method != "remainder" || !call.args.is_empty() {
            return None;
        }
        let chunks = self.variable_named(&call.receiver)?;
        let rest = *self.remainders.get(&chunks)?;
        self.named += 1;
        Some(self.read(rest, call.method.span()))
    }
}

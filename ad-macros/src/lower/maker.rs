//! Expressions and variables of known type, for what is rewritten before it is lowered.

use proc_macro2::{Ident, Span};

use crate::hir::{Block, Expr, ExprKind, Func, Pat, Stmt, Var};
use crate::types::{Type, Types};

pub(super) struct Maker<'a> {
    pub(super) func: &'a mut Func,
    pub(super) types: &'a mut Types,
}

impl Maker<'_> {
    pub(super) fn node(&mut self, kind: ExprKind, ty: Type, span: Span) -> Expr {
        let id = self.types.new_expr(ty);
        let source = None;
        Expr {
            id,
            kind,
            span,
            source,
        }
    }

    pub(super) fn unit(&mut self, span: Span) -> Expr {
        self.node(ExprKind::Unit, Type::Unit, span)
    }

    pub(super) fn variable(&mut self, name: &str, ty: Type, mutable: bool, span: Span) -> Var {
        self.types.new_var(ty);
        self.func.new_var(name, span, mutable)
    }

    pub(super) fn read(&mut self, var: Var, span: Span) -> Expr {
        let ty = self.types.var(var).clone();
        self.node(ExprKind::Var(var), ty, span)
    }

    /// `receiver.name(args)`.
    pub(super) fn method(
        &mut self,
        receiver: Expr,
        name: &str,
        args: Vec<Expr>,
        ty: Type,
        span: Span,
    ) -> Expr {
        let kind = ExprKind::Method {
            receiver: Box::new(receiver),
            name: Ident::new(name, span.resolved_at(Span::mixed_site())),
            turbofish: None,
            args,
        };
        self.node(kind, ty, span)
    }

    /// Of a reference, a copy of what is behind it.
    pub(super) fn owned(&mut self, item: Expr) -> Expr {
        let ty = self.types.expr(item.id);
        if !matches!(ty, Type::Ref(false, _)) {
            return item;
        }
        let (ty, span) = (ty.peeled().clone(), item.span);
        self.method(item, "clone", Vec::new(), ty, span)
    }
}

/// `Some(pat)`, or another variant that has one field.
pub(super) fn variant(path: syn::Path, pat: Pat) -> Pat {
    let fields = vec![(syn::Member::from(0), pat)];
    Pat::Variant { path, fields }
}

/// A block without a value.
pub(super) fn statements(stmts: Vec<Stmt>, span: Span) -> Block {
    let value = None;
    Block { stmts, value, span }
}

//! Loops over an `Option` or a `Result`, which has one item or none.
//!
//! ```text
//! Input:  for pat in option { body }
//! Output: { let subject = option; if subject is Some { let Some(pat) = subject; body } }
//! ```

use proc_macro2::Span;

use super::hir_builder::{HirBuilder, variant};
use crate::hir::{Block, Elements, Expr, ExprKind, Iterable, Pat, Scope, Stmt};
use crate::types::{Type, Types};

/// Returns `true` if a loop over `head` has one item or none.
pub(super) fn is_option(head: &Iterable, types: &Types) -> bool {
    match head {
        Iterable::Elements { of, .. } | Iterable::Unknown(of) => {
            matches!(
                types.expr(of.id).peeled(),
                Type::Option(_) | Type::Result(..)
            )
        }
        _ => false,
    }
}

pub(super) fn rewrite(expr: &mut Expr, maker: &mut HirBuilder<'_>) {
    if !matches!(&expr.kind, ExprKind::For { head, .. } if is_option(head, maker.types)) {
        return;
    }
    let kind = std::mem::replace(&mut expr.kind, ExprKind::Unit);
    if let ExprKind::For {
        scope,
        pat,
        head,
        mut body,
        ..
    } = kind
    {
        let (of, access) = match *head {
            Iterable::Elements { of, access } => (of, access),
            Iterable::Unknown(of) => (of, Elements::Own),
            _ => crate::diagnostics::bug!("not an option"),
        };
        body.each_expr_mut(&mut |expr| ends(expr, scope));
        let block = maker.option(*of, access, pat, body, expr.span);
        expr.kind = ExprKind::Block(block, Some(scope));
    }
}

/// Going on with the next item is leaving.
fn ends(expr: &mut Expr, scope: Scope) {
    match expr.kind {
        ExprKind::Continue(of) if of == scope => expr.kind = ExprKind::Break(scope, None),
        _ => expr.each_child_mut(&mut |child| ends(child, scope)),
    }
}

impl HirBuilder<'_> {
    fn option(&mut self, of: Expr, access: Elements, pat: Pat, body: Block, span: Span) -> Block {
        let mut ty = self.types.expr(of.id).clone();
        let path: syn::Path = match ty.peeled() {
            Type::Result(..) => syn::parse_quote!(::core::result::Result::Ok),
            _ => syn::parse_quote!(::core::option::Option::Some),
        };
        let mut of = of;
        if access != Elements::Own && !matches!(ty, Type::Ref(..)) {
            let mutable = access == Elements::Mut;
            ty = Type::Ref(mutable, ty.into());
            of = self.node(ExprKind::Ref(mutable, Box::new(of)), ty.clone(), span);
        }
        let subject = self.variable("subject", ty, false, span);
        let cond = self.is_variant(subject, &path, span);
        let found = variant(path, pat);
        let read = self.read(subject, span);
        let mut stmts = vec![Stmt::bind(found, read, span)];
        stmts.extend(body.stmts);
        stmts.extend(body.value.map(|value| Stmt::Expr(*value)));
        let branch = ExprKind::branch(cond, Block::statements(stmts, body.span), None);
        let branch = self.node(branch, Type::Unit, span);
        let bound = Stmt::bind(Pat::name(subject), of, span);
        Block::statements(vec![bound, Stmt::Expr(branch)], span)
    }
}

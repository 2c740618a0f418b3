//! `concat()` of lists.
//!
//! ```text
//! Input:  lists.concat()
//! Output: { let mut whole = vec![]; for part in &lists { whole.extend_from_slice(part); } whole }
//! ```
//!
//! ```text
//! Input:  [&a[..], b].concat()
//! Output: { let mut whole = vec![]; whole.extend_from_slice(&a[..]); whole.extend_from_slice(b); whole }
//! ```

use proc_macro2::Span;

use super::hir_builder::HirBuilder;
use crate::hir::{Block, Elements, Expr, ExprKind, Iterable, Pat, Stmt, Var};
use crate::types::Type;

pub(super) fn rewrite(expr: &mut Expr, maker: &mut HirBuilder<'_>) {
    let Some((receiver, name, args)) = expr.as_method() else {
        return;
    };
    let lists = maker.types.expr(receiver.id).element();
    let is_written = matches!(receiver.kind, ExprKind::Array { .. });
    let lists = lists.filter(|list| is_written || !matches!(list, Type::Ref(..)));
    if name != "concat"
        || !args.is_empty()
        || lists.and_then(|list| list.peeled().element()).is_none()
    {
        return;
    }
    let ty = maker.types.expr(expr.id).clone();
    let kind = std::mem::replace(&mut expr.kind, ExprKind::Unit);
    if let ExprKind::Method { receiver, .. } = kind {
        expr.kind = ExprKind::Block(maker.concatenated(*receiver, ty, expr.span), None);
    }
}

impl HirBuilder<'_> {
    fn concatenated(&mut self, lists: Expr, ty: Type, span: Span) -> Block {
        let own = self.types.expr(lists.id).clone();
        let whole = self.variable("whole", ty.clone(), true, span);
        let empty = self.node(ExprKind::empty_list(), ty, span);
        let empty = Stmt::bind(Pat::name(whole), empty, span);
        let by_reference = |list: &Type| matches!(list, Type::Ref(..));
        let stmts = match lists.kind {
            ExprKind::Array { elems, .. } if own.element().is_some_and(by_reference) => {
                let extended = elems
                    .into_iter()
                    .map(|part| self.extended(whole, part, span));
                std::iter::once(empty).chain(extended).collect()
            }
            _ => self.concatenated_in_a_loop(lists, empty, whole, span),
        };
        Block::with_value(stmts, self.read(whole, span), span)
    }

    fn concatenated_in_a_loop(
        &mut self,
        lists: Expr,
        empty: Stmt,
        whole: Var,
        span: Span,
    ) -> Vec<Stmt> {
        let own = self.types.expr(lists.id).clone();
        let (mut of, mut stmts) = (lists, Vec::new());
        let part = own.any_element();
        if of.root().is_none() {
            let held = self.variable("lists", own, false, span);
            stmts.push(Stmt::bind(Pat::name(held), of, span));
            of = self.read(held, span);
        }
        stmts.push(empty);
        let part = self.variable("part", Type::Ref(false, part.into()), false, span);
        let item = self.read(part, span);
        let extended = self.extended(whole, item, span);
        let (of, access) = (Box::new(of), Elements::Shared);
        let head = Iterable::Elements { of, access };
        stmts.push(self.run(Pat::name(part), head, vec![extended], span));
        stmts
    }

    /// `whole.extend_from_slice(part);`
    fn extended(&mut self, whole: Var, part: Expr, span: Span) -> Stmt {
        let target = self.read(whole, span);
        Stmt::Expr(self.method(target, "extend_from_slice", vec![part], Type::Unit, span))
    }
}

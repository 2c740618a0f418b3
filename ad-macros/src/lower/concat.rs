//! `concat()` of lists.
//!
//! ```text
//! Input:  lists.concat()
//! Output: { let mut whole = vec![]; for part in &lists { whole.extend_from_slice(part); } whole }
//! ```

use proc_macro2::Span;

use super::maker::{Maker, each_inside_first};
use crate::hir::{Block, Elements, Expr, ExprKind, Func, Head, Pat, Stmt};
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    each_inside_first(func, types, &mut inside);
}

fn inside(expr: &mut Expr, maker: &mut Maker<'_>) {
    let Some((receiver, name, args)) = expr.as_method() else {
        return;
    };
    let lists = maker.types.expr(receiver.id).element();
    let lists = lists.filter(|list| !matches!(list, Type::Ref(..)));
    if name != "concat" || !args.is_empty() || lists.and_then(Type::element).is_none() {
        return;
    }
    let ty = maker.types.expr(expr.id).clone();
    let kind = std::mem::replace(&mut expr.kind, ExprKind::Unit);
    if let ExprKind::Method { receiver, .. } = kind {
        expr.kind = ExprKind::Block(maker.concatenated(*receiver, ty, expr.span), None);
    }
}

impl Maker<'_> {
    fn concatenated(&mut self, lists: Expr, ty: Type, span: Span) -> Block {
        let mut stmts = Vec::new();
        let own = self.types.expr(lists.id).clone();
        let part = own.any_element();
        let mut of = lists;
        if of.root().is_none() {
            let held = self.variable("lists", own, false, span);
            stmts.push(Stmt::bind(Pat::name(held), of, span));
            of = self.read(held, span);
        }
        let whole = self.variable("whole", ty.clone(), true, span);
        let empty = self.node(ExprKind::empty_list(), ty, span);
        stmts.push(Stmt::bind(Pat::name(whole), empty, span));
        let part = self.variable("part", Type::Ref(false, part.into()), false, span);
        let (target, item) = (self.read(whole, span), self.read(part, span));
        let extend = self.method(target, "extend_from_slice", vec![item], Type::Unit, span);
        let (of, access) = (Box::new(of), Elements::Shared);
        let head = Head::Elements { of, access };
        stmts.push(self.run(Pat::name(part), head, vec![Stmt::Expr(extend)], span));
        Block::with_value(stmts, self.read(whole, span), span)
    }
}

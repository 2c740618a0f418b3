//! `collect()` of elements that nothing can stand in for before they are there: structs, options, what only rustc knows the type of.
//!
//! ```text
//! Input:  head.map(|pat| body).collect()
//! Output: { let mut list = vec![]; for pat in head { list.push(body); } list }
//! ```
//!
//! Numbers, and lists and tuples of them, stay a collect, which fills a list of known length.

use proc_macro2::{Ident, Span};

use crate::hir::{Block, Expr, ExprKind, Func, Head, Pat, Scope, Stmt};
use crate::types::{Type, Types};

pub(super) fn rewrite(func: &mut Func, types: &mut Types) {
    let span = func.body.span;
    let mut body = std::mem::replace(&mut func.body, block(Vec::new(), None, span));
    let mut maker = Maker { func, types };
    body.each_expr_mut(&mut |expr| inside(expr, &mut maker));
    func.body = body;
}

fn inside(expr: &mut Expr, maker: &mut Maker<'_>) {
    expr.each_child_mut(&mut |child| inside(child, maker));
    let Type::Vec(element) = maker.types.expr(expr.id) else {
        return;
    };
    if !matches!(expr.kind, ExprKind::Collect { .. }) || has_blank(element) {
        return;
    }
    let kind = std::mem::replace(&mut expr.kind, ExprKind::Unit);
    if let ExprKind::Collect { pat, head, body } = kind {
        let ty = maker.types.expr(expr.id).clone();
        expr.kind = maker.pushed(pat, head, body, &ty, expr.span);
    }
}

/// Whether there is something that an element can be before it is stored.
pub(super) fn has_blank(ty: &Type) -> bool {
    match ty {
        Type::F32 | Type::F64 | Type::Int(_) | Type::Bool | Type::Vec(_) => true,
        Type::Array(elem, _) => has_blank(elem),
        Type::Tuple(types) => types.iter().all(has_blank),
        _ => false,
    }
}

struct Maker<'a> {
    func: &'a mut Func,
    types: &'a mut Types,
}

impl Maker<'_> {
    fn node(&mut self, kind: ExprKind, ty: Type, span: Span) -> Expr {
        let id = self.types.new_expr(ty);
        let source = None;
        Expr {
            id,
            kind,
            span,
            source,
        }
    }

    fn pushed(
        &mut self,
        pat: Pat,
        head: Box<Head>,
        body: Block,
        ty: &Type,
        span: Span,
    ) -> ExprKind {
        let list = self.func.new_var("list", span, true);
        self.types.new_var(ty.clone());
        let empty = ExprKind::Array {
            elems: Vec::new(),
            vec: true,
        };
        let empty = self.node(empty, ty.clone(), span);
        let mut stmts = body.stmts;
        let item = match body.value {
            Some(value) => *value,
            None => self.node(ExprKind::Unit, Type::Unit, span),
        };
        let push = ExprKind::Method {
            receiver: Box::new(self.node(ExprKind::Var(list), ty.clone(), span)),
            name: Ident::new("push", span.resolved_at(Span::mixed_site())),
            turbofish: None,
            args: vec![item],
        };
        stmts.push(Stmt::Expr(self.node(push, Type::Unit, span)));
        let scope = Scope(self.func.scopes);
        self.func.scopes += 1;
        let kind = ExprKind::For {
            scope,
            pat,
            head,
            body: block(stmts, None, body.span),
            stop: None,
        };
        let run = self.node(kind, Type::Unit, span);
        let value = self.node(ExprKind::Var(list), ty.clone(), span);
        let stmts = vec![Stmt::bind(Pat::name(list), empty, span), Stmt::Expr(run)];
        ExprKind::Block(block(stmts, Some(value), span), None)
    }
}

fn block(stmts: Vec<Stmt>, value: Option<Expr>, span: Span) -> Block {
    let value = value.map(Box::new);
    Block { stmts, value, span }
}

//! Expressions and variables of known type, for rewritings before lowering.

use proc_macro2::{Ident, Span};

use crate::hir::{
    Block, Code, Expr, ExprKind, Func, Iterable, Mention, Outcome, Pat, Stmt, Var, Verbatim,
};
use crate::types::{Type, Types};

pub(super) struct HirBuilder<'a> {
    pub(super) func: &'a mut Func,
    pub(super) types: &'a mut Types,
}

impl HirBuilder<'_> {
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

    pub(super) fn zero(&mut self, span: Span) -> Expr {
        let zero = ExprKind::Int("0".into(), Some("usize".into()));
        self.node(zero, Type::Int("usize"), span)
    }

    /// `for pat in head { stmts }`, which nothing leaves.
    pub(super) fn run(&mut self, pat: Pat, head: Iterable, stmts: Vec<Stmt>, span: Span) -> Stmt {
        let body = Block::statements(stmts, span);
        let kind = ExprKind::run(self.func.new_scope(), pat, head, body);
        Stmt::Expr(self.node(kind, Type::Unit, span))
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
        let kind = ExprKind::method(
            receiver,
            Ident::new(name, span.resolved_at(Span::mixed_site())),
            args,
        );
        self.node(kind, ty, span)
    }

    /// A test that is true if a variable holds this variant, which has one field.
    pub(super) fn is_variant(&mut self, var: Var, path: &syn::Path, span: Span) -> Expr {
        let verbatim = Verbatim::inspecting(
            vec![Mention::read(var)],
            Outcome::Bool,
            Code::Matches(Box::new(syn::parse_quote!(#path(_)))),
        );
        self.node(ExprKind::Verbatim(Box::new(verbatim)), Type::Bool, span)
    }

    /// Of a reference, a copy of its target.
    pub(super) fn owned(&mut self, item: Expr) -> Expr {
        let ty = self.types.expr(item.id);
        if !matches!(ty, Type::Ref(false, _)) {
            return item;
        }
        let (ty, span) = (ty.peeled().clone(), item.span);
        self.method(item, "clone", Vec::new(), ty, span)
    }
}

/// Calls `f` on every expression of a function, innermost first.
pub(super) fn each_inside_first(
    func: &mut Func,
    types: &mut Types,
    f: fn(&mut Expr, &mut HirBuilder<'_>),
) {
    fn inside_first(
        expr: &mut Expr,
        maker: &mut HirBuilder<'_>,
        f: fn(&mut Expr, &mut HirBuilder<'_>),
    ) {
        expr.each_child_mut(&mut |child| inside_first(child, maker, f));
        f(expr, maker);
    }
    let mut body = func.take_body();
    let mut maker = HirBuilder { func, types };
    body.each_expr_mut(&mut |expr| inside_first(expr, &mut maker, f));
    func.body = body;
}

/// `Some(pat)`, or another variant that has one field.
pub(super) fn variant(path: syn::Path, pat: Pat) -> Pat {
    let fields = vec![(syn::Member::from(0), pat)];
    Pat::Variant { path, fields }
}

//! `collect()` of elements for which there is no initial value: structs, options, values of a type that only rustc can resolve.
//!
//! ```text
//! Input:  head.map(|pat| body).collect()
//! Output: { let mut list = vec![]; for pat in head { list.push(body); } list }
//! ```
//!
//! An array is taken from the list in the end: `list.take_array::<N>()`.
//!
//! Numbers, and lists and tuples of them, stay a collect, which fills a list of known length, unless they come from an `Option`, from a
//! range that counts in a type that only rustc can resolve, or from an iterator of such a type.

use std::rc::Rc;

use proc_macro2::Span;

use super::for_over_option::is_option;
use super::hir_builder::HirBuilder;
use crate::hir::{Block, Code, Expr, ExprKind, Iterable, Outcome, Pat, Stmt, Verbatim};
use crate::types::written::is_alias;
use crate::types::{Type, Types};

pub(super) fn rewrite(expr: &mut Expr, maker: &mut HirBuilder<'_>) {
    let ExprKind::Collect { head, body, .. } = &mut expr.kind else {
        return;
    };
    // A name for a `Vec`, or for a type that rustc will refuse.
    if let (Type::Named(name), Some(item)) = (maker.types.expr(expr.id), &body.value)
        && is_alias(name)
        && maker.types.expr(item.id).may_have_tangent()
        && !matches!(**head, Iterable::Count(_))
    {
        let element = maker.types.expr(item.id).clone();
        expr.id = maker.types.new_expr(Type::Vec(element.into()));
    }
    let ty = maker.types.expr(expr.id).clone();
    let (element, len) = match &ty {
        Type::Vec(element) => (element, None),
        Type::Array(element, len) => (element, Some(len)),
        _ => return,
    };
    if let (Iterable::Count(_), Some(len)) = (&**head, len) {
        **head = maker.positions(len, expr.span);
    }
    if has_blank(element) && !is_option(head, maker.types) && !has_unknown(head, maker.types) {
        return;
    }
    let kind = std::mem::replace(&mut expr.kind, ExprKind::Unit);
    if let ExprKind::Collect { pat, head, body } = kind {
        expr.kind = maker.pushed(pat, *head, body, element, len, expr.span);
    }
}

/// Returns `true` if the number of items isn't known here: of an iterator of a type that only rustc can resolve, or of a range that counts in one.
fn has_unknown(head: &Iterable, types: &Types) -> bool {
    let mut found = matches!(head, Iterable::Range { lo, .. } if !types.expr(lo.id).is_int());
    head.each_source(&mut |source| found |= matches!(source, Iterable::Unknown(_)));
    found
}

/// Returns `true` if there is an initial value for an element, before it is stored.
pub(super) fn has_blank(ty: &Type) -> bool {
    match ty {
        Type::F32 | Type::F64 | Type::Int(_) | Type::Bool | Type::Vec(_) => true,
        Type::Array(elem, _) => has_blank(elem),
        Type::Tuple(types) => types.iter().all(has_blank),
        _ => false,
    }
}

impl HirBuilder<'_> {
    /// `0..N`.
    fn positions(&mut self, len: &Rc<syn::Expr>, span: Span) -> Iterable {
        let len = Verbatim::inspecting(Vec::new(), Outcome::Inactive, Code::Expr(len.clone()));
        let len = ExprKind::Verbatim(Box::new(len));
        let zero = self.zero(span);
        Iterable::between(zero, self.node(len, Type::Int("usize"), span))
    }

    fn pushed(
        &mut self,
        pat: Pat,
        head: Iterable,
        body: Block,
        element: &Rc<Type>,
        len: Option<&Rc<syn::Expr>>,
        span: Span,
    ) -> ExprKind {
        let ty = &Type::Vec(element.clone());
        let list = self.variable("list", ty.clone(), true, span);
        let empty = self.node(ExprKind::empty_list(), ty.clone(), span);
        let mut stmts = body.stmts;
        let item = match body.value {
            Some(value) => self.owned(*value),
            None => self.unit(span),
        };
        let target = self.read(list, span);
        let push = self.method(target, "push", vec![item], Type::Unit, span);
        stmts.push(Stmt::Expr(push));
        let body = Block::statements(stmts, body.span);
        let run = ExprKind::run(self.func.new_scope(), pat, head, body);
        let run = self.node(run, Type::Unit, span);
        let mut value = self.read(list, span);
        if let Some(len) = len {
            let array = Type::Array(element.clone(), len.clone());
            value = self.method(value, "take_array", Vec::new(), array, span);
            if let ExprKind::Method { turbofish, .. } = &mut value.kind {
                *turbofish = Some(syn::parse_quote!(::<{ #len }>));
            }
        }
        let stmts = vec![Stmt::bind(Pat::name(list), empty, span), Stmt::Expr(run)];
        ExprKind::Block(Block::with_value(stmts, value, span), None)
    }
}

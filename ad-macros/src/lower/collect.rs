//! `collect()` of a chain whose length is known.

use proc_macro2::Span;

use super::builder::{Flow, Lowered, Lowerer};
use super::method::called;
use crate::hir::{Block, Expr, Iterable, Pat};
use crate::ir::{Const, OpKind, Proj, Range, RepeatLen, Ty, Value};
use crate::types::Type;
use crate::types::written::is_alias;

impl Lowerer<'_> {
    pub(super) fn refuse_collected<T>(&mut self, expr: &Expr) -> Lowered<T> {
        self.reject_container(expr, called(expr))?;
        self.reject(
            called(expr),
            "this collection is not known to be a `Vec`",
            "write `collect::<Vec<_>>()`, or annotate it: `let list: Vec<_> = ...`; anything else is made in a loop",
        )
    }

    /// Refuses a block that pushes the items to a list, if they are collected to something else.
    pub(super) fn check_collected(&mut self, expr: &Expr) -> Lowered<()> {
        let list = |ty: &Type| {
            matches!(ty, Type::Vec(_) | Type::Deque(_) | Type::Deferred) || may_be_alias(ty)
        };
        let lists = match self.ty(expr) {
            Type::Tuple(lists) => lists.iter().all(list),
            ty => list(ty),
        };
        if self.hir.collects.contains(&expr.id) && !lists {
            return self.refuse_collected(expr);
        }
        Ok(())
    }

    /// ```text
    /// Input:  head.map(|pat| body).collect()
    /// Output: let mut list = vec![0.0; len]; for k in 0..len { list[k] = body(item k); } list
    /// ```
    pub(super) fn collected(
        &mut self,
        expr: &Expr,
        pat: &Pat,
        head: &Iterable,
        body: &Block,
    ) -> Lowered<Value> {
        let span = expr.span;
        if self.is_free(expr) {
            return self.opaque_value(expr);
        }
        let ty = match (self.ty(expr), &body.value) {
            (ty, Some(value)) if may_be_alias(ty) && !matches!(head, Iterable::Count(_)) => {
                Type::Vec(self.ty(value).clone().into())
            }
            (ty, _) => ty.clone(),
        };
        let (Type::Vec(element) | Type::Array(element, _)) = &ty else {
            if matches!(head, Iterable::Count(_)) {
                return self.reject(
                    expr,
                    "the length of this array isn't known here",
                    "annotate it: `let a: [f64; 3] = core::array::from_fn(...);`",
                );
            }
            return self.refuse_collected(expr);
        };
        if let Some(of) = self.uncountable(head) {
            return self.refuse_loop(of);
        }
        let element = element.lower();
        let Some(elem) = self.blank(&element, span) else {
            crate::diagnostics::bug!("elements that nothing stands in for are pushed")
        };
        self.note_body(pat, body);
        let unordered = self.unordered.len();
        let source = self.source(head, span)?;
        let len = match &ty {
            Type::Array(_, len) => RepeatLen::Array(quote::ToTokens::to_token_stream(&**len)),
            _ => RepeatLen::Vec(source.len),
        };
        let repeat = OpKind::Repeat { elem, len };
        let ty = ty.lower();
        let list = self.emit(repeat, ty.clone(), "list", span);
        let list = self.spill(list, span);
        let carried = self.assigned_in_block(body);
        let k = self.out.new_value(Ty::Int("usize"), "k", span);
        let bind = |lowerer: &mut Self| {
            if lowerer.bind_item(&source, pat, k, span).is_err() {
                lowerer.fail(pat);
            }
            let flow = lowerer.block(body)?;
            if let Flow::Value(value) = flow {
                let target = list.extended(&[Proj::Index(k)]);
                lowerer.effect(OpKind::Store(target, value), span);
                return Ok(Flow::Unit);
            }
            Ok(flow)
        };
        let (region, carried) = self.body(&bind, &carried, &[k], None, span)?;
        self.check_order(
            unordered,
            Some(&list),
            &region,
            !carried.init.is_empty(),
            span,
        );
        let range = Range::new(self.index_constant(0, span), source.len);
        let kind = OpKind::counted(range, carried.init.clone(), region);
        self.finish_loop(kind, &carried, span);
        Ok(self.emit(OpKind::Load(list), ty, "list", span))
    }

    /// The initial value of an element, before it is stored.
    fn blank(&mut self, ty: &Ty, span: Span) -> Option<Value> {
        let constant = match ty {
            Ty::F32 | Ty::F64 => Const::Float("0.0".into()),
            Ty::Int(_) => Const::Int("0".into()),
            Ty::Bool => Const::Bool(false),
            Ty::Vec(_) => {
                let (elems, vec) = (Vec::new(), true);
                let empty = OpKind::Array { elems, vec };
                return Some(self.emit(empty, ty.clone(), "empty", span));
            }
            Ty::Array(elem, len) => {
                let elem = self.blank(elem, span)?;
                let len = RepeatLen::Array(quote::ToTokens::to_token_stream(&**len));
                let repeat = OpKind::Repeat { elem, len };
                return Some(self.emit(repeat, ty.clone(), "array", span));
            }
            Ty::Tuple(types) => {
                let parts = types.iter().map(|ty| self.blank(ty, span));
                let parts = parts.collect::<Option<_>>()?;
                return Some(self.emit(OpKind::Tuple(parts), ty.clone(), "tuple", span));
            }
            _ => return None,
        };
        Some(self.constant(constant, ty.clone(), span))
    }
}

/// Returns `true` if a type of the user's may be another name for a `Vec`, which rustc checks.
fn may_be_alias(ty: &Type) -> bool {
    matches!(ty, Type::Named(ty) if is_alias(ty))
}

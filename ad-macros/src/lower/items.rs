//! Binds the pattern of a `for` to the item at a position.

use proc_macro2::Span;

use super::alias::Parts;
use super::builder::{Binding, Lowered, Lowerer};
use super::heads::{Items, Last, Source};
use crate::hir::{Chunks, Expr, ExprKind, Pat, Var};
use crate::ir::{BinaryOp, Const, OpKind, Place, Proj, SlotKind, Ty, Value};
use crate::types::{Type, written};

impl Lowerer<'_> {
    /// Binds a pattern to the item at position `k`.
    pub(super) fn bind_item(
        &mut self,
        source: &Source,
        pat: &Pat,
        k: Value,
        span: Span,
    ) -> Lowered<()> {
        let usize = || Ty::Int("usize");
        match &source.items {
            Items::Range { start, down, ty } => {
                let op = if down.is_some() {
                    BinaryOp::Sub
                } else {
                    BinaryOp::Add
                };
                let mut k = match down {
                    Some(Last::Out) => self.plus_one(k, span),
                    _ => k,
                };
                if !matches!(ty, Type::Int("usize")) {
                    k = self.emit(OpKind::Cast(k), ty.lower(), "k", span);
                }
                let item = self.emit(OpKind::Binary(op, *start, k), ty.lower(), "i", span);
                self.bind_pattern(pat, item, ty, span)
            }
            Items::Count { start, ty } => {
                let mut k = k;
                if !matches!(ty, Type::Int("usize")) {
                    k = self.emit(OpKind::Cast(k), ty.lower(), "k", span);
                }
                let add = OpKind::Binary(BinaryOp::Add, *start, k);
                let item = self.emit(add, ty.lower(), "i", span);
                self.bind_pattern(pat, item, ty, span)
            }
            Items::Elements {
                place,
                element,
                by_ref,
            } => {
                let may_lend = !by_ref && self.may_lend(place, element);
                let lent = may_lend && self.dereferenced;
                let place = place.extended(&[Proj::Index(k)]);
                if may_lend && matches!(pat, Pat::Ref(_)) {
                    self.bind_place(pat, &place, element, span)
                } else if lent {
                    self.bind_lent(pat, &place, element, span)
                } else if *by_ref {
                    self.bind_place(pat, &place, element, span)
                } else if let Pat::Bind { var, by_ref: None } = pat
                    && is_object(element)
                    && !self.hir.var(*var).mutable
                    && self.is_only_lent(*var)
                {
                    // An object stays in its list, since it can't be cloned.
                    let by_ref = false;
                    self.bind(*var, Binding::Place { place, by_ref });
                    Ok(())
                } else {
                    self.bind_parts(pat, &place, element, Parts::Moved, span)
                }
            }
            Items::References { places, element } => {
                let place = self.one_of(places, element, k, span);
                self.bind_place(pat, &place, element.peeled(), span)
            }
            Items::Views { item, .. } => {
                let place = self.view_item(&source.items, k, span);
                self.bind_place(pat, &place, item, span)
            }
            Items::Chunks { .. } => self.bind_chunk(source, pat, k, span),
            Items::Enumerate(inner) => match pat {
                Pat::Wild => Ok(()),
                Pat::Tuple { elems, rest: None } if elems.len() == 2 => {
                    self.bind_pattern(&elems[0], k, &Type::Int("usize"), span)?;
                    self.bind_item(inner, &elems[1], k, span)
                }
                _ => self.whole_item(span),
            },
            Items::Zip(a, b) => match pat {
                Pat::Wild => Ok(()),
                Pat::Tuple { elems, rest: None } if elems.len() == 2 => {
                    self.bind_item(a, &elems[0], k, span)?;
                    self.bind_item(b, &elems[1], k, span)
                }
                _ => self.whole_item(span),
            },
            Items::Rev(inner) => {
                let sub = |a, b| OpKind::Binary(BinaryOp::Sub, a, b);
                let one = self.constant(Const::Int("1".into()), usize(), span);
                let last = self.emit(sub(inner.len, one), usize(), "last", span);
                let k = self.emit(sub(last, k), usize(), "k", span);
                self.bind_item(inner, pat, k, span)
            }
            Items::From(inner, n) => {
                let add = OpKind::Binary(BinaryOp::Add, *n, k);
                let k = self.emit(add, usize(), "k", span);
                self.bind_item(inner, pat, k, span)
            }
            Items::First(inner) => self.bind_item(inner, pat, k, span),
            Items::StepBy(inner, step) => {
                let times = OpKind::Binary(BinaryOp::Mul, k, *step);
                let k = self.emit(times, usize(), "k", span);
                self.bind_item(inner, pat, k, span)
            }
        }
    }

    /// True if the items of a list of unknown type may be references: those of `for x in self.list` with `*x` in the body, or of `for &x in
    /// self.list`, since nothing can be moved out of `&self`, and a copied item is not dereferenced.
    fn may_lend(&self, list: &Place, element: &Type) -> bool {
        matches!(element, Type::Deferred)
            && self.out.slot(list.root).kind == SlotKind::Ref
            && !list.path.is_empty()
    }

    /// Names for the parts of a place behind a reference.
    pub(super) fn bind_lent(
        &mut self,
        pat: &Pat,
        place: &Place,
        ty: &Type,
        span: Span,
    ) -> Lowered<()> {
        pat.each_var(&mut |var| self.lent.extend([var]));
        self.bind_place(pat, place, ty, span)
    }

    /// Returns `true` if a variable is only the receiver of methods, or borrowed.
    fn is_only_lent(&self, var: Var) -> bool {
        let is = |expr: &Expr| matches!(expr.kind, ExprKind::Var(other) if other == var);
        let (mut all, mut lent) = (0, 0);
        self.hir.body.walk(&mut |expr| {
            all += usize::from(is(expr));
            lent += match &expr.kind {
                ExprKind::Method { receiver, .. } => usize::from(is(receiver)),
                ExprKind::Ref(_, inner) | ExprKind::Deref(inner) => usize::from(is(inner)),
                // Verbatim code may do anything.
                ExprKind::Verbatim(verbatim) => {
                    let mentioned = verbatim.mentions.iter().any(|mention| mention.var == var);
                    all += usize::from(mentioned);
                    0
                }
                _ => 0,
            };
        });
        all == lent
    }

    fn whole_item(&mut self, span: Span) -> Lowered<()> {
        self.reject(
            span,
            "the item of `zip` or `enumerate` as one variable is not supported yet",
            "take it apart: `for (a, b) in ...`",
        )
    }

    fn bind_chunk(&mut self, source: &Source, pat: &Pat, k: Value, span: Span) -> Lowered<()> {
        let Items::Chunks {
            place,
            element,
            size,
            kind,
            mutable,
        } = &source.items
        else {
            return Ok(());
        };
        let usize = || Ty::Int("usize");
        let add = |a, b| OpKind::Binary(BinaryOp::Add, a, b);
        let lo = match kind {
            Chunks::Windows => k,
            _ => self.emit(OpKind::Binary(BinaryOp::Mul, k, *size), usize(), "lo", span),
        };
        let mut hi = self.emit(add(lo, *size), usize(), "hi", span);
        if *kind == Chunks::All {
            let len = self.len(place, span);
            let short = self.emit(
                OpKind::Binary(BinaryOp::Lt, len, hi),
                Ty::Bool,
                "short",
                span,
            );
            hi = self.emit(OpKind::Select(short, len, hi), usize(), "hi", span);
        }
        let slice = Type::Slice(element.clone().into());
        let chunk = place.extended(&[Proj::Range(Some(lo), Some(hi))]);
        match pat {
            Pat::Bind { var, by_ref: None } if !mutable => {
                let slot = self.variable_slot(*var, slice.lower(), SlotKind::Ref);
                self.effect(OpKind::Borrow(slot, chunk), span);
                self.bind_reference(*var, Place::whole(slot));
                Ok(())
            }
            pat => self.bind_place(pat, &chunk, &slice, span),
        }
    }
}

/// Returns `true` if a type is a box of trait objects.
fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Boxed(inner) if matches!(&**inner, Type::Named(ty) if written::is_object(ty)))
}

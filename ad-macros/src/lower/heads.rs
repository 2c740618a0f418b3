//! The head of a `for`, as a range and the item at each position of it.

use proc_macro2::Span;

use super::builder::{Flow, Lowered, Lowerer};
use super::call_results_as_lists::gives_list;
use crate::hir::{self, Adapter, Chunks, Elements, Expr, Iterable, Pat};
use crate::ir::{self, BinaryOp, Const, OpKind, Place, Range, Ty, Value};
use crate::types::Type;
use crate::types::keyed::{Part, keyed, part_of};

/// A counted loop.
pub(super) struct Counted {
    pub(super) range: Range,
    item: Item,
}

/// The item at a position.
enum Item {
    /// The induction variable itself.
    Induction(Type),
    Position(Source),
}

/// Something with a length, and an item at each position.
pub(super) struct Source {
    pub(super) len: Value,
    pub(super) items: Items,
}

impl Source {
    fn new(len: Value, items: Items) -> Self {
        Source { len, items }
    }
}

/// If the upper end of a range is the last of its numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    In,
    Out,
}

pub(super) enum Items {
    /// `lo + k`; backwards `hi - k`, or `hi - 1 - k`; the type of both.
    Range {
        start: Value,
        down: Option<Last>,
        ty: Type,
    },
    /// `lo + k`.
    Count {
        start: Value,
        ty: Type,
    },
    /// Elements, by reference or by value.
    Elements {
        place: Place,
        element: Type,
        by_ref: bool,
    },
    /// The targets of references that are written out.
    References {
        places: Vec<Place>,
        element: Type,
    },
    Chunks {
        place: Place,
        element: Type,
        size: Value,
        kind: Chunks,
        mutable: bool,
    },
    /// Views of an array, or its elements.
    Views {
        place: Place,
        name: String,
        args: Vec<Value>,
        item: Type,
        /// Of views, whether they are written through.
        views: Option<bool>,
    },
    Enumerate(Box<Source>),
    Zip(Box<Source>, Box<Source>),
    Rev(Box<Source>),
    /// From a position on.
    From(Box<Source>, Value),
    /// The first ones.
    First(Box<Source>),
    StepBy(Box<Source>, Value),
}

impl Counted {
    /// The induction variable's name: the user's, where it is a range's.
    pub(super) fn name(&self, lowerer: &Lowerer<'_>, pat: &Pat) -> String {
        match (&self.item, pat) {
            (Item::Induction(_), Pat::Bind { var, .. }) => lowerer.name(*var),
            (
                Item::Position(Source {
                    items: Items::Enumerate(_),
                    ..
                }),
                Pat::Tuple { elems, .. },
            ) => match elems.first() {
                Some(Pat::Bind { var, .. }) => lowerer.name(*var),
                _ => "k".into(),
            },
            _ => "k".into(),
        }
    }

    pub(super) fn bind(
        &self,
        lowerer: &mut Lowerer<'_>,
        pat: &Pat,
        k: Value,
        span: Span,
    ) -> Lowered<()> {
        match &self.item {
            Item::Induction(ty) => lowerer.bind_pattern(pat, k, ty, span),
            Item::Position(source) => lowerer.bind_item(source, pat, k, span),
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn counted(&mut self, head: &Iterable, span: Span) -> Lowered<Counted> {
        if let Iterable::Range {
            lo,
            hi,
            inclusive,
            adapters,
        } = head
        {
            let ty = self.ty(lo).clone();
            let (lo, hi) = (self.value(lo)?, self.value(hi)?);
            let adapters = self.adapters(adapters)?;
            let range = Range {
                lo,
                hi,
                inclusive: *inclusive,
                adapters,
            };
            return Ok(Counted {
                range,
                item: Item::Induction(ty),
            });
        }
        let (source, range) = self.positions(head, span)?;
        Ok(Counted {
            range,
            item: Item::Position(source),
        })
    }

    /// A source, and the range of the positions in it that the loop runs over.
    fn positions(&mut self, head: &Iterable, span: Span) -> Lowered<(Source, Range)> {
        match head {
            Iterable::Rev(inner) => {
                let (source, mut range) = self.positions(inner, span)?;
                range.adapters.push(ir::Adapter::Rev);
                Ok((source, range))
            }
            Iterable::StepBy(inner, step) => {
                let (source, mut range) = self.positions(inner, span)?;
                range.adapters.push(ir::Adapter::StepBy(self.value(step)?));
                Ok((source, range))
            }
            Iterable::Skip(inner, n) | Iterable::Take(inner, n) if is_unadapted(inner) => {
                let (source, mut range) = self.positions(inner, span)?;
                let n = self.value(n)?;
                let rest = self.difference(range.hi, range.lo, span);
                let n = self.least(n, rest, span);
                let at = self.sum(range.lo, n, span);
                match head {
                    Iterable::Skip(..) => range.lo = at,
                    _ => range.hi = at,
                }
                Ok((source, range))
            }
            _ => {
                let source = self.source(head, span)?;
                let zero = self.index_constant(0, span);
                let range = Self::plain_range(zero, source.len);
                Ok((source, range))
            }
        }
    }

    fn sum(&mut self, a: Value, b: Value, span: Span) -> Value {
        let kind = OpKind::Binary(BinaryOp::Add, a, b);
        self.emit(kind, Ty::Int("usize"), "end", span)
    }

    fn difference(&mut self, a: Value, b: Value, span: Span) -> Value {
        let kind = OpKind::Binary(BinaryOp::Sub, a, b);
        self.emit(kind, Ty::Int("usize"), "rest", span)
    }

    fn least(&mut self, a: Value, b: Value, span: Span) -> Value {
        let kind = OpKind::Binary(BinaryOp::Lt, a, b);
        let less = self.emit(kind, Ty::Bool, "less", span);
        let select = OpKind::Select(less, a, b);
        self.emit(select, Ty::Int("usize"), "len", span)
    }

    fn adapters(&mut self, adapters: &[Adapter]) -> Lowered<Vec<ir::Adapter>> {
        adapters
            .iter()
            .map(|adapter| match adapter {
                Adapter::Rev => Ok(ir::Adapter::Rev),
                Adapter::StepBy(step) => self.value(step).map(ir::Adapter::StepBy),
                Adapter::Checkpoint(states) => {
                    let known = self.ty(states).peeled();
                    if !matches!(known, Type::Int("usize") | Type::Deferred) {
                        return self.reject(
                            &**states,
                            "the number of states that a loop keeps is a `usize`",
                            "convert it: `#[checkpoint(n as usize)]`",
                        );
                    }
                    self.value(states).map(ir::Adapter::Checkpoint)
                }
            })
            .collect()
    }

    pub(super) fn source(&mut self, head: &Iterable, span: Span) -> Lowered<Source> {
        if let Iterable::Elements { of, .. } | Iterable::Unknown(of) = head
            && let Some(source) = self.foreign_source(of)?
        {
            return Ok(source);
        }
        if let Iterable::Chunks { of, size, .. } = head
            && let Some(source) = self.windows(of, size)?
        {
            return Ok(source);
        }
        match head {
            Iterable::Range {
                lo,
                hi,
                inclusive,
                adapters,
            } => self.range_source(lo, hi, *inclusive, adapters, span),
            Iterable::Elements { of, .. } if keyed(self.ty(of)).is_some() => {
                self.entries(of, Part::Entries, span)
            }
            Iterable::Elements { of, access } => {
                let by_ref = *access != Elements::Own || matches!(self.ty(of), Type::Ref(..));
                let element = self.ty(of).any_element();
                if let Some(places) = self.references(of)? {
                    let len = self.index_constant(places.len(), span);
                    let items = Items::References { places, element };
                    return Ok(Source { len, items });
                }
                let mut place = self.reference_or_place(of)?;
                let ty = self.ty(of).clone();
                self.check_list(&place, &ty, of.span);
                if !by_ref {
                    place = self.kept_for_loop(place, of, span);
                }
                let len = self.len(&place, span);
                let items = Items::Elements {
                    place,
                    element,
                    by_ref,
                };
                Ok(Source { len, items })
            }
            Iterable::Chunks {
                of,
                size,
                kind,
                mutable,
            } => {
                let element = self.ty(of).any_element();
                let place = self.reference_or_place(of)?;
                let ty = self.ty(of).clone();
                self.check_list(&place, &ty, of.span);
                let size = self.value(size)?;
                let len = self.len(&place, span);
                let len = self.chunk_count(len, size, *kind, span);
                let items = Items::Chunks {
                    place,
                    element,
                    size,
                    kind: *kind,
                    mutable: *mutable,
                };
                Ok(Source { len, items })
            }
            Iterable::Enumerate(inner) => {
                let inner = self.source(inner, span)?;
                Ok(Source::new(inner.len, Items::Enumerate(Box::new(inner))))
            }
            Iterable::Zip(a, b) => {
                let (a, b) = (self.source(a, span)?, self.source(b, span)?);
                let len = match (&a.items, &b.items) {
                    // An endless counter is as long as the other one.
                    (Items::Count { .. }, _) => b.len,
                    (_, Items::Count { .. }) => a.len,
                    _ => self.least(a.len, b.len, span),
                };
                Ok(Source::new(len, Items::Zip(Box::new(a), Box::new(b))))
            }
            Iterable::Rev(inner) => {
                let inner = self.source(inner, span)?;
                Ok(Source::new(inner.len, Items::Rev(Box::new(inner))))
            }
            Iterable::Skip(inner, n) => {
                let inner = self.source(inner, span)?;
                let n = self.value(n)?;
                let n = self.least(n, inner.len, span);
                let len = self.difference(inner.len, n, span);
                Ok(Source::new(len, Items::From(Box::new(inner), n)))
            }
            Iterable::Take(inner, n) => {
                let inner = self.source(inner, span)?;
                let n = self.value(n)?;
                let len = self.least(n, inner.len, span);
                Ok(Source::new(len, Items::First(Box::new(inner))))
            }
            Iterable::StepBy(inner, step) => {
                let inner = self.source(inner, span)?;
                let step = self.value(step)?;
                let len = self.chunk_count(inner.len, step, Chunks::All, span);
                Ok(Source::new(len, Items::StepBy(Box::new(inner), step)))
            }
            Iterable::Count(lo) => {
                let ty = self.ty(lo).clone();
                let start = self.value(lo)?;
                let most = quote::quote!(::core::primitive::usize::MAX);
                let len = self.constant(Const::Expr(most), Ty::Int("usize"), span);
                Ok(Source::new(len, Items::Count { start, ty }))
            }
            Iterable::Unknown(of) => match part_of(of) {
                Some((map, part)) if keyed(self.ty(map)).is_some() => self.entries(map, part, span),
                _ if !gives_list(of) => self.refuse_loop(of),
                _ => self.given_list(of, span),
            },
        }
    }

    pub(super) fn len(&mut self, place: &Place, span: Span) -> Value {
        self.emit(OpKind::Len(place.clone()), Ty::Int("usize"), "len", span)
    }

    /// A range beside something else in a `zip`.
    fn range_source(
        &mut self,
        lo: &Expr,
        hi: &Expr,
        inclusive: bool,
        adapters: &[Adapter],
        span: Span,
    ) -> Lowered<Source> {
        let ty = self.ty(lo).clone();
        if !ty.is_int() || adapters.iter().any(is_step) {
            return self.reject(
                lo,
                "this range inside of `zip` or `enumerate` is not supported yet",
                "loop over a range alone, and compute the other values from the index",
            );
        }
        let (lo, mut hi) = (self.value(lo)?, self.value(hi)?);
        // The number after the last one may have no room in a smaller type.
        let closed = inclusive && !matches!(ty, Type::Int("usize"));
        if inclusive && !closed {
            hi = self.plus_one(hi, span);
        }
        // An empty range must not underflow.
        let below = if closed { BinaryOp::Le } else { BinaryOp::Lt };
        let some = self.emit(OpKind::Binary(below, lo, hi), Ty::Bool, "some", span);
        let end = self.emit(OpKind::Select(some, hi, lo), ty.lower(), "hi", span);
        let mut len = self.distance(lo, end, &ty, span);
        if closed {
            let (more, zero) = (self.plus_one(len, span), self.index_constant(0, span));
            let kind = OpKind::Select(some, more, zero);
            len = self.emit(kind, Ty::Int("usize"), "len", span);
        }
        let (start, down) = match adapters.len() % 2 {
            0 => (lo, None),
            _ => (end, Some(if closed { Last::In } else { Last::Out })),
        };
        let items = Items::Range { start, down, ty };
        Ok(Source::new(len, items))
    }

    fn chunk_count(&mut self, len: Value, size: Value, kind: Chunks, span: Span) -> Value {
        let usize = || Ty::Int("usize");
        let binary = |op, a, b| OpKind::Binary(op, a, b);
        match kind {
            Chunks::Exact => self.emit(binary(BinaryOp::Div, len, size), usize(), "count", span),
            Chunks::All => {
                let full = self.emit(binary(BinaryOp::Div, len, size), usize(), "full", span);
                let rest = self.emit(binary(BinaryOp::Rem, len, size), usize(), "rest", span);
                let zero = self.index_constant(0, span);
                let some = self.emit(binary(BinaryOp::Gt, rest, zero), Ty::Bool, "some", span);
                let more = self.plus_one(full, span);
                self.emit(OpKind::Select(some, more, full), usize(), "count", span)
            }
            Chunks::Windows => {
                // len + 1 - size, or zero where the slice is too short.
                let ends = self.plus_one(len, span);
                let fits = self.emit(binary(BinaryOp::Lt, size, ends), Ty::Bool, "fits", span);
                let least = self.emit(OpKind::Select(fits, size, ends), usize(), "size", span);
                self.emit(binary(BinaryOp::Sub, ends, least), usize(), "count", span)
            }
        }
    }

    /// Runs `f` for each index below `len`, in a loop that carries nothing.
    pub(super) fn each_index(
        &mut self,
        len: Value,
        span: Span,
        f: impl FnOnce(&mut Self, Value) -> Lowered<()>,
    ) -> Lowered<Flow> {
        let zero = self.index_constant(0, span);
        let k = self.out.new_value(Ty::Int("usize"), "k", span);
        let (ops, done) = self.region(|lowerer| f(lowerer, k));
        done?;
        let body = ir::Region {
            params: vec![k],
            ops,
            yields: Vec::new(),
        };
        let range = Self::plain_range(zero, len);
        self.effect(OpKind::counted(range, Vec::new(), body), span);
        Ok(Flow::Unit)
    }
}

/// Returns `true` if a head runs over its positions from the first to the last.
fn is_unadapted(head: &Iterable) -> bool {
    match head {
        Iterable::Rev(_) | Iterable::StepBy(..) => false,
        Iterable::Skip(inner, _) | Iterable::Take(inner, _) => is_unadapted(inner),
        _ => true,
    }
}

fn is_step(adapter: &hir::Adapter) -> bool {
    matches!(adapter, Adapter::StepBy(_))
}

//! What a `for` runs over, as a range and what each position of it stands for.

use proc_macro2::Span;

use super::builder::{Flow, Lowered, Lowerer};
use crate::hir::{self, Adapter, Chunks, Elements, Expr, Head, Pat};
use crate::ir::{self, BinaryOp, Const, OpKind, Place, Proj, Range, SlotKind, Ty, Value};
use crate::types::Type;

/// A counted loop.
pub(super) struct Counted {
    pub(super) range: Range,
    item: Item,
}

/// What stands at a position.
enum Item {
    /// The induction variable itself.
    Induction(Type),
    Position(Source),
}

/// Something with a length, and an item at each position.
struct Source {
    len: Value,
    items: Items,
}

enum Items {
    /// `lo + k`, or `hi - 1 - k`; the type of both.
    Range {
        start: Value,
        step: Option<Value>,
        down: bool,
        ty: Type,
    },
    /// Elements, by reference or by value.
    Elements {
        place: Place,
        element: Type,
        by_ref: bool,
    },
    Chunks {
        place: Place,
        element: Type,
        size: Value,
        kind: Chunks,
        mutable: bool,
    },
    Enumerate(Box<Source>),
    Zip(Box<Source>, Box<Source>),
    Rev(Box<Source>),
    Copied(Box<Source>),
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
    pub(super) fn counted(&mut self, head: &Head, span: Span) -> Lowered<Counted> {
        if let Head::Range {
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
        // Backwards over the whole is a range backwards.
        let (head, reversed) = match head {
            Head::Rev(inner) => (&**inner, true),
            head => (head, false),
        };
        let source = self.source(head, span)?;
        let zero = self.index_constant(0, span);
        let mut range = Self::plain_range(zero, source.len);
        if reversed {
            range.adapters.push(ir::Adapter::Rev);
        }
        Ok(Counted {
            range,
            item: Item::Position(source),
        })
    }

    fn adapters(&mut self, adapters: &[Adapter]) -> Lowered<Vec<ir::Adapter>> {
        adapters
            .iter()
            .map(|adapter| match adapter {
                Adapter::Rev => Ok(ir::Adapter::Rev),
                Adapter::StepBy(step) => self.value(step).map(ir::Adapter::StepBy),
            })
            .collect()
    }

    fn source(&mut self, head: &Head, span: Span) -> Lowered<Source> {
        match head {
            Head::Range {
                lo,
                hi,
                inclusive,
                adapters,
            } => self.range_source(lo, hi, *inclusive, adapters, span),
            Head::Elements { of, access } => {
                let by_ref = *access != Elements::Own || matches!(self.ty(of), Type::Ref(..));
                let element = self.ty(of).element().cloned().unwrap_or(Type::Deferred);
                let place = self.reference_or_place(of)?;
                let len = self.len(&place, span);
                Ok(Source {
                    len,
                    items: Items::Elements {
                        place,
                        element,
                        by_ref,
                    },
                })
            }
            Head::Chunks {
                of,
                size,
                kind,
                mutable,
            } => {
                let element = self.ty(of).element().cloned().unwrap_or(Type::Deferred);
                let place = self.reference_or_place(of)?;
                let size = self.value(size)?;
                let len = self.len(&place, span);
                let len = self.chunk_count(len, size, *kind, span)?;
                let items = Items::Chunks {
                    place,
                    element,
                    size,
                    kind: *kind,
                    mutable: *mutable,
                };
                Ok(Source { len, items })
            }
            Head::Enumerate(inner) => {
                let inner = self.source(inner, span)?;
                Ok(Source {
                    len: inner.len,
                    items: Items::Enumerate(Box::new(inner)),
                })
            }
            Head::Zip(a, b) => {
                let (a, b) = (self.source(a, span)?, self.source(b, span)?);
                let less = self.emit(
                    OpKind::Binary(BinaryOp::Lt, a.len, b.len),
                    Ty::Bool,
                    "less",
                    span,
                );
                let select = OpKind::Select(less, a.len, b.len);
                let len = self.emit(select, Ty::Int("usize"), "len", span);
                Ok(Source {
                    len,
                    items: Items::Zip(Box::new(a), Box::new(b)),
                })
            }
            Head::Rev(inner) => {
                let inner = self.source(inner, span)?;
                Ok(Source {
                    len: inner.len,
                    items: Items::Rev(Box::new(inner)),
                })
            }
            Head::Copied(inner) => {
                let inner = self.source(inner, span)?;
                Ok(Source {
                    len: inner.len,
                    items: Items::Copied(Box::new(inner)),
                })
            }
            Head::Other(of) => self.reject(
                of.span,
                "a loop over this iterator is not supported yet",
                "loop over a range, a slice, `iter()`, `iter_mut()`, `chunks(n)` or `windows(n)`, \
                 with `rev()`, `enumerate()` or `zip(...)`",
            ),
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
        if !matches!(ty, Type::Int("usize")) || adapters.iter().any(is_step) {
            return self.reject(
                lo.span,
                "this range inside of `zip` or `enumerate` is not supported yet",
                "loop over a range of `usize`, and compute the other values from the index",
            );
        }
        let (lo, mut hi) = (self.value(lo)?, self.value(hi)?);
        if inclusive {
            hi = self.plus_one(hi, span);
        }
        // An empty range must not underflow.
        let usize = Ty::Int("usize");
        let less = self.emit(OpKind::Binary(BinaryOp::Lt, lo, hi), Ty::Bool, "some", span);
        let minuend = self.emit(OpKind::Select(less, hi, lo), usize.clone(), "hi", span);
        let len = self.emit(
            OpKind::Binary(BinaryOp::Sub, minuend, lo),
            usize,
            "len",
            span,
        );
        let down = adapters.len() % 2 == 1;
        let start = if down { minuend } else { lo };
        Ok(Source {
            len,
            items: Items::Range {
                start,
                step: None,
                down,
                ty,
            },
        })
    }

    fn chunk_count(&mut self, len: Value, size: Value, kind: Chunks, span: Span) -> Lowered<Value> {
        let usize = || Ty::Int("usize");
        match kind {
            Chunks::Exact => Ok(self.emit(
                OpKind::Binary(BinaryOp::Div, len, size),
                usize(),
                "count",
                span,
            )),
            Chunks::Chunks => {
                let count = self.emit(
                    OpKind::Binary(BinaryOp::Div, len, size),
                    usize(),
                    "full",
                    span,
                );
                let rest = self.emit(
                    OpKind::Binary(BinaryOp::Rem, len, size),
                    usize(),
                    "rest",
                    span,
                );
                let zero = self.index_constant(0, span);
                let some = self.emit(
                    OpKind::Binary(BinaryOp::Gt, rest, zero),
                    Ty::Bool,
                    "some",
                    span,
                );
                let more = self.plus_one(count, span);
                Ok(self.emit(OpKind::Select(some, more, count), usize(), "count", span))
            }
            Chunks::Windows => {
                // len + 1 - size, or zero where the slice is too short.
                let ends = self.plus_one(len, span);
                let fits = self.emit(
                    OpKind::Binary(BinaryOp::Lt, size, ends),
                    Ty::Bool,
                    "fits",
                    span,
                );
                let least = self.emit(OpKind::Select(fits, size, ends), usize(), "size", span);
                Ok(self.emit(
                    OpKind::Binary(BinaryOp::Sub, ends, least),
                    usize(),
                    "count",
                    span,
                ))
            }
        }
    }

    /// Binds a pattern to the item at position `k`.
    fn bind_item(&mut self, source: &Source, pat: &Pat, k: Value, span: Span) -> Lowered<()> {
        let usize = || Ty::Int("usize");
        match &source.items {
            Items::Range {
                start,
                step: _,
                down,
                ty,
            } => {
                let op = if *down { BinaryOp::Sub } else { BinaryOp::Add };
                let k = if *down { self.plus_one(k, span) } else { k };
                let item = self.emit(OpKind::Binary(op, *start, k), usize(), "i", span);
                self.bind_pattern(pat, item, ty, span)
            }
            Items::Elements {
                place,
                element,
                by_ref,
            } => {
                let place = place.extended(&[Proj::Index(k)]);
                if *by_ref {
                    self.bind_place(pat, &place, element, span)
                } else {
                    self.bind_parts(pat, &place, element, span)
                }
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
            Items::Copied(inner) => match &inner.items {
                Items::Elements { place, element, .. } => {
                    let place = place.extended(&[Proj::Index(k)]);
                    self.bind_parts(pat, &place, element, span)
                }
                _ => self.bind_item(inner, pat, k, span),
            },
        }
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
        if *kind == Chunks::Chunks {
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
        let kind = OpKind::For {
            range,
            init: Vec::new(),
            stop: false,
            body,
        };
        self.effect(kind, span);
        Ok(Flow::Unit)
    }
}

fn is_step(adapter: &hir::Adapter) -> bool {
    matches!(adapter, Adapter::StepBy(_))
}

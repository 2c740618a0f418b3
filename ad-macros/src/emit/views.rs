//! Parts of slices that a counted loop runs over, taken once in front of it.
//!
//! ```text
//! for j in 0..n { c[i * n + j] += a[j]; }        let c_1 = &mut c[i * n..][..n]; let a_1 = &a[..n]; for j in 0..n { c_1[j] += a_1[j]; }
//! ```
//! The part is as long as the loop, so that rustc needs no check for each access. Valid where each trip makes the access, so that the loop would panic as
//! well, and where the loop mentions a variable that it writes in no other way. A loop up to the slice's own length needs none: `for i in 0..x.len() { x[i] }`.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::Emitter;
use crate::analyze::Affine;
use crate::ir::{
    Adapter, Const, Map, Op, OpKind, Place, Proj, Range, Region, Set, Slot, SlotKind, Ty, Value,
};

/// How a loop uses a variable.
#[derive(Default)]
struct Uses {
    parts: Vec<Use>,
    written: bool,
    /// True if it is used in a way that no part can replace.
    otherwise: bool,
}

impl Uses {
    fn add(&mut self, new: &Use) {
        match self.parts.iter_mut().find(|part| part.is_of(new)) {
            Some(part) => part.join(new),
            None => self.parts.push(new.clone()),
        }
    }
}

/// Accesses to elements of one part.
#[derive(Clone)]
struct Use {
    /// Projections in front of the index of each access.
    prefix: Vec<Proj>,
    /// The term that is added to the counter in each index.
    base: Option<Value>,
    /// The farthest index, counted from the counter, if all indices are a fixed number from it.
    reach: Option<i64>,
    /// The farthest one that each trip accesses.
    sure: Option<i64>,
    least: i64,
    /// Each trip makes an access.
    always: bool,
}

impl Use {
    /// How far the part reaches beyond the counter's end, if each trip accesses the farthest element.
    fn end(&self) -> Option<i64> {
        self.reach.filter(|_| self.reach == self.sure)
    }

    fn is_of(&self, other: &Self) -> bool {
        self.prefix == other.prefix && self.base == other.base
    }

    fn join(&mut self, other: &Self) {
        self.reach = self.reach.zip(other.reach).map(|(a, b)| a.max(b));
        self.sure = self.sure.max(other.sure);
        self.least = self.least.min(other.least);
        self.always |= other.always;
    }
}

/// A part that has a name.
pub(super) struct View {
    place: Place,
    ident: Ident,
    /// The indices that it has, counted from the counter; all, if it ends where the list ends.
    indices: Option<Map<Value, i64>>,
    /// The counter, if the part starts at another index than the list.
    moved: Option<Value>,
}

impl View {
    /// Returns `true` if the view has the element.
    fn has(&self, place: &Place) -> bool {
        let Some((Proj::Index(index), prefix)) = place.path.split_last() else {
            return false;
        };
        let has = |indices: &Map<Value, i64>| indices.contains_key(index);
        let same = self.place.root == place.root && self.place.path == prefix;
        same && self.indices.as_ref().is_none_or(has)
    }
}

impl Emitter<'_> {
    /// Names the parts that the loop runs over. They are valid until as many are there as before.
    pub(super) fn views(&mut self, range: &Range, body: &Region, out: &mut TokenStream) {
        let by_one = range.adapters.iter().all(|a| matches!(a, Adapter::Rev));
        if range.inclusive || !by_one {
            return;
        }
        self.learn_constants(body);
        let affine = Affine::new(body, &|v| self.int(v));
        let mut uses: Map<Slot, Uses> = Map::default();
        let mut order: Vec<Slot> = Vec::new();
        self.look(body, &affine, true, &mut uses, &mut order);
        let mut found: Vec<(Slot, bool, Use)> = Vec::new();
        for slot in order {
            let Some(used) = uses.remove(&slot) else {
                continue;
            };
            if used.written && (used.otherwise || used.parts.len() > 1) {
                continue;
            }
            let parts = used.parts.into_iter();
            let gains = parts.filter(|part| self.gains(slot, part, range));
            found.extend(gains.map(|part| (slot, used.written, part)));
        }
        if !found.is_empty() {
            // The ends get names.
            self.flush_all(out);
        }
        let start = self.views.len();
        for (slot, written, used) in found {
            self.view(slot, written, used, range, (&affine, body.params[0]), out);
        }
        self.leave_out(start, body, &affine);
    }

    /// Indices that only parts with a start of their own were found by are computed no more.
    fn leave_out(&mut self, start: usize, body: &Region, affine: &Affine) {
        let mut ops: Vec<&Op> = Vec::new();
        body.walk(&mut |op| ops.push(op));
        let mut read: Set<Value> = body.yields.iter().copied().collect();
        for op in ops.into_iter().rev() {
            read.extend(op.regions().into_iter().flat_map(|r| r.yields.clone()));
            let index = match op.results[..] {
                [v] => affine
                    .offsets
                    .get(&v)
                    .filter(|offset| offset.base.is_some())
                    .map(|_| v),
                _ => None,
            };
            if let Some(v) = index.filter(|v| !read.contains(v)) {
                self.left_out.insert(v);
                continue;
            }
            let mut own: Option<Value> = None;
            if let OpKind::Load(place) | OpKind::Store(place, _) | OpKind::Accumulate(place, _) =
                &op.kind
                && let Some(Proj::Index(index)) = place.path.last()
                && self.views[start..]
                    .iter()
                    .any(|view| view.moved.is_some() && view.has(place))
            {
                own = Some(*index)
                    .filter(|index| !matches!(op.kind, OpKind::Store(_, v) if v == *index));
            }
            read.extend(op.operands().into_iter().filter(|v| Some(*v) != own));
        }
    }

    /// Returns `true` if the view removes a check, or other work of each access.
    fn gains(&self, slot: Slot, used: &Use, range: &Range) -> bool {
        let first = self.int(range.lo).unwrap_or(0);
        let bounded = match (used.base, used.end()) {
            (Some(_), end) => return used.always && end.is_some() && first + used.least >= 0,
            (None, end) => end.is_some_and(|end| end > 0 || !self.ends_with(slot, range.hi)),
        };
        used.always && (bounded || !used.prefix.is_empty())
    }

    pub(super) fn int(&self, v: Value) -> Option<i64> {
        match self.consts.get(&v) {
            Some(Const::Int(digits)) => digits.replace('_', "").parse().ok(),
            _ => None,
        }
    }

    pub(super) fn learn_constants(&mut self, body: &Region) {
        body.walk(&mut |op| {
            if let (OpKind::Const(known), [v]) = (&op.kind, &op.results[..]) {
                self.consts.insert(*v, known.clone());
            }
        });
    }

    /// Records the lists whose lengths values are.
    pub(super) fn learn_lengths(&mut self, op: &Op) {
        match &op.kind {
            OpKind::Len(place) => {
                self.lens.insert(op.results[0], place.clone());
            }
            OpKind::Borrow(alias, place) => {
                if let [Proj::Range(None, Some(end))] = place.path[..] {
                    self.cuts.insert(*alias, end);
                }
            }
            _ => {}
        }
    }

    /// The value is the length of the slice, by their definitions.
    fn ends_with(&self, slot: Slot, hi: Value) -> bool {
        let len_of = |v: Value| self.lens.get(&v);
        let whole = |place: &Place| place.root == slot && place.path.is_empty();
        let cut_there =
            |end: &Value| *end == hi || len_of(*end).is_some() && len_of(*end) == len_of(hi);
        len_of(hi).is_some_and(whole) || self.cuts.get(&slot).is_some_and(cut_there)
    }

    fn view(
        &mut self,
        slot: Slot,
        written: bool,
        used: Use,
        range: &Range,
        (affine, counter): (&Affine, Value),
        out: &mut TokenStream,
    ) {
        let ints = [range.lo, range.hi].map(|v| self.int(v));
        let (lo, hi) = (self.peek(range.lo), self.peek(range.hi));
        let end = used.end();
        let whole = used.prefix.is_empty() && used.base.is_none() && end == Some(0);
        let is_row = matches!(used.prefix.last(), Some(Proj::Index(_)));
        let place = Place::new(slot, used.prefix);
        let mut part = self.place(&place, written);
        if let Some(base) = used.base {
            let base = self.peek(base);
            part = quote!(#part[#base..]);
        }
        if let Some(end) = end {
            let by = Literal::u64_unsuffixed(end.unsigned_abs());
            part = match end {
                0 => quote!(#part[..#hi]),
                1.. => quote!(#part[..#hi + #by]),
                _ => quote!(#part[..#hi - #by]),
            };
        }
        if is_row && used.base.is_none() && end.is_none() {
            part = quote!(#part[..]);
        }
        let ident = self.names.fresh(&self.func.slot(slot).name);
        let unique = written.then(|| quote!(mut));
        // Nothing of it can be taken amiss where the loop doesn't run.
        let safe = match ints {
            [Some(lo), Some(hi)] => lo < hi,
            [Some(0), None] => whole || self.func.value(range.hi).positive,
            _ => false,
        };
        out.extend(if safe {
            quote!(let #ident = &#unique #part;)
        } else {
            quote!(let #ident = if #lo < #hi { &#unique #part } else { &#unique [] };)
        });
        let offsets = affine.offsets.iter();
        let own = offsets.filter(|(_, offset)| offset.base == used.base);
        let indices = end.map(|_| own.map(|(v, offset)| (*v, offset.by)).collect());
        self.views.push(View {
            place,
            ident,
            indices,
            moved: used.base.map(|_| counter),
        });
    }

    fn look(
        &self,
        region: &Region,
        affine: &Affine,
        always: bool,
        uses: &mut Map<Slot, Uses>,
        order: &mut Vec<Slot>,
    ) {
        for op in &region.ops {
            let (accessed, written) = match &op.kind {
                OpKind::Load(place) => (Some(place), false),
                OpKind::Len(_) | OpKind::Sum { .. } => (None, false),
                OpKind::Store(place, _) | OpKind::Accumulate(place, _) => (Some(place), true),
                _ => (None, true),
            };
            let new = accessed.and_then(|place| {
                let part = self.one(place, affine, always, written)?;
                Some((place.root, part))
            });
            for (slot, _) in op.slots() {
                let known = uses.entry(slot).or_insert_with(|| {
                    order.push(slot);
                    Uses::default()
                });
                known.written |= written;
            }
            for (slot, _) in op.slots() {
                let Some(known) = uses.get_mut(&slot) else {
                    continue;
                };
                match new.as_ref().filter(|(root, _)| *root == slot) {
                    Some((_, new)) => known.add(new),
                    None => known.otherwise = true,
                }
            }
            for inner in op.regions() {
                self.look(inner, affine, false, uses, order);
            }
        }
    }

    /// An access to an element of a part that is the same in each trip.
    fn one(&self, place: &Place, affine: &Affine, always: bool, written: bool) -> Option<Use> {
        let slot = self.func.slot(place.root);
        if !slot.is_plain() {
            return None;
        }
        // A shared slice can't be written through.
        if written && slot.kind == SlotKind::Ref {
            return None;
        }
        let (last, prefix) = place.path.split_last()?;
        let Proj::Index(index) = last else {
            return None;
        };
        let fixed = |v: &Value| !affine.inside.contains(*v);
        let mut ty = &slot.ty;
        for proj in prefix {
            ty = match proj {
                Proj::Range(lo, hi) if lo.iter().chain(hi).all(fixed) => ty,
                Proj::Index(index) if fixed(index) => ty.element()?,
                _ => return None,
            };
        }
        let list = matches!(ty, Ty::Slice(elem) | Ty::Vec(elem) if elem.is_scalar());
        let offset = affine.offsets.get(index);
        (list || slot.ty.is_tape()).then(|| Use {
            prefix: prefix.to_vec(),
            base: offset.and_then(|offset| offset.base),
            reach: offset.map(|offset| offset.by),
            sure: offset.map(|offset| offset.by).filter(|_| always),
            least: offset.map_or(0, |offset| offset.by),
            always,
        })
    }

    /// An element as one of the view that it lies in.
    pub(super) fn seen(&mut self, place: &Place) -> Option<TokenStream> {
        let Proj::Index(index) = place.path.last()? else {
            return None;
        };
        let view = self.views.iter().rev().find(|view| view.has(place))?;
        let ident = view.ident.clone();
        let by = |indices: &Map<Value, i64>| indices.get(index).copied();
        let moved = view.moved.zip(view.indices.as_ref().and_then(by));
        let Some((counter, by)) = moved else {
            let index = self.peek(*index);
            return Some(quote!(#ident[#index]));
        };
        let counter = self.peek(counter);
        let amount = Literal::u64_unsuffixed(by.unsigned_abs());
        Some(match by {
            0 => quote!(#ident[#counter]),
            1.. => quote!(#ident[#counter + #amount]),
            _ => quote!(#ident[#counter - #amount]),
        })
    }
}

//! Parts of slices that a counted loop runs over, taken once in front of it.
//!
//! ```text
//! for j in 0..n { c[lo..hi][j] += a[j]; }        let c_1 = &mut c[lo..hi][..n]; let a_1 = &a[..n]; for j in 0..n { c_1[j] += a_1[j]; }
//! ```
//! The part is as long as the loop, so that rustc needs no check for each access. Valid where each trip makes the access, so that the loop would panic as
//! well, and where the loop mentions the variable in no other way. A loop up to the slice's own length needs none: `for i in 0..x.len() { x[i] }`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emitter;
use crate::ir::{
    BinaryOp, Const, Map, Op, OpKind, Place, Proj, Range, Region, Set, Slot, SlotKind, Ty, Value,
};

/// How a loop uses a variable.
struct Use {
    /// What stands in front of the index of each access.
    prefix: Vec<Proj>,
    /// The farthest index, counted from the counter, if all indices are a fixed number from it.
    reach: Option<i64>,
    /// The farthest one that each trip accesses.
    sure: Option<i64>,
    /// Each trip makes an access.
    always: bool,
    written: bool,
}

impl Use {
    /// How far the part reaches beyond the counter's end, if each trip accesses the farthest element.
    fn end(&self) -> Option<i64> {
        self.reach.filter(|_| self.reach == self.sure)
    }
}

/// What is around an access.
struct Around<'l> {
    /// Values of the loop.
    inside: &'l Set<Value>,
    /// The counter, and what is a fixed number from it.
    offsets: &'l Map<Value, i64>,
}

/// A part that has a name.
pub(super) struct View {
    pub(super) place: Place,
    pub(super) ident: Ident,
}

impl Emitter<'_> {
    /// Names the parts that the loop runs over. They are valid until as many are there as before.
    pub(super) fn views(&mut self, range: &Range, body: &Region, out: &mut TokenStream) {
        if range.inclusive
            || !range
                .adapters
                .iter()
                .all(|a| matches!(a, crate::ir::Adapter::Rev))
        {
            return;
        }
        let inside = self.defined_in(body);
        let mut offsets: Map<Value, i64> = Map::default();
        offsets.insert(body.params[0], 0);
        body.walk(&mut |op| {
            let (OpKind::Binary(kind, a, b), [result]) = (&op.kind, &op.results[..]) else {
                return;
            };
            let by = match self.consts.get(b) {
                Some(Const::Int(digits)) => digits.parse::<i64>().ok(),
                _ => None,
            };
            let offset = match (offsets.get(a), by, kind) {
                (Some(offset), Some(by), BinaryOp::Add) => offset.checked_add(by),
                (Some(offset), Some(by), BinaryOp::Sub) => offset.checked_sub(by),
                _ => None,
            };
            offsets.extend(offset.map(|offset| (*result, offset)));
        });
        let around = Around {
            inside: &inside,
            offsets: &offsets,
        };
        let mut uses: Map<Slot, Option<Use>> = Map::default();
        let mut order: Vec<Slot> = Vec::new();
        self.look(body, &around, true, &mut uses, &mut order);
        let gains = |slot: Slot, used: &Use| {
            let bounded = used
                .end()
                .is_some_and(|reach| reach > 0 || !self.ends_with(slot, range.hi));
            used.always && (bounded || !used.prefix.is_empty())
        };
        let found = order.into_iter().filter_map(|slot| {
            let used = uses.remove(&slot).flatten()?;
            gains(slot, &used).then_some((slot, used))
        });
        let found: Vec<(Slot, Use)> = found.collect();
        if !found.is_empty() {
            // The ends get names.
            self.flush_all(out);
        }
        for (slot, used) in found {
            self.view(slot, used, range, out);
        }
    }

    /// Keeps what the lengths of slices are.
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

    /// The value is the length of the slice, by what they are defined as.
    fn ends_with(&self, slot: Slot, hi: Value) -> bool {
        let is_len_of = |v: Value, slot: Slot| {
            let place = self.lens.get(&v);
            place.is_some_and(|place| place.root == slot && place.path.is_empty())
        };
        let same = |v: Value| {
            v == hi
                || matches!((self.lens.get(&v), self.lens.get(&hi)), (Some(a), Some(b)) if a == b)
        };
        is_len_of(hi, slot) || self.cuts.get(&slot).is_some_and(|v| same(*v))
    }

    fn view(&mut self, slot: Slot, used: Use, range: &Range, out: &mut TokenStream) {
        let ints = [range.lo, range.hi].map(|v| match self.consts.get(&v) {
            Some(Const::Int(digits)) => digits.parse::<u64>().ok(),
            _ => None,
        });
        let (lo, hi) = (self.peek(range.lo), self.peek(range.hi));
        let end = used.end();
        let whole = used.prefix.is_empty() && end == Some(0);
        let place = Place {
            root: slot,
            path: used.prefix,
        };
        let mut part = self.place(&place, used.written);
        if let Some(reach) = end {
            let by = proc_macro2::Literal::u64_unsuffixed(reach.unsigned_abs());
            part = match reach {
                0 => quote!(#part[..#hi]),
                1.. => quote!(#part[..#hi + #by]),
                _ => quote!(#part[..#hi - #by]),
            };
        }
        let ident = self.names.fresh(&self.func.slot(slot).name);
        let unique = used.written.then(|| quote!(mut));
        // Nothing of it can be taken amiss where the loop doesn't run.
        let safe = match ints {
            [Some(lo), Some(hi)] => lo < hi,
            [Some(0), None] => whole,
            _ => false,
        };
        out.extend(if safe {
            quote!(let #ident = &#unique #part;)
        } else {
            quote!(let #ident = if #lo < #hi { &#unique #part } else { &#unique [] };)
        });
        self.views.push(View { place, ident });
    }

    fn look(
        &self,
        region: &Region,
        around: &Around<'_>,
        always: bool,
        uses: &mut Map<Slot, Option<Use>>,
        order: &mut Vec<Slot>,
    ) {
        for op in &region.ops {
            let accessed = match &op.kind {
                OpKind::Load(place) => Some((place, false)),
                OpKind::Store(place, _) | OpKind::Accumulate(place, _) => Some((place, true)),
                _ => None,
            };
            for (slot, _) in op.slots() {
                let new =
                    accessed.and_then(|(place, written)| self.one(place, around, always, written));
                match (uses.get_mut(&slot), new) {
                    (None, new) => {
                        order.push(slot);
                        uses.insert(slot, new);
                    }
                    (Some(Some(known)), Some(new)) if known.prefix == new.prefix => {
                        known.reach = known.reach.zip(new.reach).map(|(a, b)| a.max(b));
                        known.sure = known.sure.max(new.sure);
                        known.always |= new.always;
                        known.written |= new.written;
                    }
                    (Some(known), _) => *known = None,
                }
            }
            for inner in op.regions() {
                self.look(inner, around, false, uses, order);
            }
        }
    }

    /// An access to an element of a part that is the same in each trip.
    fn one(&self, place: &Place, around: &Around<'_>, always: bool, written: bool) -> Option<Use> {
        let slot = self.func.slot(place.root);
        let list = matches!(&slot.ty, Ty::Slice(elem) | Ty::Vec(elem) if elem.is_scalar());
        let run = slot.ty.is_tape();
        if !(list || run) || slot.in_option || slot.in_field || slot.may_borrow {
            return None;
        }
        // What a reference to a shared slice is called can't be written through.
        if written && slot.kind == SlotKind::Ref {
            return None;
        }
        let (last, prefix) = place.path.split_last()?;
        let Proj::Index(index) = last else {
            return None;
        };
        let invariant = |proj: &Proj| match proj {
            Proj::Range(lo, hi) => [lo, hi]
                .into_iter()
                .flatten()
                .all(|v| !around.inside.contains(v)),
            _ => false,
        };
        prefix.iter().all(invariant).then(|| Use {
            prefix: prefix.to_vec(),
            reach: around.offsets.get(index).copied(),
            sure: around.offsets.get(index).copied().filter(|_| always),
            always,
            written,
        })
    }

    /// The view that a place lies in, and how much of its path leads there.
    pub(super) fn seen(&self, place: &Place) -> Option<(Ident, usize)> {
        let mut views = self.views.iter().rev();
        views.find_map(|view| {
            let within = view.place.root == place.root && place.path.starts_with(&view.place.path);
            (within && place.path.len() > view.place.path.len())
                .then(|| (view.ident.clone(), view.place.path.len()))
        })
    }
}

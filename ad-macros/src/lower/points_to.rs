//! The target of a reference: a place, or one of several, by decisions that have been made. Two that differ only in positions are one
//! place whose positions were chosen.

use proc_macro2::Span;
use quote::quote;

use super::builder::Lowerer;
use crate::ir::{BinaryOp, Func, Lookup, OpKind, Place, Proj, Slot, SlotKind, Ty, Use, Value};

/// The places of a slot whose name leads to one of two.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) cond: Value,
    pub(super) then: Place,
    pub(super) other: Place,
}

/// Where a name leads that has no value yet.
pub(super) const UNBOUND: Slot = Slot(u32::MAX);

/// A decision, and how it was taken.
pub(super) type Decision = (Value, bool);

#[derive(Clone, PartialEq, Debug)]
pub(super) enum PointsTo {
    One(Place),
    /// The first if the value is true.
    Two(Value, Box<PointsTo>, Box<PointsTo>),
}

/// How many values were made, and how many slots were declared, before a region began.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    values: usize,
    slots: usize,
}

impl Mark {
    pub(super) fn is_inside(self, value: Value) -> bool {
        value.0 as usize >= self.values
    }

    pub(super) fn declares(self, slot: Slot) -> bool {
        slot != UNBOUND && slot.0 as usize >= self.slots
    }

    /// Drops everything that was added since.
    pub(super) fn truncate(self, func: &mut Func) {
        func.values.truncate(self.values);
        func.slots.truncate(self.slots);
    }
}

impl PointsTo {
    /// The slot of the target that was declared in the current region, and ends with it.
    pub(super) fn declared_since(&self, mark: Mark) -> Option<Slot> {
        match self {
            PointsTo::One(place) => mark.declares(place.root).then_some(place.root),
            PointsTo::Two(_, then, other) => {
                let first = then.declared_since(mark);
                first.or_else(|| other.declared_since(mark))
            }
        }
    }

    pub(super) fn is_nowhere(&self) -> bool {
        self.one().is_some_and(|place| place.root == UNBOUND)
    }

    /// The place, if there is only one.
    pub(super) fn one(&self) -> Option<&Place> {
        match self {
            PointsTo::One(place) => Some(place),
            PointsTo::Two(..) => None,
        }
    }

    /// The rest of the target where a decision is known.
    pub(super) fn assuming(&self, known: Value, holds: bool) -> PointsTo {
        match self {
            PointsTo::One(_) => self.clone(),
            PointsTo::Two(cond, then, other) if *cond == known => {
                let taken = if holds { then } else { other };
                taken.assuming(known, holds)
            }
            PointsTo::Two(cond, then, other) => PointsTo::Two(
                *cond,
                Box::new(then.assuming(known, holds)),
                Box::new(other.assuming(known, holds)),
            ),
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn mark(&self) -> Mark {
        Mark {
            values: self.out.values.len(),
            slots: self.out.slots.len(),
        }
    }

    /// A place without the names between it and the variable that holds it.
    pub(super) fn resolved(&mut self, place: &Place, span: Span) -> PointsTo {
        self.resolved_if(&[], place, span)
    }

    /// The same where decisions are taken that lead there.
    fn resolved_if(&mut self, taken: &[Decision], place: &Place, span: Span) -> PointsTo {
        if self.nowhere.contains(&place.root) {
            return PointsTo::One(Place::whole(UNBOUND));
        }
        if let Some(borrowed) = self.borrows.get(&place.root) {
            let place = borrowed.extended(&place.path);
            return self.resolved_if(taken, &place, span);
        }
        let Some(choice) = self.choices.get(&place.root).cloned() else {
            return PointsTo::One(self.shortened(taken, place, span));
        };
        let side = |lowerer: &mut Self, side: &Place, holds: bool| {
            let taken = [taken, &[(choice.cond, holds)]].concat();
            Box::new(lowerer.resolved_if(&taken, &side.extended(&place.path), span))
        };
        let then = side(self, &choice.then, true);
        let other = side(self, &choice.other, false);
        PointsTo::Two(choice.cond, then, other)
    }

    /// A place in which no range follows on another.
    fn shortened(&mut self, taken: &[Decision], place: &Place, span: Span) -> Place {
        let mut short = Place::whole(place.root);
        for proj in &place.path {
            match (short.path.last().cloned(), proj) {
                (Some(Proj::Range(lo, hi)), Proj::Range(from, to)) => {
                    short.path.pop();
                    let [from, to] =
                        [from, to].map(|end| end.map(|end| self.offset(lo, end, span)));
                    if let (Some(hi), Some(to)) = (hi, to) {
                        self.check_within(taken, to, hi, span);
                    }
                    short.path.push(Proj::Range(from.or(lo), to.or(hi)));
                }
                _ => short.path.push(proj.clone()),
            }
        }
        short
    }

    fn offset(&mut self, lo: Option<Value>, end: Value, span: Span) -> Value {
        let Some(lo) = lo else {
            return end;
        };
        let sum = OpKind::Binary(BinaryOp::Add, lo, end);
        self.emit(sum, Ty::Int("usize"), "lo", span)
    }

    /// A part of a slice doesn't go beyond the slice's end, wherever that is in the list.
    fn check_within(&mut self, taken: &[Decision], end: Value, limit: Value, span: Span) {
        let mut uses = Vec::new();
        let mut used = |lowerer: &Self, name: &str, value: Value| {
            let ident = lowerer.private(name);
            uses.push(Use::Value(ident.clone(), value));
            ident
        };
        let (end, limit) = (used(self, "end", end), used(self, "limit", limit));
        let others = taken.iter().enumerate().map(|(k, (cond, holds))| {
            let cond = used(self, &format!("chosen{k}"), *cond);
            if *holds {
                quote!(!#cond ||)
            } else {
                quote!(#cond ||)
            }
        });
        let others: Vec<_> = others.collect();
        let tokens = quote! {
            ::core::assert!(#(#others)* #end <= #limit, "range end index out of range for slice")
        };
        let kind = OpKind::code(tokens, uses);
        self.effect(kind, span);
    }

    /// The place for a name of a target.
    pub(super) fn named(
        &mut self,
        target: PointsTo,
        ty: &Ty,
        kind: SlotKind,
        name: &str,
        span: Span,
    ) -> Place {
        match target {
            PointsTo::One(place) => {
                let place = self.located(place, span);
                if place.ends_in_view() {
                    self.named_view(place, ty.clone(), kind, name, span)
                } else {
                    place
                }
            }
            PointsTo::Two(cond, then, other) => {
                let then = self.chosen_place(*then, ty, kind, name, span);
                let other = self.chosen_place(*other, ty, kind, name, span);
                let slot = self.slot(ty.clone(), kind, name, None, span);
                let lender = [&then, &other]
                    .into_iter()
                    .find_map(|place| self.borrow_sources.get(&place.root).cloned());
                if let Some(lender) = lender {
                    self.borrow_sources.insert(slot, lender);
                }
                self.choices.insert(slot, Choice { cond, then, other });
                Place::whole(slot)
            }
        }
    }

    /// One of two: a part of it is located where it is used, since it doesn't exist if it isn't chosen.
    fn chosen_place(
        &mut self,
        target: PointsTo,
        ty: &Ty,
        kind: SlotKind,
        name: &str,
        span: Span,
    ) -> Place {
        match target {
            PointsTo::One(mut place) => {
                forget_located(&mut place);
                place
            }
            two @ PointsTo::Two(..) => self.named(two, ty, kind, name, span),
        }
    }

    /// A place whose elements have been found again.
    fn located(&mut self, place: Place, span: Span) -> Place {
        let mut found = Place::whole(place.root);
        for proj in place.path {
            let proj = match proj {
                Proj::At(lookup @ (Lookup::Index(_) | Lookup::Method { .. }), None) => {
                    let locate = OpKind::Locate {
                        place: found.clone(),
                        lookup: lookup.clone(),
                        mutable: false,
                    };
                    Proj::At(lookup, Some(self.emit(locate, Ty::Rule, "at", span)))
                }
                proj => proj,
            };
            found.path.push(proj);
        }
        found
    }

    /// The positions in a place of a form.
    pub(super) fn positions_in(&mut self, place: &Place, form: &Place, span: Span) -> Vec<Value> {
        let mut found = Vec::new();
        for (k, wanted) in form.path.iter().enumerate() {
            match (wanted, place.path.get(k)) {
                (_, Some(Proj::Index(index))) => found.push(*index),
                (_, Some(Proj::At(lookup, _))) => found.extend(lookup.operands()),
                (Proj::Range(lo, hi), own) => {
                    let (own_lo, own_hi) = match own {
                        Some(Proj::Range(lo, hi)) => (*lo, *hi),
                        _ => (None, None),
                    };
                    if lo.is_some() {
                        found.push(own_lo.unwrap_or_else(|| self.index_constant(0, span)));
                    }
                    if hi.is_some() {
                        let list = Place::new(place.root, place.path[..k].to_vec());
                        found.push(own_hi.unwrap_or_else(|| self.len(&list, span)));
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Leaves only the indices of elements: where these are is asked for again.
pub(super) fn forget_located(place: &mut Place) {
    for proj in &mut place.path {
        if let Proj::At(_, at) = proj {
            *at = None;
        }
    }
}

/// A place of which only the form matters: where two places of one form have positions, whatever these are. `None` if they differ in
/// more than positions. That one of them ends in a range is no difference.
pub(super) fn joined(a: &Place, b: &Place) -> Option<Place> {
    match (a.root, b.root) {
        (UNBOUND, _) => return Some(b.clone()),
        (_, UNBOUND) => return Some(a.clone()),
        _ => {}
    }
    let (long, short) = if a.path.len() < b.path.len() {
        (b, a)
    } else {
        (a, b)
    };
    let all = Proj::Range(None, None);
    let same_length = match &long.path[short.path.len()..] {
        [] => true,
        [Proj::Range(..)] => !matches!(short.path.last(), Some(Proj::Range(..))),
        _ => false,
    };
    if long.root != short.root || !same_length {
        return None;
    }
    let mut form = Place::whole(long.root);
    for (a, b) in long.path.iter().zip(short.path.iter().chain([&all])) {
        form.path.push(match (a, b) {
            (Proj::Index(k), Proj::Index(_)) => Proj::Index(*k),
            (Proj::At(a, _), Proj::At(b, _)) if same_lookup(a, b) => Proj::At(a.clone(), None),
            (Proj::Range(lo, hi), Proj::Range(from, to)) => Proj::Range(lo.or(*from), hi.or(*to)),
            (a, b) if a == b => a.clone(),
            _ => return None,
        });
    }
    Some(form)
}

/// Returns `true` if two lookups differ only in operands.
fn same_lookup(a: &Lookup, b: &Lookup) -> bool {
    match (a, b) {
        (Lookup::Index(_), Lookup::Index(_)) => true,
        (
            Lookup::Method {
                name,
                args,
                mutable,
            },
            Lookup::Method {
                name: other,
                args: others,
                mutable: other_mutable,
            },
        ) => name == other && args.len() == others.len() && mutable == other_mutable,
        (
            Lookup::View { name, args, .. },
            Lookup::View {
                name: other,
                args: others,
                ..
            },
        ) => name == other && args.len() == others.len(),
        _ => false,
    }
}

/// How many positions there are in places of a form.
pub(super) fn count(form: &Place) -> usize {
    let positions = form.path.iter().map(|proj| match proj {
        Proj::Index(_) => 1,
        Proj::At(lookup, _) => lookup.operands().len(),
        Proj::Range(lo, hi) => usize::from(lo.is_some()) + usize::from(hi.is_some()),
        Proj::Field(_) | Proj::Variant(..) | Proj::Deref => 0,
    });
    positions.sum()
}

/// The place of a form with these positions.
pub(super) fn filled(form: &Place, mut positions: impl Iterator<Item = Value>) -> Place {
    let mut place = Place::whole(form.root);
    for proj in &form.path {
        let mut next = || positions.next();
        place.path.push(match proj {
            Proj::Index(k) => Proj::Index(next().unwrap_or(*k)),
            Proj::At(lookup, _) => {
                let mut lookup = lookup.clone();
                for operand in lookup.operands_mut() {
                    *operand = next().unwrap_or(*operand);
                }
                Proj::At(lookup, None)
            }
            Proj::Range(lo, hi) => {
                let lo = lo.and_then(|_| next());
                Proj::Range(lo, hi.and_then(|_| next()))
            }
            proj => proj.clone(),
        });
    }
    place
}

//! Zeros of variables whose type may have no tangent, such as a generator of random numbers that is passed by reference to
//! functions that declare it constant. Only rustc can resolve the type, so method resolution decides whether there is a zero.
//!
//! The same holds for values read from a field: a constant field may be of a type without a tangent, which the forward rule finds out.
//!
//! A variable whose tangent is used in other ways than to be passed by reference as a whole has one, or rustc reports what it lacks.

use proc_macro2::TokenStream;
use quote::quote;

use super::Emitter;
use super::buffers::of_rows;
use crate::ir::{Arg, Func, Map, Op, OpKind, Place, PullArg, Region, Set, Slot, Ty, Value};

impl Emitter<'_> {
    /// The zero tangent of a place behind a reference.
    pub(super) fn zero(&mut self, op: &Op, of: &TokenStream) -> TokenStream {
        let rt = self.rt;
        let is_of_tangent = match &op.kind {
            OpKind::ZeroLike(v) => self.func.ty(*v).has_lanes(),
            OpKind::ZeroOf(place) => self.func.slot(place.root).ty.has_lanes(),
            _ => true,
        };
        if let [zero] = op.results[..]
            && self.func.ty(zero).has_lanes()
            && !is_of_tangent
        {
            let lanes = super::expr::lanes();
            let zero = if self.is_buffer(zero) {
                of_rows(self.func.ty(zero), "zeros_of")
            } else {
                super::own("zero")
            };
            return quote!(#rt::wide::#zero::<#lanes, _>(#of));
        }
        if let [zero] = op.results[..]
            && self.is_buffer(zero)
        {
            let zeros_of = of_rows(self.func.ty(zero), "zeros_of");
            return quote!(#rt::workspace::#zeros_of(#of));
        }
        if op.results.iter().any(|zero| self.perhaps.contains(zero)) {
            self.imports.insert("AnyZero");
            return quote!(#rt::Zero(#of).tangent());
        }
        quote!(#rt::Differentiable::zero_tangent(#of))
    }
}

/// Initial zeros of slots that are only passed by reference as a whole, and zeros of values that were read from a field.
pub(super) fn zeros(func: &Func) -> Set<Value> {
    let mut uses = Uses::default();
    uses.region(&func.body);
    if let Some(pullback) = &func.pullback {
        uses.region(&pullback.body);
    }
    let is_unknown = |v: &Value| matches!(func.ty(*v), Ty::Tangent(of) if matches!(**of, Ty::Deferred | Ty::Named(_)));
    let Uses {
        zeros,
        begun,
        others,
        used,
        of_fields,
    } = uses;
    let is_lent = |v: &Value| {
        let mut slots = begun.get(v).into_iter().flatten().peekable();
        slots.peek().is_some() && slots.all(|slot| !used.contains(slot)) && !others.contains(v)
    };
    zeros
        .into_iter()
        .filter(|v| is_unknown(v) && (of_fields.contains(v) || is_lent(v)))
        .collect()
}

#[derive(Default)]
struct Uses {
    zeros: Vec<Value>,
    /// The slots whose initial value a value is.
    begun: Map<Value, Vec<Slot>>,
    /// Values that are used in any other way.
    others: Set<Value>,
    /// Slots that are used in any other way than to be passed by reference as a whole.
    used: Set<Slot>,
    /// The value that was read from a field, and its zeros.
    of_fields: Set<Value>,
}

impl Uses {
    fn region(&mut self, region: &Region) {
        self.others.extend(&region.yields);
        for op in &region.ops {
            self.op(op);
            for inner in op.regions() {
                self.region(inner);
            }
        }
    }

    fn op(&mut self, op: &Op) {
        match &op.kind {
            OpKind::ZeroOf(place) => {
                self.zeros.extend(&op.results);
                if !place.path.is_empty() {
                    self.used.insert(place.root);
                }
                return;
            }
            // Of a zero there is one as well.
            OpKind::ZeroLike(of) => {
                self.zeros.extend(&op.results);
                if self.of_fields.contains(of) {
                    self.of_fields.extend(&op.results);
                }
                return;
            }
            OpKind::Load(place) | OpKind::CloneOf(place) if place.through_field() => {
                self.of_fields.extend(&op.results);
            }
            OpKind::Init(slot, v) => {
                self.begun.entry(*v).or_default().push(*slot);
                return;
            }
            _ => op.each_operand(&mut |v| {
                self.others.insert(v);
            }),
        }
        let lent = lent_as_a_whole(op);
        for (slot, _) in op.slots() {
            if !lent.contains(&slot) {
                self.used.insert(slot);
            }
        }
    }
}

/// The slots that a call of a rule or a pullback borrows uniquely, and doesn't use otherwise.
fn lent_as_a_whole(op: &Op) -> Vec<Slot> {
    let mut places: Vec<&Place> = Vec::new();
    match &op.kind {
        OpKind::Call(call) => {
            for arg in call.args.iter().chain(call.tangents.iter().flatten()) {
                if let Arg::Mut(place) = arg {
                    places.push(place);
                }
            }
        }
        OpKind::ApplyPullback(apply) => {
            for arg in &apply.args {
                if let PullArg::Shadow { primal, shadow } = arg {
                    let unique = |arg: &&Arg| matches!(arg, Arg::Mut(_));
                    places.extend(primal.iter().filter(unique).filter_map(Arg::place));
                    if primal.iter().any(|arg| unique(&arg)) {
                        places.extend(shadow);
                    }
                }
            }
        }
        _ => {}
    }
    let whole = |place: &&Place| place.path.is_empty();
    places.into_iter().filter(whole).map(|p| p.root).collect()
}

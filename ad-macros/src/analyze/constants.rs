//! Constants take no active values: a `#[constant]` parameter has no shadow, so that the derivative of a value written to it would be lost.
//!
//! Input: a primal. It holds afterwards that no operation of this function stores a varied value in a constant parameter, or in a
//! reference to one. Stores by a callee are checked by rustc, when it compiles the forward rule (`emit/constants.rs`).

use super::activity::{Activity, arg_is_in, varied_inputs};
use crate::diagnostics::{Errors, error};
use crate::ir::{
    Arg, Call, Callee, Func, Op, OpKind, Pattern, Place, Rule, Set, Slot, SlotKind, Ty,
};

/// The slots of constant parameters, the references to constant fields, and the references into either.
pub(crate) fn constant_slots(func: &Func) -> Set<Slot> {
    let mut slots = func.constants.clone();
    for param in func.params.iter().filter(|p| p.constant) {
        param.pattern.each_leaf(&mut |leaf| {
            if let Pattern::Slot(slot) = leaf {
                slots.insert(*slot);
            }
        });
    }
    if slots.is_empty() {
        return slots;
    }
    loop {
        let before = slots.len();
        func.walk(&mut |op| {
            if let OpKind::Borrow(alias, place) = &op.kind
                && slots.contains(&place.root)
            {
                slots.insert(*alias);
            }
        });
        if slots.len() == before {
            return slots;
        }
    }
}

/// An error for each operation that loses the derivative of a value in a constant.
pub(crate) fn reject_lost(func: &Func) -> syn::Result<()> {
    let constants = constant_slots(func);
    let mut errors = Errors::default();
    if !constants.is_empty() {
        let check = Check {
            func,
            varied: varied_inputs(func),
            constants,
        };
        func.walk(&mut |op| {
            if let Some(constant) = check.lost(op) {
                let name = &func.slot(constant).name;
                errors.push(error(
                    op.span,
                    format!("an active value is stored in `{name}`, which is `#[constant]`, so that its derivative would be lost"),
                    format!("drop `#[constant]`, so that `{name}` is differentiated, or store `stop_gradient(..)` of the value"),
                ));
            }
        });
    }
    errors.finish(())
}

struct Check<'a> {
    func: &'a Func,
    varied: Activity,
    constants: Set<Slot>,
}

impl Check<'_> {
    /// The constant in which the operation loses the derivative of a value.
    fn lost(&self, op: &Op) -> Option<Slot> {
        match &op.kind {
            OpKind::Store(place, value) | OpKind::Replace(place, value) => {
                (self.takes(place) && self.varied.has(*value)).then_some(place.root)
            }
            OpKind::Swap(a, b) => {
                let into = |to: &Place, from: &Place| {
                    (self.takes(to) && self.varied.has_slot(from.root)).then_some(to.root)
                };
                into(a, b).or_else(|| into(b, a))
            }
            OpKind::Call(call) if call.rule == Rule::Active => self.lost_in_list(call),
            _ => None,
        }
    }

    /// A method of std's that stores its arguments.
    fn lost_in_list(&self, call: &Call) -> Option<Slot> {
        let (Callee::Method { name, .. }, Some((Arg::Receiver(list) | Arg::Mut(list), args))) =
            (&call.callee, call.args.split_first())
        else {
            return None;
        };
        let stored = self.takes(list)
            && stores(&name.to_string(), self.func.place_ty(list)?)
            && args.iter().any(|arg| arg_is_in(arg, &self.varied));
        stored.then_some(list.root)
    }

    /// Returns `true` if a place is constant, and can hold a value that has a tangent.
    fn takes(&self, place: &Place) -> bool {
        let holds = self.func.place_ty(place).is_none_or(Ty::may_have_tangent);
        let slot = self.func.slot(place.root);
        holds
            && self.constants.contains(&place.root)
            && slot.kind != SlotKind::Ref
            && slot.ty.may_have_tangent()
    }
}

/// Returns `true` if a method of one of std's containers stores its arguments in the container.
fn stores(name: &str, container: &Ty) -> bool {
    match container.unboxed() {
        Ty::Vec(_) | Ty::Deque(_) | Ty::Slice(_) | Ty::Array(..) => matches!(
            name,
            "push"
                | "push_back"
                | "push_front"
                | "insert"
                | "resize"
                | "extend"
                | "extend_from_slice"
                | "append"
        ),
        Ty::Option(_) => matches!(name, "insert" | "replace" | "get_or_insert"),
        _ => false,
    }
}

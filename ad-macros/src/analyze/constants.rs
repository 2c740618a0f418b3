//! Constants take no active values: a `#[constant]` parameter has no shadow, so that the derivative of a value written to it would be lost.
//!
//! Input: a primal. It holds afterwards that no operation of this function stores a varied value in a constant parameter, or in a
//! reference to one. Stores by a callee are checked by rustc, when it compiles the forward rule (`emit/constants.rs`).

use proc_macro2::Span;
use quote::ToTokens;

use super::activity::{Activity, arg_is_in, certainly_varied, varied_inputs};
use crate::diagnostics::{Errors, error};
use crate::ir::{
    Arg, Call, Callee, Func, Op, OpKind, Pattern, Place, Rule, Set, Slot, SlotKind, Struct, Ty,
    Value,
};
use crate::std_model::{self, Of, STORES, of_lists};

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
    let has_constants = |of: &Struct| !of.constants.is_empty();
    let mut errors = Errors::default();
    if !constants.is_empty() || func.structs.values().any(has_constants) {
        let check = Check {
            func,
            varied: varied_inputs(func),
            certain: certainly_varied(func),
            constants,
        };
        func.walk(&mut |op| {
            if let Some(constant) = check.lost(op) {
                errors.push(lost(op.span, &constant));
            }
            for member in check.lost_in_fields(op) {
                errors.push(lost(op.span, &member_name(member)));
            }
        });
    }
    errors.finish(())
}

fn member_name(member: &syn::Member) -> String {
    member.to_token_stream().to_string()
}

fn lost(span: Span, name: &str) -> syn::Error {
    error(
        span,
        format!(
            "an active value is stored in `{name}`, which is `#[constant]`, so that its derivative would be lost"
        ),
        format!(
            "drop `#[constant]`, so that `{name}` is differentiated, or store `stop_gradient(..)` of the value"
        ),
    )
}

struct Check<'a> {
    func: &'a Func,
    varied: Activity,
    /// The values that have tangents in any case.
    certain: Activity,
    constants: Set<Slot>,
}

impl Check<'_> {
    /// The constant in which the operation loses the derivative of a value.
    fn lost(&self, op: &Op) -> Option<String> {
        match &op.kind {
            OpKind::Store(place, value) | OpKind::Replace(place, value) => {
                let field = self.func.constant_field(place).map(member_name);
                let field = field.filter(|_| self.certain.has(*value));
                let varied = self.varied.has(*value);
                field.or_else(|| self.constant(place).filter(|_| varied))
            }
            OpKind::Swap(a, b) => {
                let into = |to: &Place, from: &Place| {
                    let varied = self.varied.has_slot(from.root);
                    varied.then(|| self.constant(to))?
                };
                into(a, b).or_else(|| into(b, a))
            }
            OpKind::Call(call) if call.rule == Rule::Active => self.lost_in_list(call),
            _ => None,
        }
    }

    /// The constant fields of a new struct that get active values.
    fn lost_in_fields<'o>(&self, op: &'o Op) -> impl Iterator<Item = &'o syn::Member> {
        let (of, fields): (_, &[_]) = match &op.kind {
            OpKind::Struct { path, fields, .. } => (path.get_ident(), fields),
            _ => (None, &[]),
        };
        let of = of.and_then(|name| self.func.structs.get(&name.to_string()));
        let is_lost = move |(member, value): &&(syn::Member, Value)| {
            of.is_some_and(|of| of.constant(member).is_some()) && self.certain.has(*value)
        };
        fields.iter().filter(is_lost).map(|(member, _)| member)
    }

    /// A method of std's that stores its arguments.
    fn lost_in_list(&self, call: &Call) -> Option<String> {
        let (Callee::Method { name, .. }, Some((Arg::Receiver(list) | Arg::Mut(list), args))) =
            (&call.callee, call.args.split_first())
        else {
            return None;
        };
        let stored = stores(&name.to_string(), self.func.place_ty(list)?)
            && args.iter().any(|arg| arg_is_in(arg, &self.varied));
        stored.then(|| self.constant(list))?
    }

    /// The name of a variable that is constant, if the place in it can hold a value that has a tangent.
    fn constant(&self, place: &Place) -> Option<String> {
        let holds = self.func.place_ty(place).is_none_or(Ty::may_have_tangent);
        let slot = self.func.slot(place.root);
        let constant = holds
            && self.constants.contains(&place.root)
            && slot.kind != SlotKind::Ref
            && slot.ty.may_have_tangent();
        constant.then(|| slot.name.clone())
    }
}

/// Returns `true` if a method of one of std's containers stores its arguments in the container.
fn stores(name: &str, container: &Ty) -> bool {
    match container.unboxed() {
        Ty::Vec(_) | Ty::Deque(_) | Ty::Slice(_) | Ty::Array(..) => {
            of_lists(name).any(|method| method.does(STORES))
        }
        Ty::Option(_) => {
            std_model::method(Of::Option, name).is_some_and(|method| method.does(STORES))
        }
        _ => false,
    }
}

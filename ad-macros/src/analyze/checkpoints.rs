//! Loops with `#[checkpoint]` run again from copies of their state.
//!
//! Input: a primal. It holds afterwards that such a loop counts through a range of `usize` and isn't left early, that its state can be copied and put
//! back, and that its body uses nothing that the reverse half doesn't have.

use super::constants::constant_slots;
use super::structure::{all_declared, written_slots};
use crate::diagnostics::{Errors, error};
use crate::ir::{Func, Map, Op, OpKind, Place, Range, Region, Set, Slot, SlotKind, Ty, Value};

/// An error for each loop with the attribute that can't run again.
pub(crate) fn reject_checkpoints(func: &Func) -> syn::Result<()> {
    let mut errors = Errors::default();
    func.walk(&mut |op| {
        if let OpKind::For {
            range,
            init,
            stop,
            body,
        } = &op.kind
            && range.checkpoints().is_some()
            && let Some((message, help)) =
                refused(func, op, range, *stop).or_else(|| state(func, op, init, body))
        {
            errors.push(error(op.span, message, help));
        }
    });
    errors.finish(())
}

type Refusal = Option<(String, &'static str)>;

fn refused(func: &Func, op: &Op, range: &Range, stop: bool) -> Refusal {
    if stop {
        return Some((
            "a loop with `#[checkpoint]` can't be left by `break`, `return` or `?`".into(),
            "run all trips, and let those after the end leave the state as it is: `if !done { .. }`",
        ));
    }
    let counted = !range.inclusive && range.adapters.len() == 1;
    let known = matches!(func.ty(range.lo), Ty::Int(name) if !name.ends_with("128"));
    if !counted || !known {
        return Some((
            "`#[checkpoint]` is only supported on a loop over a range `a..b` of integers".into(),
            "write `for i in a..b` with indices of type `usize`, and compute everything else from the index",
        ));
    }
    let mut function = None;
    op.walk(&mut |op| {
        for (slot, _) in op.slots() {
            if func.slot(slot).ty.is_function() {
                function.get_or_insert(slot);
            }
        }
    });
    let name = &func.slot(function?).name;
    Some((
        format!(
            "a loop with `#[checkpoint]` can't call `{name}`, which is a parameter: it runs again in the reverse half, where only the derivative of `{name}` is there"
        ),
        "call a `#[differentiable]` function by its name there",
    ))
}

/// Refuses a state that can't be copied, or not be put back.
fn state(func: &Func, op: &Op, init: &[Value], body: &Region) -> Refusal {
    let mut aliases: Map<Slot, Place> = Map::default();
    func.walk(&mut |op| {
        if let OpKind::Borrow(alias, place) = &op.kind {
            aliases.insert(*alias, place.clone());
        }
    });
    let root = |mut slot: Slot| {
        while let Some(place) = aliases.get(&slot) {
            slot = place.root;
        }
        slot
    };
    let own = all_declared(op);
    let (mut named, mut used) = (Set::default(), Set::default());
    op.walk(&mut |op| {
        named.extend(op.slots().into_iter().map(|(slot, _)| slot));
        used.extend(op.slots().into_iter().map(|(slot, _)| root(slot)));
    });
    if let Some(v) = (init.iter().chain(&body.yields)).find(|v| !func.ty(**v).is_scalar()) {
        return Some((
            format!(
                "a loop with `#[checkpoint]` can't carry `{}`, which isn't a number",
                func.value(*v).name
            ),
            "keep the state in numbers, arrays, lists and structs",
        ));
    }
    let constants = constant_slots(func);
    let written = written_slots(func, op, &root);
    // The state is copied beside the reference, which rustc refuses.
    let borrows = |slot: &Slot| {
        let outside = aliases.contains_key(slot) && !own.contains(slot);
        let unique = func.slot(*slot).kind == SlotKind::RefMut;
        outside && (unique || written.contains(&root(*slot)))
    };
    if let Some(slot) = named.iter().copied().filter(borrows).min() {
        return Some((
            format!(
                "a loop with `#[checkpoint]` can't use `{}`, a reference to memory that is written",
                func.slot(slot).name
            ),
            "use the variable that it refers to, or make the reference in the loop",
        ));
    }
    let mut outside: Vec<Slot> = used
        .into_iter()
        .filter(|slot| !own.contains(slot))
        .collect();
    outside.sort_unstable();
    for slot in outside {
        let data = func.slot(slot);
        let name = &data.name;
        if data.kind == SlotKind::RefMut && constants.contains(&slot) {
            return Some((
                format!(
                    "a loop with `#[checkpoint]` can't use `{name}`, which is `#[constant]` and `&mut`: the loop runs again in the reverse half, which doesn't have `{name}`"
                ),
                "keep it in a local variable whose type is `Clone`, or store its numbers in a list before the loop",
            ));
        }
        if data.may_borrow {
            return Some((
                format!("a loop with `#[checkpoint]` can't use `{name}`, which may be a reference"),
                "write its type: `let row: &[f64] = ..`",
            ));
        }
        if written.contains(&slot) && data.kind == SlotKind::Ref {
            return Some((
                format!("a loop with `#[checkpoint]` can't write through `{name}`"),
                "keep the state in a local variable",
            ));
        }
    }
    None
}

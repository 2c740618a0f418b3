//! Clones are equal to their originals: else the derivative of a clone isn't that of the original, and a rule that clones a value computes something else
//! than the function, which moves it.
//!
//! Input: a primal, and its rule of reverse mode. It holds afterwards that no clone of an active value has other numbers than the original, and that each
//! clone that may differ in anything is one that the function makes by itself.

use proc_macro2::Span;

use super::activity::varied_inputs;
use crate::diagnostics::{Errors, error};
use crate::ir::{Clones, Func, Op, OpKind, Set, Ty, Value};
use crate::std_model::{CLONES, does};

/// An error for each clone that isn't allowed.
pub(crate) fn reject_unequal_clones(primal: &Func, rule: &dyn Fn() -> Func) -> syn::Result<()> {
    let mut errors = Errors::default();
    if primal
        .clones
        .values()
        .all(|clones| *clones <= Clones::Unseen)
    {
        return errors.finish(());
    }
    let varied = varied_inputs(primal);
    let mut seen: Set<Value> = Set::default();
    each_unequal(primal, &mut |op, copy, clones| {
        seen.insert(copy);
        match clones {
            _ if is_written(op.span) && !varied.has(copy) => {}
            Clones::Elsewhere if is_written(op.span) => {
                errors.push(elsewhere(op.span, primal.ty(copy)));
            }
            Clones::Other if is_written(op.span) => {
                errors.push(changed(op.span, primal.ty(copy)));
            }
            Clones::SameNumbers | Clones::Other if !is_written(op.span) => {
                errors.push(needed(op.span, primal.ty(copy)));
            }
            _ => {}
        }
    });
    if errors.is_empty() {
        let rule = rule();
        each_unequal(&rule, &mut |op, copy, clones| {
            if !seen.contains(&copy) && clones > Clones::Elsewhere {
                errors.push(needed(op.span, rule.ty(copy)));
            }
        });
    }
    errors.finish(())
}

/// Calls `f` with each clone that may differ from its original.
fn each_unequal(func: &Func, f: &mut dyn FnMut(&Op, Value, Clones)) {
    func.walk(&mut |op| {
        if let (OpKind::CloneOf(_), [copy]) = (&op.kind, &op.results[..])
            && let Some(clones) = func.clones_of(func.ty(*copy))
            && clones > Clones::Unseen
        {
            f(op, *copy, clones);
        }
    });
}

/// True if a call that clones stands there.
fn is_written(span: Span) -> bool {
    span.source_text().is_some_and(|name| does(&name, CLONES))
}

fn changed(span: Span, ty: &Ty) -> syn::Error {
    error(
        span,
        format!(
            "a clone of this `{ty}` may have other numbers than the original, since its `Clone` is written by hand"
        ),
        "derive that `Clone`, or copy each field from itself in it; a method of another name with `#[differentiable]` may change numbers",
    )
}

fn elsewhere(span: Span, ty: &Ty) -> syn::Error {
    error(
        span,
        format!(
            "a clone of this `{ty}` may have other numbers than the original: its `Clone` is neither derived nor written in this module"
        ),
        "derive `Clone`, or write `impl Clone for` the type, by its name and in the module of the type",
    )
}

fn needed(span: Span, ty: &Ty) -> syn::Error {
    error(
        span,
        format!(
            "the rules need a copy of this `{ty}`, and a clone may differ from the original, since its `Clone` is written by hand"
        ),
        "derive that `Clone`, or copy each field from itself in it",
    )
}

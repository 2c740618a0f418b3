//! Small helpers of generated code: residual stacks, locals that a call may move, sums of tangents.

use alloc::vec::Vec;

use crate::Tangent;

/// Takes the last residual off a stack.
///
/// # Panics
/// If the stack is empty. Pops mirror pushes, so it never is.
#[inline]
pub fn pop<T>(tape: &mut Vec<T>) -> T {
    match tape.pop() {
        Some(residual) => residual,
        None => empty(),
    }
}

/// Takes what an `Option` holds.
///
/// # Panics
/// If it holds nothing: a value that was moved is used again, which rustc rejects in the primal.
#[inline]
pub fn take<T>(place: &mut Option<T>) -> T {
    match place.take() {
        Some(value) => value,
        None => empty(),
    }
}

/// What an `Option` holds.
///
/// # Panics
/// As [`take`] does.
#[inline]
pub fn some<T>(place: &Option<T>) -> &T {
    match place {
        Some(value) => value,
        None => empty(),
    }
}

/// What an `Option` holds, to be changed.
///
/// # Panics
/// As [`take`] does.
#[inline]
pub fn some_mut<T>(place: &mut Option<T>) -> &mut T {
    match place {
        Some(value) => value,
        None => empty(),
    }
}

#[cold]
fn empty() -> ! {
    panic!("internal error in chainrule: a residual is missing, please report")
}

/// The sum of two tangents.
#[inline]
#[allow(clippy::needless_pass_by_value, reason = "generated code has values")]
pub fn tangent_sum<T: Tangent>(mut a: T, b: T) -> T {
    a.accumulate(&b);
    a
}

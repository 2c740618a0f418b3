//! [`Lending`] and [`Lent`]: the fallback where the macro doesn't know that a method returns a reference to a part of its receiver, and
//! calls it as one that returns a value. That is an error, and all else is as for a method without a rule.

use core::ops::Deref;

use super::{Absent, absent};
use crate::probe::Inactive;
use crate::{Differentiable, Dual, Tan};

/// The mode of the receiver of such a method.
#[derive(Clone, Copy, Debug)]
pub struct Lending;

impl Deref for Lending {
    type Target = Absent;

    fn deref(&self) -> &Absent {
        &const { absent() }
    }
}

impl Lending {
    /// The receiver.
    pub fn receiver<'x, T>(&self, x: &'x mut Option<T>) -> &'x T {
        crate::__private::some(x)
    }

    /// The receiver.
    pub fn receiver_shared<'x, T: ?Sized>(&self, x: &'x T) -> &'x T {
        x
    }

    /// The receiver.
    pub fn receiver_unique<'x, T: ?Sized>(&self, x: &'x mut T) -> &'x T {
        x
    }
}

/// No receiver.
#[diagnostic::on_unimplemented(
    message = "this method returns a reference to a part of `{Self}`, and of which type isn't known here",
    label = "a reference into a differentiated value",
    note = "give it a name and its type: `let part: &[f64] = x.part(i);`"
)]
pub trait KnownPart {}

/// In place of the rule of such a method.
#[derive(Debug)]
pub struct Lent<A>(
    /// The arguments.
    pub A,
);

impl<A> Lent<A> {
    /// An error.
    pub fn or_inactive<'x, X: KnownPart + ?Sized + 'x, R: Differentiable>(
        self,
        receiver: impl FnOnce() -> &'x X,
        method: impl FnOnce(&'x X, A) -> R,
    ) -> (R, Inactive) {
        (method(receiver(), self.0), Inactive)
    }

    /// An error.
    pub fn or_inactive_frule<'x, X: KnownPart + ?Sized + 'x, R: Differentiable>(
        self,
        receiver: impl FnOnce() -> &'x X,
        method: impl FnOnce(&'x X, A) -> R,
    ) -> Dual<R, Tan<R>> {
        let y = method(receiver(), self.0);
        let zero = y.zero_tangent();
        Dual(y, zero)
    }

    /// An error.
    pub fn or_inactive_rrule_frule<'x, X: KnownPart + ?Sized + 'x, R: Differentiable>(
        self,
        receiver: impl FnOnce() -> &'x X,
        method: impl FnOnce(&'x X, A) -> R,
    ) -> (Dual<R, Tan<R>>, Inactive) {
        let y = method(receiver(), self.0);
        let zero = y.zero_tangent();
        (Dual(y, zero), Inactive)
    }
}

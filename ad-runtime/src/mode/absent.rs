//! [`Absent`]: the mode of all positions of a method that has no rule.

use crate::Dual;
use crate::probe::NoReceiver;

/// The mode of a position of a method without a rule: the argument of the primal, and nothing for a pullback.
///
/// It can't know whether the argument is a value or a reference, so its methods take anything.
#[derive(Clone, Copy, Debug)]
pub struct Absent;

/// The mode [`Absent`].
#[inline(always)]
pub const fn absent() -> Absent {
    Absent
}

impl Absent {
    /// The argument itself.
    #[inline(always)]
    pub fn pass<X>(&self, x: X) -> X {
        x
    }

    /// The argument itself.
    #[inline(always)]
    pub fn dual<X, S>(&self, x: X, _x_dot: S) -> X {
        x
    }

    /// The argument itself.
    #[inline(always)]
    pub fn inactive<X>(&self, x: X) -> X {
        x
    }

    /// The argument's cotangent: the caller's zero.
    #[inline(always)]
    pub fn cotangent<S>(&self, _returned: (), zero: S) -> S {
        zero
    }

    /// The argument's cotangent, and its tangent: the caller's zeros.
    #[inline(always)]
    pub fn cotangent_dual<S>(&self, _returned: (), z: S, z_dot: S) -> Dual<S, S> {
        Dual(z, z_dot)
    }

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn arg(&self) {}

    /// Nothing is needed for an argument that is inactive in the caller.
    #[inline(always)]
    pub fn unread<'s, X: ?Sized>(&self, _x: &X, kept: &'s mut Option<()>) -> &'s mut () {
        kept.insert(())
    }

    /// Nothing is needed for an argument that is inactive in the caller.
    #[inline(always)]
    pub fn zero<X: ?Sized>(&self, _x: &X) {}

    /// The argument itself.
    #[inline(always)]
    pub fn dual_zero<X, S>(&self, x: X, _zero: S) -> X {
        x
    }

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give<X, S>(&self, _x: X, _x_bar: S) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_zero<X, S>(&self, _x: X, _zero: S) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_dual<X, A, B, C>(&self, _x: X, _x_dot: A, _x_bar: B, _x_bar_dot: C) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_dual_zero<X, A, B, C>(&self, _x: X, _x_dot: A, _x_bar: B, _x_bar_dot: C) {}

    /// The receiver of the fallback's methods.
    #[inline(always)]
    pub fn receiver<T>(&self, _x: &mut Option<T>) -> NoReceiver {
        NoReceiver
    }

    /// The receiver of the fallback's methods.
    #[inline(always)]
    pub fn receiver_shared<T: ?Sized>(&self, _x: &T) -> NoReceiver {
        NoReceiver
    }

    /// The receiver of the fallback's methods.
    #[inline(always)]
    pub fn receiver_unique<T: ?Sized>(&self, _x: &mut T) -> NoReceiver {
        NoReceiver
    }

    /// A receiver without a rule has no tangent.
    #[inline(always)]
    pub fn tangent<S: ?Sized>(&self, _x_dot: &S) {}

    /// A receiver without a rule has no tangent.
    #[inline(always)]
    pub fn tangent_mut<S: ?Sized>(&self, _x_dot: &mut S) {}

    /// A receiver without a rule has no tangent.
    #[inline(always)]
    pub fn zero_of<X: ?Sized>(&self, _x: &X) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_shared<X, S>(&self, _x: X, _x_bar: S) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_unique<X, S>(&self, _x: X, _x_bar: S) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_option<X, S>(&self, _x: X, _x_bar: S) {}

    /// There is no cotangent.
    #[inline(always)]
    pub fn receiver_cotangent<S>(&self, _returned: (), _x_bar: S) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_shared_dual<X, A, B, C>(&self, _x: X, _x_dot: A, _x_bar: B, _x_bar_dot: C) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_unique_dual<X, A, B, C>(&self, _x: X, _x_dot: A, _x_bar: B, _x_bar_dot: C) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_option_dual<X, A, B, C>(&self, _x: X, _x_dot: A, _x_bar: B, _x_bar_dot: C) {}

    /// There is no cotangent.
    #[inline(always)]
    pub fn receiver_cotangent_dual<A, B>(&self, _returned: (), _x_bar: A, _x_bar_dot: B) {}
}

//! Arguments that are passed by value: [`Owned`] and [`Const`].

use super::{Const, Owned};
use crate::wide::{Lanes, Widened};
use crate::{Differentiable, Dual, Tan};

impl<T> Owned<T> {
    /// The argument of a forward rule in several directions: `Dual(x, x_dot)`.
    #[inline(always)]
    pub fn wide<S: Lanes>(&self, x: T, x_dot: T::Owned) -> Dual<T, T::Owned>
    where
        T: Widened<S>,
    {
        Dual(x, x_dot)
    }

    /// The same, if it is inactive in the caller.
    #[inline(always)]
    pub fn inactive_wide<S: Lanes>(&self, x: T) -> Dual<T, T::Owned>
    where
        T: Widened<S>,
    {
        let zero = x.zero_wide();
        Dual(x, zero)
    }
}

impl<T> Const<T> {
    /// The argument of a forward rule in several directions: `x`.
    #[inline(always)]
    pub fn wide<D>(&self, x: T, _x_dot: D) -> T {
        x
    }

    /// The same, if it is inactive in the caller.
    #[inline(always)]
    pub fn inactive_wide<S>(&self, x: T) -> T {
        x
    }
}

impl<T: Differentiable> Owned<T> {
    /// The argument itself. It ties `T` to the argument's type where rustc has to infer it, since the mode is the same
    /// one that the pullback is called with.
    #[inline(always)]
    pub fn pass(&self, x: T) -> T {
        x
    }

    /// The argument of a forward rule: `Dual(x, x_dot)`.
    #[inline(always)]
    pub fn dual(&self, x: T, x_dot: Tan<T>) -> Dual<T, Tan<T>> {
        Dual(x, x_dot)
    }

    /// The argument of a forward rule, if it is inactive in the caller: `Dual(x, 0)`.
    #[inline(always)]
    pub fn inactive(&self, x: T) -> Dual<T, Tan<T>> {
        let zero = x.zero_tangent();
        Dual(x, zero)
    }

    /// The argument's cotangent: the one that the pullback returned.
    #[inline(always)]
    pub fn cotangent(&self, returned: Tan<T>, _zero: Tan<T>) -> Tan<T> {
        returned
    }

    /// The argument's cotangent, and its tangent.
    #[inline(always)]
    pub fn cotangent_dual(
        &self,
        returned: Dual<Tan<T>, Tan<T>>,
        _z: Tan<T>,
        _z_dot: Tan<T>,
    ) -> Dual<Tan<T>, Tan<T>> {
        returned
    }

    /// The pullback's argument in this position: nothing.
    #[inline(always)]
    pub fn arg(&self) {}
}

impl<T> Const<T> {
    /// The argument itself. It ties `T` to the argument's type where rustc has to infer it, since the mode is the same
    /// one that the pullback is called with.
    #[inline(always)]
    pub fn pass(&self, x: T) -> T {
        x
    }

    /// The argument of a forward rule: `x`.
    #[inline(always)]
    pub fn dual<S>(&self, x: T, _x_dot: S) -> T {
        x
    }

    /// The argument of a forward rule: `x`.
    #[inline(always)]
    pub fn inactive(&self, x: T) -> T {
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

    /// The pullback's argument in this position: nothing.
    #[inline(always)]
    pub fn arg(&self) {}

    /// Nothing is needed for a reference that is inactive in the caller.
    #[inline(always)]
    pub fn unread<'s, X: ?Sized>(&self, _x: &X, kept: &'s mut Option<()>) -> &'s mut () {
        kept.insert(())
    }

    /// Nothing is needed for a reference that is inactive in the caller.
    #[inline(always)]
    pub fn zero<X: ?Sized>(&self, _x: &X) {}

    /// The argument of a forward rule, which is a reference: `x`.
    #[inline(always)]
    pub fn dual_zero(&self, x: T, _zero: &()) -> T {
        x
    }

    /// The pullback's argument for an argument that is a reference: nothing.
    #[inline(always)]
    pub fn give<X, S>(&self, _x: X, _x_bar: S) {}

    /// The pullback's argument for an argument that is a reference: nothing.
    #[inline(always)]
    pub fn give_zero<X>(&self, _x: X, _zero: &mut ()) {}

    /// The argument of the pullback of second order for an argument that is a reference: nothing.
    #[inline(always)]
    pub fn give_dual<X, A, B, C>(&self, _x: X, _x_dot: A, _x_bar: B, _x_bar_dot: C) {}

    /// The argument of the pullback of second order for an argument that is a reference: nothing.
    #[inline(always)]
    pub fn give_dual_zero<X>(&self, _x: X, _x_dot: &(), _x_bar: &mut (), _x_bar_dot: &mut ()) {}
}

//! Arguments that are passed as `&mut T`: [`Mut`] and [`ConstMut`].

use core::borrow::BorrowMut;

use super::{ConstMut, Mut};
use crate::wide::{Lanes, Widened};
use crate::{CoDual, Differentiable, Dual, Tan};

/// The argument of pullbacks of second order: the primal and its tangent, the shadow and its tangent.
type CoDual2<'a, T, S> = CoDual<Dual<&'a mut T, &'a mut S>, Dual<&'a mut S, &'a mut S>>;

impl<T: ?Sized> Mut<T> {
    /// The argument of a forward rule in several directions: `Dual(&mut x, &mut x_dot)`.
    #[inline(always)]
    pub fn wide<'a, S: Lanes>(
        &self,
        x: &'a mut T,
        x_dot: &'a mut T::Borrowed,
    ) -> Dual<&'a mut T, &'a mut T::Borrowed>
    where
        T: Widened<S>,
    {
        Dual(x, x_dot)
    }

    /// The zero that an argument that is inactive in the caller gets as its tangent in several directions.
    #[inline(always)]
    pub fn zero_wide<S: Lanes>(&self, x: &T) -> T::Owned
    where
        T: Widened<S>,
    {
        x.zero_wide()
    }

    /// The argument of a forward rule in several directions, if it is inactive in the caller.
    #[inline(always)]
    pub fn inactive_wide<'a, S: Lanes>(
        &self,
        x: &'a mut T,
        zero: &'a mut T::Owned,
    ) -> Dual<&'a mut T, &'a mut T::Borrowed>
    where
        T: Widened<S>,
    {
        Dual(x, zero.borrow_mut())
    }
}

impl<T: ?Sized> ConstMut<T> {
    /// The argument of a forward rule in several directions: `&mut x`.
    #[inline(always)]
    pub fn wide<'a, D>(&self, x: &'a mut T, _x_dot: D) -> &'a mut T {
        x
    }

    /// Nothing is needed for an argument that is inactive in the caller.
    #[inline(always)]
    pub fn zero_wide<S>(&self, _x: &T) {}

    /// The argument of a forward rule in several directions, if it is inactive in the caller.
    #[inline(always)]
    pub fn inactive_wide<'a, S>(&self, x: &'a mut T, _zero: &mut ()) -> &'a mut T {
        x
    }
}

impl<T: Differentiable + ?Sized> Mut<T> {
    /// The argument itself. It ties `T` to the argument's type where rustc has to infer it.
    #[inline(always)]
    pub fn pass<'a>(&self, x: &'a mut T) -> &'a mut T {
        x
    }

    /// The argument of a forward rule: `Dual(&mut x, &mut x_dot)`.
    #[inline(always)]
    pub fn dual<'a>(
        &self,
        x: &'a mut T,
        x_dot: &'a mut T::Tangent,
    ) -> Dual<&'a mut T, &'a mut T::Tangent> {
        Dual(x, x_dot)
    }

    /// The zero that an argument that is inactive in the caller gets as its tangent or shadow.
    #[inline(always)]
    pub fn zero(&self, x: &T) -> Tan<T> {
        x.zero_tangent()
    }

    /// The argument of a forward rule, if it is inactive in the caller; `zero` comes from [`zero`](Self::zero).
    #[inline(always)]
    pub fn dual_zero<'a>(
        &self,
        x: &'a mut T,
        zero: &'a mut Tan<T>,
    ) -> Dual<&'a mut T, &'a mut T::Tangent> {
        Dual(x, zero.borrow_mut())
    }

    /// The argument of a pullback: `CoDual(&mut x, &mut x_bar)`.
    #[inline(always)]
    pub fn give<'a>(
        &self,
        x: &'a mut T,
        x_bar: &'a mut T::Tangent,
    ) -> CoDual<&'a mut T, &'a mut T::Tangent> {
        CoDual(x, x_bar)
    }

    /// The argument of a pullback, if it is inactive in the caller.
    #[inline(always)]
    pub fn give_zero<'a>(
        &self,
        x: &'a mut T,
        zero: &'a mut Tan<T>,
    ) -> CoDual<&'a mut T, &'a mut T::Tangent> {
        CoDual(x, zero.borrow_mut())
    }

    /// The argument of a pullback of second order.
    #[inline(always)]
    pub fn give_dual<'a>(
        &self,
        x: &'a mut T,
        x_dot: &'a mut T::Tangent,
        x_bar: &'a mut T::Tangent,
        x_bar_dot: &'a mut T::Tangent,
    ) -> CoDual2<'a, T, T::Tangent> {
        CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot))
    }

    /// The argument of a pullback of second order, if it is inactive in the caller; three zeros.
    #[inline(always)]
    pub fn give_dual_zero<'a>(
        &self,
        x: &'a mut T,
        x_dot: &'a mut Tan<T>,
        x_bar: &'a mut Tan<T>,
        x_bar_dot: &'a mut Tan<T>,
    ) -> CoDual2<'a, T, T::Tangent> {
        CoDual(
            Dual(x, x_dot.borrow_mut()),
            Dual(x_bar.borrow_mut(), x_bar_dot.borrow_mut()),
        )
    }
}

impl<T: ?Sized> ConstMut<T> {
    /// The argument itself. It ties `T` to the argument's type where rustc has to infer it.
    #[inline(always)]
    pub fn pass<'a>(&self, x: &'a mut T) -> &'a mut T {
        x
    }

    /// The argument of a forward rule: `&mut x`.
    #[inline(always)]
    pub fn dual<'a, S>(&self, x: &'a mut T, _x_dot: S) -> &'a mut T {
        x
    }

    /// Nothing is needed for an argument that is inactive in the caller.
    #[inline(always)]
    pub fn zero(&self, _x: &T) {}

    /// The argument of a forward rule: `&mut x`.
    #[inline(always)]
    pub fn dual_zero<'a>(&self, x: &'a mut T, _zero: &'a mut ()) -> &'a mut T {
        x
    }

    /// The argument of a pullback: nothing, since a constant `&mut T` is not restored.
    #[inline(always)]
    pub fn give<S>(&self, _x: &mut T, _x_bar: S) {}

    /// The argument of a pullback: nothing.
    #[inline(always)]
    pub fn give_zero(&self, _x: &mut T, _zero: &mut ()) {}

    /// The argument of a pullback of second order: nothing.
    #[inline(always)]
    pub fn give_dual<A, B, C>(&self, _x: &mut T, _x_dot: A, _x_bar: B, _x_bar_dot: C) {}

    /// The argument of a pullback of second order: nothing.
    #[inline(always)]
    pub fn give_dual_zero(
        &self,
        _x: &mut T,
        _x_dot: &mut (),
        _x_bar: &mut (),
        _x_bar_dot: &mut (),
    ) {
    }
}

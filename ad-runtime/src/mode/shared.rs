//! Arguments that are passed as `&T`: [`Ref`] and [`ConstRef`].

use core::borrow::{Borrow, BorrowMut};

use super::{ConstRef, Ref};
use crate::wide::{Lanes, Widened};
use crate::{CoDual, Differentiable, Dual, Tan};

impl<T: ?Sized> Ref<T> {
    /// The argument of a forward rule in several directions: `Dual(&x, &x_dot)`.
    #[inline(always)]
    pub fn wide<'a, S: Lanes>(
        &self,
        x: &'a T,
        x_dot: &'a T::Borrowed,
    ) -> Dual<&'a T, &'a T::Borrowed>
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
        x: &'a T,
        zero: &'a mut T::Owned,
    ) -> Dual<&'a T, &'a T::Borrowed>
    where
        T: Widened<S>,
    {
        Dual(x, zero.borrow_mut())
    }
}

impl<T: ?Sized> ConstRef<T> {
    /// The argument of a forward rule in several directions: `&x`.
    #[inline(always)]
    pub fn wide<'a, D>(&self, x: &'a T, _x_dot: D) -> &'a T {
        x
    }

    /// Nothing is needed for an argument that is inactive in the caller.
    #[inline(always)]
    pub fn zero_wide<S>(&self, _x: &T) {}

    /// The argument of a forward rule in several directions, if it is inactive in the caller.
    #[inline(always)]
    pub fn inactive_wide<'a, S>(&self, x: &'a T, _zero: &mut ()) -> &'a T {
        x
    }
}

impl<T: Differentiable + ?Sized> Ref<T> {
    /// The argument itself. It ties `T` to the argument's type where rustc has to infer it.
    #[inline(always)]
    pub fn pass<'a>(&self, x: &'a T) -> &'a T {
        x
    }

    /// The argument of a forward rule: `Dual(&x, &x_dot)`.
    #[inline(always)]
    pub fn dual<'a>(&self, x: &'a T, x_dot: &'a T::Tangent) -> Dual<&'a T, &'a T::Tangent> {
        Dual(x, x_dot)
    }

    /// The zero that an argument that is inactive in the caller gets as its tangent or shadow.
    #[inline(always)]
    pub fn zero(&self, x: &T) -> Tan<T> {
        x.zero_tangent()
    }

    /// A shadow that nobody reads, for an argument of a pullback that is inactive in the caller. It is made once, and again only where the
    /// shape changes; additions of earlier calls stay in it.
    #[inline]
    pub fn unread<'s>(&self, x: &T, kept: &'s mut Option<Tan<T>>) -> &'s mut Tan<T> {
        match kept {
            Some(shadow) if x.matches_shape((*shadow).borrow()).is_ok() => {}
            _ => *kept = Some(x.zero_tangent()),
        }
        kept.get_or_insert_with(|| x.zero_tangent())
    }

    /// The argument of a forward rule, if it is inactive in the caller; `zero` comes from [`zero`](Self::zero).
    #[inline(always)]
    pub fn dual_zero<'a>(&self, x: &'a T, zero: &'a Tan<T>) -> Dual<&'a T, &'a T::Tangent> {
        Dual(x, zero.borrow())
    }

    /// The argument of a pullback: `CoDual(&x, &mut x_bar)`.
    #[inline(always)]
    pub fn give<'a>(
        &self,
        x: &'a T,
        x_bar: &'a mut T::Tangent,
    ) -> CoDual<&'a T, &'a mut T::Tangent> {
        CoDual(x, x_bar)
    }

    /// The argument of a pullback, if it is inactive in the caller.
    #[inline(always)]
    pub fn give_zero<'a>(
        &self,
        x: &'a T,
        zero: &'a mut Tan<T>,
    ) -> CoDual<&'a T, &'a mut T::Tangent> {
        CoDual(x, zero.borrow_mut())
    }

    /// The argument of a pullback of second order.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    pub fn give_dual<'a>(
        &self,
        x: &'a T,
        x_dot: &'a T::Tangent,
        x_bar: &'a mut T::Tangent,
        x_bar_dot: &'a mut T::Tangent,
    ) -> CoDual<Dual<&'a T, &'a T::Tangent>, Dual<&'a mut T::Tangent, &'a mut T::Tangent>> {
        CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot))
    }

    /// The argument of a pullback of second order, if it is inactive in the caller; three zeros.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    pub fn give_dual_zero<'a>(
        &self,
        x: &'a T,
        x_dot: &'a Tan<T>,
        x_bar: &'a mut Tan<T>,
        x_bar_dot: &'a mut Tan<T>,
    ) -> CoDual<Dual<&'a T, &'a T::Tangent>, Dual<&'a mut T::Tangent, &'a mut T::Tangent>> {
        CoDual(
            Dual(x, x_dot.borrow()),
            Dual(x_bar.borrow_mut(), x_bar_dot.borrow_mut()),
        )
    }
}

impl<T: ?Sized> ConstRef<T> {
    /// The argument itself. It ties `T` to the argument's type where rustc has to infer it.
    #[inline(always)]
    pub fn pass<'a>(&self, x: &'a T) -> &'a T {
        x
    }

    /// The argument of a forward rule: `&x`.
    #[inline(always)]
    pub fn dual<'a, S>(&self, x: &'a T, _x_dot: S) -> &'a T {
        x
    }

    /// Nothing is needed for an argument that is inactive in the caller.
    #[inline(always)]
    pub fn unread<'s>(&self, _x: &T, kept: &'s mut Option<()>) -> &'s mut () {
        kept.insert(())
    }

    /// Nothing is needed for an argument that is inactive in the caller.
    #[inline(always)]
    pub fn zero(&self, _x: &T) {}

    /// The argument of a forward rule: `&x`.
    #[inline(always)]
    pub fn dual_zero<'a>(&self, x: &'a T, _zero: &()) -> &'a T {
        x
    }

    /// The argument of a pullback: `&x`.
    #[inline(always)]
    pub fn give<'a, S>(&self, x: &'a T, _x_bar: S) -> &'a T {
        x
    }

    /// The argument of a pullback: `&x`.
    #[inline(always)]
    pub fn give_zero<'a>(&self, x: &'a T, _zero: &mut ()) -> &'a T {
        x
    }

    /// The argument of a pullback of second order: `&x`.
    #[inline(always)]
    pub fn give_dual<'a, A, B, C>(&self, x: &'a T, _x_dot: A, _x_bar: B, _x_bar_dot: C) -> &'a T {
        x
    }

    /// The argument of a pullback of second order: `&x`.
    #[inline(always)]
    pub fn give_dual_zero<'a>(
        &self,
        x: &'a T,
        _x_dot: &(),
        _x_bar: &mut (),
        _x_bar_dot: &mut (),
    ) -> &'a T {
        x
    }
}

//! Arguments of which only rustc can tell whether they are references: results of methods, or of code without derivatives. The macro
//! passes them by value. A callee that takes one by reference gets a copy, which a mode holds for both halves: [`Held`], [`HeldDual`], [`HeldConst`].

use alloc::borrow::ToOwned;
use core::borrow::{Borrow, BorrowMut};
use core::fmt;

use super::{Absent, Const, ConstRef, Owned, Ref, SizeOf, Takes};
use crate::{CoDual, Differentiable, Dual, Tan, Tangent};

/// [`Ref`], with a copy of its target.
pub struct Held<T: ToOwned + ?Sized>(T::Owned);

/// [`Ref`], with copies of its target and of its tangent.
pub struct HeldDual<T: ToOwned + Differentiable + ?Sized>(T::Owned, Tan<T>);

/// [`ConstRef`], with a copy of its target.
pub struct HeldConst<T: ToOwned + ?Sized>(T::Owned);

impl<T: ToOwned + ?Sized> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

impl<T: ToOwned + Differentiable + ?Sized> fmt::Debug for HeldDual<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldDual")
    }
}

impl<T: ToOwned + ?Sized> fmt::Debug for HeldConst<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldConst")
    }
}

impl<T: ToOwned + ?Sized> Takes<&T> for Held<T> {}
impl<T: ToOwned + Differentiable + ?Sized> Takes<&T> for HeldDual<T> {}
impl<T: ToOwned + ?Sized> Takes<&T> for HeldConst<T> {}

macro_rules! by_value {
    ($([$($generics:tt)*] $mode:ty, [$($own:tt)*] $x:ty;)*) => {$(
        impl $($generics)* $mode {
            /// The mode itself: a value needs no copy.
            #[inline(always)]
            #[must_use]
            pub fn keep $($own)* (&self, _x: &$x) -> Self {
                *self
            }

            /// The mode itself.
            #[inline(always)]
            #[must_use]
            pub fn keep_inactive $($own)* (&self, _x: &$x) -> Self {
                *self
            }

            /// The shadow that the pullback gets if the argument is inactive: none.
            #[inline(always)]
            pub fn zero_open(&self) {}

            /// The pullback's argument in this position: nothing.
            #[inline(always)]
            pub fn give_open<S>(&self, _x_bar: &mut S) {}

            /// The argument of the pullback of second order in this position: nothing.
            #[inline(always)]
            pub fn give_open_dual<S>(&self, _x_bar: &mut S, _x_bar_dot: &mut S) {}
        }
    )*};
}
by_value! {
    [<T>] Owned<T>, [] T;
    [<T>] Const<T>, [] T;
    [<T>] SizeOf<T>, [] usize;
    [] Absent, [<X: ?Sized>] X;
}

impl<T> Owned<T> {
    /// A value that is used again.
    #[inline(always)]
    pub fn again<X: Clone>(&self, x: &X) -> X {
        x.clone()
    }

    /// The mode itself.
    #[inline(always)]
    #[must_use]
    pub fn keep_dual<S: ?Sized>(&self, _x: &T, _x_dot: &S) -> Self {
        *self
    }
}

impl<T> Const<T> {
    /// A value that is used again.
    #[inline(always)]
    pub fn again<X: Clone>(&self, x: &X) -> X {
        x.clone()
    }

    /// The mode itself.
    #[inline(always)]
    #[must_use]
    pub fn keep_dual<S: ?Sized>(&self, _x: &T, _x_dot: &S) -> Self {
        *self
    }
}

impl<T> SizeOf<T> {
    /// A value that is used again.
    #[inline(always)]
    pub fn again<X: Clone>(&self, x: &X) -> X {
        x.clone()
    }

    /// The mode itself.
    #[inline(always)]
    #[must_use]
    pub fn keep_dual<S: ?Sized>(&self, _x: &usize, _x_dot: &S) -> Self {
        *self
    }
}

impl Absent {
    /// A value that is used again.
    #[inline(always)]
    pub fn again<X: Clone>(&self, x: &X) -> X {
        x.clone()
    }

    /// The mode itself.
    #[inline(always)]
    #[must_use]
    pub fn keep_dual<X: ?Sized, S: ?Sized>(&self, _x: &X, _x_dot: &S) -> Self {
        *self
    }
}

impl<T: ToOwned + Differentiable + ?Sized> Ref<T> {
    /// The mode, with a copy.
    #[inline]
    #[must_use]
    pub fn keep(&self, x: &T) -> Held<T> {
        Held(x.to_owned())
    }

    /// The mode, with copies.
    #[inline]
    #[must_use]
    pub fn keep_dual(&self, x: &T, x_dot: &T::Tangent) -> HeldDual<T> {
        let mut copy = x.zero_tangent();
        copy.borrow_mut().accumulate(x_dot);
        HeldDual(x.to_owned(), copy)
    }

    /// The mode, with a copy, and a zero as its tangent.
    #[inline]
    #[must_use]
    pub fn keep_inactive(&self, x: &T) -> HeldDual<T> {
        HeldDual(x.to_owned(), x.zero_tangent())
    }
}

impl<T: ToOwned + ?Sized> ConstRef<T> {
    /// The mode, with a copy.
    #[inline]
    #[must_use]
    pub fn keep(&self, x: &T) -> HeldConst<T> {
        HeldConst(x.to_owned())
    }

    /// The mode, with a copy.
    #[inline]
    #[must_use]
    pub fn keep_dual<S: ?Sized>(&self, x: &T, _x_dot: &S) -> HeldConst<T> {
        HeldConst(x.to_owned())
    }

    /// The mode, with a copy.
    #[inline]
    #[must_use]
    pub fn keep_inactive(&self, x: &T) -> HeldConst<T> {
        HeldConst(x.to_owned())
    }
}

impl<T: ToOwned + Differentiable + ?Sized> Held<T> {
    /// Nothing: the copy is here.
    #[inline(always)]
    pub fn again<X: ?Sized>(&self, _x: &X) {}

    /// The argument.
    #[inline(always)]
    pub fn pass<V>(&self, _x: V) -> &T {
        self.0.borrow()
    }

    /// The argument's cotangent: its shadow.
    #[inline(always)]
    pub fn cotangent<R, S>(&self, _returned: R, x_bar: S) -> S {
        x_bar
    }

    /// The shadow that the pullback gets if the argument is inactive.
    #[inline]
    pub fn zero_open(&self) -> Tan<T> {
        self.0.borrow().zero_tangent()
    }

    /// The argument of a pullback.
    #[inline(always)]
    pub fn give_open<'a, S: BorrowMut<T::Tangent>>(
        &'a self,
        x_bar: &'a mut S,
    ) -> CoDual<&'a T, &'a mut T::Tangent> {
        CoDual(self.0.borrow(), x_bar.borrow_mut())
    }
}

impl<T: ToOwned + Differentiable + ?Sized> HeldDual<T> {
    /// Nothing: the copy is here.
    #[inline(always)]
    pub fn again<X: ?Sized>(&self, _x: &X) {}

    /// The argument of a forward rule.
    #[inline(always)]
    pub fn dual<V, S>(&self, _x: V, _x_dot: S) -> Dual<&T, &T::Tangent> {
        Dual(self.0.borrow(), self.1.borrow())
    }

    /// The argument of a forward rule, if it is inactive in the caller.
    #[inline(always)]
    pub fn inactive<V>(&self, _x: V) -> Dual<&T, &T::Tangent> {
        Dual(self.0.borrow(), self.1.borrow())
    }

    /// The argument's cotangent, and its tangent: the shadows.
    #[inline(always)]
    pub fn cotangent_dual<R, S>(&self, _returned: R, x_bar: S, x_bar_dot: S) -> Dual<S, S> {
        Dual(x_bar, x_bar_dot)
    }

    /// The shadow that the pullback gets if the argument is inactive.
    #[inline]
    pub fn zero_open(&self) -> Tan<T> {
        self.0.borrow().zero_tangent()
    }

    /// The argument of a pullback of second order.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    pub fn give_open_dual<'a, S: BorrowMut<T::Tangent>>(
        &'a self,
        x_bar: &'a mut S,
        x_bar_dot: &'a mut S,
    ) -> CoDual<Dual<&'a T, &'a T::Tangent>, Dual<&'a mut T::Tangent, &'a mut T::Tangent>> {
        CoDual(
            Dual(self.0.borrow(), self.1.borrow()),
            Dual(x_bar.borrow_mut(), x_bar_dot.borrow_mut()),
        )
    }
}

impl<T: ToOwned + ?Sized> HeldConst<T> {
    /// Nothing: the copy is here.
    #[inline(always)]
    pub fn again<X: ?Sized>(&self, _x: &X) {}

    /// The argument.
    #[inline(always)]
    pub fn pass<V>(&self, _x: V) -> &T {
        self.0.borrow()
    }

    /// The argument of a forward rule.
    #[inline(always)]
    pub fn dual<V, S>(&self, _x: V, _x_dot: S) -> &T {
        self.0.borrow()
    }

    /// The argument of a forward rule.
    #[inline(always)]
    pub fn inactive<V>(&self, _x: V) -> &T {
        self.0.borrow()
    }

    /// The argument's cotangent: the caller's zero.
    #[inline(always)]
    pub fn cotangent<R, S>(&self, _returned: R, zero: S) -> S {
        zero
    }

    /// The argument's cotangent, and its tangent: the caller's zeros.
    #[inline(always)]
    pub fn cotangent_dual<R, S>(&self, _returned: R, z: S, z_dot: S) -> Dual<S, S> {
        Dual(z, z_dot)
    }

    /// No shadow is wanted.
    #[inline(always)]
    pub fn zero_open(&self) {}

    /// The argument of a pullback.
    #[inline(always)]
    pub fn give_open<S>(&self, _x_bar: &mut S) -> &T {
        self.0.borrow()
    }

    /// The argument of a pullback of second order.
    #[inline(always)]
    pub fn give_open_dual<S>(&self, _x_bar: &mut S, _x_bar_dot: &mut S) -> &T {
        self.0.borrow()
    }
}

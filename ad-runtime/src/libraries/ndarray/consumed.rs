//! Receivers of methods that take an array by value. Rules borrow it: a view is a reference in generated code, and there is nothing to be moved.

use core::marker::PhantomData;

use ::ndarray::{Array, ArrayRef, Dimension};

use super::Element;
use crate::mode::{self, Shares, TakeAll};
use crate::{CoDual, Differentiable, Dual};

/// The mode of such a receiver: that of a reference, but for the method itself.
pub struct Consumed<A, D>(PhantomData<fn() -> (A, D)>);

/// The mode.
#[inline(always)]
pub(super) fn consumed<A, D>() -> Consumed<A, D> {
    Consumed(PhantomData)
}

impl<A, D> Clone for Consumed<A, D> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, D> Copy for Consumed<A, D> {}

/// The pullback's argument.
type Shared<'a, A, D> = CoDual<&'a ArrayRef<A, D>, &'a mut ArrayRef<A, D>>;
/// The same in second order.
type Shared2<'a, A, D> = CoDual<
    Dual<&'a ArrayRef<A, D>, &'a ArrayRef<A, D>>,
    Dual<&'a mut ArrayRef<A, D>, &'a mut ArrayRef<A, D>>,
>;

#[allow(
    clippy::unused_self,
    clippy::trivially_copy_pass_by_ref,
    missing_docs,
    reason = "the methods of modes, see `mode::Ref`"
)]
impl<A: Element, D: Dimension> Consumed<A, D> {
    #[inline(always)]
    pub fn method<X: ?Sized, M: TakeAll<T>, T, R, F: FnOnce(Array<A, D>, T) -> R>(
        &self,
        _receiver: &X,
        _modes: &M,
        f: F,
    ) -> F {
        f
    }

    #[inline(always)]
    pub fn takes<S>(&self, _tangents: impl FnOnce() -> S) {}

    #[inline(always)]
    pub fn receiver<'a, X: Shares<ArrayRef<A, D>>>(
        &self,
        x: &'a mut Option<X>,
    ) -> &'a ArrayRef<A, D> {
        mode::by_ref::<ArrayRef<A, D>>().receiver(x)
    }

    #[inline(always)]
    pub fn receiver_shared<'a>(&self, x: &'a ArrayRef<A, D>) -> &'a ArrayRef<A, D> {
        x
    }

    #[inline(always)]
    pub fn receiver_unique<'a>(&self, x: &'a mut ArrayRef<A, D>) -> &'a ArrayRef<A, D> {
        x
    }

    #[inline(always)]
    pub fn tangent<'a>(&self, x_dot: &'a ArrayRef<A, D>) -> &'a ArrayRef<A, D> {
        x_dot
    }

    #[inline(always)]
    pub fn tangent_mut<'a>(&self, x_dot: &'a mut ArrayRef<A, D>) -> &'a ArrayRef<A, D> {
        x_dot
    }

    #[inline(always)]
    pub fn zero_of(&self, x: &ArrayRef<A, D>) -> Array<A, D> {
        x.zero_tangent()
    }

    #[inline(always)]
    pub fn give_shared<'a>(
        &self,
        x: &'a ArrayRef<A, D>,
        x_bar: &'a mut ArrayRef<A, D>,
    ) -> Shared<'a, A, D> {
        CoDual(x, x_bar)
    }

    #[inline(always)]
    pub fn give_unique<'a>(
        &self,
        x: &'a mut ArrayRef<A, D>,
        x_bar: &'a mut ArrayRef<A, D>,
    ) -> Shared<'a, A, D> {
        CoDual(x, x_bar)
    }

    #[inline(always)]
    pub fn give_option<'a, X: Shares<ArrayRef<A, D>>>(
        &self,
        x: &'a mut Option<X>,
        x_bar: &'a mut ArrayRef<A, D>,
    ) -> Shared<'a, A, D> {
        mode::by_ref::<ArrayRef<A, D>>().give_option(x, x_bar)
    }

    #[inline(always)]
    pub fn receiver_cotangent(&self, (): (), _x_bar: &mut ArrayRef<A, D>) {}

    #[inline(always)]
    pub fn give_shared_dual<'a>(
        &self,
        x: &'a ArrayRef<A, D>,
        x_dot: &'a ArrayRef<A, D>,
        x_bar: &'a mut ArrayRef<A, D>,
        x_bar_dot: &'a mut ArrayRef<A, D>,
    ) -> Shared2<'a, A, D> {
        CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot))
    }

    #[inline(always)]
    pub fn give_unique_dual<'a>(
        &self,
        x: &'a mut ArrayRef<A, D>,
        x_dot: &'a mut ArrayRef<A, D>,
        x_bar: &'a mut ArrayRef<A, D>,
        x_bar_dot: &'a mut ArrayRef<A, D>,
    ) -> Shared2<'a, A, D> {
        CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot))
    }

    #[inline(always)]
    pub fn give_option_dual<'a, X: Shares<ArrayRef<A, D>>>(
        &self,
        x: &'a mut Option<X>,
        x_dot: &'a mut ArrayRef<A, D>,
        x_bar: &'a mut ArrayRef<A, D>,
        x_bar_dot: &'a mut ArrayRef<A, D>,
    ) -> Shared2<'a, A, D> {
        mode::by_ref::<ArrayRef<A, D>>().give_option_dual(x, x_dot, x_bar, x_bar_dot)
    }

    #[inline(always)]
    pub fn receiver_cotangent_dual(
        &self,
        (): (),
        _x_bar: &mut ArrayRef<A, D>,
        _x_bar_dot: &mut ArrayRef<A, D>,
    ) {
    }
}

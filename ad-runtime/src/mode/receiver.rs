//! Receivers whose type the macro does not know: the method may take `self`, `&self` or `&mut self`, constant or not.
//!
//! A local receiver that may be moved by the call is kept in an `Option` by the caller, and its tangent or shadow is made
//! before. So every mode has the same methods here; they panic where the primal would not have compiled.

use super::owner::{Changes, Owns, Shares};
use super::{Const, Mut, Owned, Ref};
use crate::{CoDual, Differentiable, Dual, Tan, Tangent};

type Shared<'a, T> = CoDual<&'a T, &'a mut <T as Differentiable>::Tangent>;
type Shared2<'a, T> = CoDual<
    Dual<&'a T, &'a <T as Differentiable>::Tangent>,
    Dual<&'a mut <T as Differentiable>::Tangent, &'a mut <T as Differentiable>::Tangent>,
>;
type Unique<'a, T> = CoDual<&'a mut T, &'a mut <T as Differentiable>::Tangent>;
type Unique2<'a, T> = CoDual<
    Dual<&'a mut T, &'a mut <T as Differentiable>::Tangent>,
    Dual<&'a mut <T as Differentiable>::Tangent, &'a mut <T as Differentiable>::Tangent>,
>;

/// The message of a receiver that is no longer there; a primal that compiles never gets it.
pub(super) const MOVED: &str =
    "the receiver has been moved, which the primal would not have compiled with";

impl<T: Differentiable> Owned<T> {
    /// The receiver of the rule, moved out of its place.
    #[inline(always)]
    pub fn receiver<X: Owns<T>>(&self, x: &mut Option<X>) -> T {
        x.take().expect(MOVED).into_owned()
    }

    /// The receiver of the rule, cloned from a shared place: the primal has a copy there, or moves it just before it returns.
    #[inline(always)]
    pub fn receiver_shared(&self, x: &T) -> T
    where
        T: Clone,
    {
        x.clone()
    }

    /// The receiver of the rule, cloned from a unique place: the primal has a copy there, or moves it just before it returns.
    #[inline(always)]
    pub fn receiver_unique(&self, x: &mut T) -> T
    where
        T: Clone,
    {
        x.clone()
    }

    /// The receiver's tangent, for a forward rule; the place may be used again if the receiver is `Copy`.
    #[inline(always)]
    pub fn tangent(&self, x_dot: &T::Tangent) -> Tan<T> {
        x_dot.to_owned_tangent()
    }

    /// The same where the caller could have given `&mut`.
    #[inline(always)]
    pub fn tangent_mut(&self, x_dot: &mut T::Tangent) -> Tan<T> {
        x_dot.to_owned_tangent()
    }

    /// A zero tangent for the receiver.
    #[inline(always)]
    pub fn zero_of(&self, x: &T) -> Tan<T> {
        x.zero_tangent()
    }

    /// The pullback's argument for the receiver, whose place is shared: nothing.
    #[inline(always)]
    pub fn give_shared(&self, _x: &T, _x_bar: &mut T::Tangent) {}

    /// The pullback's argument for the receiver, whose place is unique: nothing.
    #[inline(always)]
    pub fn give_unique(&self, _x: &mut T, _x_bar: &mut T::Tangent) {}

    /// The pullback's argument for the receiver, which may have been moved: nothing.
    #[inline(always)]
    pub fn give_option<X: Owns<T>>(&self, _x: &mut Option<X>, _x_bar: &mut T::Tangent) {}

    /// Adds the cotangent that the pullback returned for the receiver.
    #[inline(always)]
    #[allow(
        clippy::needless_pass_by_value,
        reason = "the other modes take `()` here"
    )]
    pub fn receiver_cotangent(&self, returned: Tan<T>, x_bar: &mut T::Tangent) {
        x_bar.accumulate(core::borrow::Borrow::borrow(&returned));
    }

    /// [`give_shared`](Self::give_shared) of second order.
    #[inline(always)]
    pub fn give_shared_dual(
        &self,
        _x: &T,
        _x_dot: &T::Tangent,
        _x_bar: &mut T::Tangent,
        _x_bar_dot: &mut T::Tangent,
    ) {
    }

    /// [`give_unique`](Self::give_unique) of second order.
    #[inline(always)]
    pub fn give_unique_dual(
        &self,
        _x: &mut T,
        _x_dot: &mut T::Tangent,
        _x_bar: &mut T::Tangent,
        _x_bar_dot: &mut T::Tangent,
    ) {
    }

    /// [`give_option`](Self::give_option) of second order.
    #[inline(always)]
    pub fn give_option_dual<X: Owns<T>>(
        &self,
        _x: &mut Option<X>,
        _x_dot: &mut T::Tangent,
        _x_bar: &mut T::Tangent,
        _x_bar_dot: &mut T::Tangent,
    ) {
    }

    /// [`receiver_cotangent`](Self::receiver_cotangent) of second order.
    #[inline(always)]
    pub fn receiver_cotangent_dual(
        &self,
        Dual(returned, returned_dot): Dual<Tan<T>, Tan<T>>,
        x_bar: &mut T::Tangent,
        x_bar_dot: &mut T::Tangent,
    ) {
        x_bar.accumulate(core::borrow::Borrow::borrow(&returned));
        x_bar_dot.accumulate(core::borrow::Borrow::borrow(&returned_dot));
    }
}

impl<T: Differentiable + ?Sized> Ref<T> {
    /// The receiver of the rule, borrowed.
    #[inline(always)]
    pub fn receiver<'a, X: Shares<T>>(&self, x: &'a mut Option<X>) -> &'a T {
        x.as_ref().expect(MOVED).shared()
    }

    /// The receiver of the rule, borrowed from a shared place.
    #[inline(always)]
    pub fn receiver_shared<'a>(&self, x: &'a T) -> &'a T {
        x
    }

    /// The receiver of the rule, borrowed from a unique place.
    #[inline(always)]
    pub fn receiver_unique<'a>(&self, x: &'a mut T) -> &'a T {
        x
    }

    /// The receiver's tangent, for a forward rule.
    #[inline(always)]
    pub fn tangent<'a>(&self, x_dot: &'a T::Tangent) -> &'a T::Tangent {
        x_dot
    }

    /// The same where the caller could have given `&mut`.
    #[inline(always)]
    pub fn tangent_mut<'a>(&self, x_dot: &'a mut T::Tangent) -> &'a T::Tangent {
        x_dot
    }

    /// A zero tangent for the receiver.
    #[inline(always)]
    pub fn zero_of(&self, x: &T) -> Tan<T> {
        x.zero_tangent()
    }

    /// The pullback's argument for the receiver, whose place is shared.
    #[inline(always)]
    pub fn give_shared<'a>(&self, x: &'a T, x_bar: &'a mut T::Tangent) -> Shared<'a, T> {
        CoDual(x, x_bar)
    }

    /// The pullback's argument for the receiver, whose place is unique.
    #[inline(always)]
    pub fn give_unique<'a>(&self, x: &'a mut T, x_bar: &'a mut T::Tangent) -> Shared<'a, T> {
        CoDual(x, x_bar)
    }

    /// The pullback's argument for the receiver, which has not been moved.
    #[inline(always)]
    pub fn give_option<'a, X: Shares<T>>(
        &self,
        x: &'a mut Option<X>,
        x_bar: &'a mut T::Tangent,
    ) -> Shared<'a, T> {
        CoDual(x.as_ref().expect(MOVED).shared(), x_bar)
    }

    /// The pullback has added to the shadow already.
    #[inline(always)]
    pub fn receiver_cotangent(&self, _returned: (), _x_bar: &mut T::Tangent) {}

    /// [`give_shared`](Self::give_shared) of second order.
    #[inline(always)]
    pub fn give_shared_dual<'a>(
        &self,
        x: &'a T,
        x_dot: &'a T::Tangent,
        x_bar: &'a mut T::Tangent,
        x_bar_dot: &'a mut T::Tangent,
    ) -> Shared2<'a, T> {
        CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot))
    }

    /// [`give_unique`](Self::give_unique) of second order.
    #[inline(always)]
    pub fn give_unique_dual<'a>(
        &self,
        x: &'a mut T,
        x_dot: &'a mut T::Tangent,
        x_bar: &'a mut T::Tangent,
        x_bar_dot: &'a mut T::Tangent,
    ) -> Shared2<'a, T> {
        CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot))
    }

    /// [`give_option`](Self::give_option) of second order.
    #[inline(always)]
    pub fn give_option_dual<'a, X: Shares<T>>(
        &self,
        x: &'a mut Option<X>,
        x_dot: &'a mut T::Tangent,
        x_bar: &'a mut T::Tangent,
        x_bar_dot: &'a mut T::Tangent,
    ) -> Shared2<'a, T> {
        CoDual(
            Dual(x.as_ref().expect(MOVED).shared(), x_dot),
            Dual(x_bar, x_bar_dot),
        )
    }

    /// The pullback has added to the shadows already.
    #[inline(always)]
    pub fn receiver_cotangent_dual(
        &self,
        _returned: (),
        _x_bar: &mut T::Tangent,
        _x_bar_dot: &mut T::Tangent,
    ) {
    }
}

impl<T: Differentiable + ?Sized> Mut<T> {
    /// The receiver of the rule, borrowed.
    #[inline(always)]
    pub fn receiver<'a, X: Changes<T>>(&self, x: &'a mut Option<X>) -> &'a mut T {
        x.as_mut().expect(MOVED).unique()
    }

    /// The receiver of the rule, borrowed from a unique place.
    #[inline(always)]
    pub fn receiver_unique<'a>(&self, x: &'a mut T) -> &'a mut T {
        x
    }

    /// The receiver's tangent, for a forward rule.
    #[inline(always)]
    pub fn tangent_mut<'a>(&self, x_dot: &'a mut T::Tangent) -> &'a mut T::Tangent {
        x_dot
    }

    /// A zero tangent for the receiver.
    #[inline(always)]
    pub fn zero_of(&self, x: &T) -> Tan<T> {
        x.zero_tangent()
    }

    /// The pullback's argument for the receiver, whose place is unique.
    #[inline(always)]
    pub fn give_unique<'a>(&self, x: &'a mut T, x_bar: &'a mut T::Tangent) -> Unique<'a, T> {
        CoDual(x, x_bar)
    }

    /// The pullback's argument for the receiver, which has not been moved.
    #[inline(always)]
    pub fn give_option<'a, X: Changes<T>>(
        &self,
        x: &'a mut Option<X>,
        x_bar: &'a mut T::Tangent,
    ) -> Unique<'a, T> {
        CoDual(x.as_mut().expect(MOVED).unique(), x_bar)
    }

    /// The pullback has added to the shadow already.
    #[inline(always)]
    pub fn receiver_cotangent(&self, _returned: (), _x_bar: &mut T::Tangent) {}

    /// [`give_unique`](Self::give_unique) of second order.
    #[inline(always)]
    pub fn give_unique_dual<'a>(
        &self,
        x: &'a mut T,
        x_dot: &'a mut T::Tangent,
        x_bar: &'a mut T::Tangent,
        x_bar_dot: &'a mut T::Tangent,
    ) -> Unique2<'a, T> {
        CoDual(Dual(x, x_dot), Dual(x_bar, x_bar_dot))
    }

    /// [`give_option`](Self::give_option) of second order.
    #[inline(always)]
    pub fn give_option_dual<'a, X: Changes<T>>(
        &self,
        x: &'a mut Option<X>,
        x_dot: &'a mut T::Tangent,
        x_bar: &'a mut T::Tangent,
        x_bar_dot: &'a mut T::Tangent,
    ) -> Unique2<'a, T> {
        CoDual(
            Dual(x.as_mut().expect(MOVED).unique(), x_dot),
            Dual(x_bar, x_bar_dot),
        )
    }

    /// The pullback has added to the shadows already.
    #[inline(always)]
    pub fn receiver_cotangent_dual(
        &self,
        _returned: (),
        _x_bar: &mut T::Tangent,
        _x_bar_dot: &mut T::Tangent,
    ) {
    }
}

/// [`receiver`](Owned::receiver) for types that are `Copy`: the receiver stays, so that it can be used again. In scope as
/// `use mode::CopyReceiver as _` it outranks the method of the mode, since it takes the mode by value, and steps back
/// where `T` is not `Copy`.
pub trait CopyReceiver<T> {
    /// The receiver of the rule, copied.
    fn receiver<X: Shares<T>>(self, x: &mut Option<X>) -> T;
}

impl<T: Copy> CopyReceiver<T> for Owned<T> {
    #[inline(always)]
    fn receiver<X: Shares<T>>(self, x: &mut Option<X>) -> T {
        *x.as_ref().expect(MOVED).shared()
    }
}

impl<T: Copy> CopyReceiver<T> for Const<T> {
    #[inline(always)]
    fn receiver<X: Shares<T>>(self, x: &mut Option<X>) -> T {
        *x.as_ref().expect(MOVED).shared()
    }
}

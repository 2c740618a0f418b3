//! `clone`, `to_owned` and `to_vec` of every differentiable type that has them: the cotangent of the copy is added to the
//! original's.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use core::borrow::Borrow;

use crate::{CoDual, Differentiable, Dual, Tan, Tangent, mode};

/// The pullback's receiver, in first and in second order.
type At<'a, T> = CoDual<&'a T, &'a mut <T as Differentiable>::Tangent>;
type At2<'a, T> = CoDual<
    Dual<&'a T, &'a <T as Differentiable>::Tangent>,
    Dual<&'a mut <T as Differentiable>::Tangent, &'a mut <T as Differentiable>::Tangent>,
>;

/// A copying method `&self -> $Output` whose result has the owned tangent of the receiver.
macro_rules! copying {
    (
        $(#[$doc:meta])*
        $rules:ident [$($bounds:tt)*] -> $Output:ty { $method:ident }
        $modes:ident $frule:ident $rrule:ident $rrule_frule:ident
    ) => {
        $(#[$doc])*
        pub trait $rules: Differentiable + $($bounds)* {
            /// By reference, and differentiated.
            #[inline(always)]
            fn $modes(&self) -> (mode::Ref<Self>,) {
                (mode::by_ref(),)
            }

            /// The copy, and a copy of the tangent.
            #[inline(always)]
            fn $frule(&self, self_dot: &Self::Tangent) -> Dual<$Output, Tan<Self>> {
                Dual(self.$method(), self_dot.to_owned_tangent())
            }

            /// The copy, and its pullback.
            #[inline(always)]
            #[allow(clippy::type_complexity)]
            fn $rrule(&self) -> ($Output, impl FnOnce(Tan<Self>, At<'_, Self>) -> ((),) + use<Self>) {
                let pullback = |y_bar: Tan<Self>, CoDual(_, self_bar): At<'_, Self>| {
                    self_bar.accumulate(y_bar.borrow());
                    ((),)
                };
                (self.$method(), pullback)
            }

            /// The forward transform of the same.
            #[inline(always)]
            #[allow(clippy::type_complexity)]
            fn $rrule_frule(
                &self,
                self_dot: &Self::Tangent,
            ) -> (
                Dual<$Output, Tan<Self>>,
                impl FnOnce(Dual<Tan<Self>, Tan<Self>>, At2<'_, Self>) -> ((),) + use<Self>,
            ) {
                let pullback = |Dual(y_bar, y_bar_dot): Dual<Tan<Self>, Tan<Self>>, CoDual(_, bar): At2<'_, Self>| {
                    bar.0.accumulate(y_bar.borrow());
                    bar.1.accumulate(y_bar_dot.borrow());
                    ((),)
                };
                (self.$frule(self_dot), pullback)
            }
        }
    };
}
copying! {
    /// `x.clone()`.
    CloneRules [Clone] -> Self { clone }
    __clone_modes __clone_frule __clone_rrule __clone_rrule_frule
}
impl<T: Differentiable + Clone> CloneRules for T {}

copying! {
    /// `x.to_owned()`, a `Vec` of a slice.
    ToOwnedRules [ToOwned<Owned: Differentiable<OwnedTangent = Tan<Self>>>] -> Self::Owned { to_owned }
    __to_owned_modes __to_owned_frule __to_owned_rrule __to_owned_rrule_frule
}
impl<T: Differentiable + ToOwned<Owned: Differentiable<OwnedTangent = Tan<T>>> + ?Sized>
    ToOwnedRules for T
{
}

/// Values that rules copy where the function moves them: out of a list, or out of a loop that it leaves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is moved here, and the derivative rules need a copy",
    label = "it can't be cloned",
    note = "write `#[derive(Clone)]` on `{Self}`"
)]
pub trait Copied {
    /// The copy.
    #[must_use]
    fn copied(&self) -> Self;
}
#[diagnostic::do_not_recommend]
impl<T: Clone> Copied for T {
    #[inline(always)]
    fn copied(&self) -> T {
        self.clone()
    }
}

/// The bound of `to_vec` on its receiver.
pub trait IsSlice {
    /// The elements' type.
    type Element;

    /// A `Vec` of clones.
    fn cloned(&self) -> Vec<Self::Element>;
}
impl<T: Clone> IsSlice for [T] {
    type Element = T;

    #[inline(always)]
    fn cloned(&self) -> Vec<T> {
        self.to_vec()
    }
}
impl<T: Clone> IsSlice for Vec<T> {
    type Element = T;

    #[inline(always)]
    fn cloned(&self) -> Vec<T> {
        self.clone()
    }
}
copying! {
    /// `x.to_vec()` of a slice, or of a `Vec`.
    ToVecRules [IsSlice] -> Vec<Self::Element> { cloned }
    __to_vec_modes __to_vec_frule __to_vec_rrule __to_vec_rrule_frule
}
impl<T: Differentiable + Clone> ToVecRules for [T] {}
impl<T: Differentiable + Clone> ToVecRules for Vec<T> {}

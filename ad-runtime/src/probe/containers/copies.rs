//! Slices, arrays and `Vec`: `copy_from_slice`, `clone_from_slice` and `fill`; and `clone_from` of every type that can be cloned.
//!
//! Overwritten elements are saved, and restored by the pullback with the cotangent zero.

use alloc::vec::Vec;

use super::{At, At2, Elements, Shared, Shared2};
use crate::{
    CoDual, Differentiable, DifferentiableValue, Dual, NoTangent, Tan, Tangent, TangentValue, mode,
};

type Unit = Dual<(), NoTangent>;
type NoTangent2 = Dual<NoTangent, NoTangent>;
type Tans<T> = [Tan<T>];

/// `x[..] <- from`: both methods copy the elements of another slice.
macro_rules! copies_from_slice {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident]
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, mode::Ref<[Self::Element]>) {
            (mode::by_mut(), mode::by_ref())
        }

        /// Copies the tangents, too.
        #[inline(always)]
        fn $frule(
            &mut self,
            self_dot: &mut Self::Tangent,
            Dual(from, from_dot): Dual<&[Self::Element], &Tans<Self::Element>>,
        ) -> Unit {
            self.slice().clone_from_slice(from);
            Self::tangents(self_dot).clone_from_slice(from_dot);
            Dual((), NoTangent)
        }

        /// `from_bar += x_bar`.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            from: &[Self::Element],
        ) -> (
            (),
            impl FnOnce(NoTangent, At<'_, Self>, Shared<'_, [Self::Element]>) -> ((), ()) + use<Self>,
        ) {
            let x = self.slice();
            let old = x.to_vec();
            x.clone_from_slice(from);
            let pullback = move |_: NoTangent, CoDual(x, bar): At<'_, Self>, CoDual(_, from_bar): Shared<'_, [Self::Element]>| {
                from_bar.accumulate(&taken(Self::tangents(bar), &old));
                x.slice().clone_from_slice(&old);
                ((), ())
            };
            ((), pullback)
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Self::Tangent,
            from: Dual<&[Self::Element], &Tans<Self::Element>>,
        ) -> (
            Unit,
            impl FnOnce(NoTangent2, At2<'_, Self>, Shared2<'_, [Self::Element]>) -> ((), ()) + use<Self>,
        ) {
            let (old, old_dot) = (self.slice().to_vec(), Self::tangents(self_dot).to_vec());
            let pullback = move |_: NoTangent2, CoDual(x, bar): At2<'_, Self>, CoDual(_, from_bar): Shared2<'_, [Self::Element]>| {
                from_bar.0.accumulate(&taken(Self::tangents(bar.0), &old));
                from_bar.1.accumulate(&taken(Self::tangents(bar.1), &old));
                x.0.slice().clone_from_slice(&old);
                Self::tangents(x.1).clone_from_slice(&old_dot);
                ((), ())
            };
            (self.$frule(self_dot, from), pullback)
        }
    )*};
}

/// The rules of methods of slices that overwrite their elements.
pub trait CopyRules: Elements<Element: Clone> {
    copies_from_slice! {
        /// `x.copy_from_slice(from)`.
        [__copy_from_slice_modes __copy_from_slice_frule __copy_from_slice_rrule __copy_from_slice_rrule_frule]

        /// `x.clone_from_slice(from)`.
        [__clone_from_slice_modes __clone_from_slice_frule __clone_from_slice_rrule __clone_from_slice_rrule_frule]
    }

    /// `x.fill(value)`.
    #[inline(always)]
    fn __fill_modes(&self) -> (mode::Mut<Self>, mode::Owned<Self::Element>) {
        (mode::by_mut(), mode::owned())
    }

    /// Fills the tangents, too.
    #[inline(always)]
    fn __fill_frule(
        &mut self,
        self_dot: &mut Self::Tangent,
        Dual(value, value_dot): Dual<Self::Element, Tan<Self::Element>>,
    ) -> Unit {
        self.slice().fill(value);
        Self::tangents(self_dot).fill(value_dot);
        Dual((), NoTangent)
    }

    /// `value_bar` is the sum of `x_bar`.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __fill_rrule(
        &mut self,
        value: Self::Element,
    ) -> (
        (),
        impl FnOnce(NoTangent, At<'_, Self>, ()) -> ((), Tan<Self::Element>) + use<Self>,
    ) {
        let x = self.slice();
        let (old, zero) = (x.to_vec(), value.zero_tangent());
        x.fill(value);
        let pullback = move |_: NoTangent, CoDual(x, bar): At<'_, Self>, (): ()| {
            let value_bar = sum(&taken(Self::tangents(bar), &old), zero);
            x.slice().clone_from_slice(&old);
            ((), value_bar)
        };
        ((), pullback)
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __fill_rrule_frule(
        &mut self,
        self_dot: &mut Self::Tangent,
        value: Dual<Self::Element, Tan<Self::Element>>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, ()) -> ((), Dual<Tan<Self::Element>, Tan<Self::Element>>)
        + use<Self>,
    ) {
        let (old, old_dot) = (self.slice().to_vec(), Self::tangents(self_dot).to_vec());
        let zero = value.0.zero_tangent();
        let pullback = move |_: NoTangent2, CoDual(x, bar): At2<'_, Self>, (): ()| {
            let value_bar = sum(&taken(Self::tangents(bar.0), &old), zero.clone());
            let value_bar_dot = sum(&taken(Self::tangents(bar.1), &old), zero);
            x.0.slice().clone_from_slice(&old);
            Self::tangents(x.1).clone_from_slice(&old_dot);
            ((), Dual(value_bar, value_bar_dot))
        };
        (self.__fill_frule(self_dot, value), pullback)
    }
}
impl<S: Elements<Element: Clone> + ?Sized> CopyRules for S {}

/// The cotangents, in whose place stand zeros of the shapes of `old`.
fn taken<T: Differentiable>(bar: &mut Tans<T>, old: &[T]) -> Vec<Tan<T>> {
    let pairs = bar.iter_mut().zip(old);
    let pairs = pairs.map(|(bar, old)| core::mem::replace(bar, old.zero_tangent()));
    pairs.collect()
}

/// The sum of tangents that have the shape of `zero`.
fn sum<S: TangentValue>(all: &[S], mut zero: S) -> S {
    for each in all {
        zero.accumulate(each);
    }
    zero
}

/// The rule of `clone_from`.
pub trait CloneFromRules: DifferentiableValue + Clone {
    /// `x.clone_from(&from)`.
    #[inline(always)]
    fn __clone_from_modes(&self) -> (mode::Mut<Self>, mode::Ref<Self>) {
        (mode::by_mut(), mode::by_ref())
    }

    /// Clones the tangent, too.
    #[inline(always)]
    fn __clone_from_frule(
        &mut self,
        self_dot: &mut Tan<Self>,
        Dual(from, from_dot): Dual<&Self, &Tan<Self>>,
    ) -> Unit {
        self.clone_from(from);
        self_dot.clone_from(from_dot);
        Dual((), NoTangent)
    }

    /// `from_bar += x_bar`.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __clone_from_rrule(
        &mut self,
        from: &Self,
    ) -> (
        (),
        impl FnOnce(NoTangent, At<'_, Self>, Shared<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        let old = core::mem::replace(self, from.clone());
        let pullback = move |_: NoTangent,
                             CoDual(x, bar): At<'_, Self>,
                             CoDual(_, from_bar): Shared<'_, Self>| {
            from_bar.accumulate(&core::mem::replace(bar, old.zero_tangent()));
            *x = old;
            ((), ())
        };
        ((), pullback)
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __clone_from_rrule_frule(
        &mut self,
        self_dot: &mut Tan<Self>,
        Dual(from, from_dot): Dual<&Self, &Tan<Self>>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, Shared2<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        let old = core::mem::replace(self, from.clone());
        let old_dot = core::mem::replace(self_dot, from_dot.clone());
        let pullback = move |_: NoTangent2,
                             CoDual(x, bar): At2<'_, Self>,
                             CoDual(_, from_bar): Shared2<'_, Self>| {
            from_bar
                .0
                .accumulate(&core::mem::replace(bar.0, old.zero_tangent()));
            from_bar
                .1
                .accumulate(&core::mem::replace(bar.1, old.zero_tangent()));
            *x.0 = old;
            *x.1 = old_dot;
            ((), ())
        };
        (Dual((), NoTangent), pullback)
    }
}
impl<T: DifferentiableValue + Clone> CloneFromRules for T {}

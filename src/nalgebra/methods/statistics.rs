//! Rules of statistics, distances, angles, and of functions of elements, by functions in plain Rust of the elements.
//!
//! The value is the library's.

use ad_runtime::libraries::nalgebra::library::{DMatrix, SMatrix};
use ad_runtime::libraries::nalgebra::{Columns, Element, Rows};

use super::mapped::with;
use super::numbers;
use super::{AnyMatrix, At, At2, D, Elem};
use crate::{__private::mode, CoDual, Dual};

/// The library's own value.
pub trait Computed: AnyMatrix {
    /// The library's `variance`.
    fn variance_of(&self) -> Elem<Self>;
    /// The library's `amax`.
    fn amax_of(&self) -> Elem<Self>;
    /// The library's `amin`.
    fn amin_of(&self) -> Elem<Self>;
    /// The library's `product`.
    fn product_of(&self) -> Elem<Self>;
    /// The library's `metric_distance`.
    fn distance_to(&self, z: &Self) -> Elem<Self>;
    /// The library's `angle`.
    fn angle_to(&self, z: &Self) -> Elem<Self>;
    /// The library's `abs`.
    #[must_use]
    fn abs_of(&self) -> Self;
    /// The library's `add_scalar`.
    #[must_use]
    fn plus(&self, t: Elem<Self>) -> Self;
    /// The library's `unscale`.
    #[must_use]
    fn over(&self, t: Elem<Self>) -> Self;
}
macro_rules! computed {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<A: Element, $($generics)*> Computed for $t {
            fn variance_of(&self) -> A {
                self.variance()
            }

            fn amax_of(&self) -> A {
                self.amax()
            }

            fn amin_of(&self) -> A {
                self.amin()
            }

            fn product_of(&self) -> A {
                self.product()
            }

            #[track_caller]
            fn distance_to(&self, z: &Self) -> A {
                self.metric_distance(z)
            }

            #[track_caller]
            fn angle_to(&self, z: &Self) -> A {
                self.angle(z)
            }

            fn abs_of(&self) -> Self {
                self.abs()
            }

            fn plus(&self, t: A) -> Self {
                self.add_scalar(t)
            }

            fn over(&self, t: A) -> Self {
                self.unscale(t)
            }
        }
    )*};
}
computed! {
    [] DMatrix<A>;
    [const C: usize] Rows<A, C>;
    [const R: usize] Columns<A, R>;
    [const R: usize, const C: usize] SMatrix<A, R, C>;
}

/// `&self -> number`.
macro_rules! of_one {
    ($($(#[$doc:meta])* [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $value:ident, $body:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>,) {
            (mode::by_ref(),)
        }

        /// The value and its tangent.
        #[inline]
        fn $frule(&self, self_dot: &Self) -> D<Elem<Self>> {
            let y = numbers::$body::__frule(Dual(self.elements(), self_dot.elements()));
            Dual(self.$value(), y.1)
        }

        /// The value and its pullback.
        #[inline]
        fn $rrule(&self) -> (Elem<Self>, impl FnOnce(Elem<Self>, At<'_, Self>) -> ((),) + use<Self>) {
            let pullback = |y_bar: Elem<Self>, x: At<'_, Self>| {
                let (_, pullback) = numbers::$body::__rrule(x.0.elements());
                pullback(y_bar, CoDual(x.0.elements(), x.1.elements_mut()));
                ((),)
            };
            (self.$value(), pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(&self, self_dot: &Self) -> (D<Elem<Self>>, impl FnOnce(D<Elem<Self>>, At2<'_, Self>) -> ((),) + use<Self>) {
            let pullback = |y_bar: D<Elem<Self>>, x: At2<'_, Self>| {
                let (value, shadow) = (&x.0, x.1);
                let at = Dual(value.0.elements(), value.1.elements());
                let (_, pullback) = numbers::$body::__rrule_frule(Dual(at.0, at.1));
                pullback(y_bar, CoDual(at, Dual(shadow.0.elements_mut(), shadow.1.elements_mut())));
                ((),)
            };
            (self.$frule(self_dot), pullback)
        }
    )*};
}

/// `&self, &z -> number`.
macro_rules! of_two {
    ($($(#[$doc:meta])* [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $value:ident, $body:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>, mode::Ref<Self>) {
            (mode::by_ref(), mode::by_ref())
        }

        /// The value and its tangent.
        #[inline]
        #[track_caller]
        fn $frule(&self, self_dot: &Self, z: Dual<&Self, &Self>) -> D<Elem<Self>> {
            let value = self.$value(z.0);
            let x = Dual(self.elements(), self_dot.elements());
            let y = numbers::$body::__frule(x, Dual(z.0.elements(), z.1.elements()));
            Dual(value, y.1)
        }

        /// The value and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule(&self, z: &Self) -> (Elem<Self>, impl FnOnce(Elem<Self>, At<'_, Self>, At<'_, Self>) -> ((), ()) + use<Self>) {
            let pullback = |y_bar: Elem<Self>, x: At<'_, Self>, z: At<'_, Self>| {
                let (_, pullback) = numbers::$body::__rrule(x.0.elements(), z.0.elements());
                pullback(
                    y_bar,
                    CoDual(x.0.elements(), x.1.elements_mut()),
                    CoDual(z.0.elements(), z.1.elements_mut()),
                );
                ((), ())
            };
            (self.$value(z), pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(&self, self_dot: &Self, z: Dual<&Self, &Self>) -> (
            D<Elem<Self>>,
            impl FnOnce(D<Elem<Self>>, At2<'_, Self>, At2<'_, Self>) -> ((), ()) + use<Self>,
        ) {
            let pullback = |y_bar: D<Elem<Self>>, x: At2<'_, Self>, z: At2<'_, Self>| {
                let at = |at: &Dual<&Self, &Self>| (at.0.elements().to_vec(), at.1.elements().to_vec());
                let (x_at, z_at) = (at(&x.0), at(&z.0));
                let (_, pullback) =
                    numbers::$body::__rrule_frule(Dual(&x_at.0[..], &x_at.1[..]), Dual(&z_at.0[..], &z_at.1[..]));
                pullback(
                    y_bar,
                    CoDual(Dual(&x_at.0[..], &x_at.1[..]), Dual(x.1.0.elements_mut(), x.1.1.elements_mut())),
                    CoDual(Dual(&z_at.0[..], &z_at.1[..]), Dual(z.1.0.elements_mut(), z.1.1.elements_mut())),
                );
                ((), ())
            };
            (self.$frule(self_dot, z), pullback)
        }
    )*};
}

/// `&self, number -> Self`.
macro_rules! with_number {
    ($($(#[$doc:meta])* [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $value:ident, $body:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>, mode::Owned<Elem<Self>>) {
            (mode::by_ref(), mode::owned())
        }

        /// The value and its tangent.
        #[inline]
        fn $frule(&self, self_dot: &Self, t: D<Elem<Self>>) -> D<Self> {
            let value = self.$value(t.0);
            let y = numbers::$body::__frule(Dual(self.elements(), self_dot.elements()), t);
            let y_dot = with(&value, &y.1);
            Dual(value, y_dot)
        }

        /// The value and its pullback.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule(&self, t: Elem<Self>) -> (Self, impl FnOnce(Self, At<'_, Self>, ()) -> ((), Elem<Self>) + use<Self>) {
            let pullback = move |y_bar: Self, x: At<'_, Self>, ()| {
                let (_, pullback) = numbers::$body::__rrule(x.0.elements(), t);
                let at = CoDual(x.0.elements(), x.1.elements_mut());
                pullback(y_bar.elements().to_vec(), at, ())
            };
            (self.$value(t), pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(&self, self_dot: &Self, t: D<Elem<Self>>) -> (
            D<Self>,
            impl FnOnce(D<Self>, At2<'_, Self>, ()) -> ((), D<Elem<Self>>) + use<Self>,
        ) {
            let pullback = move |y_bar: D<Self>, x: At2<'_, Self>, ()| {
                let at = || Dual(x.0.0.elements(), x.0.1.elements());
                let (_, pullback) = numbers::$body::__rrule_frule(at(), t);
                let y_bar = Dual(y_bar.0.elements().to_vec(), y_bar.1.elements().to_vec());
                pullback(y_bar, CoDual(at(), Dual(x.1.0.elements_mut(), x.1.1.elements_mut())), ())
            };
            (self.$frule(self_dot, t), pullback)
        }
    )*};
}

/// The rules.
pub trait StatisticsRules: Computed {
    of_one! {
        /// `x.variance()`.
        [__variance_modes __variance_frule __variance_rrule __variance_rrule_frule] variance_of, variance;

        /// `x.amax()`.
        [__amax_modes __amax_frule __amax_rrule __amax_rrule_frule] amax_of, amax;

        /// `x.amin()`.
        [__amin_modes __amin_frule __amin_rrule __amin_rrule_frule] amin_of, amin;

        /// `x.product()`.
        [__product_modes __product_frule __product_rrule __product_rrule_frule] product_of, product;
    }
    of_two! {
        /// `x.metric_distance(&z)`.
        [__metric_distance_modes __metric_distance_frule __metric_distance_rrule __metric_distance_rrule_frule] distance_to, distance;

        /// `x.angle(&z)`.
        [__angle_modes __angle_frule __angle_rrule __angle_rrule_frule] angle_to, angle;
    }
    with_number! {
        /// `x.add_scalar(t)`.
        [__add_scalar_modes __add_scalar_frule __add_scalar_rrule __add_scalar_rrule_frule] plus, add_number;

        /// `x.unscale(t)`.
        [__unscale_modes __unscale_frule __unscale_rrule __unscale_rrule_frule] over, divided;
    }

    /// `x.abs()`.
    #[inline(always)]
    fn __abs_modes(&self) -> (mode::Ref<Self>,) {
        (mode::by_ref(),)
    }

    /// The value and its tangent.
    #[inline]
    fn __abs_frule(&self, self_dot: &Self) -> D<Self> {
        let y = numbers::abs::__frule(Dual(self.elements(), self_dot.elements()));
        Dual(self.abs_of(), with(self, &y.1))
    }

    /// The value and its pullback.
    #[inline]
    fn __abs_rrule(&self) -> (Self, impl FnOnce(Self, At<'_, Self>) -> ((),) + use<Self>) {
        let pullback = |y_bar: Self, x: At<'_, Self>| {
            let (_, pullback) = numbers::abs::__rrule(x.0.elements());
            let at = CoDual(x.0.elements(), x.1.elements_mut());
            pullback(y_bar.elements().to_vec(), at);
            ((),)
        };
        (self.abs_of(), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __abs_rrule_frule(
        &self,
        self_dot: &Self,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>) -> ((),) + use<Self>,
    ) {
        let pullback = |y_bar: D<Self>, x: At2<'_, Self>| {
            let at = || Dual(x.0.0.elements(), x.0.1.elements());
            let (_, pullback) = numbers::abs::__rrule_frule(at());
            let y_bar = Dual(y_bar.0.elements().to_vec(), y_bar.1.elements().to_vec());
            let shadow = Dual(x.1.0.elements_mut(), x.1.1.elements_mut());
            pullback(y_bar, CoDual(at(), shadow));
            ((),)
        };
        (self.__abs_frule(self_dot), pullback)
    }
}
impl<X: Computed> StatisticsRules for X {}

/// Columns, between which one interpolates.
pub trait Interpolated: AnyMatrix {
    /// The library's `lerp`.
    #[must_use]
    fn between(&self, z: &Self, t: Elem<Self>) -> Self;
}
impl<A: Element> Interpolated for Rows<A, 1> {
    fn between(&self, z: &Self, t: A) -> Self {
        self.lerp(z, t)
    }
}
impl<A: Element, const R: usize> Interpolated for SMatrix<A, R, 1> {
    fn between(&self, z: &Self, t: A) -> Self {
        self.lerp(z, t)
    }
}

/// The rules of `x.lerp(&z, t)`.
pub trait LerpRules: Interpolated {
    /// By reference, and by value.
    #[inline(always)]
    fn __lerp_modes(&self) -> (mode::Ref<Self>, mode::Ref<Self>, mode::Owned<Elem<Self>>) {
        (mode::by_ref(), mode::by_ref(), mode::owned())
    }

    /// The value and its tangent.
    #[inline]
    #[track_caller]
    fn __lerp_frule(&self, self_dot: &Self, z: Dual<&Self, &Self>, t: D<Elem<Self>>) -> D<Self> {
        let value = self.between(z.0, t.0);
        let x = Dual(self.elements(), self_dot.elements());
        let y = numbers::lerp::__frule(x, Dual(z.0.elements(), z.1.elements()), t);
        let y_dot = with(&value, &y.1);
        Dual(value, y_dot)
    }

    /// The value and its pullback.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __lerp_rrule(
        &self,
        z: &Self,
        t: Elem<Self>,
    ) -> (
        Self,
        impl FnOnce(Self, At<'_, Self>, At<'_, Self>, ()) -> ((), (), Elem<Self>) + use<Self>,
    ) {
        let pullback = move |y_bar: Self, x: At<'_, Self>, z: At<'_, Self>, ()| {
            let (_, pullback) = numbers::lerp::__rrule(x.0.elements(), z.0.elements(), t);
            pullback(
                y_bar.elements().to_vec(),
                CoDual(x.0.elements(), x.1.elements_mut()),
                CoDual(z.0.elements(), z.1.elements_mut()),
                (),
            )
        };
        (self.between(z, t), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __lerp_rrule_frule(
        &self,
        self_dot: &Self,
        z: Dual<&Self, &Self>,
        t: D<Elem<Self>>,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>, At2<'_, Self>, ()) -> ((), (), D<Elem<Self>>) + use<Self>,
    ) {
        let pullback = move |y_bar: D<Self>, x: At2<'_, Self>, z: At2<'_, Self>, ()| {
            let x_at = || Dual(x.0.0.elements(), x.0.1.elements());
            let z_at = || Dual(z.0.0.elements(), z.0.1.elements());
            let (_, pullback) = numbers::lerp::__rrule_frule(x_at(), z_at(), t);
            let y_bar = Dual(y_bar.0.elements().to_vec(), y_bar.1.elements().to_vec());
            pullback(
                y_bar,
                CoDual(x_at(), Dual(x.1.0.elements_mut(), x.1.1.elements_mut())),
                CoDual(z_at(), Dual(z.1.0.elements_mut(), z.1.1.elements_mut())),
                (),
            )
        };
        (self.__lerp_frule(self_dot, z, t), pullback)
    }
}
impl<X: Interpolated> LerpRules for X {}

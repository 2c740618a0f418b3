//! Functions of each element: `x.exp()`, `x.tanh()`, `x.powi(n)`. The partials are those of the functions of floats.

use ::ndarray::{Array, ArrayRef, Dimension, Zip};

use super::{AnyArray, At, At2, Behind, D, Elem, Element, Tangents};
use crate::partials::{self, Function};
use crate::{Dual, Scalar, mode};

/// The values, and their tangents.
fn forward<F: Function<1>, A: Element, E: Dimension>(
    f: F,
    x: &ArrayRef<A, E>,
    x_dot: &ArrayRef<A, E>,
) -> D<Array<A, E>> {
    let y_dot = Zip::from(x)
        .and(x_dot)
        .map_collect(|x, x_dot| f.frule([*x], [*x_dot]).1);
    Dual(x.mapv(|x| f.first([x]).0), y_dot)
}

/// Adds the cotangents of the elements, from the partials that the forward half has left.
fn pull<F: Function<1>, A: Element, E: Dimension>(
    f: F,
    y_bar: &Array<A, E>,
    p: &Array<A, E>,
    x_bar: &mut ArrayRef<A, E>,
) {
    Zip::from(x_bar)
        .and(y_bar)
        .and(p)
        .for_each(|x_bar, y_bar, p| *x_bar += f.pull(*y_bar, [*p])[0]);
}

macro_rules! functions {
    ($($f:expr, ($($c:ident: $C:ty)?): $modes:ident $frule:ident $rrule:ident $rrule_frule:ident;)*) => {
        /// The rules of functions of each element.
        pub trait ArrayFunctionRules: AnyArray {$(
            /// By reference.
            #[inline(always)]
            fn $modes(&self) -> (mode::Ref<Behind<Self>>, $(mode::Const<$C>)?) {
                (mode::by_ref(), $(functions!(@constant $c))?)
            }

            /// The values and their tangents.
            #[inline]
            fn $frule(&self, self_dot: &Behind<Self> $(, $c: $C)?) -> D<Tangents<Self>> {
                forward($f, self.array(), self_dot)
            }

            /// The values and their pullback, which keeps the partials.
            #[inline]
            #[allow(clippy::type_complexity)]
            fn $rrule(
                &self
                $(, $c: $C)?
            ) -> (
                Tangents<Self>,
                impl FnOnce(Tangents<Self>, At<'_, Self> $(, functions!(@nothing $C))?) -> ((), $(functions!(@nothing $C))?) + use<Self>,
            ) {
                let f = $f;
                let x = self.array();
                let mut p = x.to_owned();
                let y = Zip::from(&mut p).map_collect(|p| {
                    let (y, [partial]) = f.first([*p]);
                    *p = partial;
                    y
                });
                let pullback = move |y_bar: Tangents<Self>, x: At<'_, Self> $(, _: functions!(@nothing $C))?| {
                    pull(f, &y_bar, &p, x.1);
                    ((), $(functions!(@unit $c))?)
                };
                (y, pullback)
            }

            /// The forward transform of the same.
            #[inline]
            #[allow(clippy::type_complexity)]
            fn $rrule_frule(
                &self,
                self_dot: &Behind<Self>
                $(, $c: $C)?
            ) -> (
                D<Tangents<Self>>,
                impl FnOnce(D<Tangents<Self>>, At2<'_, Self> $(, functions!(@nothing $C))?) -> ((), $(functions!(@nothing $C))?) + use<Self>,
            ) {
                let f = $f;
                let pullback = move |Dual(y_bar, y_bar_dot): D<Tangents<Self>>, x: At2<'_, Self> $(, _: functions!(@nothing $C))?| {
                    let (Dual(x, x_dot), Dual(x_bar, x_bar_dot)) = (x.0, x.1);
                    let p = Zip::from(x.array()).and(x_dot).map_collect(|x, x_dot| f.first_dual([*x], [*x_dot]).1[0]);
                    Zip::from(x_bar).and(x_bar_dot).and(&y_bar).and(&y_bar_dot).and(&p).for_each(
                        |x_bar, x_bar_dot, y_bar, y_bar_dot, p| {
                            let [Dual(bar, bar_dot)] = f.pull_dual(Dual(*y_bar, *y_bar_dot), [*p]);
                            *x_bar += bar;
                            *x_bar_dot += bar_dot;
                        },
                    );
                    ((), $(functions!(@unit $c))?)
                };
                (forward(f, self.array(), self_dot), pullback)
            }
        )*}
    };
    (@constant $c:ident) => { mode::constant() };
    (@nothing $C:ty) => { () };
    (@unit $c:ident) => { () };
}
functions! {
    partials::Abs, (): __abs_modes __abs_frule __abs_rrule __abs_rrule_frule;
    partials::Acos, (): __acos_modes __acos_frule __acos_rrule __acos_rrule_frule;
    partials::Acosh, (): __acosh_modes __acosh_frule __acosh_rrule __acosh_rrule_frule;
    partials::Asin, (): __asin_modes __asin_frule __asin_rrule __asin_rrule_frule;
    partials::Asinh, (): __asinh_modes __asinh_frule __asinh_rrule __asinh_rrule_frule;
    partials::Atan, (): __atan_modes __atan_frule __atan_rrule __atan_rrule_frule;
    partials::Atanh, (): __atanh_modes __atanh_frule __atanh_rrule __atanh_rrule_frule;
    partials::Cbrt, (): __cbrt_modes __cbrt_frule __cbrt_rrule __cbrt_rrule_frule;
    partials::Ceil, (): __ceil_modes __ceil_frule __ceil_rrule __ceil_rrule_frule;
    partials::Cos, (): __cos_modes __cos_frule __cos_rrule __cos_rrule_frule;
    partials::Cosh, (): __cosh_modes __cosh_frule __cosh_rrule __cosh_rrule_frule;
    partials::Exp, (): __exp_modes __exp_frule __exp_rrule __exp_rrule_frule;
    partials::Exp2, (): __exp2_modes __exp2_frule __exp2_rrule __exp2_rrule_frule;
    partials::ExpM1, (): __exp_m1_modes __exp_m1_frule __exp_m1_rrule __exp_m1_rrule_frule;
    partials::Floor, (): __floor_modes __floor_frule __floor_rrule __floor_rrule_frule;
    partials::Fract, (): __fract_modes __fract_frule __fract_rrule __fract_rrule_frule;
    partials::Ln, (): __ln_modes __ln_frule __ln_rrule __ln_rrule_frule;
    partials::Ln1p, (): __ln_1p_modes __ln_1p_frule __ln_1p_rrule __ln_1p_rrule_frule;
    partials::Log2, (): __log2_modes __log2_frule __log2_rrule __log2_rrule_frule;
    partials::Log10, (): __log10_modes __log10_frule __log10_rrule __log10_rrule_frule;
    partials::Recip, (): __recip_modes __recip_frule __recip_rrule __recip_rrule_frule;
    partials::Round, (): __round_modes __round_frule __round_rrule __round_rrule_frule;
    partials::Signum, (): __signum_modes __signum_frule __signum_rrule __signum_rrule_frule;
    partials::Sin, (): __sin_modes __sin_frule __sin_rrule __sin_rrule_frule;
    partials::Sinh, (): __sinh_modes __sinh_frule __sinh_rrule __sinh_rrule_frule;
    partials::Sqrt, (): __sqrt_modes __sqrt_frule __sqrt_rrule __sqrt_rrule_frule;
    partials::Tan, (): __tan_modes __tan_frule __tan_rrule __tan_rrule_frule;
    partials::Tanh, (): __tanh_modes __tanh_frule __tanh_rrule __tanh_rrule_frule;
    partials::ToDegrees, (): __to_degrees_modes __to_degrees_frule __to_degrees_rrule __to_degrees_rrule_frule;
    partials::ToRadians, (): __to_radians_modes __to_radians_frule __to_radians_rrule __to_radians_rrule_frule;
    partials::Trunc, (): __trunc_modes __trunc_frule __trunc_rrule __trunc_rrule_frule;
    partials::Powi(2), (): __pow2_modes __pow2_frule __pow2_rrule __pow2_rrule_frule;
    partials::Powi(n), (n: i32): __powi_modes __powi_frule __powi_rrule __powi_rrule_frule;
}
impl<X: AnyArray + ?Sized> ArrayFunctionRules for X {}

/// Functions of each element and of numbers: `x.powf(a)`, `x.clamp(low, high)`.
macro_rules! with_numbers {
    ($($f:expr, $n:literal, ($($c:ident)*), ($($k:literal)*): $modes:ident $frule:ident $rrule:ident $rrule_frule:ident;)*) => {
        /// The rules of functions of each element and of numbers.
        pub trait NumberFunctionRules: AnyArray {$(
            /// By reference, and numbers.
            #[inline(always)]
            fn $modes(&self) -> (mode::Ref<Behind<Self>>, $(with_numbers!(@mode $c)),*) {
                (mode::by_ref(), $(with_numbers!(@owned $c)),*)
            }

            /// The values and their tangents.
            fn $frule(&self, self_dot: &Behind<Self> $(, $c: D<Elem<Self>>)*) -> D<Tangents<Self>> {
                let mut y_dot = self_dot.to_owned();
                let y = Zip::from(self.array()).and(&mut y_dot).map_collect(|x, x_dot| {
                    let Dual(y, dot) = $f.frule([*x $(, $c.0)*], [*x_dot $(, $c.1)*]);
                    *x_dot = dot;
                    y
                });
                Dual(y, y_dot)
            }

            /// The values and their pullback.
            #[allow(clippy::type_complexity)]
            fn $rrule(
                &self
                $(, $c: Elem<Self>)*
            ) -> (
                Tangents<Self>,
                impl FnOnce(Tangents<Self>, At<'_, Self> $(, with_numbers!(@unit $c))*) -> ((), $(with_numbers!(@elem $c)),*) + use<Self>,
            ) {
                let y = self.array().map(|x| $f.first([*x $(, $c)*]).0);
                (y, move |y_bar: Tangents<Self>, x: At<'_, Self> $(, _: with_numbers!(@unit $c))*| {
                    let mut sums = [<Elem<Self>>::from_f64(0.0); $n];
                    Zip::from(x.0).and(x.1).and(&y_bar).for_each(|x, x_bar, y_bar| {
                        let bars = $f.pull(*y_bar, $f.first([*x $(, $c)*]).1);
                        *x_bar += bars[0];
                        for (sum, bar) in sums.iter_mut().zip(bars) {
                            *sum += bar;
                        }
                    });
                    ((), $(sums[$k]),*)
                })
            }

            /// The forward transform of the same.
            #[allow(clippy::type_complexity)]
            fn $rrule_frule(
                &self,
                self_dot: &Behind<Self>
                $(, $c: D<Elem<Self>>)*
            ) -> (
                D<Tangents<Self>>,
                impl FnOnce(D<Tangents<Self>>, At2<'_, Self> $(, with_numbers!(@unit $c))*) -> ((), $(D<with_numbers!(@elem $c)>),*) + use<Self>,
            ) {
                let y = self.$frule(self_dot $(, $c)*);
                (y, move |Dual(y_bar, y_bar_dot): D<Tangents<Self>>, x: At2<'_, Self> $(, _: with_numbers!(@unit $c))*| {
                    let zero = <Elem<Self>>::from_f64(0.0);
                    let mut sums = [Dual(zero, zero); $n];
                    let (Dual(x, x_dot), Dual(x_bar, x_bar_dot)) = (x.0, x.1);
                    let bars = Zip::from(&y_bar).and(&y_bar_dot).map_collect(|bar, dot| Dual(*bar, *dot));
                    Zip::from(x).and(x_dot).and(x_bar).and(x_bar_dot).and(&bars).for_each(|x, x_dot, x_bar, x_bar_dot, y_bar| {
                        let (_, p) = $f.first_dual([*x $(, $c.0)*], [*x_dot $(, $c.1)*]);
                        let bars = $f.pull_dual(*y_bar, p);
                        *x_bar += bars[0].0;
                        *x_bar_dot += bars[0].1;
                        for (sum, bar) in sums.iter_mut().zip(bars) {
                            sum.0 += bar.0;
                            sum.1 += bar.1;
                        }
                    });
                    ((), $(sums[$k]),*)
                })
            }
        )*}
    };
    (@mode $c:ident) => { mode::Owned<Elem<Self>> };
    (@owned $c:ident) => { mode::owned() };
    (@unit $c:ident) => { () };
    (@elem $c:ident) => { Elem<Self> };
}
with_numbers! {
    partials::Powf, 2, (a), (1): __powf_modes __powf_frule __powf_rrule __powf_rrule_frule;
    partials::Clamp, 3, (low high), (1 2): __clamp_modes __clamp_frule __clamp_rrule __clamp_rrule_frule;
}
impl<X: AnyArray + ?Sized> NumberFunctionRules for X {}

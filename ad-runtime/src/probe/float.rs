//! The methods of `f32` and `f64`, with the hidden rules that a user's method would have.
//!
//! The derivatives are in [`partials`](crate::partials).

use crate::partials::{
    Abs, Acos, Acosh, Asin, Asinh, Atan, Atan2, Atanh, Cbrt, Ceil, Clamp, Copysign, Cos, Cosh,
    DivEuclid, Exp, Exp2, ExpM1, Floor, Fract, Function, Hypot, Ln, Ln1p, Log, Log2, Log10, Max,
    Min, MulAdd, Powf, Powi, Recip, RemEuclid, Round, RoundTiesEven, Signum, Sin, Sinh, Sqrt, Tan,
    Tanh, ToDegrees, ToRadians, Trunc,
};
use crate::scalar::strong_mul;
use crate::{Dual, Real, mode};

/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;

/// Writes out the four rules of each method. `frule(self, self_dot, arguments as duals)`; the pullback takes `()` for
/// each position, since all are by value.
macro_rules! float_rules {
    (
        one: $([$f1:expr] $modes1:ident $frule1:ident $rrule1:ident $rrule_frule1:ident;)*
        two: $([$f2:expr] $modes2:ident $frule2:ident $rrule2:ident $rrule_frule2:ident;)*
        three: $([$f3:expr] $modes3:ident $frule3:ident $rrule3:ident $rrule_frule3:ident;)*
    ) => {
        /// The rules of the methods of floats, for receivers whose type the macro does not know.
        #[allow(clippy::type_complexity)]
        pub trait FloatRules: Real {
            $(
                /// By value, and differentiated.
                #[inline(always)]
                fn $modes1(&self) -> (mode::Owned<Self>,) {
                    (mode::owned(),)
                }

                /// The value and its tangent.
                #[inline(always)]
                fn $frule1(self, self_dot: Self) -> D<Self> {
                    $f1.frule([self], [self_dot])
                }

                /// The value and its pullback.
                #[inline(always)]
                fn $rrule1(self) -> (Self, impl FnOnce(Self, ()) -> (Self,) + use<Self>) {
                    let f = $f1;
                    let (y, p) = f.first([self]);
                    (y, move |y_bar, ()| f.pull(y_bar, p).into())
                }

                /// The forward transform of the same.
                #[inline(always)]
                fn $rrule_frule1(
                    self,
                    self_dot: Self,
                ) -> (D<Self>, impl FnOnce(D<Self>, ()) -> (D<Self>,) + use<Self>) {
                    let f = $f1;
                    let (y, p) = f.first_dual([self], [self_dot]);
                    (y, move |y_bar, ()| f.pull_dual(y_bar, p).into())
                }
            )*
            $(
                /// By value, and differentiated.
                #[inline(always)]
                fn $modes2(&self) -> (mode::Owned<Self>, mode::Owned<Self>) {
                    (mode::owned(), mode::owned())
                }

                /// The value and its tangent.
                #[inline(always)]
                fn $frule2(self, self_dot: Self, a: D<Self>) -> D<Self> {
                    $f2.frule([self, a.0], [self_dot, a.1])
                }

                /// The value and its pullback.
                #[inline(always)]
                fn $rrule2(self, a: Self) -> (Self, impl FnOnce(Self, (), ()) -> (Self, Self) + use<Self>) {
                    let f = $f2;
                    let (y, p) = f.first([self, a]);
                    (y, move |y_bar, (), ()| f.pull(y_bar, p).into())
                }

                /// The forward transform of the same.
                #[inline(always)]
                fn $rrule_frule2(
                    self,
                    self_dot: Self,
                    a: D<Self>,
                ) -> (D<Self>, impl FnOnce(D<Self>, (), ()) -> (D<Self>, D<Self>) + use<Self>) {
                    let f = $f2;
                    let (y, p) = f.first_dual([self, a.0], [self_dot, a.1]);
                    (y, move |y_bar, (), ()| f.pull_dual(y_bar, p).into())
                }
            )*
            $(
                /// By value, and differentiated.
                #[inline(always)]
                fn $modes3(&self) -> (mode::Owned<Self>, mode::Owned<Self>, mode::Owned<Self>) {
                    (mode::owned(), mode::owned(), mode::owned())
                }

                /// The value and its tangent.
                #[inline(always)]
                #[track_caller]
                fn $frule3(self, self_dot: Self, a: D<Self>, b: D<Self>) -> D<Self> {
                    $f3.frule([self, a.0, b.0], [self_dot, a.1, b.1])
                }

                /// The value and its pullback.
                #[inline(always)]
                #[track_caller]
                fn $rrule3(
                    self,
                    a: Self,
                    b: Self,
                ) -> (Self, impl FnOnce(Self, (), (), ()) -> (Self, Self, Self) + use<Self>) {
                    let f = $f3;
                    let (y, p) = f.first([self, a, b]);
                    (y, move |y_bar, (), (), ()| f.pull(y_bar, p).into())
                }

                /// The forward transform of the same.
                #[inline(always)]
                #[track_caller]
                fn $rrule_frule3(
                    self,
                    self_dot: Self,
                    a: D<Self>,
                    b: D<Self>,
                ) -> (D<Self>, impl FnOnce(D<Self>, (), (), ()) -> (D<Self>, D<Self>, D<Self>) + use<Self>) {
                    let f = $f3;
                    let (y, p) = f.first_dual([self, a.0, b.0], [self_dot, a.1, b.1]);
                    (y, move |y_bar, (), (), ()| f.pull_dual(y_bar, p).into())
                }
            )*

            /// By value, and differentiated.
            #[inline(always)]
            fn __powi_modes(&self) -> (mode::Owned<Self>, mode::Const<i32>) {
                (mode::owned(), mode::constant())
            }

            /// The value and its tangent.
            #[inline(always)]
            fn __powi_frule(self, self_dot: Self, n: i32) -> D<Self> {
                Powi(n).frule([self], [self_dot])
            }

            /// The value and its pullback.
            #[inline(always)]
            fn __powi_rrule(self, n: i32) -> (Self, impl FnOnce(Self, (), ()) -> (Self, ()) + use<Self>) {
                let (y, [p]) = Powi(n).first([self]);
                (y, move |y_bar, (), ()| (Powi(n).pull(y_bar, [p])[0], ()))
            }

            /// The forward transform of the same.
            #[inline(always)]
            fn __powi_rrule_frule(
                self,
                self_dot: Self,
                n: i32,
            ) -> (D<Self>, impl FnOnce(D<Self>, (), ()) -> (D<Self>, ()) + use<Self>) {
                let (y, [p]) = Powi(n).first_dual([self], [self_dot]);
                (y, move |y_bar, (), ()| (Powi(n).pull_dual(y_bar, [p])[0], ()))
            }

            /// By value, and differentiated.
            #[inline(always)]
            fn __sin_cos_modes(&self) -> (mode::Owned<Self>,) {
                (mode::owned(),)
            }

            /// The derivatives of `(sin x, cos x)` are `(cos x, -sin x)`.
            #[inline(always)]
            fn __sin_cos_frule(self, self_dot: Self) -> Dual<(Self, Self), (Self, Self)> {
                let (sin, cos) = self.sin_cos();
                Dual((sin, cos), (strong_mul(self_dot, cos), -strong_mul(self_dot, sin)))
            }

            /// The value and its pullback.
            #[inline(always)]
            fn __sin_cos_rrule(self) -> ((Self, Self), impl FnOnce((Self, Self), ()) -> (Self,) + use<Self>) {
                let (sin, cos) = self.sin_cos();
                ((sin, cos), move |(s_bar, c_bar), ()| (strong_mul(s_bar, cos) - strong_mul(c_bar, sin),))
            }

            /// The forward transform of the same.
            #[inline(always)]
            fn __sin_cos_rrule_frule(
                self,
                self_dot: Self,
            ) -> (
                Dual<(Self, Self), (Self, Self)>,
                impl FnOnce(Dual<(Self, Self), (Self, Self)>, ()) -> (D<Self>,) + use<Self>,
            ) {
                let Dual((sin, cos), (sin_dot, cos_dot)) = self.__sin_cos_frule(self_dot);
                let pullback = move |Dual((s_bar, c_bar), (s_bar_dot, c_bar_dot)), ()| {
                    let pull = |s_bar, c_bar, sin, cos| strong_mul(s_bar, cos) - strong_mul(c_bar, sin);
                    let x_bar = pull(s_bar, c_bar, sin, cos);
                    let x_bar_dot = pull(s_bar_dot, c_bar_dot, sin, cos) + pull(s_bar, c_bar, sin_dot, cos_dot);
                    (Dual(x_bar, x_bar_dot),)
                };
                (Dual((sin, cos), (sin_dot, cos_dot)), pullback)
            }
        }
    };
}
float_rules! {
    one:
    [Abs] __abs_modes __abs_frule __abs_rrule __abs_rrule_frule;
    [Acos] __acos_modes __acos_frule __acos_rrule __acos_rrule_frule;
    [Acosh] __acosh_modes __acosh_frule __acosh_rrule __acosh_rrule_frule;
    [Asin] __asin_modes __asin_frule __asin_rrule __asin_rrule_frule;
    [Asinh] __asinh_modes __asinh_frule __asinh_rrule __asinh_rrule_frule;
    [Atan] __atan_modes __atan_frule __atan_rrule __atan_rrule_frule;
    [Atanh] __atanh_modes __atanh_frule __atanh_rrule __atanh_rrule_frule;
    [Cbrt] __cbrt_modes __cbrt_frule __cbrt_rrule __cbrt_rrule_frule;
    [Ceil] __ceil_modes __ceil_frule __ceil_rrule __ceil_rrule_frule;
    [Cos] __cos_modes __cos_frule __cos_rrule __cos_rrule_frule;
    [Cosh] __cosh_modes __cosh_frule __cosh_rrule __cosh_rrule_frule;
    [Exp] __exp_modes __exp_frule __exp_rrule __exp_rrule_frule;
    [Exp2] __exp2_modes __exp2_frule __exp2_rrule __exp2_rrule_frule;
    [ExpM1] __exp_m1_modes __exp_m1_frule __exp_m1_rrule __exp_m1_rrule_frule;
    [Floor] __floor_modes __floor_frule __floor_rrule __floor_rrule_frule;
    [Fract] __fract_modes __fract_frule __fract_rrule __fract_rrule_frule;
    [Ln] __ln_modes __ln_frule __ln_rrule __ln_rrule_frule;
    [Ln1p] __ln_1p_modes __ln_1p_frule __ln_1p_rrule __ln_1p_rrule_frule;
    [Log2] __log2_modes __log2_frule __log2_rrule __log2_rrule_frule;
    [Log10] __log10_modes __log10_frule __log10_rrule __log10_rrule_frule;
    [Recip] __recip_modes __recip_frule __recip_rrule __recip_rrule_frule;
    [Round] __round_modes __round_frule __round_rrule __round_rrule_frule;
    [RoundTiesEven] __round_ties_even_modes __round_ties_even_frule __round_ties_even_rrule __round_ties_even_rrule_frule;
    [Signum] __signum_modes __signum_frule __signum_rrule __signum_rrule_frule;
    [Sin] __sin_modes __sin_frule __sin_rrule __sin_rrule_frule;
    [Sinh] __sinh_modes __sinh_frule __sinh_rrule __sinh_rrule_frule;
    [Sqrt] __sqrt_modes __sqrt_frule __sqrt_rrule __sqrt_rrule_frule;
    [Tan] __tan_modes __tan_frule __tan_rrule __tan_rrule_frule;
    [Tanh] __tanh_modes __tanh_frule __tanh_rrule __tanh_rrule_frule;
    [ToDegrees] __to_degrees_modes __to_degrees_frule __to_degrees_rrule __to_degrees_rrule_frule;
    [ToRadians] __to_radians_modes __to_radians_frule __to_radians_rrule __to_radians_rrule_frule;
    [Trunc] __trunc_modes __trunc_frule __trunc_rrule __trunc_rrule_frule;
    two:
    [Atan2] __atan2_modes __atan2_frule __atan2_rrule __atan2_rrule_frule;
    [Copysign] __copysign_modes __copysign_frule __copysign_rrule __copysign_rrule_frule;
    [DivEuclid] __div_euclid_modes __div_euclid_frule __div_euclid_rrule __div_euclid_rrule_frule;
    [Hypot] __hypot_modes __hypot_frule __hypot_rrule __hypot_rrule_frule;
    [Log] __log_modes __log_frule __log_rrule __log_rrule_frule;
    [Max] __max_modes __max_frule __max_rrule __max_rrule_frule;
    [Min] __min_modes __min_frule __min_rrule __min_rrule_frule;
    [Powf] __powf_modes __powf_frule __powf_rrule __powf_rrule_frule;
    [RemEuclid] __rem_euclid_modes __rem_euclid_frule __rem_euclid_rrule __rem_euclid_rrule_frule;
    three:
    [Clamp] __clamp_modes __clamp_frule __clamp_rrule __clamp_rrule_frule;
    [MulAdd] __mul_add_modes __mul_add_frule __mul_add_rrule __mul_add_rrule_frule;
}

impl<T: Real> FloatRules for T {}

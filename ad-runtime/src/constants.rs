//! [`RealConstants`]: numbers, and tests of numbers, in generic code over `f32` and `f64`.

use core::cmp::Ordering;
use core::num::FpCategory;

use crate::Scalar;

macro_rules! constants {
    ([$($limit:ident = $value:ident;)*] [$($constant:ident)*] [$($test:ident)*]) => {
        /// The numbers that generic code over [`Real`](crate::Real) needs, and queries of one.
        ///
        /// The names are those that `num-traits` has made common: `T::zero()`, `T::epsilon()`, `T::PI()`.
        ///
        /// ```
        /// use ad_runtime::{Real, RealConstants};
        /// fn half_turn<T: Real>(n: usize) -> T {
        ///     T::PI() * T::from_usize(n)
        /// }
        /// assert_eq!(half_turn::<f32>(1), core::f32::consts::PI);
        /// assert_eq!(f64::epsilon(), f64::EPSILON);
        /// ```
        #[allow(non_snake_case, reason = "the names of the constants")]
        pub trait RealConstants: Scalar {
            /// 0.
            #[must_use]
            #[inline(always)]
            fn zero() -> Self {
                Self::ZERO
            }

            /// 1.
            #[must_use]
            #[inline(always)]
            fn one() -> Self {
                Self::ONE
            }

            /// The nearest value of this type.
            #[must_use]
            #[inline(always)]
            fn from_f32(value: f32) -> Self {
                Self::from_f64(f64::from(value))
            }

            /// The nearest value of this type.
            #[must_use]
            #[inline(always)]
            fn from_usize(value: usize) -> Self {
                Self::from_integer(value)
            }

            /// The nearest value of this type.
            #[must_use]
            #[inline(always)]
            fn from_i32(value: i32) -> Self {
                Self::from_f64(f64::from(value))
            }

            $(
                #[doc = concat!("See [`f64::", stringify!($value), "`].")]
                #[must_use]
                fn $limit() -> Self;
            )*

            $(
                #[doc = concat!("See [`core::f64::consts::", stringify!($constant), "`].")]
                #[must_use]
                fn $constant() -> Self;
            )*

            $(
                #[doc = concat!("See [`f64::", stringify!($test), "`].")]
                #[must_use]
                fn $test(self) -> bool;
            )*

            /// See [`f64::total_cmp`].
            #[must_use]
            fn total_cmp(&self, other: &Self) -> Ordering;

            /// See [`f64::classify`].
            #[must_use]
            fn classify(self) -> FpCategory;
        }

        constants!(@impl f32 [$($limit = $value;)*] [$($constant)*] [$($test)*]);
        constants!(@impl f64 [$($limit = $value;)*] [$($constant)*] [$($test)*]);
    };
    (@impl $t:ident [$($limit:ident = $value:ident;)*] [$($constant:ident)*] [$($test:ident)*]) => {
        #[allow(non_snake_case)]
        impl RealConstants for $t {
            $(
                #[inline(always)]
                fn $limit() -> $t {
                    $t::$value
                }
            )*
            $(
                #[inline(always)]
                fn $constant() -> $t {
                    core::$t::consts::$constant
                }
            )*
            $(
                #[inline(always)]
                fn $test(self) -> bool {
                    $t::$test(self)
                }
            )*

            #[inline(always)]
            fn total_cmp(&self, other: &$t) -> Ordering {
                $t::total_cmp(self, other)
            }

            #[inline(always)]
            fn classify(self) -> FpCategory {
                $t::classify(self)
            }
        }
    };
}
constants! {
    [
        epsilon = EPSILON;
        infinity = INFINITY;
        neg_infinity = NEG_INFINITY;
        nan = NAN;
        min_value = MIN;
        max_value = MAX;
        min_positive_value = MIN_POSITIVE;
    ]
    [
        E PI TAU FRAC_1_PI FRAC_2_PI FRAC_1_SQRT_2 FRAC_2_SQRT_PI
        FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
        LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2 SQRT_2
    ]
    [is_nan is_finite is_infinite is_normal is_subnormal is_sign_positive is_sign_negative]
}

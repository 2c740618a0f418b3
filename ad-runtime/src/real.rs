//! [`Real`]: the methods of `f32` and `f64`, for functions that are generic over both.
//!
//! With the feature `std` they are std's; without it, `libm`'s.

use crate::RealConstants;
use crate::ops::{
    AddOp, Assigning, BinaryRules, DivOp, MulOp, NegOp, RemOp, SubOp, UnaryRules, Varies,
};

/// Declares the trait, and implements it with std, from the names of the methods.
macro_rules! real {
    ([$($unary:ident)*] [$($binary:ident)*]) => {
        /// `f32` and `f64`, with their methods: `fn norm<T: Real>(x: &[T]) -> T`.
        ///
        /// Methods are called as those of `f64`, and return the same, bit for bit. A number is written `T::from_f64(0.5)`; there
        /// are `T::zero()`, `T::PI()` and more in [`RealConstants`], operators and their assigning forms, `Sum` and `Product`.
        ///
        /// ```
        /// use ad_runtime::{Real, Scalar};
        /// fn logistic<T: Real>(x: T) -> T {
        ///     T::ONE / (T::ONE + (-x).exp())
        /// }
        /// assert_eq!(logistic(0.0_f32), 0.5);
        /// ```
        pub trait Real:
            RealConstants
            + BinaryRules<AddOp, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<SubOp, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<MulOp, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<DivOp, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<RemOp, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<Assigning<AddOp>, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<Assigning<SubOp>, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<Assigning<MulOp>, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<Assigning<DivOp>, Self, Output = Self, Operands = (Varies, Varies)>
            + BinaryRules<Assigning<RemOp>, Self, Output = Self, Operands = (Varies, Varies)>
            + UnaryRules<NegOp, Output = Self>
        {
            $(
                #[doc = concat!("See [`f64::", stringify!($unary), "`].")]
                #[must_use]
                fn $unary(self) -> Self;
            )*
            $(
                #[doc = concat!("See [`f64::", stringify!($binary), "`].")]
                #[must_use]
                fn $binary(self, other: Self) -> Self;
            )*

            /// See [`f64::powi`].
            #[must_use]
            fn powi(self, n: i32) -> Self;

            /// See [`f64::mul_add`].
            #[must_use]
            fn mul_add(self, a: Self, b: Self) -> Self;

            /// See [`f64::clamp`].
            ///
            /// # Panics
            /// If `min > max`, or one of them is NaN.
            #[must_use]
            fn clamp(self, min: Self, max: Self) -> Self;

            /// See [`f64::sin_cos`].
            fn sin_cos(self) -> (Self, Self);
        }

        #[cfg(feature = "std")]
        real!(@std [$($unary)*] [$($binary)*] f32);
        #[cfg(feature = "std")]
        real!(@std [$($unary)*] [$($binary)*] f64);
    };
    (@std [$($unary:ident)*] [$($binary:ident)*] $t:ident) => {
        impl Real for $t {
            $(
                #[inline(always)]
                fn $unary(self) -> $t {
                    $t::$unary(self)
                }
            )*
            $(
                #[inline(always)]
                fn $binary(self, other: $t) -> $t {
                    $t::$binary(self, other)
                }
            )*

            #[inline(always)]
            fn powi(self, n: i32) -> $t {
                $t::powi(self, n)
            }

            #[inline(always)]
            fn mul_add(self, a: $t, b: $t) -> $t {
                $t::mul_add(self, a, b)
            }

            #[inline(always)]
            #[track_caller]
            fn clamp(self, min: $t, max: $t) -> $t {
                $t::clamp(self, min, max)
            }

            #[inline(always)]
            fn sin_cos(self) -> ($t, $t) {
                $t::sin_cos(self)
            }
        }
    };
}
real! {
    [
        sqrt cbrt exp exp2 exp_m1 ln ln_1p log2 log10
        sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
        abs signum recip floor ceil round round_ties_even trunc fract to_degrees to_radians
    ]
    [powf log atan2 hypot copysign max min rem_euclid div_euclid]
}

#[cfg(not(feature = "std"))]
mod without_std {
    //! The same with `libm`, except for functions that `core` has.

    use libm::Libm;

    use super::Real;

    macro_rules! libm {
        ($t:ident: [$($unary:ident = $name:ident;)*] [$($binary:ident = $binary_name:ident;)*]) => {
            impl Real for $t {
                $(
                    #[inline(always)]
                    fn $unary(self) -> $t {
                        Libm::<$t>::$name(self)
                    }
                )*
                $(
                    #[inline(always)]
                    fn $binary(self, other: $t) -> $t {
                        Libm::<$t>::$binary_name(self, other)
                    }
                )*

                libm!(@core $t: abs signum recip to_degrees to_radians | copysign max min);

                #[inline(always)]
                fn fract(self) -> $t {
                    self - Real::trunc(self)
                }

                #[inline(always)]
                fn log(self, base: $t) -> $t {
                    Real::ln(self) / Real::ln(base)
                }

                #[inline]
                fn rem_euclid(self, other: $t) -> $t {
                    let r = self % other;
                    if r < 0.0 { r + other.abs() } else { r }
                }

                #[inline]
                fn div_euclid(self, other: $t) -> $t {
                    let q = Real::trunc(self / other);
                    if self % other >= 0.0 {
                        q
                    } else if other > 0.0 {
                        q - 1.0
                    } else {
                        q + 1.0
                    }
                }

                #[inline]
                fn powi(self, n: i32) -> $t {
                    let (mut base, mut exponent, mut power) = (self, n.unsigned_abs(), 1.0);
                    while exponent > 0 {
                        if exponent & 1 == 1 {
                            power *= base;
                        }
                        base *= base;
                        exponent >>= 1;
                    }
                    if n < 0 { 1.0 / power } else { power }
                }

                #[inline(always)]
                fn mul_add(self, a: $t, b: $t) -> $t {
                    Libm::<$t>::fma(self, a, b)
                }

                #[inline(always)]
                #[track_caller]
                fn clamp(self, min: $t, max: $t) -> $t {
                    $t::clamp(self, min, max)
                }

                #[inline(always)]
                fn sin_cos(self) -> ($t, $t) {
                    Libm::<$t>::sincos(self)
                }
            }
        };
        (@core $t:ident: $($unary:ident)* | $($binary:ident)*) => {
            $(
                #[inline(always)]
                fn $unary(self) -> $t {
                    $t::$unary(self)
                }
            )*
            $(
                #[inline(always)]
                fn $binary(self, other: $t) -> $t {
                    $t::$binary(self, other)
                }
            )*
        };
        (both $functions:tt $binaries:tt) => {
            libm!(f32: $functions $binaries);
            libm!(f64: $functions $binaries);
        };
    }
    libm! {
        both
        [
            sqrt = sqrt; cbrt = cbrt; exp = exp; exp2 = exp2; exp_m1 = expm1;
            ln = log; ln_1p = log1p; log2 = log2; log10 = log10;
            sin = sin; cos = cos; tan = tan; asin = asin; acos = acos; atan = atan;
            sinh = sinh; cosh = cosh; tanh = tanh; asinh = asinh; acosh = acosh; atanh = atanh;
            floor = floor; ceil = ceil; round = round; round_ties_even = rint; trunc = trunc;
        ]
        [powf = pow; atan2 = atan2; hypot = hypot;]
    }
}

#[cfg(all(test, feature = "libm", not(feature = "std")))]
mod tests {
    use super::Real;

    /// Compares the replacements of std's methods with these, which tests have.
    #[test]
    fn functions_agree_with_std() {
        for x in [-2.7_f64, -0.5, 0.0, 0.3, 1.0, 4.5] {
            macro_rules! same {
                ($($method:ident($($a:expr),*))*) => {$(
                    let (ours, std) = (Real::$method(x $(, $a)*), f64::$method(x $(, $a)*));
                    let close = (ours - std).abs() <= 1e-15 * std.abs();
                    assert!(close || ours == std || ours.is_nan() && std.is_nan(), "{ours} {std}");
                )*};
            }
            same! {
                sqrt() cbrt() exp() exp2() exp_m1() ln() ln_1p() log2() log10() sin() cos() tan() asin() acos()
                atan() sinh() cosh() tanh() asinh() acosh() atanh() floor() ceil() round() round_ties_even()
                trunc() fract() abs() signum() recip() to_degrees() to_radians()
                powf(1.5) powf(2.0) log(3.0) atan2(0.4) hypot(1.2) copysign(-1.0) max(0.1) min(0.1)
                rem_euclid(0.7) rem_euclid(-0.7) div_euclid(0.7) div_euclid(-0.7)
                powi(0) powi(3) powi(-2) mul_add(1.1, 0.3) clamp(-1.0, 1.0)
            }
            assert_eq!(Real::sin_cos(x), (Real::sin(x), Real::cos(x)));
        }
    }
}

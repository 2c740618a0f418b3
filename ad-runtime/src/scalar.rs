//! Real scalars, and the helpers of scalar rules.

use core::fmt::{Debug, Display, LowerExp};
use core::iter::{Product, Sum};
use core::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

use crate::{Differentiable, TangentValue};

/// `f32` and `f64`: the types that a gradient may be taken of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real scalar",
    label = "expected `f32` or `f64`",
    note = "drivers such as `gradient` are there for functions that return a real scalar; use `vjp` or `jvp` for others"
)]
pub trait Scalar:
    Differentiable<Tangent = Self, OwnedTangent = Self>
    + TangentValue
    + Copy
    + Debug
    + Display
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
    + Sum
    + for<'a> Sum<&'a Self>
    + Product
    + for<'a> Product<&'a Self>
    + LowerExp
    + Send
    + Sync
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One, the seed of a gradient.
    const ONE: Self;
    /// The difference between 1 and the next larger number.
    const EPSILON: Self;

    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;

    /// The value as `f64`, which holds every `f32` exactly.
    fn to_f64(self) -> f64;

    /// The nearest value of this type.
    #[doc(hidden)]
    fn from_integer<N: Integer>(value: N) -> Self;
}

/// The integers, as they are cast by `as`.
#[doc(hidden)]
pub trait Integer {
    /// `self as f32`.
    fn to_f32(self) -> f32;

    /// `self as f64`.
    fn to_f64(self) -> f64;
}

macro_rules! integer {
    ($($t:ident)*) => {$(
        #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "rounding is what is asked for")]
        impl Integer for $t {
            #[inline(always)]
            fn to_f32(self) -> f32 {
                self as f32
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}
integer!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! scalar {
    ($($t:ident $to:ident)*) => {$(
        impl Scalar for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const EPSILON: $t = $t::EPSILON;

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
            fn from_f64(value: f64) -> $t {
                value as $t
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn from_integer<N: Integer>(value: N) -> $t {
                value.$to()
            }
        }
    )*};
}
scalar!(f32 to_f32 f64 to_f64);

/// The strong product of a tangent or cotangent with a partial derivative: zero if `a` is, whatever the partial.
///
/// The partial of `sqrt` at 0 is infinite; its product with a zero tangent or cotangent is 0 nevertheless, not NaN. So with
/// the partials of all functions of floats, of `/` (see [`strong_div`]) and of `%`; `+ - *` and `mul_add` have plain products.
///
/// ```
/// use ad_runtime::__private::strong_mul;
/// assert_eq!(strong_mul(0.0, f64::INFINITY), 0.0);
/// assert_eq!(strong_mul(2.0, 3.0), 6.0);
/// ```
#[inline(always)]
pub fn strong_mul<T: Scalar>(a: T, partial: T) -> T {
    if a == T::ZERO { T::ZERO } else { a * partial }
}

/// The strong quotient of a tangent or cotangent by a primal value: zero if `a` is, whatever the divisor.
///
/// A quotient by zero that a branch discards contributes 0, not NaN. Both sides of the choice are computed, so that it is a
/// select, and loops are vectorised as with plain quotients.
///
/// ```
/// use ad_runtime::__private::strong_div;
/// assert_eq!(strong_div(0.0, 0.0), 0.0);
/// assert_eq!(strong_div(6.0, 3.0), 2.0);
/// ```
#[inline(always)]
pub fn strong_div<T: Scalar>(a: T, divisor: T) -> T {
    let quotient = a / divisor;
    if a == T::ZERO { T::ZERO } else { quotient }
}

/// The same value, which counts as a constant for derivatives.
///
/// ```
/// assert_eq!(ad_runtime::stop_gradient(2.5), 2.5);
/// ```
#[inline(always)]
pub fn stop_gradient<T>(x: T) -> T {
    x
}

//! The partial derivatives of the functions of `f32` and `f64`, first and second, for rules of deferred receivers.
//!
//! The macro has the same table for floats that it knows (`ad-macros/src/transform/partials.rs`); both agree in formula
//! and in how a product with the partial is formed, so that a result doesn't depend on whether a type was known.
//!
//! Each function has its formula, its domain, and its behaviour at kinks and at the ends of the domain. Outside of the
//! domain the value is NaN, as in std. The formulas are those of M. Abramowitz and I. Stegun, Handbook of Mathematical
//! Functions (1964), chapters 3 and 4, rearranged where the textbook form would overflow or cancel.

mod exponential;
mod hyperbolic;
mod piecewise;
mod power;
mod trigonometric;

pub use exponential::{Exp, Exp2, ExpM1, Ln, Ln1p, Log, Log2, Log10};
pub use hyperbolic::{Acosh, Asinh, Atanh, Cosh, Sinh, Tanh};
pub use piecewise::{
    Abs, Ceil, Clamp, Copysign, DivEuclid, Floor, Fract, Max, Min, MulAdd, RemEuclid, Round,
    RoundTiesEven, Signum, ToDegrees, ToRadians, Trunc, abs_dx,
};
pub use power::{Cbrt, Hypot, Powf, Powi, Recip, Sqrt, powf_da, powf_dx, powi_dx};
pub use trigonometric::{Acos, Asin, Atan, Atan2, Cos, Sin, Tan};

use crate::scalar::strong_mul;
use crate::{Dual, Real};

/// How a tangent or cotangent is multiplied with a partial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// The partial is zero everywhere: there is no product.
    Zero,
    /// The partial is 0 or 1: selected, so that nothing leaks into the operands that weren't selected.
    Select,
    /// A plain product: with constants, and of `mul_add`, which is arithmetic.
    Plain,
    /// [`strong_mul`]: the partial may be infinite or NaN, at the end of the domain or where it overflows.
    Strong,
}

impl Product {
    #[inline(always)]
    fn of<T: Real>(self, a: T, partial: T) -> T {
        match self {
            Product::Zero => T::ZERO,
            Product::Select if partial == T::ZERO => T::ZERO,
            Product::Select => a,
            Product::Plain => a * partial,
            Product::Strong => strong_mul(a, partial),
        }
    }

    /// The product of a tangent with a second partial: strong where that with the first one is, and nothing where the first
    /// one doesn't depend on the argument.
    #[inline(always)]
    fn of_second<T: Real>(self, x_dot: T, q: T) -> T {
        if q == T::ZERO {
            T::ZERO
        } else if self == Product::Strong {
            strong_mul(x_dot, q)
        } else {
            x_dot * q
        }
    }
}

/// A function of `N` real arguments, with its partial derivatives.
pub trait Function<const N: usize>: Copy {
    /// How products with the partial of each argument are formed.
    const PRODUCT: [Product; N];

    /// True if there are second derivatives that are not zero.
    const CURVED: bool = true;

    /// The value, and the partial derivative by each argument.
    fn first<T: Real>(self, x: [T; N]) -> (T, [T; N]);

    /// The second partial derivatives, a symmetric matrix, given the value and the first ones.
    fn second<T: Real>(self, x: [T; N], y: T, p: [T; N]) -> [[T; N]; N] {
        let _ = (x, y, p);
        [[T::ZERO; N]; N]
    }

    /// The value and its tangent.
    #[inline(always)]
    fn frule<T: Real>(self, x: [T; N], x_dot: [T; N]) -> Dual<T, T> {
        let (y, p) = self.first(x);
        Dual(y, sum(Self::PRODUCT, x_dot, p))
    }

    /// The cotangents, from that of the value and the partials.
    #[inline(always)]
    fn pull<T: Real>(self, y_bar: T, p: [T; N]) -> [T; N] {
        core::array::from_fn(|i| Self::PRODUCT[i].of(y_bar, p[i]))
    }

    /// The value with its tangent, and the partials with theirs.
    #[inline(always)]
    fn first_dual<T: Real>(self, x: [T; N], x_dot: [T; N]) -> (Dual<T, T>, [Dual<T, T>; N]) {
        let (y, p) = self.first(x);
        let y_dot = sum(Self::PRODUCT, x_dot, p);
        let p_dot = if Self::CURVED {
            let q = self.second(x, y, p);
            core::array::from_fn(|i| {
                let mut p_dot = T::ZERO;
                for j in 0..N {
                    p_dot += Self::PRODUCT[i].of_second(x_dot[j], q[i][j]);
                }
                p_dot
            })
        } else {
            [T::ZERO; N]
        };
        (
            Dual(y, y_dot),
            core::array::from_fn(|i| Dual(p[i], p_dot[i])),
        )
    }

    /// The cotangents, and their tangents.
    #[inline(always)]
    fn pull_dual<T: Real>(
        self,
        Dual(y_bar, y_bar_dot): Dual<T, T>,
        p: [Dual<T, T>; N],
    ) -> [Dual<T, T>; N] {
        core::array::from_fn(|i| {
            let (product, Dual(p, p_dot)) = (Self::PRODUCT[i], p[i]);
            let along = product.of(y_bar_dot, p);
            if Self::CURVED {
                Dual(product.of(y_bar, p), along + product.of(y_bar, p_dot))
            } else {
                Dual(product.of(y_bar, p), along)
            }
        })
    }
}

/// The sum of the products of tangents with partials.
#[inline(always)]
fn sum<T: Real, const N: usize>(product: [Product; N], x_dot: [T; N], p: [T; N]) -> T {
    let mut total = T::ZERO;
    for i in 0..N {
        if product[i] != Product::Zero {
            total += product[i].of(x_dot[i], p[i]);
        }
    }
    total
}

/// 1 - x², factored for large x, so that digits near ±1 stay.
#[inline(always)]
fn one_less_square<T: Real>(x: T) -> T {
    if x.abs() < number(0.5) {
        T::ONE - x * x
    } else {
        (T::ONE - x) * (T::ONE + x)
    }
}

/// Returns `true` if 1 is negligible beside x².
#[inline(always)]
fn is_large<T: Real>(x: T) -> bool {
    let single = T::EPSILON > number(1e-10);
    x.abs() > number(if single { 1e5 } else { 1e10 })
}

/// A number that both types hold, or that is rounded to theirs.
#[inline(always)]
fn number<T: Real>(value: f64) -> T {
    T::from_f64(value)
}

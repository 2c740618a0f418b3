//! Powers and roots.

use super::{Function, Product, number};
use crate::Real;
use crate::scalar::strong_mul;

/// `x.sqrt()` for x ≥ 0: 1/(2y). At 0 it is infinite, and the product strong.
#[derive(Clone, Copy, Debug)]
pub struct Sqrt;
impl Function<1> for Sqrt {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let y = x.sqrt();
        (y, [(y + y).recip()])
    }

    /// -p/(2x); minus infinity at 0.
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[-p / (x + x)]]
    }
}

/// `x.cbrt()`: 1/(3y²). At 0 it is infinite, and the product strong.
#[derive(Clone, Copy, Debug)]
pub struct Cbrt;
impl Function<1> for Cbrt {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let y = x.cbrt();
        let r = y.recip();
        (y, [number::<T>(1.0 / 3.0) * (r * r)])
    }

    /// -2p/(3x); infinite at 0, with the sign of the side that the zero's sign says.
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[number::<T>(-2.0) * p / (number::<T>(3.0) * x)]]
    }
}

/// `x.recip()`: -y². At 0 it is infinite, and the product strong.
#[derive(Clone, Copy, Debug)]
pub struct Recip;
impl Function<1> for Recip {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let y = x.recip();
        (y, [-(y * y)])
    }

    /// 2y³.
    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[number::<T>(-2.0) * (y * p)]]
    }
}

/// `x.powi(n)`: n xⁿ⁻¹, and 0 for n = 0 whatever x is. At 0 it is infinite for n < 0, and the product strong.
#[derive(Clone, Copy, Debug)]
pub struct Powi(
    /// The exponent.
    pub i32,
);
impl Function<1> for Powi {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.powi(self.0), [powi_dx(x, self.0)])
    }

    /// n (n-1) xⁿ⁻², and 0 for n = 0 and n = 1.
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, _: [T; 1]) -> [[T; 1]; 1] {
        let n = self.0;
        let q = match n {
            0 | 1 => T::ZERO,
            _ => number::<T>(f64::from(n)) * powi_dx(x, n.saturating_sub(1)),
        };
        [[q]]
    }
}

/// The derivative of `x.powi(n)` by `x`.
#[inline(always)]
pub fn powi_dx<T: Real>(x: T, n: i32) -> T {
    if n == 0 {
        T::ZERO
    } else {
        number::<T>(f64::from(n)) * x.powi(n.saturating_sub(1))
    }
}

/// `x.powf(a)`, by x and by a; strong products.
///
/// By x: a xᵃ⁻¹, and 0 for a = 0 whatever x is. At x = 0 that is 0 for a > 1, 1 for a = 1, +∞ for 0 < a < 1, -∞ for
/// a = -1. For x < 0 it is NaN unless a is whole.
///
/// By a: y ln x, and 0 where y is: at x = 0 with a > 0. At 0⁰ it is -∞. For x < 0 it is NaN, since xᵃ is no real number
/// at the exponents around; an exponent that is inactive gets nothing of that.
#[derive(Clone, Copy, Debug)]
pub struct Powf;
impl Function<2> for Powf {
    const PRODUCT: [Product; 2] = [Product::Strong, Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x, a]: [T; 2]) -> (T, [T; 2]) {
        let y = x.powf(a);
        (y, [powf_dx(x, a), powf_da(x, y)])
    }

    /// By x twice a (a-1) xᵃ⁻²; by both xᵃ⁻¹ + a xᵃ⁻¹ ln x; by a twice y ln² x; each 0 where its power is multiplied by 0.
    #[inline(always)]
    fn second<T: Real>(self, [x, a]: [T; 2], _: T, [_, p_a]: [T; 2]) -> [[T; 2]; 2] {
        let less = a - T::ONE;
        let power = x.powf(less);
        let q_xx = strong_mul(a, powf_dx(x, less));
        let q_xa = power + strong_mul(a, powf_da(x, power));
        let q_aa = strong_mul(p_a, x.ln());
        [[q_xx, q_xa], [q_xa, q_aa]]
    }
}

/// The derivative of `x.powf(a)` by `x`.
#[inline(always)]
pub fn powf_dx<T: Real>(x: T, a: T) -> T {
    strong_mul(a, x.powf(a - T::ONE))
}

/// The derivative of `y = x.powf(a)` by `a`.
#[inline(always)]
pub fn powf_da<T: Real>(x: T, y: T) -> T {
    strong_mul(y, x.ln())
}

/// `a.hypot(b)`: a/y and b/y, which don't overflow. At (0, 0) there is no derivative: NaN, and the products strong.
#[derive(Clone, Copy, Debug)]
pub struct Hypot;
impl Function<2> for Hypot {
    const PRODUCT: [Product; 2] = [Product::Strong, Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [a, b]: [T; 2]) -> (T, [T; 2]) {
        let y = a.hypot(b);
        (y, [a / y, b / y])
    }

    /// With c = a/y and s = b/y: s²/y, -cs/y, c²/y.
    #[inline(always)]
    fn second<T: Real>(self, _: [T; 2], y: T, [c, s]: [T; 2]) -> [[T; 2]; 2] {
        let mixed = -(c * s) / y;
        [[s * s / y, mixed], [mixed, c * c / y]]
    }
}

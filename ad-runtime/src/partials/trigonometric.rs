//! Trigonometric functions and their inverses.

use super::{Function, Product, is_large, number, one_less_square};
use crate::Real;
use crate::scalar::strong_mul;

/// `x.sin()`: cos x.
#[derive(Clone, Copy, Debug)]
pub struct Sin;
impl Function<1> for Sin {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.sin(), [x.cos()])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, _: [T; 1]) -> [[T; 1]; 1] {
        [[-y]]
    }
}

/// `x.cos()`: -sin x.
#[derive(Clone, Copy, Debug)]
pub struct Cos;
impl Function<1> for Cos {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.cos(), [-x.sin()])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, _: [T; 1]) -> [[T; 1]; 1] {
        [[-y]]
    }
}

/// `x.tan()`: 1 + y².
#[derive(Clone, Copy, Debug)]
pub struct Tan;
impl Function<1> for Tan {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let y = x.tan();
        (y, [T::ONE + y * y])
    }

    /// 2 y (1 + y²).
    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[(y + y) * p]]
    }
}

/// `x.asin()` for |x| ≤ 1: 1/√(1 - x²), factored, so that digits near the ends stay. At ±1 it is infinite, and the product
/// strong.
#[derive(Clone, Copy, Debug)]
pub struct Asin;
impl Function<1> for Asin {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.asin(), [one_less_square(x).sqrt().recip()])
    }

    /// x p³.
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[x * (p * p * p)]]
    }
}

/// `x.acos()` for |x| ≤ 1: -1/√(1 - x²). At ±1 it is infinite, and the product strong.
#[derive(Clone, Copy, Debug)]
pub struct Acos;
impl Function<1> for Acos {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.acos(), [-one_less_square(x).sqrt().recip()])
    }

    /// x p³, where p < 0.
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[x * (p * p * p)]]
    }
}

/// `x.atan()`: 1/(1 + x²), and 1/x² before that square overflows.
#[derive(Clone, Copy, Debug)]
pub struct Atan;
impl Function<1> for Atan {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let p = if is_large(x) {
            let inverse = x.recip();
            inverse * inverse
        } else {
            (T::ONE + x * x).recip()
        };
        (x.atan(), [p])
    }

    /// -2 x p².
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[-strong_mul(p, (x + x) * p)]]
    }
}

/// `a.atan2(b)`, the angle of the point (b, a): b/r² and -a/r² with r = √(a² + b²), by two divisions, since squares may
/// overflow. At (0, 0) there is no derivative: NaN, and the products strong.
#[derive(Clone, Copy, Debug)]
pub struct Atan2;
impl Function<2> for Atan2 {
    const PRODUCT: [Product; 2] = [Product::Strong, Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [a, b]: [T; 2]) -> (T, [T; 2]) {
        let r = a.hypot(b);
        (a.atan2(b), [b / r / r, -(a / r / r)])
    }

    /// With c = b/r and s = a/r: -2cs/r², (s² - c²)/r², 2cs/r².
    #[inline(always)]
    fn second<T: Real>(self, [a, b]: [T; 2], _: T, _: [T; 2]) -> [[T; 2]; 2] {
        let r = a.hypot(b);
        let (c, s) = (b / r, a / r);
        let pure = number::<T>(2.0) * (c * s) / r / r;
        let mixed = (s - c) * (s + c) / r / r;
        [[-pure, mixed], [mixed, pure]]
    }
}

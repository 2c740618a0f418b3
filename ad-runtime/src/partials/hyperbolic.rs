//! Hyperbolic functions and their inverses.

use super::{Function, Product, is_large, number, one_less_square};
use crate::Real;
use crate::scalar::strong_mul;

/// `x.sinh()`: cosh x.
#[derive(Clone, Copy, Debug)]
pub struct Sinh;
impl Function<1> for Sinh {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.sinh(), [x.cosh()])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, _: [T; 1]) -> [[T; 1]; 1] {
        [[y]]
    }
}

/// `x.cosh()`: sinh x.
#[derive(Clone, Copy, Debug)]
pub struct Cosh;
impl Function<1> for Cosh {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.cosh(), [x.sinh()])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, _: [T; 1]) -> [[T; 1]; 1] {
        [[y]]
    }
}

/// `x.tanh()`: 1/cosh² x. Not 1 - y², which has no digits left for large |x|.
#[derive(Clone, Copy, Debug)]
pub struct Tanh;
impl Function<1> for Tanh {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let sech = x.cosh().recip();
        (x.tanh(), [sech * sech])
    }

    /// -2 y p.
    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[number::<T>(-2.0) * (y * p)]]
    }
}

/// `x.asinh()`: 1/√(x² + 1), where the root is |x| before the square overflows.
#[derive(Clone, Copy, Debug)]
pub struct Asinh;
impl Function<1> for Asinh {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let root = if is_large(x) {
            x.abs()
        } else {
            (T::ONE + x * x).sqrt()
        };
        (x.asinh(), [root.recip()])
    }

    /// -x p³.
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[-strong_mul(p * p, x * p)]]
    }
}

/// `x.acosh()` for x ≥ 1: 1/(√(x - 1) √(x + 1)), whose product doesn't overflow. At 1 it is infinite, and the product
/// strong.
#[derive(Clone, Copy, Debug)]
pub struct Acosh;
impl Function<1> for Acosh {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (
            x.acosh(),
            [(x - T::ONE).sqrt().recip() * (x + T::ONE).sqrt().recip()],
        )
    }

    /// -x p³.
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[-strong_mul(p * p, x * p)]]
    }
}

/// `x.atanh()` for |x| < 1: 1/(1 - x²), factored. At ±1 it is infinite, and the product strong.
#[derive(Clone, Copy, Debug)]
pub struct Atanh;
impl Function<1> for Atanh {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.atanh(), [one_less_square(x).recip()])
    }

    /// 2 x p².
    #[inline(always)]
    fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[(x + x) * p * p]]
    }
}

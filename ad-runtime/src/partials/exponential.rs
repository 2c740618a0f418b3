//! Exponential functions and logarithms.

use super::{Function, Product, number};
use crate::Real;
use crate::scalar::strong_mul;

/// `x.exp()`: y.
#[derive(Clone, Copy, Debug)]
pub struct Exp;
impl Function<1> for Exp {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let y = x.exp();
        (y, [y])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], y: T, _: [T; 1]) -> [[T; 1]; 1] {
        [[y]]
    }
}

/// `x.exp2()`: y ln 2.
#[derive(Clone, Copy, Debug)]
pub struct Exp2;
impl Function<1> for Exp2 {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        let y = x.exp2();
        (y, [y * number(core::f64::consts::LN_2)])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[p * number(core::f64::consts::LN_2)]]
    }
}

/// `x.exp_m1()`: eˣ. Not y + 1, which has no digits left for large negative x.
#[derive(Clone, Copy, Debug)]
pub struct ExpM1;
impl Function<1> for ExpM1 {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.exp_m1(), [x.exp()])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[p]]
    }
}

/// `x.ln()` for x > 0: 1/x. At 0 it is infinite, and the product strong. For x < 0 the value is NaN, the partial is not.
#[derive(Clone, Copy, Debug)]
pub struct Ln;
impl Function<1> for Ln {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.ln(), [x.recip()])
    }

    /// -1/x².
    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[-(p * p)]]
    }
}

/// `x.ln_1p()` for x > -1: 1/(1 + x). At -1 it is infinite, and the product strong.
#[derive(Clone, Copy, Debug)]
pub struct Ln1p;
impl Function<1> for Ln1p {
    const PRODUCT: [Product; 1] = [Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.ln_1p(), [(T::ONE + x).recip()])
    }

    /// -1/(1 + x)².
    #[inline(always)]
    fn second<T: Real>(self, _: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
        [[-(p * p)]]
    }
}

/// The logarithm to a constant base: 1/(x ln b), and -p/x.
macro_rules! logarithm {
    ($($(#[$doc:meta])* $name:ident = $method:ident, $ln:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl Function<1> for $name {
            const PRODUCT: [Product; 1] = [Product::Strong];

            #[inline(always)]
            fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
                (x.$method(), [(x * number::<T>($ln)).recip()])
            }

            #[inline(always)]
            fn second<T: Real>(self, [x]: [T; 1], _: T, [p]: [T; 1]) -> [[T; 1]; 1] {
                [[-p / x]]
            }
        }
    )*};
}
logarithm! {
    /// `x.log2()` for x > 0: 1/(x ln 2). At 0 it is infinite, and the product strong.
    Log2 = log2, core::f64::consts::LN_2;
    /// `x.log10()` for x > 0: 1/(x ln 10). At 0 it is infinite, and the product strong.
    Log10 = log10, core::f64::consts::LN_10;
}

/// `x.log(b)` = ln x / ln b for x, b > 0, b ≠ 1: 1/(x ln b) and -y/(b ln b); infinite or NaN at the ends, strong products.
#[derive(Clone, Copy, Debug)]
pub struct Log;
impl Function<2> for Log {
    const PRODUCT: [Product; 2] = [Product::Strong, Product::Strong];

    #[inline(always)]
    fn first<T: Real>(self, [x, b]: [T; 2]) -> (T, [T; 2]) {
        let (y, ln) = (x.log(b), b.ln());
        (y, [(x * ln).recip(), -strong_mul((b * ln).recip(), y)])
    }

    /// -1/(x² ln b), -1/(x b ln² b), y (2 + ln b)/(b ln b)².
    #[inline(always)]
    fn second<T: Real>(self, [x, b]: [T; 2], y: T, [p, _]: [T; 2]) -> [[T; 2]; 2] {
        let ln = b.ln();
        let r = (b * ln).recip();
        let mixed = -(p * r);
        [
            [-p / x, mixed],
            [mixed, y * (number::<T>(2.0) + ln) * r * r],
        ]
    }
}

//! Functions with kinks and jumps, and the linear ones. At a kink one of the two one-sided derivatives is chosen, or a value
//! between them, always the same.

use super::{Function, Product, number};
use crate::Real;

/// `x.abs()`: the sign of x, and 0 at 0, where `signum` is ±1. NaN for NaN.
#[derive(Clone, Copy, Debug)]
pub struct Abs;
impl Function<1> for Abs {
    const PRODUCT: [Product; 1] = [Product::Strong];
    const CURVED: bool = false;

    #[inline(always)]
    fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
        (x.abs(), [abs_dx(x)])
    }
}

/// The derivative of `x.abs()`.
#[inline(always)]
pub fn abs_dx<T: Real>(x: T) -> T {
    if x == T::ZERO { T::ZERO } else { x.signum() }
}

/// `x.copysign(s)`: by x the sign of x times that of s, and 0 at 0, as for `abs`; by s 0. A zero has the sign of its bit.
#[derive(Clone, Copy, Debug)]
pub struct Copysign;
impl Function<2> for Copysign {
    const PRODUCT: [Product; 2] = [Product::Strong, Product::Zero];
    const CURVED: bool = false;

    #[inline(always)]
    fn first<T: Real>(self, [x, s]: [T; 2]) -> (T, [T; 2]) {
        (x.copysign(s), [abs_dx(x) * T::ONE.copysign(s), T::ZERO])
    }
}

/// `1` where the condition holds.
#[inline(always)]
fn indicator<T: Real>(condition: bool) -> T {
    if condition { T::ONE } else { T::ZERO }
}

/// The argument that is returned has derivative 1. At a tie it is the first one; where one is NaN, the other.
macro_rules! choice {
    ($($(#[$doc:meta])* $name:ident = $method:ident, $beats:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl Function<2> for $name {
            const PRODUCT: [Product; 2] = [Product::Select, Product::Select];
            const CURVED: bool = false;

            #[inline(always)]
            fn first<T: Real>(self, [a, b]: [T; 2]) -> (T, [T; 2]) {
                let second = b $beats a || a.is_nan();
                (a.$method(b), [indicator(!second), indicator(second)])
            }
        }
    )*};
}
choice! {
    /// `a.max(b)`: 1 for the argument that is returned, 0 for the other. At a tie it is `a`, so that `x.max(0.0)` has
    /// derivative 1 at 0 and `0.0.max(x)` has 0. Where `a` is NaN it is `b`, where only `b` is, `a`.
    Max = max, >;
    /// `a.min(b)`: 1 for the argument that is returned, 0 for the other. At a tie it is `a`. Where `a` is NaN it is `b`,
    /// where only `b` is, `a`.
    Min = min, <;
}

/// `x.clamp(low, high)`: 1 for the argument that is returned, 0 for the others; x at the bounds, and where it is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Clamp;
impl Function<3> for Clamp {
    const PRODUCT: [Product; 3] = [Product::Select; 3];
    const CURVED: bool = false;

    #[inline(always)]
    #[track_caller]
    fn first<T: Real>(self, [x, low, high]: [T; 3]) -> (T, [T; 3]) {
        let (below, above) = (x < low, x > high);
        (
            x.clamp(low, high),
            [
                indicator(!below && !above),
                indicator(below),
                indicator(above),
            ],
        )
    }
}

/// `y = x.rem_euclid(r)` = x - q r with a whole number q: 1 and -q, at multiples too. q is (x - y)/r, rounded:
/// `x.div_euclid(r)` is one more where the quotient rounds up to a whole number, as in 1/0.1.
#[derive(Clone, Copy, Debug)]
pub struct RemEuclid;
impl Function<2> for RemEuclid {
    const PRODUCT: [Product; 2] = [Product::Select, Product::Strong];
    const CURVED: bool = false;

    #[inline(always)]
    fn first<T: Real>(self, [x, r]: [T; 2]) -> (T, [T; 2]) {
        let y = x.rem_euclid(r);
        (y, [T::ONE, -((x - y) / r).round()])
    }
}

/// `x.div_euclid(r)`: 0 by both, at the jumps too.
#[derive(Clone, Copy, Debug)]
pub struct DivEuclid;
impl Function<2> for DivEuclid {
    const PRODUCT: [Product; 2] = [Product::Zero; 2];
    const CURVED: bool = false;

    #[inline(always)]
    fn first<T: Real>(self, [x, r]: [T; 2]) -> (T, [T; 2]) {
        (x.div_euclid(r), [T::ZERO; 2])
    }
}

/// `x.mul_add(a, b)` = x a + b: a, x, 1; plain products, as in `x * a + b`.
#[derive(Clone, Copy, Debug)]
pub struct MulAdd;
impl Function<3> for MulAdd {
    const PRODUCT: [Product; 3] = [Product::Plain, Product::Plain, Product::Select];

    #[inline(always)]
    fn first<T: Real>(self, [x, a, b]: [T; 3]) -> (T, [T; 3]) {
        (x.mul_add(a, b), [a, x, T::ONE])
    }

    #[inline(always)]
    fn second<T: Real>(self, _: [T; 3], _: T, _: [T; 3]) -> [[T; 3]; 3] {
        let (o, l) = (T::ZERO, T::ONE);
        [[o, l, o], [l, o, o], [o, o, o]]
    }
}

/// The same partial everywhere.
macro_rules! flat {
    ($($(#[$doc:meta])* $name:ident = $method:ident, $product:ident, $partial:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl Function<1> for $name {
            const PRODUCT: [Product; 1] = [Product::$product];
            const CURVED: bool = false;

            #[inline(always)]
            fn first<T: Real>(self, [x]: [T; 1]) -> (T, [T; 1]) {
                (x.$method(), [number($partial)])
            }
        }
    )*};
}
flat! {
    /// `x.signum()`: 0, at 0 too.
    Signum = signum, Zero, 0.0;
    /// `x.floor()`: 0, at the jumps too.
    Floor = floor, Zero, 0.0;
    /// `x.ceil()`: 0, at the jumps too.
    Ceil = ceil, Zero, 0.0;
    /// `x.round()`: 0, at the jumps too.
    Round = round, Zero, 0.0;
    /// `x.round_ties_even()`: 0, at the jumps too.
    RoundTiesEven = round_ties_even, Zero, 0.0;
    /// `x.trunc()`: 0, at the jumps too.
    Trunc = trunc, Zero, 0.0;
    /// `x.fract()`: 1, at whole numbers too.
    Fract = fract, Select, 1.0;
    /// `x.to_degrees()`: 180/π.
    ToDegrees = to_degrees, Plain, 180.0 / core::f64::consts::PI;
    /// `x.to_radians()`: π/180.
    ToRadians = to_radians, Plain, core::f64::consts::PI / 180.0;
}

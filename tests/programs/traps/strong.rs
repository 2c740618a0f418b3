//! Strong zeros of quotients and remainders: where a branch discards what was divided by zero, nothing of it is left.

use chainrule::prelude::*;

use crate::check::table;

/// 25. The quotient is infinite at `y = 0`, or NaN where `x` is zero, too, and what the branch returns doesn't depend on it.
#[differentiable]
#[inline(never)]
fn discarded(x: f64, y: f64) -> f64 {
    let d = x / y;
    if d.is_finite() { d } else { 3.0 * x + 2.0 * y }
}

#[differentiable]
fn discarded_single(x: f32, y: f32) -> f32 {
    let d = x / y;
    if d.is_finite() { d } else { 3.0 * x + 2.0 * y }
}

#[differentiable]
fn discarded_generic<T: Real>(x: T, y: T) -> T {
    let d = x / y;
    if d.is_finite() { d } else { x + x + x + y + y }
}

/// 25. Of a numerator that is constant.
#[differentiable]
fn discarded_inverse(x: f64, y: f64) -> f64 {
    let d = 1.0 / y;
    if d.is_finite() {
        d * x
    } else {
        3.0 * x + 2.0 * y
    }
}

/// 25. The remainder by zero is NaN.
#[differentiable]
fn discarded_remainder(x: f64, y: f64) -> f64 {
    let d = x % y;
    if d.is_finite() { d } else { 3.0 * x + 2.0 * y }
}

#[differentiable]
fn discarded_in_place(x: f64, y: f64) -> f64 {
    let mut d = x;
    d /= y;
    let mut r = x;
    r %= y;
    if d.is_finite() {
        d + r
    } else {
        3.0 * x + 2.0 * y
    }
}

/// 25. The divisor's own derivative is infinite.
#[differentiable]
fn discarded_root(x: f64, y: f64) -> f64 {
    let d = x / y.sqrt();
    if d.is_finite() { d } else { 3.0 * x + 2.0 * y }
}

#[derive(Differentiable)]
struct Pair {
    x: f64,
    y: f64,
}

#[differentiable]
impl Pair {
    fn first(&self) -> f64 {
        self.x
    }

    fn second(&self) -> f64 {
        self.y
    }
}

/// 25. Types that only rustc knows.
#[differentiable]
#[inline(never)]
fn discarded_deferred(x: f64, y: f64) -> f64 {
    let both = Pair { x, y };
    let (a, b) = (both.first(), both.second());
    let d = a / b;
    let mut e = a;
    e /= b;
    let mut r = both.first();
    r %= both.second();
    if d.is_finite() {
        d + e + r
    } else {
        3.0 * a + 2.0 * b
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Pt(f64, f64);

#[differentiable]
impl std::ops::Div<f64> for Pt {
    type Output = Pt;

    fn div(self, by: f64) -> Pt {
        Pt(self.0 / by, self.1 / by)
    }
}

#[differentiable]
impl std::ops::Div<Pt> for f64 {
    type Output = Pt;

    fn div(self, by: Pt) -> Pt {
        Pt(self / by.0, self / by.1)
    }
}

/// 25. A user's operators, with a scalar on either side.
#[differentiable]
fn discarded_by_operators(x: f64, y: f64) -> f64 {
    let (d, e) = (Pt(x, 2.0 * x) / y, x / Pt(y, y * y));
    if d.0.is_finite() {
        d.0 * d.1 + e.0 * e.1
    } else {
        3.0 * x + 2.0 * y
    }
}

/// 25. In loops, whose reverse half is one with the forward half, or is not.
#[differentiable]
fn discarded_in_loop(x: &[f64], y: f64) -> f64 {
    let mut s = 0.0;
    for v in x {
        let d = y / v;
        s += if d.is_finite() { d } else { 3.0 * y };
    }
    s
}

#[differentiable]
fn discarded_in_carried_loop(x: &[f64], y: f64) -> f64 {
    let mut s = y;
    for v in x {
        let d = s / v;
        if d.is_finite() {
            s = d;
        }
    }
    s * s
}

#[differentiable]
fn discarded_in_memory(x: &[f64], y: f64) -> f64 {
    let mut out = vec![0.0; x.len()];
    for (o, v) in out.iter_mut().zip(x) {
        *o = y / v;
        if !o.is_finite() {
            *o = 3.0 * y;
        }
    }
    out.iter().sum()
}

/// 25. In the rules that callers use.
#[differentiable]
fn called(x: f64, y: f64) -> f64 {
    let (a, b) = (x, y);
    discarded(a, b) + 0.0 * discarded_deferred(a, b).cos()
}

table! {
    called: (0.7, 1.9), (-0.7, 0.3);
    discarded: (0.7, 1.9), (-0.7, 0.3);
    discarded_generic: (0.7, 1.9), (-0.7, 0.3);
    discarded_inverse: (0.7, 1.9), (-0.7, 0.3);
    discarded_remainder: (0.7, 0.3), (-0.7, 0.4);
    discarded_in_place: (0.7, 0.3), (-0.7, 0.4);
    discarded_root: (0.7, 1.9), (-0.7, 0.3);
    discarded_deferred: (0.7, 0.3), (-0.7, 0.4);
    discarded_by_operators: (0.7, 1.9), (-0.7, 0.3);
    discarded_in_loop: (&[], 0.7), (&[1.3], 0.7), (&[1.3, -0.4], 0.7), (&[1.3, -0.4, 0.9], 0.7);
    discarded_in_carried_loop: (&[], 0.7), (&[1.3], 0.7), (&[1.3, -0.4], 0.7), (&[1.3, -0.4, 0.9], 0.7);
    discarded_in_memory: (&[], 0.7), (&[1.3], 0.7), (&[1.3, -0.4], 0.7), (&[1.3, -0.4, 0.9], 0.7);
}

/// All modes of a function that is `3 x + 2 y` at `y = 0`.
macro_rules! linear_at_zero {
    ($($f:ident)*) => {$(
        #[test]
        fn $f() {
            for x in [0.7, -0.7, 0.0] {
                for y in [0.0, -0.0] {
                    assert_eq!(super::$f::gradient(x, y), (3.0, 2.0), "{x}, {y}");
                    assert_eq!(super::$f::jvp(x, y, 1.0, 0.0).1, 3.0, "{x}, {y}");
                    assert_eq!(super::$f::jvp(x, y, 0.0, 1.0).1, 2.0, "{x}, {y}");
                    assert_eq!(super::$f::vjp(x, y, 1.0).1, (3.0, 2.0), "{x}, {y}");
                    for v in [(1.0, 0.0), (0.0, 1.0), (0.5, -0.5)] {
                        assert_eq!(super::$f::hvp(x, y, v.0, v.1), (0.0, 0.0), "{x}, {y}");
                    }
                }
            }
        }
    )*};
}

mod at_zero {
    linear_at_zero! {
        discarded
        discarded_single
        discarded_inverse
        discarded_remainder
        discarded_in_place
        discarded_root
        discarded_deferred
        discarded_by_operators
        called
    }
}

#[test]
fn generic_at_zero() {
    assert_eq!(discarded_generic::gradient(0.7, 0.0), (3.0, 2.0));
    assert_eq!(discarded_generic::gradient(0.7f32, 0.0), (3.0, 2.0));
    assert_eq!(discarded_generic::hvp(0.7, 0.0, 1.0, 1.0), (0.0, 0.0));
}

#[test]
fn loops_at_zero() {
    let x = [0.5, 0.0, 2.0];
    let (x_bar, y_bar) = discarded_in_loop::gradient(&x, 1.0);
    assert_eq!((x_bar, y_bar), (vec![-4.0, 0.0, -0.25], 5.5));
    let (x_dot, y_dot) = discarded_in_loop::hvp(&x, 1.0, &[0.0, 1.0, 0.0], 0.0);
    assert_eq!((x_dot, y_dot), (vec![0.0; 3], 0.0));
    let (x_bar, y_bar) = discarded_in_carried_loop::gradient(&x, 1.0);
    assert_eq!((x_bar, y_bar), (vec![-4.0, 0.0, -1.0], 2.0));
    let (x_dot, y_dot) = discarded_in_carried_loop::hvp(&x, 1.0, &[0.0, 1.0, 0.0], 0.0);
    assert_eq!((x_dot, y_dot), (vec![0.0; 3], 0.0));
    let (x_bar, y_bar) = discarded_in_memory::gradient(&x, 1.0);
    assert_eq!((x_bar, y_bar), (vec![-4.0, 0.0, -0.25], 5.5));
}

//! Derivatives in derivatives have their own variables: what one level perturbs, another one doesn't see.

use chainrule::prelude::*;

use super::close;

#[differentiable(nested)]
fn sum(y: f64, x: f64) -> f64 {
    x + y
}

#[differentiable(nested)]
fn product(y: f64, x: f64) -> f64 {
    x * y
}

/// `x -> x * D(y -> x + y, 1)`
#[differentiable]
fn of_sum_by_reverse(x: f64) -> f64 {
    x * sum::gradient(1.0, x).0
}

#[differentiable]
fn of_sum_by_forward(x: f64) -> f64 {
    x * sum::jvp(1.0, x, 1.0, 0.0).1
}

/// `x -> x * D(y -> x * y, 1)`
#[differentiable]
fn of_product_by_reverse(x: f64) -> f64 {
    x * product::gradient(1.0, x).0
}

#[differentiable]
fn of_product_by_forward(x: f64) -> f64 {
    x * product::jvp(1.0, x, 1.0, 0.0).1
}

macro_rules! in_every_mode {
    ($f:ident, $x:expr, $want:expr) => {
        close($f::derivative($x), $want, 0.0);
        close($f::gradient($x), $want, 0.0);
        close($f::frule(chainrule::Dual($x, 1.0)).1, $want, 0.0);
        close($f::rrule($x).1(1.0), $want, 0.0);
    };
}

#[test]
fn trap_41_the_levels_are_apart() {
    in_every_mode!(of_sum_by_reverse, 1.0, 1.0);
    in_every_mode!(of_sum_by_forward, 1.0, 1.0);
    in_every_mode!(of_product_by_reverse, 4.0, 8.0);
    in_every_mode!(of_product_by_forward, 4.0, 8.0);
}

/// Writes `x * y` to what both levels see, and reads it.
#[differentiable(nested)]
fn through_memory(y: f64, shared: &mut [f64]) -> f64 {
    shared[0] *= y;
    shared[0] * y
}

/// `D(y -> (x y) y, 3) = 6 x`, and `shared` is what it was: `6 x^2 + x`.
#[differentiable]
fn with_shared_memory(x: f64) -> f64 {
    let mut shared = [x];
    let slope = through_memory::gradient(3.0, &mut shared).0;
    x * slope + shared[0]
}

/// A closure writes what it captured, at both levels.
#[differentiable(nested)]
fn captured(y: f64, x: f64) -> f64 {
    let mut seen = x;
    let mut grow = |t: f64| {
        seen *= t;
        seen
    };
    grow(y) + grow(y)
}

/// `D(y -> x y + x y^2, 1) = 3 x`; the outer closure writes another variable of that name: `x (3 x) x`.
#[differentiable]
fn with_captures(x: f64) -> f64 {
    let mut seen = x;
    let mut grow = |t: f64| {
        seen *= t;
        seen
    };
    grow(captured::gradient(1.0, x).0) * x
}

#[test]
fn trap_41_what_both_levels_write() {
    let x = 0.5;
    in_every_mode!(with_shared_memory, x, 12.0 * x + 1.0);
    in_every_mode!(with_captures, x, 9.0 * x * x);
}

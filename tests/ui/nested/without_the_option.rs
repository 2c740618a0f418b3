//! A driver is called in a differentiable function, and its function doesn't say that it may be.

use chainrule::prelude::*;

#[differentiable]
fn payoff(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn slope(x: f64) -> f64 {
    payoff::gradient(x) * x
}

fn main() {
    slope::gradient(1.0);
}

//! A driver is called in a differentiable function that has no rules there.

use chainrule::prelude::*;

#[differentiable(nested)]
fn payoff(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn curved(x: f64) -> f64 {
    payoff::value_gradient_and_hvp(x, 1.0).2 * x
}

fn main() {
    curved::gradient(1.0);
}

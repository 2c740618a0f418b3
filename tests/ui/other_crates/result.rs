//! A type of another crate has no tangent: one error for the result.

use callee::Reading;
use chainrule::prelude::*;

#[differentiable]
fn both(x: f64) -> Reading {
    Reading { x, y: x * x }
}

#[differentiable]
fn all(x: f64) -> Vec<Reading> {
    vec![Reading { x, y: x * x }, Reading { x: 0.0, y: x }]
}

fn main() {
    both::jvp(1.0, 1.0);
    all::jacobian(1.0);
}

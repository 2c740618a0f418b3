//! A method of a number that doesn't exist.

use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    x.sine() + 1.0
}

fn main() {}

//! An assignment to an element behind `&`.

use chainrule::prelude::*;

#[differentiable]
fn f(values: &[f64]) -> f64 {
    values[0] = 1.0;
    values[0] * values[1]
}

fn main() {}

//! A type of another crate has no tangent: one error for the field.

use callee::Readings;
use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Model {
    readings: Readings,
    rate: f64,
}

#[differentiable]
fn f(m: &Model, x: f64) -> f64 {
    m.readings.values[0] * x + m.rate
}

fn main() {
    let readings = Readings {
        values: vec![1.0],
        time: 0,
    };
    let m = Model {
        readings,
        rate: 1.0,
    };
    let (value, (gradient, _)) = f::value_and_gradient(&m, 1.0);
    println!("{value} {}", gradient.rate);
}

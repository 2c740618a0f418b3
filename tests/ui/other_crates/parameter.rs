//! A type of another crate has no tangent: one error for each parameter.

use callee::{Reading, Readings};
use chainrule::prelude::*;

#[differentiable]
fn by_reference(r: &Readings, x: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..r.values.len() {
        sum += r.values[i] * x;
    }
    sum
}

#[differentiable]
fn by_value(r: callee::Readings, x: f64) -> f64 {
    r.values.iter().map(|v| v * x).sum()
}

#[differentiable]
fn list(readings: &[Reading], x: f64) -> f64 {
    readings.iter().map(|p| p.x * x + p.y).sum()
}

fn main() {
    let r = Readings {
        values: vec![1.0],
        time: 0,
    };
    by_reference::gradient(&r, 1.0);
    by_value::value_and_gradient(r, 1.0);
    list::hvp(&[], 1.0, &[], 1.0);
}

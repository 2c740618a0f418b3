use chainrule::prelude::*;

#[differentiable]
fn integer_times_float(x: f64, n: usize) -> f64 {
    n * x
}

#[differentiable]
fn literal_times_float(x: f64) -> f64 {
    2 * x
}

#[differentiable]
fn index(x: &[f64], i: i32) -> f64 {
    x[i]
}

#[differentiable]
fn result(x: f64) -> f32 {
    x
}

#[differentiable]
fn no_result(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += v;
    }
}

fn main() {}

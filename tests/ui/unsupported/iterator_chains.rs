use chainrule::prelude::*;

#[differentiable]
fn sum(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

#[differentiable]
fn total(x: &[f64]) -> f64 {
    let total: f64 = x.iter().sum();
    total
}

#[differentiable]
fn collected(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| 2.0 * v).collect()
}

fn main() {
    sum::gradient(&[1.0]);
    total::gradient(&[1.0]);
    collected::jacobian(&[1.0]);
}

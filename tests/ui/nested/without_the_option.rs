//! Drivers are called in differentiable functions, and their functions don't say that they may be.

use chainrule::prelude::*;

#[differentiable]
fn payoff(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn slope(x: f64) -> f64 {
    payoff::gradient(x) * x
}

#[differentiable]
fn curvature(x: f64) -> f64 {
    payoff::second_derivative(x) * x
}

#[differentiable]
fn energy(x: &[f64]) -> f64 {
    x[0] * x[1] * x[1]
}

#[differentiable]
fn force(x: &[f64]) -> f64 {
    let g = energy::gradient(x);
    g[0] + g[1]
}

#[differentiable]
fn product(x: &[f64], v: &[f64]) -> f64 {
    let h = energy::hvp(x, v);
    h[0] + h[1]
}

#[differentiable]
fn trace(x: &[f64]) -> f64 {
    let h = energy::hessian(x);
    h[(0, 0)] + h[(1, 1)]
}

fn main() {
    slope::gradient(1.0);
    curvature::gradient(1.0);
    force::gradient(&[1.0, 2.0]);
    product::gradient(&[1.0, 2.0], &[1.0, 2.0]);
    trace::gradient(&[1.0, 2.0]);
}

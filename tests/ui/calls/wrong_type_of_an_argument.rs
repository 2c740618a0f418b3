use chainrule::prelude::*;

#[differentiable]
fn g(x: &[f64], n: usize) -> f64 {
    x[n]
}

#[differentiable]
fn f(x: f64) -> f64 {
    g(x, 1)
}

fn main() {
    f::gradient(1.0);
}

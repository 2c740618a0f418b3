use chainrule::prelude::*;

#[differentiable]
fn g(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn f(x: f64) -> f64 {
    let y = g(x);
    let n = y as usize;
    x * n as f64
}

fn main() {
    f::gradient(1.0);
}

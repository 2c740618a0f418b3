use chainrule::prelude::*;

#[differentiable]
fn f(x: f64, weights: &[f64]) -> f64 {
    let i = (x * 2.0) as usize;
    weights[i] * x
}

fn main() {
    f::gradient(1.0, &[1.0]);
}

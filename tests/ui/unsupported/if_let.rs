use chainrule::prelude::*;

#[differentiable]
fn f(x: f64, y: Option<f64>) -> f64 {
    if let Some(y) = y { x * y } else { x }
}

#[differentiable]
fn g(x: &[f64]) -> f64 {
    let Some(first) = x.first() else {
        return 0.0;
    };
    *first
}

fn main() {
    f::gradient(1.0, Some(2.0));
    g::gradient(&[1.0]);
}

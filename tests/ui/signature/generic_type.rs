use chainrule::prelude::*;

#[differentiable]
fn f<T: Into<f64>>(x: T, k: f64) -> f64 {
    x.into() * k
}

#[differentiable]
fn g(x: impl Into<f64>) -> f64 {
    x.into()
}

fn main() {
    f(1.0, 2.0);
    g(1.0);
}

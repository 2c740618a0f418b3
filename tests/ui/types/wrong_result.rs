use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let y = x * x;
    x > y
}

#[differentiable]
fn g(x: f64) -> f64 {
    let y = x * x;
    y;
}

fn main() {
    f::gradient(1.0);
    g::gradient(1.0);
}

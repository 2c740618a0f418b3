use chainrule::prelude::*;

type Values = Vec<f64>;

#[differentiable]
fn f(x: f64) -> Vec<f64> {
    vec![x, x]
}

#[differentiable]
fn g(x: f64) -> Values {
    vec![x, x]
}

fn main() {
    f::gradient(1.0);
    g::gradient(1.0);
}

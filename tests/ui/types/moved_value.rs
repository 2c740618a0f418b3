use chainrule::prelude::*;

#[differentiable]
fn f(v: Vec<f64>) -> f64 {
    let w = v;
    w[0] * v[0]
}

fn main() {
    f::gradient(vec![1.0]);
}

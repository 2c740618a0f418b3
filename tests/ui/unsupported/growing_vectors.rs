use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let mut v = Vec::new();
    v.push(x);
    v.push(x * x);
    v.extend_from_slice(&[x]);
    v[0] * v[1]
}

#[differentiable]
fn g(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    v.resize(3, 1.0);
    v.truncate(2);
    let last = v.pop();
    v[0]
}

fn main() {
    f::gradient(1.0);
    g::gradient(&[1.0]);
}

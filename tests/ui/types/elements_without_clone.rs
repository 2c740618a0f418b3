use chainrule::prelude::*;

#[derive(Differentiable)]
struct State {
    k: f64,
    v: Vec<f64>,
}

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let states = vec![State { k: x[0], v: vec![x[1]] }];
    let mut sum = 0.0;
    for state in states {
        sum += state.k * state.v[0];
    }
    sum
}

fn main() {
    f::gradient(&[1.0, 2.0]);
}

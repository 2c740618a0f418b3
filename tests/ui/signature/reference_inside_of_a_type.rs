use chainrule::prelude::*;

#[differentiable]
fn f(x: (&[f64], &[f64])) -> f64 {
    x.0[0] * x.1[0]
}

#[differentiable]
fn g(rows: &[&[f64]]) -> f64 {
    rows[0][0]
}

fn main() {
    f::gradient((&[1.0], &[2.0]));
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut total = 0.0;
    while rest.len() > 0 {
        total += rest[0] * rest[0];
        rest = &rest[1..];
    }
    total
}

fn main() {
    f::gradient(&[1.0]);
}

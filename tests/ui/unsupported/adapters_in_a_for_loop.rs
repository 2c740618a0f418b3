use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x.iter().filter(|v| **v > 0.0) {
        total += v;
    }
    for v in x.iter().skip(1) {
        total += v;
    }
    total
}

fn main() {
    f::gradient(&[1.0]);
}

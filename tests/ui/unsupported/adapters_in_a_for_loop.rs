use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x.iter().filter(|v| **v > 0.0).cycle() {
        if total > 5.0 {
            break;
        }
        total += v;
    }
    for pair in x.rchunks(2) {
        total += pair[0];
    }
    total
}

fn main() {
    f::gradient(&[1.0]);
}

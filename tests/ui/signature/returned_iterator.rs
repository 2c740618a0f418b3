use chainrule::prelude::*;

#[differentiable]
fn squares(x: &[f64]) -> impl Iterator<Item = f64> + '_ {
    x.iter().map(|a| a * a)
}

#[differentiable]
fn total(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in squares(x) {
        total += v;
    }
    total
}

fn main() {
    total::gradient(&[1.0]);
}

use chainrule::prelude::*;

#[differentiable]
fn sum<I: IntoIterator<Item = f64>>(x: I) -> f64 {
    x.into_iter().sum()
}

#[differentiable]
fn squares(x: impl Iterator<Item = f64>) -> f64 {
    x.map(|v| v * v).sum()
}

fn main() {
    sum(vec![1.0]);
}

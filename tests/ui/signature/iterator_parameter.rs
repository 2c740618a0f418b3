use chainrule::prelude::*;

/// The macro inlines a function that only consumes its iterator; this one steps it.
#[differentiable]
fn first<I: Iterator<Item = f64>>(mut x: I) -> f64 {
    x.next().unwrap_or(0.0)
}

#[differentiable]
fn squares(x: &mut impl Iterator<Item = f64>) -> f64 {
    x.map(|v| v * v).sum()
}

fn main() {
    first(vec![1.0].into_iter());
}

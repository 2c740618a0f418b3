//! Structs that are made of references to differentiated values.

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct View<'a> {
    data: &'a [f64],
    scale: f64,
}

#[differentiable]
impl View<'_> {
    fn sum(&self) -> f64 {
        let mut sum = 0.0;
        for v in self.data {
            sum += v * self.scale;
        }
        sum
    }
}

#[differentiable]
fn f(xs: &[f64], k: f64) -> f64 {
    let view = View { data: xs, scale: k };
    view.sum()
}

fn main() {}

use chainrule::prelude::*;

#[differentiable(dyn)]
fn f(x: f64) -> f64 {
    x * x
}

#[differentiable(dyn)]
trait Weighted {
    const WEIGHT: f64;

    fn at(&self, x: f64) -> f64;
}

#[differentiable(dyn)]
trait Layer<T> {
    type Output;

    fn at(&self, x: f64) -> f64;
}

struct Line;

#[differentiable(dyn)]
impl Line {
    fn at(#[constant] &self, x: f64) -> f64 {
        x
    }
}

fn main() {
    f::gradient(1.0);
    Line.at_gradient(1.0);
}

//! A call with too many arguments, and an associated function with too few.

use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[differentiable]
impl Point {
    fn new(x: f64, y: f64) -> Self {
        Point { x, y }
    }
}

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn f(x: f64) -> f64 {
    square(x, 1.0) * 2.0
}

#[differentiable]
fn g(x: f64) -> f64 {
    let p = Point::new(x);
    p.x * p.y
}

fn main() {}

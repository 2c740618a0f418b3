//! The rules of a conversion are the type's, which can have only one.

use chainrule::prelude::*;

#[derive(Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[differentiable]
impl From<[f64; 2]> for Point {
    fn from([x, y]: [f64; 2]) -> Self {
        Point { x, y }
    }
}

#[differentiable]
impl From<f64> for Point {
    fn from(x: f64) -> Self {
        Point { x, y: x }
    }
}

fn main() {}

use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Point(f64);

impl core::ops::Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        Point(self.0 + other.0)
    }
}

#[differentiable]
fn sum(a: Point, b: Point) -> Point {
    a + b
}

fn main() {}

//! A method of a type hides one of the same name of a trait.

use chainrule::prelude::*;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Square {
    side: f64,
}

impl Square {
    fn area(&self) -> f64 {
        self.side * self.side
    }
}

#[differentiable]
trait Shape {
    fn area(&self) -> f64;
    fn length(&self) -> f64;
}

#[differentiable]
impl Shape for Square {
    fn area(&self) -> f64 {
        self.area()
    }

    fn length(&self) -> f64 {
        4.0 * self.side
    }
}

#[differentiable]
fn doubled(x: f64) -> f64 {
    2.0 * Square { side: x }.area()
}

fn main() {}

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

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Circle {
    radius: f64,
}

impl Circle {
    fn halved(&self) -> f64 {
        0.5 * self.radius
    }
}

#[differentiable]
trait Shape {
    fn area(&self) -> f64;
    fn length(&self) -> f64;

    fn halved(&self) -> f64 {
        0.5 * self.area()
    }
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

/// The trait provides `halved`.
#[differentiable]
impl Shape for Circle {
    fn area(&self) -> f64 {
        3.0 * self.radius * self.radius
    }

    fn length(&self) -> f64 {
        6.0 * self.radius
    }
}

#[differentiable]
fn doubled(x: f64) -> f64 {
    2.0 * Square { side: x }.area()
}

fn main() {}

//! Methods of a type that hide those of traits of std, whose rules would be found.

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Square(f64);

impl Square {
    fn from(x: f64) -> Square {
        Square(x * x)
    }
}

#[differentiable]
impl From<f64> for Square {
    fn from(x: f64) -> Self {
        Square(x * x * x)
    }
}

#[differentiable]
fn f(x: f64) -> f64 {
    Square::from(x).0
}

#[derive(Clone, Differentiable)]
struct Powers(f64);

impl Powers {
    fn next(&mut self) -> Option<f64> {
        self.0 *= 3.0;
        Some(self.0)
    }
}

#[differentiable]
impl Iterator for Powers {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        self.0 *= 2.0;
        Some(self.0)
    }
}

#[derive(Clone, Differentiable)]
struct Cube(f64);

/// `into` calls the other one.
#[differentiable]
impl Cube {
    fn from(x: f64) -> Cube {
        Cube(x * x)
    }
}

impl From<f64> for Cube {
    fn from(x: f64) -> Self {
        Cube(x * x * x)
    }
}

#[differentiable]
fn g(x: f64) -> f64 {
    let cube: Cube = x.into();
    cube.0
}

fn main() {}

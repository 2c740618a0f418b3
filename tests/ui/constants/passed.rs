//! An active argument for a constant parameter of the callee, of which only rustc knows.

use chainrule::prelude::*;

#[differentiable]
fn scaled(x: f64, #[constant] k: f64) -> f64 {
    x * k
}

#[differentiable]
fn by_value(x: f64) -> f64 {
    scaled(x, x)
}

#[derive(Differentiable, Clone)]
struct Model {
    rate: f64,
    #[constant]
    scale: f64,
}

#[differentiable]
impl Model {
    fn at(&self, #[constant] t: f64) -> f64 {
        self.rate * self.scale * t
    }
}

#[differentiable]
fn by_a_method(m: &Model) -> f64 {
    m.at(m.rate)
}

fn main() {}

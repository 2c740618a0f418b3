use chainrule::prelude::*;

#[differentiable(order = 1)]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable(order = 1, nested)]
fn cube(x: f64) -> f64 {
    x * x * x
}

#[differentiable(order = 0)]
fn double(x: f64) -> f64 {
    2.0 * x
}

#[differentiable(order = 1)]
trait Model {
    fn density(&self, x: f64) -> f64;
}

fn main() {
    square::second_derivative(2.0);
    cube::derivative(double(1.0));
}

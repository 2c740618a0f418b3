use chainrule::prelude::*;

#[differentiable]
fn scaled<T: Real>(x: T) -> T {
    x * x
}

#[differentiable(order = 3)]
fn calls(x: f64) -> f64 {
    scaled(x) * x
}

#[differentiable(order = 3)]
fn writes(x: f64, y: &mut [f64]) -> f64 {
    y[0] = x;
    x * x
}

#[differentiable(order = 3)]
fn several(x: f64) -> [f64; 2] {
    [x, x * x]
}

#[differentiable(order = 4)]
fn higher(x: f64) -> f64 {
    x * x
}

fn main() {}

use chainrule::prelude::*;

#[differentiable]
fn scaled(x: impl Into<f64>, y: f64) -> f64 {
    x.into() * y
}

#[differentiable]
fn sum<T>(x: T, y: T) -> f64
where
    T: Into<f64>,
{
    x.into() + y.into()
}

// A constant can be converted.
#[differentiable]
fn constant(#[constant] x: impl Into<f64>, y: f64) -> f64 {
    x.into() * y
}

fn main() {}

//! `From` without an attribute.

use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Celsius(f64);

#[derive(Clone, Differentiable)]
struct Kelvin(f64);

impl From<Celsius> for Kelvin {
    fn from(Celsius(degrees): Celsius) -> Self {
        Kelvin(degrees + 273.15)
    }
}

#[differentiable]
fn f(x: f64) -> f64 {
    let k = Kelvin::from(Celsius(x));
    k.0 * k.0
}

#[differentiable]
fn g(x: f64) -> f64 {
    let k: Kelvin = Celsius(x).into();
    k.0 * k.0
}

fn main() {}

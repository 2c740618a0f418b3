//! A function that is imported by name from a module, and one under another name.

use chainrule::prelude::*;

mod helpers {
    pub fn square(x: f64) -> f64 {
        x * x
    }

    pub mod deep {
        pub fn cube(x: f64) -> f64 {
            x * x * x
        }
    }
}

use helpers::deep::cube as third_power;
use helpers::square;

#[differentiable]
fn f(x: f64) -> f64 {
    square(x) + square(2.0)
}

#[differentiable]
fn g(x: f64) -> f64 {
    third_power(x)
}

fn main() {}

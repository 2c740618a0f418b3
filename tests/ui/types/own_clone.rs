//! A `clone` of the type itself hides that of `Clone`.

use chainrule::prelude::*;

#[derive(Clone, Copy, Differentiable)]
struct Weight(f64);

#[differentiable]
impl Weight {
    fn clone(&self) -> Weight {
        Weight(self.0 * 2.0)
    }

    fn to_owned(&self) -> Weight {
        Weight(self.0 * 3.0)
    }
}

#[differentiable]
fn by_method(x: f64) -> f64 {
    let weight = Weight(x);
    let twice = weight.clone();
    let thrice = weight.to_owned();
    twice.0 * thrice.0
}

#[differentiable]
fn by_path(x: f64) -> f64 {
    let weight = Weight(x);
    Weight::clone(&weight).0 * x
}

fn main() {}

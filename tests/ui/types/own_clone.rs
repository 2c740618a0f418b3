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

#[derive(Clone, Differentiable)]
struct Pair<T> {
    a: T,
}

impl<T: Clone> Pair<T> {
    fn clone(&self) -> Pair<T> {
        Pair { a: self.a.clone() }
    }
}

#[differentiable]
fn of_a_generic_type(x: f64) -> f64 {
    let pair = Pair { a: x };
    let copy = pair.clone();
    copy.a * x
}

mod elsewhere {
    use chainrule::prelude::*;

    #[derive(Clone, Differentiable)]
    pub struct Third {
        pub a: f64,
    }

    impl Third {
        pub fn clone(&self) -> Third {
            Third { a: self.a / 3.0 }
        }
    }
}
use elsewhere::Third;

#[differentiable]
fn of_another_module(x: f64) -> f64 {
    let third = Third { a: x };
    third.clone().a * x
}

#[differentiable]
fn of_an_argument(third: &elsewhere::Third) -> f64 {
    third.clone().a
}

fn main() {}

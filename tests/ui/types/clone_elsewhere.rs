//! A `Clone` that isn't found may change numbers.

use chainrule::prelude::*;

#[derive(Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

type Alias = Pair;

impl Clone for Alias {
    fn clone(&self) -> Pair {
        Pair {
            a: self.a * 2.0,
            b: self.b,
        }
    }
}

#[differentiable]
fn copied(x: f64) -> f64 {
    let pair = Pair { a: x, b: 0.3 };
    let copy = pair.clone();
    copy.a * pair.a + copy.b * pair.b * x
}

#[derive(Differentiable)]
struct Doubled {
    a: f64,
}

impl Clone for Doubled {
    fn clone(&self) -> Self {
        Doubled { a: self.a }
    }

    fn clone_from(&mut self, other: &Self) {
        self.a = other.a * 2.0;
    }
}

#[differentiable]
fn cloned_from(x: f64) -> f64 {
    let mut a = Doubled { a: x };
    let b = Doubled { a: x * x };
    a.clone_from(&b);
    a.a
}

fn main() {}

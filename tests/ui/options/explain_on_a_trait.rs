//! `explain` on a trait.

use chainrule::prelude::*;

#[differentiable(explain)]
trait Potential {
    fn energy(&self, x: f64) -> f64;
}

fn main() {}

//! `nested` on a trait.

use chainrule::prelude::*;

#[differentiable(nested)]
trait Model {
    fn logp(&self, t: f64) -> f64;
}

fn main() {}

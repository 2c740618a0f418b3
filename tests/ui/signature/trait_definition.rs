use chainrule::prelude::*;

#[differentiable]
trait Model {
    fn value(&self, x: f64) -> f64;
}

fn main() {}

use chainrule::prelude::*;

#[differentiable]
trait Model {
    fn logp(&self, x: f64) -> f64;
}

struct Normal;

#[differentiable]
impl Model for Normal {
    fn logp(&self, x: f64) -> f64 {
        -0.5 * x * x
    }
}

fn main() {}

use chainrule::prelude::*;

#[differentiable]
trait Model {
    fn logp(&self, x: f64) -> f64;
}

#[derive(Differentiable)]
struct Normal {
    mean: f64,
}

impl Model for Normal {
    fn logp(&self, x: f64) -> f64 {
        -0.5 * (x - self.mean) * (x - self.mean)
    }
}

fn main() {}

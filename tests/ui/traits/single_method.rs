use chainrule::prelude::*;

trait Model {
    fn logp(&self, x: f64) -> f64;

    #[differentiable]
    fn twice(&self, x: f64) -> f64 {
        2.0 * self.logp(x)
    }
}

struct Normal;

impl Model for Normal {
    #[differentiable]
    fn logp(#[constant] &self, x: f64) -> f64 {
        -0.5 * x * x
    }
}

fn main() {
    Normal.logp(1.0);
}

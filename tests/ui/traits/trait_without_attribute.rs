use chainrule::prelude::*;

trait Model {
    fn logp(&self, x: f64) -> f64;
}

#[differentiable]
impl Model for Vec<f64> {
    fn logp(&self, x: f64) -> f64 {
        -0.5 * (x - self[0]) * (x - self[0])
    }
}

#[derive(Clone, Differentiable)]
struct Normal {
    mean: f64,
}

#[differentiable]
impl Model for Normal {
    fn logp(&self, x: f64) -> f64 {
        -0.5 * (x - self.mean) * (x - self.mean)
    }
}

#[differentiable]
fn generic<M: Model>(model: &M, x: f64) -> f64 {
    model.logp(x)
}

fn main() {}

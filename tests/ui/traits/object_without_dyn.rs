use chainrule::prelude::*;

#[differentiable]
trait Model {
    fn logp(&self, x: f64) -> f64;
}

#[differentiable]
trait Step {
    fn apply(#[constant] &self, x: f64) -> f64;
}

#[differentiable]
fn with_tangent(model: &dyn Model, x: f64) -> f64 {
    model.logp(x)
}

#[differentiable]
fn without_tangent(#[constant] step: &dyn Step, x: f64) -> f64 {
    step.apply(x)
}

fn main() {}

use chainrule::prelude::*;

#[differentiable]
trait Model {
    fn logp(#[constant] &self, x: f64) -> f64;
}

#[differentiable]
fn total(#[constant] model: &dyn Model, x: f64) -> f64 {
    model.logp(x)
}

fn main() {}

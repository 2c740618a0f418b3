use chainrule::prelude::*;
use chainrule::testing::check_rules;

#[derive(Clone, Differentiable)]
struct Model {
    weight: f64,
}

#[differentiable]
impl Model {
    fn value(&self, x: f64) -> f64 {
        self.weight * x
    }
}

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

fn main() {
    let model = Model { weight: 2.0 };
    check_rules!(model.value, 1.0);
    check_rules!(square(1.0));
    check_rules!(square, 1.0; ordr = 1);
    check_rules!(square, 1.0; order = 3);
}

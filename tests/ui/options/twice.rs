use chainrule::prelude::*;

#[differentiable(rules = a, rules = b)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {}

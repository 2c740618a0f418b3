use chainrule::prelude::*;

#[differentiable(rule = r, order = "two", recursive = 3, crate)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(#[constan] x: f64) -> f64 {
    x * x
}

fn main() {
    f::gradient(1.0);
}

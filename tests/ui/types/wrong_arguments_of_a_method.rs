use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    x.powi(2.0) + x.sin(1.0)
}

fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let y = x * z;
    y * SCALE
}

fn main() {
    f::gradient(1.0);
}

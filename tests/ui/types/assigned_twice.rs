use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let y = x * x;
    y *= 2.0;
    y
}

fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let y = dbg!(x * x);
    y * x
}

fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let square = |y: f64| y * x;
    square(x)
}

fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;

macro_rules! square {
    ($x:expr) => {
        $x * $x
    };
}

#[differentiable]
fn f(x: f64) -> f64 {
    square!(x) + 1.0
}

#[differentiable]
fn g(x: f64) -> f64 {
    let y = x * 2.0;
    let z = square!(y + 1.0);
    z
}

fn main() {
    f::gradient(1.0);
    g::gradient(1.0);
}

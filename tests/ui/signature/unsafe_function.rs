use chainrule::prelude::*;

#[differentiable]
unsafe fn f(x: f64) -> f64 {
    x * x
}

fn main() {
    f::gradient(1.0);
}

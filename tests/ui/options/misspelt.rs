use chainrule::prelude::*;

#[differentiable(recursiv)]
fn f(x: f64) -> f64 {
    x * x
}

fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    #[cfg(debug_assertions)]
    let x = 2.0 * x;
    x * x
}

fn main() {
    f::gradient(1.0);
}

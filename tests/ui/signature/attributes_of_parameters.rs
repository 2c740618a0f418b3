use chainrule::prelude::*;

#[differentiable]
fn f(#[constant(1)] x: f64, y: f64) -> f64 {
    x * y
}

#[differentiable]
fn g(#[constant] #[constant] x: f64, #[cfg(unix)] y: f64) -> f64 {
    x * y
}

fn main() {
    f::gradient(1.0, 2.0);
}

use chainrule::prelude::*;

#[differentiable]
fn f(x: f64, g: fn(f64) -> f64) -> f64 {
    g(x)
}

#[differentiable]
fn h(x: f64, g: &dyn Fn(f64) -> f64) -> f64 {
    g(x)
}

fn main() {
    f(1.0, f64::sin);
    h(1.0, &f64::sin);
}

use chainrule::prelude::*;

#[differentiable]
fn apply(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

fn plain(x: f64) -> f64 {
    x
}

#[differentiable]
fn f(x: f64) -> f64 {
    apply(plain, x)
}

fn main() {
    f::gradient(1.0);
}

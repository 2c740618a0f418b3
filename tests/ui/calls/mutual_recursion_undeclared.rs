use chainrule::prelude::*;

#[differentiable]
fn even(x: f64, n: usize) -> f64 {
    if n == 0 { x } else { odd(x, n - 1) * x }
}

#[differentiable]
fn odd(x: f64, n: usize) -> f64 {
    if n == 0 { 1.0 } else { even(x, n - 1) }
}

fn main() {
    even::gradient(1.0, 2);
}

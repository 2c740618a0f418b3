use chainrule::prelude::*;

#[differentiable]
fn lent(x: f64) -> f64 {
    let list = std::slice::from_ref(&x);
    list[0] * 2.0
}

#[differentiable]
fn not_active(x: f64, n: usize) -> f64 {
    x * std::cmp::max(n, 1) as f64
}

fn main() {
    not_active::gradient(1.0, 2);
}

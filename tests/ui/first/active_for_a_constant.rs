use chainrule::prelude::*;
#[differentiable]
#[inline(never)]
fn g(a: f64, #[constant] b: f64) -> f64 {
    a * b
}
#[differentiable]
fn f(x: f64) -> f64 {
    g(x, x)
}
fn main() {
    println!("{}", f(1.0));
}

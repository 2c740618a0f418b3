use chainrule::prelude::*;
fn helper(a: &[f64], n: usize) -> f64 {
    a[n] * 2.0
}
#[differentiable]
fn f(x: &[f64]) -> f64 {
    helper(x, 1) * x[0]
}
fn main() {
    println!("{:?}", f(&[1.0, 2.0]));
}

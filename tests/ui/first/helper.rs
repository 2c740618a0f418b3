use chainrule::prelude::*;
fn helper(a: f64, b: f64, c: f64) -> f64 {
    a * b + c
}
#[differentiable]
fn f(x: f64) -> f64 {
    helper(x, 2.0, 3.0) * x
}
fn main() {
    println!("{:?}", f(1.0));
}

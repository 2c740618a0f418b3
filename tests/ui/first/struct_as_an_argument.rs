use chainrule::prelude::*;
struct P {
    a: f64,
    b: f64,
}
#[differentiable]
fn f(p: &P, x: f64) -> f64 {
    p.a * x + p.b
}
fn main() {
    println!("{}", f(&P { a: 1.0, b: 2.0 }, 1.0));
}

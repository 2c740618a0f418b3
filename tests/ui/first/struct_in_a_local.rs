use chainrule::prelude::*;
struct P {
    a: f64,
    b: f64,
}
#[differentiable]
fn f(x: f64) -> f64 {
    let p = P { a: x, b: x * x };
    p.a + p.b
}
fn main() {
    println!("{}", f(1.0));
}

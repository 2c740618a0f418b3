use chainrule::prelude::*;
struct P {
    a: f64,
    b: f64,
}
#[differentiable]
fn f(x: f64) -> P {
    P { a: x, b: x * x }
}
fn main() {
    println!("{}", f(1.0).a);
}

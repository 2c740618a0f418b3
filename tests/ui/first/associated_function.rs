use chainrule::prelude::*;
#[derive(Clone, Differentiable)]
struct P {
    a: f64,
}
impl P {
    fn new(a: f64) -> P {
        P { a }
    }
}
#[differentiable]
fn f(x: f64) -> f64 {
    P::new(x).a
}
fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;
struct P {
    a: f64,
    b: f64,
}
#[differentiable]
impl P {
    fn f(&self, x: f64) -> f64 {
        self.a * x + self.b
    }
}
fn main() {
    println!("{}", P { a: 1.0, b: 2.0 }.f(1.0));
}

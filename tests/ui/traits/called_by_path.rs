use chainrule::prelude::*;
trait Root {
    fn root(self) -> Self;
}
impl Root for f64 {
    fn root(self) -> f64 {
        self.sqrt()
    }
}
#[differentiable]
fn f(x: f64) -> f64 {
    Root::root(x) * x
}
#[differentiable]
fn g(x: f64) -> f64 {
    <f64 as Root>::root(x) * x
}
fn main() {
    f::gradient(1.0);
}

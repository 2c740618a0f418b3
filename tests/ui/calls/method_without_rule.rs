use chainrule::prelude::*;

#[derive(Clone, Differentiable)]
struct Curve {
    scale: f64,
}

impl Curve {
    fn value(&self, x: f64) -> f64 {
        self.scale * x
    }
}

#[differentiable]
fn f(c: &Curve, x: f64) -> f64 {
    c.value(x)
}

fn main() {
    f::gradient(&Curve { scale: 1.0 }, 1.0);
}

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
fn curve(x: f64) -> Curve {
    Curve { scale: x }
}

#[differentiable]
fn f(x: f64) -> f64 {
    let c = curve(x);
    c.value(2.0)
}

fn main() {
    f::gradient(1.0);
}

use chainrule::prelude::*;

struct Params {
    scale: f64,
}

#[differentiable]
fn f(p: &Params, x: f64) -> f64 {
    p.scale * x
}

fn main() {
    f(&Params { scale: 1.0 }, 1.0);
}

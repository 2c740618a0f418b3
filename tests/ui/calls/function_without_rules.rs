use chainrule::prelude::*;

fn plain(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn f(x: f64) -> f64 {
    plain(x) * x
}

fn main() {
    f::gradient(1.0);
}

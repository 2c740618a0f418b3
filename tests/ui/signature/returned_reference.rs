use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> &f64 {
    &x[0]
}

fn main() {
    let _ = f(&[1.0]);
}

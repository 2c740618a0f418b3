use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let y = unsafe { x.get_unchecked(0) };
    y * y
}

fn main() {
    f::gradient(&[1.0]);
}

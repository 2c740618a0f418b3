use chainrule::prelude::*;

#[differentiable]
fn f(x: f64, y: Option<f64>) -> Option<f64> {
    let y = y?;
    Some(x * y)
}

fn main() {
    let _ = f(1.0, Some(2.0));
}

use chainrule::prelude::*;

type Output = Option<f64>;

#[differentiable]
fn f(x: f64, y: Option<f64>) -> Output {
    let y = y?;
    Some(x * y)
}

fn main() {
    let _ = f(1.0, Some(2.0));
}

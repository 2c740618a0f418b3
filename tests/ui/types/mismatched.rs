use chainrule::prelude::*;

#[differentiable]
fn f(x: f64, n: usize) -> f64 {
    let y = x * n;
    y + 1
}

fn main() {
    f::gradient(1.0, 2);
}

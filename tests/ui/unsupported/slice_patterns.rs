use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    match x {
        [] => 0.0,
        [a] => a * a,
        [a, .., b] => a * b,
    }
}

fn main() {
    f::gradient(&[1.0]);
}

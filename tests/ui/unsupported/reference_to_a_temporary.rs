use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64], first: bool) -> f64 {
    let row = if first { x } else { &[x[1], x[0] * x[0]] };
    row[0] * row[1]
}

fn main() {
    f::gradient(&[1.0, 2.0], true);
}

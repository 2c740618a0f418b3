use chainrule::prelude::*;

#[differentiable]
fn f(x: f64, y: f64, first: bool) -> f64 {
    let (mut a, mut b) = (x, y);
    let place = if first { &mut a } else { &mut b };
    *place *= 2.0;
    a * b
}

fn main() {
    f::gradient(1.0, 2.0, true);
}

//! A value of a type of another crate, which has no tangent.

use callee::Reading;
use chainrule::prelude::*;

#[differentiable]
fn product(x: f64) -> f64 {
    let p = Reading { x, y: x * x };
    p.x * p.y
}

fn main() {
    product::gradient(1.0);
}

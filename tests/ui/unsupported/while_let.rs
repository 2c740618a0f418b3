use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let mut z = x;
    let mut left = vec![x, z];
    while let Some(v) = left.pop() {
        z *= v;
    }
    z
}

fn main() {
    f::gradient(1.0);
}

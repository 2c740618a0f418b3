use chainrule::prelude::*;

#[differentiable]
fn f(x: &[f64]) -> f64 {
    let mut z = 1.0;
    let mut values = x.iter();
    while let Some(v) = values.next() {
        z *= v;
    }
    z
}

fn main() {
    f::gradient(&[1.0]);
}

use chainrule::prelude::*;
use ndarray::Array2;
#[differentiable]
fn f(x: f64) -> f64 {
    let m = Array2::from_shape_simple_fn((2, 2), || x);
    m.sum()
}
fn main() {
    println!("{:?}", f(1.0));
}

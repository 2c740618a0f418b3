use chainrule::prelude::*;
use ndarray::arr2;
#[differentiable]
fn f(x: f64) -> f64 {
    let m = arr2(&[[x, 1.0], [2.0, x]]);
    m.sum()
}
fn main() {
    println!("{:?}", f(1.0));
}

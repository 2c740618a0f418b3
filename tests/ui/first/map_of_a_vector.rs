use chainrule::prelude::*;
use nalgebra::DVector;
#[differentiable]
fn f(x: &DVector<f64>) -> f64 {
    x.map(|v| v * v).sum()
}
fn main() {
    println!("{:?}", f(&DVector::zeros(2)));
}

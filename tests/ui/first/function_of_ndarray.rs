use chainrule::prelude::*;
use ndarray::{Array1, Axis, stack};
#[differentiable]
fn f(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let m = stack(Axis(0), &[a.view(), b.view()]).unwrap();
    m.sum()
}
fn main() {
    println!("{:?}", f(&Array1::zeros(2), &Array1::zeros(2)));
}

use chainrule::prelude::*;
use ndarray::Array2;
use ndarray::linalg::kron;
#[differentiable]
fn f(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let m = kron(a, b);
    m.sum()
}
fn main() {
    println!("{:?}", f(&Array2::eye(2), &Array2::eye(2)));
}

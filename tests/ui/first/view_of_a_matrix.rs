use chainrule::prelude::*;
use nalgebra::DVectorView;
#[differentiable]
fn f(x: DVectorView<'_, f64>) -> f64 {
    x.norm_squared()
}
fn main() {
    let x = nalgebra::DVector::zeros(2);
    println!("{:?}", f(x.rows(0, 2)));
}

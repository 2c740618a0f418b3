use chainrule::prelude::*;
use nalgebra::{Rotation3, Vector3};
#[differentiable]
fn f(x: f64) -> f64 {
    let r = Rotation3::from_axis_angle(&Vector3::z_axis(), x);
    (r * Vector3::new(1.0, 0.0, 0.0)).y
}
fn main() {
    println!("{:?}", f(1.0));
}

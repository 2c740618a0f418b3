use chainrule::prelude::*;
use nalgebra::{Rotation3, Vector3};
#[differentiable]
fn f(x: f64) -> f64 {
    let r = Rotation3::face_towards(&Vector3::new(x, 1.0, 0.0), &Vector3::z());
    (r * Vector3::new(1.0, 0.0, 0.0)).y
}
fn main() {
    println!("{:?}", f(1.0));
}

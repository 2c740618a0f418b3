//! An active operand of an operator that calls it constant.

use chainrule::prelude::*;
use std::ops::{Add, AddAssign, Mul};

#[derive(Clone, Copy, Differentiable)]
struct V2(f64, f64);

#[derive(Clone, Differentiable)]
struct Model {
    gain: f64,
    #[constant]
    scale: f64,
}

#[differentiable]
impl Mul<f64> for V2 {
    type Output = V2;
    fn mul(self, #[constant] k: f64) -> V2 {
        V2(self.0 * k, self.1 * k)
    }
}

#[differentiable]
impl Add for V2 {
    type Output = V2;
    fn add(self, #[constant] other: V2) -> V2 {
        V2(self.0 + other.0, self.1 + other.1)
    }
}

#[differentiable]
impl AddAssign<f64> for V2 {
    fn add_assign(&mut self, #[constant] shift: f64) {
        self.0 += shift;
    }
}

#[differentiable]
fn scaled(x: f64, y: f64) -> f64 {
    (V2(x, y) * x).0
}

#[differentiable]
fn added(x: f64, y: f64) -> f64 {
    (V2(1.0, 2.0) + V2(x, y)).0
}

#[differentiable]
fn assigned(x: f64, y: f64) -> f64 {
    let mut v = V2(x, y);
    v += x * y;
    v.0
}

#[differentiable]
fn of_a_field(m: &Model, x: f64) -> f64 {
    (V2(x, x) * m.gain).0 + (V2(x, x) * m.scale).1
}

fn main() {}

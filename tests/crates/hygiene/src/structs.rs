//! Structs whose fields and methods are called like what generated code uses.

use ::ad::{Differentiable, differentiable};
use ::core::prelude::v1::{Clone, Debug, PartialEq, derive};

/// Fields with the names of a rule's variables.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Params {
    /// A tangent by name.
    pub x_dot: f64,
    /// A cotangent by name.
    pub x_bar: f64,
    /// A keyword.
    pub r#type: f64,
    /// A length.
    pub len: usize,
    #[constant]
    pullback: f64,
}

/// Methods with the names of those of tangents.
#[differentiable]
impl Params {
    /// All fields set.
    pub fn new(x_dot: f64, x_bar: f64) -> Self {
        Params {
            x_dot,
            x_bar,
            r#type: x_dot * x_bar,
            len: 2,
            pullback: 0.5,
        }
    }

    /// Not that of a tangent.
    pub fn scale(&self, factor: f64) -> f64 {
        self.x_dot * factor + self.x_bar * self.r#type
    }

    /// Not that of a tangent.
    pub fn accumulate(&mut self, other: f64) {
        self.x_bar *= other;
        self.r#type += self.x_bar;
    }

    /// Not that of a tangent.
    pub fn set_zero(self) -> f64 {
        self.x_dot * self.x_bar
    }

    /// Not that of the standard library.
    pub fn clone_from_slice(&self, y: f64) -> f64 {
        y * self.x_dot
    }
}

/// Uses all of them.
#[differentiable]
pub fn uses(params: &Params, x_bar: f64) -> f64 {
    let mut this = Params::new(params.x_dot, x_bar);
    this.accumulate(x_bar);
    let a: f64 = this.scale(params.r#type);
    let b: f64 = this.clone_from_slice(params.x_bar);
    let c: f64 = this.set_zero();
    a * b + c
}

/// A constant that nothing reads but this.
pub fn constant(params: &Params) -> f64 {
    params.pullback
}

//! Functions, methods and types with rules, of each kind that a caller must cope with.

#![allow(
    clippy::cast_precision_loss,
    clippy::needless_pass_by_value,
    clippy::needless_range_loop,
    reason = "parameters and loops are of the kinds that are to be differentiated"
)]

mod functions;
mod overloads;

pub use functions::*;
pub use overloads::*;

/// Holds floats, and has no tangent.
#[derive(Clone, Debug)]
pub struct Readings {
    /// The values.
    pub values: Vec<f64>,
    /// When they were read.
    pub time: u32,
}

/// Two floats without a tangent.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The first one.
    pub x: f64,
    /// The other one.
    pub y: f64,
}

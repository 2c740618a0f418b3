//! `hello`: a square and its derivative.

use super::{no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde_json::Value;

/// The square of a number.
#[differentiable]
pub fn square(x: f64) -> f64 {
    x * x
}

/// Answers `square` and `double`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let x: f64 = read(input)?;
    match function {
        "square" => run(Limits::default(), 0.0, |y| *y = square(x), |y| y),
        "double" => run(
            Limits::default(),
            0.0,
            |y| *y = square::derivative(x),
            |y| y,
        ),
        _ => no_function(function),
    }
}

//! `lse`: the logarithm of a sum of exponentials, with the maximum subtracted.

use super::{check, no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// The logarithm of the sum of the exponentials of `x`.
#[differentiable]
pub fn logsumexp(x: &[f64]) -> f64 {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = x.iter().map(|v| (v - max).exp()).sum();
    sum.ln() + max
}

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    #[serde(flatten)]
    limits: Limits,
}

/// Answers `primal` and `gradient`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let Input { x, limits } = read(input)?;
    check(!x.is_empty(), "`x` must not be empty")?;
    match function {
        "primal" => run(limits, 0.0, |y| *y = logsumexp(&x), |y| y),
        "gradient" => run(
            limits,
            vec![0.0; x.len()],
            |x_bar| {
                logsumexp::value_and_gradient_into(&x, x_bar);
            },
            |x_bar| x_bar,
        ),
        _ => no_function(function),
    }
}

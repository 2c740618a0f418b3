//! `llsq`: least squares with a polynomial, whose powers are a running product.

use super::{no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// Half the sum of the squared differences between the polynomial with the coefficients `x` and the sign function, at `n`
/// points from -1 to 1.
#[differentiable]
pub fn llsq(x: &[f64], n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        let t = -1.0 + 2.0 * i as f64 / (n as f64 - 1.0);
        let mut y = 0.0;
        let mut power = 1.0;
        for c in x {
            y += c * power;
            power *= t;
        }
        let r = sign(t) - y;
        sum += r * r;
    }
    0.5 * sum
}

/// The sign of a number, 0 at 0.
pub fn sign(t: f64) -> f64 {
    if t > 0.0 {
        1.0
    } else if t < 0.0 {
        -1.0
    } else {
        0.0
    }
}

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    n: usize,
    #[serde(flatten)]
    limits: Limits,
}

/// Answers `primal` and `gradient`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let Input { x, n, limits } = read(input)?;
    match function {
        "primal" => run(limits, 0.0, |y| *y = llsq(&x, n), |y| y),
        "gradient" => run(
            limits,
            vec![0.0; x.len()],
            |x_bar| {
                llsq::value_and_gradient_into(&x, n, x_bar);
            },
            |x_bar| x_bar,
        ),
        _ => no_function(function),
    }
}

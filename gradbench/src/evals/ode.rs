//! `ode`: four-stage Runge-Kutta on a chain of equations, `y[0]' = x[0]`, `y[i]' = x[i] y[i - 1]`.

use super::{check, no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// The right-hand side, into `out`.
#[differentiable]
pub fn rates(x: &[f64], y: &[f64], out: &mut [f64]) {
    out[0] = x[0];
    for i in 1..x.len() {
        out[i] = x[i] * y[i - 1];
    }
}

/// The state at the time 2 after `s` equal steps from 0, into `y`.
#[differentiable]
pub fn integrate(x: &[f64], s: usize, y: &mut [f64]) {
    let n = x.len();
    let h = 2.0 / s as f64;
    let (mut k1, mut k2, mut k3, mut k4) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut stage = vec![0.0; n];
    y.fill(0.0);
    for _ in 0..s {
        rates(x, y, &mut k1);
        for i in 0..n {
            stage[i] = y[i] + h * k1[i] / 2.0;
        }
        rates(x, &stage, &mut k2);
        for i in 0..n {
            stage[i] = y[i] + h * k2[i] / 2.0;
        }
        rates(x, &stage, &mut k3);
        for i in 0..n {
            stage[i] = y[i] + h * k3[i];
        }
        rates(x, &stage, &mut k4);
        for i in 0..n {
            y[i] += h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
        }
    }
}

/// The last component of the state at the time 2.
#[differentiable]
pub fn last(x: &[f64], s: usize) -> f64 {
    let mut y = vec![0.0; x.len()];
    integrate(x, s, &mut y);
    y[x.len() - 1]
}

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    s: usize,
    #[serde(flatten)]
    limits: Limits,
}

/// Answers `primal` and `gradient`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let Input { x, s, limits } = read(input)?;
    check(
        !x.is_empty() && s > 0,
        "`x` must not be empty, and `s` not be 0",
    )?;
    let buffer = vec![0.0; x.len()];
    match function {
        "primal" => run(limits, buffer, |y| integrate(&x, s, y), |y| y),
        "gradient" => run(
            limits,
            buffer,
            |x_bar| {
                last::value_and_gradient_into(&x, s, x_bar);
            },
            |x_bar| x_bar,
        ),
        _ => no_function(function),
    }
}

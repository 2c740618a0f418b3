//! The Laplace distribution (double exponential), on all numbers.

use super::parts::ln_positive;
use crate::differentiable;

/// ln 2.
const LN_2: f64 = core::f64::consts::LN_2;

/// ln p(x) = -|x - location|/scale - ln(2 scale).
///
/// At the kink, x = location, the derivative by x and by the location is 0.
#[differentiable]
pub fn log_density(x: f64, location: f64, scale: f64) -> f64 {
    let ln_scale: f64 = ln_positive(scale);
    -(x - location).abs() / scale - ln_scale - LN_2
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], location: f64, scale: f64) -> f64 {
    let mut sum = 0.0;
    for v in x {
        sum += (*v - location).abs();
    }
    let ln_scale: f64 = ln_positive(scale);
    let each: f64 = ln_scale + LN_2;
    -sum / scale - x.len() as f64 * each
}

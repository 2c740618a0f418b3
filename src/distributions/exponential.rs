//! The exponential distribution, on x ≥ 0.

use super::parts::{any_below, ln_positive, outside};
use crate::differentiable;

/// ln p(x) = ln rate - rate x, and -∞ for x < 0.
#[differentiable]
pub fn log_density(x: f64, rate: f64) -> f64 {
    if x < 0.0 {
        return outside(rate > 0.0);
    }
    let ln_rate: f64 = ln_positive(rate);
    ln_rate - rate * x
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], rate: f64) -> f64 {
    if any_below(x, 0.0) {
        return outside(rate > 0.0);
    }
    let mut sum = 0.0;
    for v in x {
        sum += *v;
    }
    let ln_rate: f64 = ln_positive(rate);
    x.len() as f64 * ln_rate - rate * sum
}

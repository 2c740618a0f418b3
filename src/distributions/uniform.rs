//! The uniform distribution, on low ≤ x ≤ high.

use super::parts::{any_above, any_below, ln_positive, outside};
use crate::differentiable;

/// ln p(x) = -ln(high - low), and -∞ for x < low and x > high.
///
/// The derivatives by the bounds are those for bounds that x stays between.
#[differentiable]
pub fn log_density(x: f64, low: f64, high: f64) -> f64 {
    if x < low || x > high {
        return outside(low < high);
    }
    let ln_width: f64 = ln_positive(high - low);
    // The product is zero, or NaN if x is.
    -ln_width + 0.0 * x
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], low: f64, high: f64) -> f64 {
    if any_below(x, low) || any_above(x, high) {
        return outside(low < high);
    }
    let mut sum = 0.0;
    for v in x {
        sum += 0.0 * *v;
    }
    let ln_width: f64 = ln_positive(high - low);
    sum - x.len() as f64 * ln_width
}

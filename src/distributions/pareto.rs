//! The Pareto distribution, on x ≥ scale.

use super::parts::{any_below, ln_positive, ln_ratio, outside};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::differentiable;

/// ln p(x) = ln shape - shape ln(x/scale) - ln x, and -∞ for x < scale.
#[differentiable]
pub fn log_density(x: f64, scale: f64, shape: f64) -> f64 {
    if x < scale || scale <= 0.0 {
        return outside(scale > 0.0 && shape > 0.0);
    }
    let ln_shape: f64 = ln_positive(shape);
    let excess: f64 = ln_ratio(x, scale);
    ln_shape - shape * excess - x.ln()
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], scale: f64, shape: f64) -> f64 {
    if any_below(x, scale) || scale <= 0.0 {
        return outside(scale > 0.0 && shape > 0.0);
    }
    let mut sum = 0.0;
    for v in x {
        let excess: f64 = ln_ratio(*v, scale);
        sum += shape * excess + v.ln();
    }
    let ln_shape: f64 = ln_positive(shape);
    x.len() as f64 * ln_shape - sum
}

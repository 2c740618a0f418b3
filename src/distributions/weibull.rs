//! The Weibull distribution, on x ≥ 0.

use super::parts::{any_below, ln_positive, outside, weighted_ln_ratio};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::differentiable;

/// ln p(x) = ln shape - ln scale + (shape - 1) ln z - z^shape, with z = x/scale, and -∞ for x < 0.
///
/// At x = 0 it is ∞ for shape < 1, -ln scale for shape = 1, and -∞ for shape > 1.
#[differentiable]
pub fn log_density(x: f64, shape: f64, scale: f64) -> f64 {
    if x < 0.0 {
        return outside(shape > 0.0 && scale > 0.0);
    }
    let z = x / scale;
    let logs: f64 = weighted_ln_ratio(shape - 1.0, x, scale);
    let ln_shape: f64 = ln_positive(shape);
    let ln_scale: f64 = ln_positive(scale);
    logs - z.powf(shape) + ln_shape - ln_scale
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], shape: f64, scale: f64) -> f64 {
    if any_below(x, 0.0) {
        return outside(shape > 0.0 && scale > 0.0);
    }
    let mut sum = 0.0;
    for v in x {
        let z = *v / scale;
        let logs: f64 = weighted_ln_ratio(shape - 1.0, *v, scale);
        sum += logs - z.powf(shape);
    }
    let ln_shape: f64 = ln_positive(shape);
    let ln_scale: f64 = ln_positive(scale);
    let each: f64 = ln_shape - ln_scale;
    sum + x.len() as f64 * each
}

//! The half-normal distribution, on x ≥ 0: the absolute value of a normal variable with mean 0.

use super::parts::{any_below, ln_positive, outside};
use crate::differentiable;

/// Half the logarithm of 2π.
const HALF_LN_2_PI: f64 = super::parts::HALF_LN_2_PI;

/// ln 2.
const LN_2: f64 = core::f64::consts::LN_2;

/// ln p(x) = -z²/2 - ln scale - ln(π/2)/2, with z = x/scale, and -∞ for x < 0.
#[differentiable]
pub fn log_density(x: f64, scale: f64) -> f64 {
    if x < 0.0 {
        return outside(scale > 0.0);
    }
    let z = x / scale;
    let ln_scale: f64 = ln_positive(scale);
    -0.5 * z * z - ln_scale - (HALF_LN_2_PI - LN_2)
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], scale: f64) -> f64 {
    if any_below(x, 0.0) {
        return outside(scale > 0.0);
    }
    let mut sum = 0.0;
    for v in x {
        let z = *v / scale;
        sum += z * z;
    }
    let ln_scale: f64 = ln_positive(scale);
    let each: f64 = ln_scale + (HALF_LN_2_PI - LN_2);
    -0.5 * sum - x.len() as f64 * each
}

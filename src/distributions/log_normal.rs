//! The log-normal distribution, on x ≥ 0: ln x has a normal distribution.

use super::parts::{any_at_most, ln_positive, outside};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::differentiable;

/// Half the logarithm of 2π.
const HALF_LN_2_PI: f64 = super::parts::HALF_LN_2_PI;

/// ln p(x) = -z²/2 - ln x - ln scale - ln(2π)/2, with z = (ln x - location)/scale, and -∞ for x ≤ 0.
#[differentiable]
pub fn log_density(x: f64, location: f64, scale: f64) -> f64 {
    if x <= 0.0 {
        return outside(scale > 0.0);
    }
    let ln_x = x.ln();
    let z = (ln_x - location) / scale;
    let ln_scale: f64 = ln_positive(scale);
    -0.5 * z * z - ln_x - ln_scale - HALF_LN_2_PI
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], location: f64, scale: f64) -> f64 {
    if any_at_most(x, 0.0) {
        return outside(scale > 0.0);
    }
    let mut sum = 0.0;
    for v in x {
        let ln_v = v.ln();
        let z = (ln_v - location) / scale;
        sum += 0.5 * z * z + ln_v;
    }
    let ln_scale: f64 = ln_positive(scale);
    let each: f64 = ln_scale + HALF_LN_2_PI;
    -sum - x.len() as f64 * each
}

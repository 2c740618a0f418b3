//! The half-Cauchy distribution, on x ≥ 0: the absolute value of a Cauchy variable with location 0.

use super::parts::{any_below, ln_1p_square, ln_positive, outside};
use crate::differentiable;

/// ln π.
const LN_PI: f64 = super::parts::LN_PI;

/// ln 2.
const LN_2: f64 = core::f64::consts::LN_2;

/// ln p(x) = -ln(1 + z²) - ln scale - ln(π/2), with z = x/scale, and -∞ for x < 0.
#[differentiable]
pub fn log_density(x: f64, scale: f64) -> f64 {
    if x < 0.0 {
        return outside(scale > 0.0);
    }
    let ln_scale: f64 = ln_positive(scale);
    let ln_kernel: f64 = ln_1p_square(x / scale);
    -ln_kernel - ln_scale - (LN_PI - LN_2)
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], scale: f64) -> f64 {
    if any_below(x, 0.0) {
        return outside(scale > 0.0);
    }
    let mut sum = 0.0;
    for v in x {
        let term: f64 = ln_1p_square(*v / scale);
        sum += term;
    }
    let ln_scale: f64 = ln_positive(scale);
    let each: f64 = ln_scale + (LN_PI - LN_2);
    -sum - x.len() as f64 * each
}

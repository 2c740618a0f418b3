//! The Cauchy distribution, on all numbers: that of Student with one degree of freedom.

use super::parts::{ln_1p_square, ln_positive};
use crate::differentiable;

/// ln π.
const LN_PI: f64 = super::parts::LN_PI;

/// ln p(x) = -ln(1 + z²) - ln scale - ln π, with z = (x - location)/scale.
#[differentiable]
pub fn log_density(x: f64, location: f64, scale: f64) -> f64 {
    let z = (x - location) / scale;
    let ln_scale: f64 = ln_positive(scale);
    let ln_kernel: f64 = ln_1p_square(z);
    -ln_kernel - ln_scale - LN_PI
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], location: f64, scale: f64) -> f64 {
    let mut sum = 0.0;
    for v in x {
        let term: f64 = ln_1p_square((*v - location) / scale);
        sum += term;
    }
    let ln_scale: f64 = ln_positive(scale);
    let each: f64 = ln_scale + LN_PI;
    -sum - x.len() as f64 * each
}

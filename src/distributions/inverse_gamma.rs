//! The inverse gamma distribution, on x > 0: that of the inverse of a gamma variable.

use super::parts::{LARGE, any_at_most, gamma_constant, inverse_gamma_part, ln_positive, outside};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::differentiable;

/// ln p(x) = shape ln scale - ln Γ(shape) - (shape + 1) ln x - scale/x, and -∞ for x ≤ 0.
#[differentiable]
pub fn log_density(x: f64, shape: f64, scale: f64) -> f64 {
    if x <= 0.0 {
        return outside(shape > 0.0 && scale > 0.0);
    }
    let ln_scale: f64 = ln_positive(scale);
    let constant: f64 = gamma_constant(shape);
    let part: f64 = inverse_gamma_part(x, shape, scale);
    part + constant - ln_scale
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], shape: f64, scale: f64) -> f64 {
    if any_at_most(x, 0.0) {
        return outside(shape > 0.0 && scale > 0.0);
    }
    let ln_scale: f64 = ln_positive(scale);
    let constant: f64 = gamma_constant(shape);
    if shape - 1.0 < LARGE {
        let mut logs = 0.0;
        let mut sum = 0.0;
        for v in x {
            logs += v.ln();
            sum += scale / *v;
        }
        return x.len() as f64 * (shape * ln_scale + constant) - (shape + 1.0) * logs - sum;
    }
    let mut sum = 0.0;
    for v in x {
        let part: f64 = inverse_gamma_part(*v, shape, scale);
        sum += part;
    }
    let each: f64 = constant - ln_scale;
    sum + x.len() as f64 * each
}

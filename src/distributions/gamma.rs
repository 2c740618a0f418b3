//! The gamma distribution, on x ≥ 0.

use super::parts::{
    LARGE, any_at_most, any_below, gamma_constant, gamma_part, ln_positive, outside,
};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::differentiable;

/// ln p(x) = shape ln rate - ln Γ(shape) + (shape - 1) ln x - rate x, and -∞ for x < 0.
///
/// At x = 0 it is ∞ for shape < 1, ln rate for shape = 1, and -∞ for shape > 1.
#[differentiable]
pub fn log_density(x: f64, shape: f64, rate: f64) -> f64 {
    if x < 0.0 {
        return outside(shape > 0.0 && rate > 0.0);
    }
    let ln_rate: f64 = ln_positive(rate);
    let constant: f64 = gamma_constant(shape);
    let part: f64 = gamma_part(x, shape, rate);
    part + constant + ln_rate
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], shape: f64, rate: f64) -> f64 {
    if any_below(x, 0.0) {
        return outside(shape > 0.0 && rate > 0.0);
    }
    let ln_rate: f64 = ln_positive(rate);
    let constant: f64 = gamma_constant(shape);
    let zeros: bool = any_at_most(x, 0.0);
    if shape - 1.0 < LARGE && !zeros {
        let mut logs = 0.0;
        let mut sum = 0.0;
        for v in x {
            logs += v.ln();
            sum += *v;
        }
        return (shape - 1.0) * logs - rate * sum + x.len() as f64 * (shape * ln_rate + constant);
    }
    let mut sum = 0.0;
    for v in x {
        let part: f64 = gamma_part(*v, shape, rate);
        sum += part;
    }
    let each: f64 = constant + ln_rate;
    sum + x.len() as f64 * each
}

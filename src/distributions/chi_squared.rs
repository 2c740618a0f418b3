//! The chi-squared distribution, on x ≥ 0: a gamma distribution with half the degrees of freedom as shape, and rate 1/2.

use super::parts::{LARGE, any_at_most, any_below, gamma_constant, gamma_part, outside};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::differentiable;

/// ln 2.
const LN_2: f64 = core::f64::consts::LN_2;

/// ln p(x) = (ν/2 - 1) ln x - x/2 - ln Γ(ν/2) - ν/2 ln 2, with ν degrees of freedom, and -∞ for x < 0.
///
/// At x = 0 it is ∞ for ν < 2, -ln 2 for ν = 2, and -∞ for ν > 2.
#[differentiable]
pub fn log_density(x: f64, degrees_of_freedom: f64) -> f64 {
    if x < 0.0 {
        return outside(degrees_of_freedom > 0.0);
    }
    let shape = 0.5 * degrees_of_freedom;
    let constant: f64 = gamma_constant(shape);
    let part: f64 = gamma_part(x, shape, 0.5);
    part + constant - LN_2
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], degrees_of_freedom: f64) -> f64 {
    if any_below(x, 0.0) {
        return outside(degrees_of_freedom > 0.0);
    }
    let shape = 0.5 * degrees_of_freedom;
    let constant: f64 = gamma_constant(shape);
    let zeros: bool = any_at_most(x, 0.0);
    if shape - 1.0 < LARGE && !zeros {
        let mut logs = 0.0;
        let mut sum = 0.0;
        for v in x {
            logs += v.ln();
            sum += *v;
        }
        return (shape - 1.0) * logs - 0.5 * sum + x.len() as f64 * (constant - shape * LN_2);
    }
    let mut sum = 0.0;
    for v in x {
        let part: f64 = gamma_part(*v, shape, 0.5);
        sum += part;
    }
    let each: f64 = constant - LN_2;
    sum + x.len() as f64 * each
}

//! The logistic distribution, on all numbers.

use super::parts::ln_positive;
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::{differentiable, primitive};

/// ln p(x) = -z - 2 ln(1 + e⁻ᶻ) - ln scale, with z = (x - location)/scale.
#[differentiable]
pub fn log_density(x: f64, location: f64, scale: f64) -> f64 {
    let ln_scale: f64 = ln_positive(scale);
    let term: f64 = kernel((x - location) / scale);
    term - ln_scale
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], location: f64, scale: f64) -> f64 {
    let mut sum = 0.0;
    for v in x {
        let term: f64 = kernel((*v - location) / scale);
        sum += term;
    }
    let ln_scale: f64 = ln_positive(scale);
    sum - x.len() as f64 * ln_scale
}

/// -z - 2 ln(1 + e⁻ᶻ), an even function.
#[primitive(partials(z = -(0.5 * z).tanh()))]
fn kernel(z: f64) -> f64 {
    let size = z.abs();
    -size - 2.0 * (-size).exp().ln_1p()
}

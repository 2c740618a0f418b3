//! The Gumbel distribution, on all numbers: that of maxima.

use super::parts::ln_positive;
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::{differentiable, primitive};

/// ln p(x) = -z - e⁻ᶻ - ln scale, with z = (x - location)/scale.
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

/// -z - e⁻ᶻ.
#[primitive(partials(z = (-z).exp_m1()))]
fn kernel(z: f64) -> f64 {
    let power = (-z).exp();
    if power == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    -z - power
}

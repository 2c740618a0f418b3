//! The inverse Gaussian distribution (Wald), on x > 0.

use super::parts::{any_at_most, ln_positive, outside};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::{differentiable, primitive};

/// Half the logarithm of 2π.
const HALF_LN_2_PI: f64 = super::parts::HALF_LN_2_PI;

/// ln p(x) = (ln shape - 3 ln x - ln 2π)/2 - shape (x - mean)²/(2 mean² x), and -∞ for x ≤ 0.
#[differentiable]
pub fn log_density(x: f64, mean: f64, shape: f64) -> f64 {
    if x <= 0.0 {
        return outside(mean > 0.0 && shape > 0.0);
    }
    let off: f64 = change(x, mean);
    let ln_shape: f64 = ln_positive(shape);
    -0.5 * shape * off * (off / x) - 1.5 * x.ln() + 0.5 * ln_shape - HALF_LN_2_PI
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], mean: f64, shape: f64) -> f64 {
    if any_at_most(x, 0.0) {
        return outside(mean > 0.0 && shape > 0.0);
    }
    let mut sum = 0.0;
    for v in x {
        let off: f64 = change(*v, mean);
        sum += 0.5 * shape * off * (off / *v) + 1.5 * v.ln();
    }
    let ln_shape: f64 = ln_positive(shape);
    x.len() as f64 * (0.5 * ln_shape - HALF_LN_2_PI) - sum
}

/// (x - mean)/mean, NaN unless the mean is positive.
#[primitive(partials(x = 1.0 / mean, mean = -(x / mean) / mean))]
fn change(x: f64, mean: f64) -> f64 {
    if mean > 0.0 {
        (x - mean) / mean
    } else {
        f64::NAN
    }
}

//! The negative binomial distribution, on the counts 0, 1, 2, ...: a Poisson distribution whose rate has a gamma distribution.

use super::parts::{binomial, digamma_step, float, ln_1p_excess, ln_ratio};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::{differentiable, primitive};

/// The log probability of this count, by the mean and the shape a of the rate's distribution:
/// ln C(k + a - 1, k) + a ln(a/(a + mean)) + k ln(mean/(a + mean)).
///
/// The variance is mean + mean²/shape, so for large shapes it is the Poisson distribution.
///
/// ```
/// use chainrule::distributions::{negative_binomial, poisson};
///
/// let difference = negative_binomial::log_mass(3, 2.5, 1e12) - poisson::log_mass(3, 2.5);
/// assert!(difference.abs() < 1e-11);
/// ```
#[primitive(partials(
    mean = if mean == 0.0 && count == 0 { -1.0 } else { (float(count) - mean) / (mean * (1.0 + mean / shape)) },
    shape = shape_slope(count, mean, shape),
))]
pub fn log_mass(count: u64, mean: f64, shape: f64) -> f64 {
    if !(mean >= 0.0 && shape > 0.0) {
        return f64::NAN;
    }
    let (k, total) = (float(count), mean + shape);
    let of_shape = -(mean / shape).ln_1p();
    if count == 0 {
        return shape * of_shape;
    }
    let of_mean = if mean < shape {
        ln_ratio(mean, total)
    } else {
        -(shape / mean).ln_1p()
    };
    let share = [shape / total, mean / total];
    binomial(shape, k, share, [of_shape, of_mean]) - (k / shape).ln_1p()
}

/// ψ(k + a) - ψ(a) - ln(1 + mean/a) + (mean - k)/(mean + a), where large shapes a cancel.
#[differentiable]
fn shape_slope(count: u64, mean: f64, shape: f64) -> f64 {
    let total = mean + shape;
    if count >= 20 {
        return digamma_step(shape, float(count)) - (mean / shape).ln_1p()
            + (mean - float(count)) / total;
    }
    let mut sum = 0.0;
    for j in 0..count {
        let j = j as f64;
        sum += (mean - j) / (shape + j) / total;
    }
    sum - ln_1p_excess(mean / shape)
}

/// The log probability by shape and rate of the distribution of the Poisson distribution's rate, with the mean shape/rate.
#[differentiable]
pub fn log_mass_by_rate(count: u64, shape: f64, rate: f64) -> f64 {
    if rate <= 0.0 {
        return f64::NAN;
    }
    log_mass(count, shape / rate, shape)
}

/// The sum of the log mass over all counts, with the same mean and shape.
#[differentiable]
pub fn log_likelihood(counts: &[u64], mean: f64, shape: f64) -> f64 {
    let mut sum = 0.0;
    for count in counts {
        let term: f64 = log_mass(*count, mean, shape);
        sum += term;
    }
    sum
}

//! The normal distribution, on all numbers.

use super::parts::ln_positive;
use crate::differentiable;

/// Half the logarithm of 2π.
const HALF_LN_2_PI: f64 = super::parts::HALF_LN_2_PI;

/// ln p(x) = -z²/2 - ln scale - ln(2π)/2, with z = (x - location)/scale.
///
/// ```
/// use chainrule::distributions::normal;
///
/// assert!((normal::log_density(1.0, 1.0, 2.0) + 1.612_085_713_764_618).abs() < 1e-15);
/// // By x, by the location, and by the scale.
/// assert_eq!(normal::log_density::gradient(5.0, 1.0, 2.0), (-1.0, 1.0, 1.5));
/// ```
#[differentiable]
pub fn log_density(x: f64, location: f64, scale: f64) -> f64 {
    let z = (x - location) / scale;
    let ln_scale: f64 = ln_positive(scale);
    -0.5 * z * z - ln_scale - HALF_LN_2_PI
}

/// The sum of the log density over all `x`.
///
/// ```
/// use chainrule::distributions::normal;
///
/// let x = [0.0, 3.0];
/// let (_, (x_bar, location_bar, scale_bar)) = normal::log_likelihood::value_and_gradient(&x, 1.0, 1.0);
/// assert_eq!((x_bar, location_bar, scale_bar), (vec![1.0, -2.0], 1.0, 3.0));
/// ```
#[differentiable]
pub fn log_likelihood(x: &[f64], location: f64, scale: f64) -> f64 {
    let mut sum = 0.0;
    for v in x {
        let z = (*v - location) / scale;
        sum += z * z;
    }
    let ln_scale: f64 = ln_positive(scale);
    let each: f64 = ln_scale + HALF_LN_2_PI;
    -0.5 * sum - x.len() as f64 * each
}

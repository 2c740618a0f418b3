//! The beta distribution, on 0 ≤ x ≤ 1.

use super::parts::{
    LARGE, any_above, any_at_least, any_at_most, any_below, beta_constant, beta_part, outside,
};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::differentiable;

/// ln p(x) = (a - 1) ln x + (b - 1) ln(1 - x) - ln B(a, b), and -∞ for x < 0 and x > 1.
///
/// At x = 0 it is ∞ for a < 1, ln b for a = 1, and -∞ for a > 1; so it is at 1 with a and b exchanged.
///
/// ```
/// use chainrule::distributions::beta;
///
/// assert!((beta::log_density(0.0, 1.0, 3.0) - 3.0_f64.ln()).abs() < 1e-15);
/// assert_eq!(beta::log_density::value_and_gradient(1.5, 2.0, 3.0), (f64::NEG_INFINITY, (0.0, 0.0, 0.0)));
/// ```
#[allow(clippy::manual_range_contains, reason = "NaN is on neither side")]
#[differentiable]
pub fn log_density(x: f64, a: f64, b: f64) -> f64 {
    if x < 0.0 || x > 1.0 {
        return outside(a > 0.0 && b > 0.0);
    }
    let constant: f64 = beta_constant(a, b);
    let part: f64 = beta_part(x, a, b);
    part + constant
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], a: f64, b: f64) -> f64 {
    if any_below(x, 0.0) || any_above(x, 1.0) {
        return outside(a > 0.0 && b > 0.0);
    }
    let constant: f64 = beta_constant(a, b);
    let low: bool = any_at_most(x, 0.0);
    let high: bool = any_at_least(x, 1.0);
    let small = a - 1.0 < LARGE || b - 1.0 < LARGE;
    if small && !low && !high {
        let mut logs = 0.0;
        let mut other_logs = 0.0;
        for v in x {
            logs += v.ln();
            other_logs += (-*v).ln_1p();
        }
        return (a - 1.0) * logs + (b - 1.0) * other_logs + x.len() as f64 * constant;
    }
    let mut sum = 0.0;
    for v in x {
        let part: f64 = beta_part(*v, a, b);
        sum += part;
    }
    sum + x.len() as f64 * constant
}

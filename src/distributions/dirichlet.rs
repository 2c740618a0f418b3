//! The Dirichlet distribution, on vectors of numbers xᵢ ≥ 0 with the sum 1.

use super::parts::{any_at_most, any_below, outside};
use crate::differentiable;
use crate::functions::xlogy;
use crate::special::ln_gamma;

/// ln p(x) = ln Γ(Σ aᵢ) - Σ ln Γ(aᵢ) + Σ (aᵢ - 1) ln xᵢ, with the concentrations aᵢ, and -∞ if a number is negative.
///
/// The sum of `x` is not checked: the function and its derivatives are those of the formula for all positive numbers. The density is that of
/// all numbers but the last.
///
/// # Panics
/// If there aren't as many concentrations as numbers.
///
/// ```
/// use chainrule::distributions::dirichlet;
///
/// // Constant on the triangle, whose area is 1/2.
/// assert_eq!(dirichlet::log_density(&[0.2, 0.3, 0.5], &[1.0; 3]), 2.0_f64.ln());
/// ```
#[differentiable]
pub fn log_density(x: &[f64], concentration: &[f64]) -> f64 {
    assert_eq!(x.len(), concentration.len(), "the number of concentrations");
    let valid: bool = !any_at_most(concentration, 0.0);
    if any_below(x, 0.0) || !valid {
        return outside(valid);
    }
    let mut sum = 0.0;
    let mut total = 0.0;
    for i in 0..x.len() {
        let logs: f64 = xlogy(concentration[i] - 1.0, x[i]);
        let constant: f64 = ln_gamma(concentration[i]);
        sum += logs - constant;
        total += concentration[i];
    }
    let constant: f64 = ln_gamma(total);
    sum + constant
}

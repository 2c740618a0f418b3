//! The multivariate normal distribution, on vectors of numbers.

use super::parts::ln_positive;
use crate::differentiable;

/// Half the logarithm of 2π.
const HALF_LN_2_PI: f64 = super::parts::HALF_LN_2_PI;

/// ln p(x) = -|z|²/2 - Σ ln Lᵢᵢ - n ln(2π)/2, with z = L⁻¹ (x - location).
///
/// L is Cholesky's factor of the covariance L Lᵀ. `cholesky` holds its lower triangle, row by row: L₀₀, L₁₀, L₁₁, L₂₀, ...
///
/// # Panics
/// If the lengths don't agree: n numbers for `x` and `location`, and n (n + 1)/2 for `cholesky`.
///
/// ```
/// use chainrule::distributions::{multivariate_normal, normal};
///
/// // Independent numbers with the scales 1 and 2.
/// let (x, location, cholesky) = ([1.0, 4.0], [0.0, 0.0], [1.0, 0.0, 2.0]);
/// let value = multivariate_normal::log_density(&x, &location, &cholesky);
/// let want = normal::log_density(1.0, 0.0, 1.0) + normal::log_density(4.0, 0.0, 2.0);
/// assert!((value - want).abs() < 1e-15);
/// ```
#[differentiable]
pub fn log_density(x: &[f64], location: &[f64], cholesky: &[f64]) -> f64 {
    let n = x.len();
    assert_eq!(location.len(), n, "the length of the location");
    assert_eq!(
        cholesky.len(),
        n * (n + 1) / 2,
        "the length of Cholesky's factor"
    );
    let mut z = alloc::vec![0.0; n];
    let mut square = 0.0;
    let mut ln_diagonal = 0.0;
    let mut start = 0;
    for i in 0..n {
        let row = &cholesky[start..=start + i];
        let mut rest = x[i] - location[i];
        for j in 0..i {
            rest -= row[j] * z[j];
        }
        z[i] = rest / row[i];
        square += z[i] * z[i];
        let ln_entry: f64 = ln_positive(row[i]);
        ln_diagonal += ln_entry;
        start += i + 1;
    }
    -0.5 * square - ln_diagonal - n as f64 * HALF_LN_2_PI
}

//! The von Mises distribution, of angles: on all numbers, with the period 2π.

#[cfg(not(feature = "std"))]
use crate::Real;
use crate::{differentiable, primitive};

/// Half the logarithm of 2π.
const HALF_LN_2_PI: f64 = super::parts::HALF_LN_2_PI;

/// ln p(x) = concentration cos(x - location) - ln I₀(concentration) - ln 2π, for concentration ≥ 0.
///
/// It is the density of an angle: its integral over one period is 1.
///
/// ```
/// use chainrule::distributions::von_mises;
///
/// let turn = core::f64::consts::TAU;
/// let value = von_mises::log_density(1.0, 0.5, 2.0);
/// assert!((von_mises::log_density(1.0 + turn, 0.5, 2.0) - value).abs() < 1e-14);
/// // Without concentration all angles are as likely.
/// assert!((von_mises::log_density(1.0, 0.5, 0.0) + turn.ln()).abs() < 1e-15);
/// ```
#[differentiable]
pub fn log_density(x: f64, location: f64, concentration: f64) -> f64 {
    let sine = (0.5 * (x - location)).sin();
    let constant: f64 = scaled_ln_i0(concentration);
    -2.0 * concentration * sine * sine - constant - 2.0 * HALF_LN_2_PI
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], location: f64, concentration: f64) -> f64 {
    let mut sum = 0.0;
    for v in x {
        let sine = (0.5 * (*v - location)).sin();
        sum += sine * sine;
    }
    let constant: f64 = scaled_ln_i0(concentration);
    let each = constant + 2.0 * HALF_LN_2_PI;
    -2.0 * concentration * sum - x.len() as f64 * each
}

/// From here on the asymptotic series is exact to rounding.
const LARGE: f64 = 20.0;

/// ln I₀(κ) - κ.
#[primitive(partials(kappa = slope(kappa)))]
fn scaled_ln_i0(kappa: f64) -> f64 {
    if kappa < 0.0 {
        return f64::NAN;
    }
    if kappa < LARGE {
        let square = 0.25 * kappa * kappa;
        let (mut term, mut sum) = (1.0, 0.0);
        for k in 1..60 {
            let k = f64::from(k);
            term *= square / (k * k);
            sum += term;
        }
        return sum.ln_1p() - kappa;
    }
    let [more, _, _] = asymptotic(kappa);
    more.ln_1p() - 0.5 * kappa.ln() - HALF_LN_2_PI
}

/// I₁(κ)/I₀(κ) - 1 (DLMF 10.29.3).
#[primitive(partials(kappa = curvature(kappa)))]
fn slope(kappa: f64) -> f64 {
    if kappa < LARGE {
        return kappa * half_quotient(kappa) - 1.0;
    }
    let [more, first, _] = asymptotic(kappa);
    first / (1.0 + more) - 0.5 / kappa
}

/// Its derivative, 1 - A/κ - A² with A = I₁(κ)/I₀(κ) (DLMF 10.29.3).
#[differentiable]
fn curvature(kappa: f64) -> f64 {
    if kappa < LARGE {
        let quotient = half_quotient(kappa);
        return 1.0 - quotient - (kappa * quotient).powi(2);
    }
    let [more, first, second] = asymptotic(kappa);
    let relative = first / (1.0 + more);
    second / (1.0 + more) - relative * relative + 0.5 / (kappa * kappa)
}

/// I₁(κ)/(κ I₀(κ)), by the power series.
///
/// # Source
/// DLMF 10.25.2.
#[differentiable]
fn half_quotient(kappa: f64) -> f64 {
    let square = 0.25 * kappa * kappa;
    let mut term = 1.0;
    let mut zero = 1.0;
    let mut one = 1.0;
    for k in 1..60 {
        let k = f64::from(k);
        term *= square / (k * k);
        zero += term;
        one += term / (k + 1.0);
    }
    0.5 * one / zero
}

/// I₀(κ) e^(-κ) √(2πκ) - 1, and its first and second derivative.
///
/// # Source
/// DLMF 10.40.1.
#[differentiable]
fn asymptotic(kappa: f64) -> [f64; 3] {
    let mut term = 1.0;
    let mut sums = [0.0; 3];
    for k in 1..30 {
        let k = f64::from(k);
        term *= (2.0 * k - 1.0) * (2.0 * k - 1.0) / (8.0 * k * kappa);
        sums[0] += term;
        sums[1] -= k * term / kappa;
        sums[2] += k * (k + 1.0) * term / (kappa * kappa);
    }
    sums
}

//! Student's t distribution, on all numbers.

use super::parts::{ln_1p_excess, ln_1p_less, ln_1p_square, ln_positive, stirling};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::special::{digamma, ln_beta};
use crate::{differentiable, primitive};

/// Half the logarithm of 2π.
const HALF_LN_2_PI: f64 = super::parts::HALF_LN_2_PI;

/// ln p(x) = ln Γ((ν + 1)/2) - ln Γ(ν/2) - ln(νπ)/2 - ln scale - (ν + 1)/2 ln(1 + z²/ν), with z = (x - location)/scale
/// and ν degrees of freedom.
///
/// For many degrees of freedom this is the normal distribution.
///
/// ```
/// use chainrule::distributions::{normal, student_t};
///
/// // The density is 1/(3 √3).
/// assert!((student_t::log_density(1.0, 2.0, 0.0, 1.0) + 3.0_f64.ln() * 1.5).abs() < 1e-15);
/// assert_eq!(student_t::log_density(1.0, 1e300, 0.0, 2.0), normal::log_density(1.0, 0.0, 2.0));
/// ```
#[differentiable]
pub fn log_density(x: f64, degrees_of_freedom: f64, location: f64, scale: f64) -> f64 {
    let z = (x - location) / scale;
    let ln_scale: f64 = ln_positive(scale);
    let term: f64 = kernel(z, degrees_of_freedom);
    let constant: f64 = constant(degrees_of_freedom);
    term + constant - ln_scale
}

/// The sum of the log density over all `x`.
#[differentiable]
pub fn log_likelihood(x: &[f64], degrees_of_freedom: f64, location: f64, scale: f64) -> f64 {
    let ln_scale: f64 = ln_positive(scale);
    let mut sum = 0.0;
    if degrees_of_freedom < 1e4 {
        let unit = degrees_of_freedom.sqrt() * scale;
        for v in x {
            let term: f64 = ln_1p_square((*v - location) / unit);
            sum += term;
        }
        sum *= -0.5 * (degrees_of_freedom + 1.0);
    } else {
        for v in x {
            let term: f64 = kernel((*v - location) / scale, degrees_of_freedom);
            sum += term;
        }
    }
    let constant: f64 = constant(degrees_of_freedom);
    sum + x.len() as f64 * (constant - ln_scale)
}

/// -(ν + 1)/2 ln(1 + z²/ν).
///
/// The partials are -(ν + 1) z/(ν + z²), and with u = z²/ν half of u/(ν (1 + u)) - (ln(1 + u) - u/(1 + u)).
#[primitive(partials(
    z = -(1.0 + 1.0 / nu) * over_one_plus_square(z, nu),
    nu = 0.5 * share(z, nu) / nu - 0.5 * excess(z, nu),
))]
fn kernel(z: f64, nu: f64) -> f64 {
    if nu > 1e17 {
        return -0.5 * z * z;
    }
    -0.5 * (nu + 1.0) * ln_1p_square(z / nu.sqrt())
}

/// z/(1 + z²/ν).
#[differentiable]
fn over_one_plus_square(z: f64, nu: f64) -> f64 {
    let root = nu.sqrt();
    let r = z / root;
    if r.abs() > 1.0 {
        root / (r + 1.0 / r)
    } else {
        z / (1.0 + r * r)
    }
}

/// u/(1 + u), with u = z²/ν.
#[differentiable]
fn share(z: f64, nu: f64) -> f64 {
    let r = z / nu.sqrt();
    if r.abs() > 1.0 {
        let inverse = 1.0 / r;
        1.0 / (1.0 + inverse * inverse)
    } else {
        r * r / (1.0 + r * r)
    }
}

/// ln(1 + u) - u/(1 + u), with u = z²/ν.
///
/// Its partial by u is u/(1 + u)².
#[primitive(partials(
    z = 2.0 * share(z, nu) * over_one_plus_square(z, nu) / nu,
    nu = -share(z, nu) * share(z, nu) / nu,
))]
fn excess(z: f64, nu: f64) -> f64 {
    let r = z / nu.sqrt();
    if r.abs() > 0.5 {
        return ln_1p_square(r) - share(z, nu);
    }
    ln_1p_excess(r * r)
}

/// From here on the series of [`stirling`] holds for half the degrees of freedom.
const LARGE: f64 = 20.0;

/// ln Γ((ν + 1)/2) - ln Γ(ν/2) - ln(νπ)/2.
#[primitive(partials(
    nu = if nu < LARGE {
        0.5 * (digamma(0.5 * nu + 0.5) - digamma(0.5 * nu) - 1.0 / nu)
    } else {
        0.5 * (ln_1p_excess(1.0 / nu) + stirling(1, 0.5 * nu + 0.5) - stirling(1, 0.5 * nu))
    },
))]
fn constant(nu: f64) -> f64 {
    let half = 0.5 * nu;
    if nu < LARGE {
        -ln_beta(half, 0.5) - 0.5 * ln_positive(nu)
    } else {
        half * ln_1p_less(1.0 / nu) - HALF_LN_2_PI + stirling(0, half + 0.5) - stirling(0, half)
    }
}

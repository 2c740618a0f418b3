//! The gamma and the beta function, and their logarithms.

use super::polygamma_functions::digamma;
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::primitive;

/// The gamma function; NaN at negative integers, infinite at 0 and from about 171.6 on.
///
/// Its derivative is Γ(x) ψ(x) (DLMF 5.2.2), with the [`digamma`](fn@digamma) function ψ.
///
/// ```
/// use chainrule::special::gamma;
///
/// assert_eq!(gamma(5.0), 24.0);
/// assert!((gamma::derivative(2.0) - 0.422_784_335_098_467_14).abs() < 1e-15);
/// ```
#[primitive(result = y, partials(x = y * digamma(x)))]
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// The logarithm of the gamma function's absolute value; infinite at 0 and at negative integers.
///
/// Its derivative is the [`digamma`](fn@digamma) function (DLMF 5.2.2).
///
/// ```
/// use chainrule::special::ln_gamma;
///
/// assert_eq!(ln_gamma(2.0), 0.0);
/// assert!((ln_gamma(1000.0) - 5905.220_423_209_181).abs() < 1e-11);
/// ```
#[primitive(partials(x = digamma(x)))]
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The beta function Γ(a) Γ(b) / Γ(a + b), for a, b > 0.
///
/// Its partials are y (ψ(a) - ψ(a + b)) and y (ψ(b) - ψ(a + b)), with the [`digamma`](fn@digamma) function ψ.
///
/// ```
/// use chainrule::special::beta;
///
/// assert!((beta(2.0, 3.0) - 1.0 / 12.0).abs() < 1e-16);
/// ```
#[primitive(result = y, partials(
    a = y * (digamma(a) - digamma(a + b)),
    b = y * (digamma(b) - digamma(a + b)),
))]
pub fn beta(a: f64, b: f64) -> f64 {
    // The gamma functions lose less than the exponential does, until they overflow.
    if a.min(b) > 1e-10 && a + b < 170.0 {
        gamma(a) / gamma(a + b) * gamma(b)
    } else {
        ln_beta(a, b).exp()
    }
}

/// The logarithm of the [`beta`](fn@beta) function, for a, b > 0.
///
/// Its partials are ψ(a) - ψ(a + b) and ψ(b) - ψ(a + b), with the [`digamma`](fn@digamma) function ψ.
///
/// ```
/// use chainrule::special::ln_beta;
///
/// // -ln(1e10), where a difference of three logarithms of gamma functions has no digits left.
/// assert!((ln_beta(1.0, 1e10) + 23.025_850_929_940_457).abs() < 1e-14);
/// ```
#[primitive(partials(
    a = digamma(a) - digamma(a + b),
    b = digamma(b) - digamma(a + b),
))]
pub fn ln_beta(a: f64, b: f64) -> f64 {
    let (a, b) = if a < b { (a, b) } else { (b, a) };
    if b < STIRLING {
        return ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    }
    let rest = remainder(b) - remainder(a + b) - (b - 0.5) * (a / b).ln_1p();
    if a < STIRLING {
        ln_gamma(a) - a * ((a + b).ln() - 1.0) + rest
    } else {
        let half_ln_2_pi = 0.918_938_533_204_672_8;
        half_ln_2_pi - 0.5 * (a + b).ln() - (a - 0.5) * (b / a).ln_1p() + remainder(a) + rest
    }
}

/// From here on the terms of [`remainder`] are exact to rounding.
const STIRLING: f64 = 10.0;

/// The remainder of Stirling's formula (x - 1/2) ln x - x + ln(2π)/2 for ln Γ(x).
///
/// # Source
/// DLMF 5.11.1.
fn remainder(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
        -3617.0 / 122_400.0,
    ];
    let square = (x * x).recip();
    let sum = TERMS
        .iter()
        .rev()
        .fold(0.0, |sum, term| sum * square + term);
    sum / x
}

//! The binomial distribution, on 0 ≤ successes ≤ trials.

use super::parts::{binomial, float};
#[cfg(not(feature = "std"))]
use crate::Real;
use crate::functions::{log1pexp, logistic};
use crate::{differentiable, primitive};

/// The log probability of this many successes, ln C(n, k) + k ln p + (n - k) ln(1 - p), and -∞ for more successes than
/// trials.
///
/// At p = 0 and p = 1 impossible outcomes have -∞.
#[primitive(partials(
    probability = if successes > trials {
        0.0
    } else {
        slope(float(successes), float(trials - successes), probability)
    },
))]
pub fn log_mass(successes: u64, trials: u64, probability: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    if successes > trials {
        return f64::NEG_INFINITY;
    }
    let (k, m) = (float(successes), float(trials - successes));
    let (p, q) = (probability, 1.0 - probability);
    binomial(k, m, [p, q], [p.ln(), (-p).ln_1p()])
}

/// k/p - m/(1 - p), whose terms are 0 for no successes and no failures.
#[differentiable]
fn slope(#[constant] k: f64, #[constant] m: f64, p: f64) -> f64 {
    let up = if k == 0.0 { 0.0 } else { k / p };
    let down = if m == 0.0 { 0.0 } else { m / (1.0 - p) };
    up - down
}

/// The log probability by the logit ln(p/(1 - p)), with all digits where p is next to 0 or 1.
///
/// ```
/// use chainrule::distributions::binomial;
///
/// let (value, logit_bar) = binomial::log_mass_by_logit::value_and_gradient(1, 3, 800.0);
/// assert!((value + 1600.0 - 3.0_f64.ln()).abs() < 1e-12);
/// assert_eq!(logit_bar, -2.0);
/// ```
#[primitive(partials(
    logit = if successes > trials {
        0.0
    } else {
        float(successes) * logistic(-logit) - float(trials - successes) * logistic(logit)
    },
))]
pub fn log_mass_by_logit(successes: u64, trials: u64, logit: f64) -> f64 {
    if logit.is_nan() {
        return f64::NAN;
    }
    if successes > trials {
        return f64::NEG_INFINITY;
    }
    let (k, m) = (float(successes), float(trials - successes));
    binomial(
        k,
        m,
        [logistic(logit), logistic(-logit)],
        [-log1pexp(-logit), -log1pexp(logit)],
    )
}

//! The Bernoulli distribution, on `true` and `false`: one trial.

#[cfg(not(feature = "std"))]
use crate::Real;
use crate::functions::log1pexp;
use crate::{differentiable, primitive};

/// The log probability of the outcome: ln p of a success, ln(1 - p) of a failure.
///
/// At p = 0 and p = 1 an impossible outcome has -∞.
#[primitive(partials(
    probability = if success { 1.0 / probability } else { -1.0 / (1.0 - probability) },
))]
pub fn log_mass(success: bool, probability: f64) -> f64 {
    if success && probability <= 1.0 {
        probability.ln()
    } else if !success && probability >= 0.0 {
        (-probability).ln_1p()
    } else {
        f64::NAN
    }
}

/// The log probability of the outcome, by the logit ln(p/(1 - p)): -ln(1 + e^-logit) of a success, -ln(1 + e^logit) of a
/// failure.
///
/// ```
/// use chainrule::distributions::bernoulli;
///
/// assert_eq!(bernoulli::log_mass_by_logit::value_and_gradient(false, 1000.0), (-1000.0, -1.0));
/// ```
#[differentiable]
pub fn log_mass_by_logit(success: bool, logit: f64) -> f64 {
    let against = if success { -logit } else { logit };
    let value: f64 = log1pexp(against);
    -value
}

/// The sum of the log probability of all outcomes, with a logit for each.
///
/// # Panics
/// If there aren't as many logits as outcomes.
#[differentiable]
pub fn log_likelihood_by_logits(success: &[bool], logits: &[f64]) -> f64 {
    assert_eq!(success.len(), logits.len(), "the number of logits");
    let mut sum = 0.0;
    for i in 0..logits.len() {
        let against = if success[i] { -logits[i] } else { logits[i] };
        let term: f64 = log1pexp(against);
        sum += term;
    }
    -sum
}

//! The Poisson distribution, on the counts 0, 1, 2, ...

use super::parts::{float, gamma_constant, gamma_part, log_rate_part};
use crate::{differentiable, primitive};

/// The log probability of this count, k ln rate - rate - ln k!.
///
/// With the rate 0 the count 0 has 0, and all others -∞.
#[primitive(partials(
    rate = if rate == 0.0 && count == 0 { -1.0 } else { (float(count) - rate) / rate },
))]
pub fn log_mass(count: u64, rate: f64) -> f64 {
    let shape = float(count) + 1.0;
    if rate >= 0.0 {
        gamma_part(rate, shape, 1.0) + gamma_constant(shape)
    } else {
        f64::NAN
    }
}

/// The log probability by the logarithm of the rate.
///
/// ```
/// use chainrule::distributions::poisson;
///
/// assert_eq!(poisson::log_mass_by_log_rate::value_and_gradient(1, -900.0), (-900.0, 1.0));
/// ```
#[primitive(partials(log_rate = float(count) - log_rate.exp()))]
pub fn log_mass_by_log_rate(count: u64, log_rate: f64) -> f64 {
    let k = float(count);
    let shape = k + 1.0;
    log_rate_part(k, log_rate) + gamma_constant(shape)
}

/// The sum of the log mass over all counts, with the same rate.
#[differentiable]
pub fn log_likelihood(counts: &[u64], rate: f64) -> f64 {
    let mut sum = 0.0;
    for count in counts {
        let term: f64 = log_mass(*count, rate);
        sum += term;
    }
    sum
}

/// The sum of the log mass over all counts, with a logarithm of the rate for each.
///
/// # Panics
/// If there aren't as many logarithms as counts.
#[differentiable]
pub fn log_likelihood_by_log_rates(counts: &[u64], log_rates: &[f64]) -> f64 {
    assert_eq!(
        counts.len(),
        log_rates.len(),
        "the number of logarithms of rates"
    );
    let mut sum = 0.0;
    for i in 0..log_rates.len() {
        let term: f64 = log_mass_by_log_rate(counts[i], log_rates[i]);
        sum += term;
    }
    sum
}

//! The categorical distribution, on the categories 0 to n - 1.

use crate::differentiable;
use crate::functions::logsumexp;

/// The log probability of a category, by logits: that of the category, less ln Σ exp logits.
///
/// # Panics
/// If there is no such category.
///
/// ```
/// use chainrule::distributions::categorical;
///
/// let (value, logits_bar) = categorical::log_mass_by_logits::value_and_gradient(0, &[2000.0, 1000.0]);
/// assert_eq!((value, logits_bar), (0.0, vec![0.0, 0.0]));
/// ```
#[differentiable]
pub fn log_mass_by_logits(category: usize, logits: &[f64]) -> f64 {
    assert!(
        category < logits.len(),
        "category {category} of {}",
        logits.len()
    );
    let normaliser: f64 = logsumexp(logits);
    logits[category] - normaliser
}

/// The sum of the log mass over all categories observed, with the same logits.
///
/// # Panics
/// If there is no such category.
#[differentiable]
pub fn log_likelihood_by_logits(categories: &[usize], logits: &[f64]) -> f64 {
    let mut sum = 0.0;
    for category in categories {
        assert!(
            *category < logits.len(),
            "category {category} of {}",
            logits.len()
        );
        sum += logits[*category];
    }
    let normaliser: f64 = logsumexp(logits);
    sum - categories.len() as f64 * normaliser
}

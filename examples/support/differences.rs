//! A check of a gradient against finite differences.

use crate::Result;
use std::fmt::{self, Write};

/// The difference between a gradient and finite differences of its function.
pub struct Disagreement {
    /// The largest difference of a component.
    absolute: f64,
    /// The same in units of the largest component.
    relative: f64,
    /// The largest estimated error of the differences themselves.
    uncertainty: f64,
}

/// Compares `gradient`, taken at `x`, with extrapolated central differences of `f`.
pub fn disagreement(x: &[f64], gradient: &[f64], f: impl Fn(&[f64]) -> f64) -> Disagreement {
    let mut at = x.to_vec();
    let (mut absolute, mut uncertainty) = (0.0, 0.0);
    for j in 0..x.len() {
        let (expected, error) = derivative(|h| {
            at[j] = x[j] + h;
            f(&at)
        });
        at[j] = x[j];
        let difference = (gradient[j] - expected).abs();
        absolute = worse(absolute, difference);
        uncertainty = worse(uncertainty, error);
    }
    let largest = gradient.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    Disagreement {
        absolute,
        relative: absolute / largest.max(f64::MIN_POSITIVE),
        uncertainty,
    }
}

/// The larger one, where `max` would drop a NaN, which is the worst of all.
fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}

impl Disagreement {
    /// Adds a line to the report.
    ///
    /// # Errors
    ///
    /// Never: a `String` takes everything.
    pub fn describe(&self, report: &mut String) -> fmt::Result {
        writeln!(
            report,
            "gradient  within {:.1e} (relative {:.1e}) of extrapolated central differences good to {:.1e}",
            self.absolute, self.relative, self.uncertainty
        )
    }

    /// # Errors
    ///
    /// When the differences are no good, or the gradient is further from them than both can explain.
    pub fn require(&self, tolerance: f64) -> Result<()> {
        if !self.uncertainty.is_finite() {
            return Err("central differences fail where the gradient is checked".into());
        }
        if self.relative <= tolerance || self.absolute <= 10.0 * self.uncertainty {
            return Ok(());
        }
        Err(format!(
            "the gradient is {:.1e} (relative {:.1e}) off central differences that are good to {:.1e}",
            self.absolute, self.relative, self.uncertainty
        )
        .into())
    }
}

/// The derivative of `f` at 0 and an estimate of its error: central differences at halved steps, extrapolated
/// to a step of zero.
///
/// The entry of the tableau that differs least from its neighbours wins, since smaller steps lose to
/// rounding what they gain in truncation error.
///
/// # Source
///
/// C. J. F. Ridders, Accurate computation of F'(x) and F'(x) F''(x), Advances in Engineering Software 4,
/// 1982, p. 75.
fn derivative(mut f: impl FnMut(f64) -> f64) -> (f64, f64) {
    let (mut best, mut least_error) = (f64::NAN, f64::INFINITY);
    let mut above: Vec<f64> = Vec::new();
    let mut h = 0.1;
    for _ in 0..9 {
        let mut row = vec![(f(h) - f(-h)) / (2.0 * h)];
        let mut power = 1.0;
        for (k, coarser) in above.iter().enumerate() {
            power *= 4.0;
            let extrapolated = row[k] + (row[k] - coarser) / (power - 1.0);
            let error = f64::max(
                (extrapolated - row[k]).abs(),
                (extrapolated - coarser).abs(),
            );
            if error < least_error {
                (best, least_error) = (extrapolated, error);
            }
            row.push(extrapolated);
        }
        above = row;
        h *= 0.5;
    }
    (best, least_error)
}

//! Eigenvalues and singular values that count as equal, for the second derivatives of functions that have only the values, and not the vectors.
//!
//! In: sorted values, their tangents, cotangents, and the tangents of the cotangents. The vectors of equal values are chosen such that the direction is diagonal
//! among them. A function of the values that doesn't depend on their order has equal cotangents for equal values. Then the choice is of
//! no effect on the gradient, and its derivative is right. Any other function has a kink, and its second derivative is NaN.

use alloc::vec::Vec;
use core::ops::Range;

/// Relative distance of values that count as equal: an error of this order is made if they aren't, and one of the order of the
/// roundoff divided by their distance if they are taken apart.
const NEAR: f64 = 1.5e-8;

/// The distance at which values count as equal: all are as inaccurate as the largest of them.
#[allow(clippy::cast_precision_loss)]
pub(super) fn roundoff(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    4.0 * f64::EPSILON * values.len() as f64 * largest
}

/// Runs of sorted values that count as equal.
pub(super) fn clusters(values: &[f64]) -> Vec<Range<usize>> {
    let roundoff = roundoff(values);
    let near = |a: f64, b: f64| (a - b).abs() <= roundoff.max(NEAR * a.abs().min(b.abs()));
    let mut runs = Vec::new();
    let mut start = 0;
    for k in 1..=values.len() {
        if k == values.len() || !near(values[k - 1], values[k]) {
            runs.push(start..k);
            start = k;
        }
    }
    runs
}

/// The second-order information on values.
pub(super) struct Change<'a> {
    pub(super) values: &'a [f64],
    pub(super) dot: &'a [f64],
    pub(super) bar: &'a [f64],
    pub(super) bar_dot: &'a [f64],
}

impl Change<'_> {
    /// `(bar[j] - bar[i])/(values[j] - values[i])` of values that don't count as equal.
    pub(super) fn quotient(&self, i: usize, j: usize) -> f64 {
        (self.bar[j] - self.bar[i]) / (self.values[j] - self.values[i])
    }

    /// The factor of what a direction mixes of two vectors whose values count as equal, which is none of it: zero where the
    /// function is smooth, and NaN where it isn't.
    pub(super) fn of_equal(&self, i: usize, j: usize) -> f64 {
        let largest = |x: &[f64]| x.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let gap = (self.values[j] - self.values[i]).abs();
        let step = (self.bar[j] - self.bar[i]).abs();
        let noise = 64.0 * f64::EPSILON * largest(self.bar);
        let sizes = |x: &[f64]| x[i].abs() + x[j].abs();
        let along = 8.0 * largest(self.bar_dot) / largest(self.dot);
        let curvature = along.max(1e3 * sizes(self.bar) / sizes(self.values));
        // A cotangent changes from one value to the next by no more than the gap explains.
        let explained = step <= noise || step <= noise + curvature * gap;
        // And by as much as it does along the direction.
        let dot = self.dot[j] - self.dot[i];
        let bar_dot = self.bar_dot[j] - self.bar_dot[i];
        let consistent = gap <= roundoff(self.values) || {
            let (slope, bound) = (self.quotient(i, j), noise / gap);
            let size = sizes(self.bar_dot) + slope.abs() * sizes(self.dot);
            (bar_dot - slope * dot).abs() <= bound * dot.abs() + 1e-5 * size
        };
        if explained && consistent {
            0.0
        } else {
            f64::NAN
        }
    }
}

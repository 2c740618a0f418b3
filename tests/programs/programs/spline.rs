//! A natural cubic spline: a tridiagonal system for the second derivatives, then a search for the interval.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Spline {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Second derivatives at the knots.
    bend: Vec<f64>,
}

flat!(Spline { x: Vec<f64>, y: Vec<f64>, bend: Vec<f64> });

#[differentiable]
impl Spline {
    fn new(x: &[f64], y: &[f64]) -> Spline {
        let n = x.len();
        let mut bend = vec![0.0; n];
        let mut upper = vec![0.0; n];
        for i in 1..n - 1 {
            let (left, right) = (x[i] - x[i - 1], x[i + 1] - x[i]);
            let slope = (y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left;
            let pivot = 2.0 * (left + right) - left * upper[i - 1];
            upper[i] = right / pivot;
            bend[i] = (6.0 * slope - left * bend[i - 1]) / pivot;
        }
        for i in (1..n - 1).rev() {
            bend[i] -= upper[i] * bend[i + 1];
        }
        Spline {
            x: x.to_vec(),
            y: y.to_vec(),
            bend,
        }
    }

    fn interval(&self, t: f64) -> usize {
        let (mut lo, mut hi) = (0, self.x.len() - 1);
        while hi - lo > 1 {
            let middle = (lo + hi) / 2;
            if self.x[middle] > t {
                hi = middle;
            } else {
                lo = middle;
            }
        }
        lo
    }

    fn value(&self, t: f64) -> f64 {
        let i = self.interval(t);
        let h = self.x[i + 1] - self.x[i];
        let (a, b) = ((self.x[i + 1] - t) / h, (t - self.x[i]) / h);
        a * self.y[i]
            + b * self.y[i + 1]
            + ((a.powi(3) - a) * self.bend[i] + (b.powi(3) - b) * self.bend[i + 1]) * h * h / 6.0
    }
}

#[differentiable]
fn interpolated(x: &[f64], y: &[f64], t: f64) -> f64 {
    Spline::new(x, y).value(t)
}

#[differentiable]
fn misfit(x: &[f64], y: &[f64], #[constant] data: &[(f64, f64)]) -> f64 {
    let spline = Spline::new(x, y);
    let mut total = 0.0;
    for &(t, v) in data {
        total += (spline.value(t) - v).powi(2);
    }
    total
}

const X: [f64; 5] = [-1.0, -0.2, 0.5, 1.4, 2.0];
const Y: [f64; 5] = [0.7, 1.9, -0.4, 1.3, 0.2];
const DATA: [(f64, f64); 3] = [(-0.7, 0.3), (0.9, 1.2), (1.7, -0.1)];

/// A straight line is its own spline.
#[test]
fn of_a_line() {
    let y: Vec<f64> = X.iter().map(|x| 2.0 * x + 1.0).collect();
    let (_, _, t_bar) = interpolated::gradient(&X, &y, 0.9);
    assert!((t_bar - 2.0).abs() < 1e-14);
}

table! {
    interpolated: (&X, &Y, -0.7), (&X, &Y, 0.9), (&X, &Y, 1.7), (&X[..2].to_vec(), &Y[..2].to_vec(), -0.3);
    misfit: for n in 0..4, (&X, &Y, const &DATA[..n]);
}

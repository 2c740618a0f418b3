//! A curve between knots that are a constant field: errors hold them, and branches, searches and calls read them.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug, Differentiable)]
struct Curve {
    #[constant]
    knots: Vec<f64>,
    #[constant]
    scale: f64,
    values: Vec<f64>,
}
flat!(Curve { values: Vec<f64> });

#[derive(Clone, Debug, PartialEq)]
enum CurveError {
    TooFewKnots(usize),
    OutOfRange { t: f64, lo: f64, hi: f64 },
}

#[differentiable]
#[inline(never)]
fn decay(x: f64, #[constant] rate: f64) -> f64 {
    x * (-rate).exp()
}

#[differentiable]
impl Curve {
    fn eval(&self, #[constant] t: f64) -> Result<f64, CurveError> {
        if self.values.len() < 2 {
            return Err(CurveError::TooFewKnots(self.values.len()));
        }
        let (lo, hi) = (self.knots[0], *self.knots.last().unwrap());
        if !(lo..=hi).contains(&t) {
            return Err(CurveError::OutOfRange { t, lo, hi });
        }
        let i = match self.knots.binary_search_by(|k| k.total_cmp(&t)) {
            Ok(i) => return Ok(self.values[i]),
            Err(i) => i - 1,
        };
        let h = self.knots[i + 1] - self.knots[i];
        let a = (self.knots[i + 1] - t) / h;
        Ok(a * self.values[i] + (1.0 - a) * self.values[i + 1])
    }

    /// A constant field in a branch, in a loop, and as a constant argument.
    fn faded(&self) -> f64 {
        let rate = if self.scale > 1.0 { self.scale } else { 0.5 };
        let mut last = self.scale;
        let mut total = 0.0;
        for (value, knot) in self.values.iter().zip(&self.knots) {
            total += decay(*value, rate) * decay(*value, last);
            last = *knot;
        }
        total
    }
}

#[differentiable]
fn area(curve: &Curve, n: usize) -> f64 {
    let mut total = 0.0;
    for k in 0..n {
        total += match curve.eval(0.5 * k as f64) {
            Ok(y) => y * y,
            Err(_) => 0.25,
        };
    }
    total + curve.faded()
}

fn curve(values: &[f64], scale: f64) -> Curve {
    Curve {
        knots: vec![0.0, 1.0, 1.75],
        scale,
        values: values.to_vec(),
    }
}

table! {
    area: for n in 0..6, (&curve(&[0.7, 1.9, -0.4], 1.2), const n), (&curve(&[0.3, 0.2, 0.9], 0.2), const n);
}

#[test]
fn errors() {
    let lines = curve(&[0.7, 1.9, -0.4], 1.0);
    let outside = CurveError::OutOfRange {
        t: 2.0,
        lo: 0.0,
        hi: 1.75,
    };
    assert_eq!(lines.eval_value_and_gradient(2.0).unwrap_err(), outside);
    let short = curve(&[0.7], 1.0);
    assert_eq!(
        short.eval_gradient(0.5).unwrap_err(),
        CurveError::TooFewKnots(1)
    );
}

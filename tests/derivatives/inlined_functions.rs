//! Functions that are inlined as operations: with constant parameters, early exits and patterns, into functions and methods.

use chainrule::prelude::*;

use crate::check::{irregular, table};

const SCALE: f64 = 2.0;

#[differentiable]
fn weighted(a: f64, w: &[f64], #[constant] x: &[f64]) -> f64 {
    let mut sum = a;
    for (w, x) in w.iter().zip(x) {
        let z = w - x;
        if z > 5.0 {
            return a * w * SCALE;
        }
        sum += z * z;
    }
    sum
}

#[differentiable]
fn newton(a: f64, #[constant] steps: usize) -> Result<f64, &'static str> {
    let mut y = a;
    for k in 0..steps {
        if y <= 0.0 {
            return Err("left");
        }
        let next = 0.5 * (y + a / y);
        if (next - y).abs() < 1e-3 && k > 2 {
            return Ok(next);
        }
        y = next;
    }
    Ok(y)
}

#[differentiable]
fn fill(out: &mut [f64], w: &[f64], #[constant] x: &[f64]) {
    if x.is_empty() {
        return;
    }
    for i in 0..out.len() {
        out[i] = w[i] * x[i % x.len()] + out[i] * 0.5;
    }
}

#[differentiable]
fn kind(a: f64, k: Option<usize>) -> f64 {
    match k {
        Some(0) => a.sin(),
        Some(k) => a * k as f64,
        None => a * a,
    }
}

#[differentiable]
fn all(w: &[f64]) -> f64 {
    let data = [0.5, 1.5, -2.0];
    let mut out = vec![w[0]; w.len()];
    let mut s = 0.0;
    for k in 0..3 {
        fill(&mut out, w, &data[k..]);
        fill(&mut out[1..], &w[1..], &data);
        s += weighted(w[k], &out, &data) + weighted(w[k] * 9.0, w, &data[1..]);
        s += newton(w[k] * w[k] + 1.0, 9).unwrap_or(w[k]) + newton(-w[k].abs(), 9).unwrap_or(w[0]);
        s += kind(w[k], Some(k)) + kind(w[k], None);
    }
    s
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    w: Vec<f64>,
    b: f64,
}

#[differentiable]
impl Model {
    fn loss(&self, #[constant] x: &[f64]) -> f64 {
        let mut terms = vec![self.b; self.w.len()];
        fill(&mut terms, &self.w, x);
        let mut s = 0.0;
        for k in 0..self.w.len() {
            s += weighted(self.w[k] * self.b, &terms, x)
                * newton(terms[k] * terms[k] + 0.3, 7).unwrap_or(1.0);
        }
        s
    }
}

#[differentiable]
fn by_method(w: &[f64], b: f64) -> f64 {
    let m = Model { w: w.to_vec(), b };
    m.loss(&[0.5, 0.2, 0.9])
}

table! {
    all: (&irregular(6, 0.3)), (&irregular(5, 0.6));
    by_method: (&irregular(4, 0.3), 0.8);
}

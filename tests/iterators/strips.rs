//! Loops that carry sums of the primal beside what is computed in lanes, of lengths around that of a strip.

use chainrule::prelude::*;

use crate::check::{irregular, table};

fn x(n: usize) -> Vec<f64> {
    irregular(n, 0.7)
}

#[differentiable]
fn valley(v: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..v.len() - 1 {
        let a = v[i + 1] - v[i] * v[i];
        let b = 1.0 - v[i];
        total += 100.0 * a * a + b * b;
    }
    total
}

#[differentiable]
fn from_the_second(v: &[f64]) -> f64 {
    let mut total = 0.5;
    for i in 1..v.len() {
        let a = v[i] - v[i - 1] * v[i - 1];
        let b = 1.0 - v[i - 1];
        total -= 100.0 * a * a + b * b;
    }
    total
}

/// Two sums, one of them with two terms in each trip, and a window of two elements.
#[differentiable]
fn energies(v: &[f64], h: f64) -> f64 {
    let (mut kinetic, mut potential) = (0.0, 1.0);
    for i in 1..v.len() - 1 {
        let d = (v[i - 1] - 2.0 * v[i] + v[i + 1]) / (h * h);
        kinetic += d * d;
        potential -= 0.25 * v[i] * v[i] * v[i];
        potential += 0.5 * d * v[i];
    }
    kinetic * potential
}

/// The trips write elements of their own, and read rows of a matrix.
#[differentiable]
fn in_rows(v: &[f64], out: &mut [f64], #[constant] k: usize) -> f64 {
    let n = out.len();
    let mut total = 0.0;
    for j in 0..n {
        let a = v[k * n + j] - v[j];
        let b = 2.0 * a * v[k * n + j] + v[j] * v[j];
        out[j] += a * b;
        total += a * a * b + b * b;
    }
    total
}

#[differentiable]
fn row_sums(v: &[f64], #[constant] n: usize) -> f64 {
    let mut out = vec![1.0; n];
    let mut total = in_rows(v, &mut out, 1);
    for o in &out {
        total += o * o;
    }
    total
}

#[differentiable]
fn signed(v: &[f64]) -> f64 {
    let mut s = -0.0;
    let mut t = 0.0;
    for i in 0..v.len() {
        let a = v[i] * v[i] - 1.0;
        let b = a * v[i] + 2.0 * a * a;
        s -= a * b * b - b;
        t += a.abs() * b * b * 0.5 + a * v[i];
        s += (b * b + 1.0).sqrt();
    }
    s * t
}

#[differentiable]
fn gathered(v: &[f64], #[constant] idx: &[usize]) -> f64 {
    let mut s = 0.0;
    for i in 0..idx.len() {
        let a = v[idx[i]] * v[i] - 1.0;
        let b = a * v[i] + 2.0 * a * a;
        s += a * b * b - b * a + v[i] * v[i] * b;
    }
    s
}

table! {
    valley: for n in [1, 2, 15, 16, 17, 18, 32, 33, 34, 50], (&x(n));
    from_the_second: for n in [1, 2, 16, 17, 18, 33, 34], (&x(n));
    energies: for n in [2, 3, 16, 17, 18, 19, 34, 35], (&x(n), 0.8);
    row_sums: for n in [1, 16, 17, 33], (&x(2 * n), const n);
    signed: for n in [0, 1, 15, 16, 17, 33], (&x(n));
    gathered: for n in [20], (&x(n), const &(0..n).map(|i| (i * 7) % n).collect::<Vec<_>>());
}

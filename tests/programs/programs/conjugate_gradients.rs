//! A linear system solved until the residual is small: how often, the values decide.

use chainrule::prelude::*;

use crate::check::{check, table};

#[differentiable]
#[inline(never)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += a[i] * b[i];
    }
    sum
}

/// `y += a * x`.
#[differentiable]
#[inline(never)]
fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

#[differentiable]
#[inline(never)]
fn multiply(a: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut y = vec![0.0; n];
    for (i, row) in a.chunks_exact(n).enumerate() {
        y[i] = dot(row, x);
    }
    y
}

#[differentiable]
#[inline(never)]
fn solve(a: &[f64], b: &[f64], #[constant] tolerance: f64) -> Vec<f64> {
    let mut x = vec![0.0; b.len()];
    let mut r = b.to_vec();
    let mut p = r.clone();
    let mut rr = dot(&r, &r);
    let mut steps = 0;
    while rr.sqrt() > tolerance && steps < 50 {
        let q = multiply(a, &p);
        let alpha = rr / dot(&p, &q);
        axpy(alpha, &p, &mut x);
        axpy(-alpha, &q, &mut r);
        let next = dot(&r, &r);
        let beta = next / rr;
        for (p, r) in p.iter_mut().zip(&r) {
            *p = r + beta * *p;
        }
        rr = next;
        steps += 1;
    }
    x
}

#[differentiable]
#[inline(never)]
fn energy(a: &[f64], b: &[f64], #[constant] tolerance: f64) -> f64 {
    let x = solve(a, b, tolerance);
    dot(&x, b)
}

const A: [f64; 9] = [2.3, 0.4, -0.3, 0.4, 1.9, 0.2, -0.3, 0.2, 1.4];
const B: [f64; 3] = [0.7, 1.9, -0.4];

/// `d (b' x) / dA = -x x'` for symmetric changes, whatever path the iteration takes, once it has converged.
#[test]
fn converged() {
    let x = solve(&A, &B, 1e-12);
    let (a_bar, b_bar) = energy::gradient(&A, &B, 1e-12);
    for i in 0..3 {
        assert!((b_bar[i] - 2.0 * x[i]).abs() < 1e-10);
        for j in 0..3 {
            let both = a_bar[3 * i + j] + a_bar[3 * j + i];
            assert!((both + 2.0 * x[i] * x[j]).abs() < 1e-10, "{both}");
        }
    }
}

#[test]
fn not_converged() {
    for tolerance in [10.0, 0.5, 0.05] {
        check!(energy(&A, &B, const tolerance));
    }
}

table! {
    dot: for n in 0..4, (&A[..n].to_vec(), &B[..n].to_vec());
}

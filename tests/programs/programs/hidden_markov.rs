//! The forward algorithm of a hidden Markov model, scaled at each step.

use chainrule::prelude::*;

use crate::check::table;

/// Rows of a matrix become distributions.
#[differentiable]
#[inline(never)]
fn softmax_rows(logits: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut out = logits.to_vec();
    for row in out.iter_mut() {
        let mut sum = 0.0;
        for v in row.iter_mut() {
            *v = v.exp();
            sum += *v;
        }
        for v in row.iter_mut() {
            *v /= sum;
        }
    }
    out
}

/// The logarithm of the probability of what was observed.
#[differentiable]
#[inline(never)]
fn log_probability(transition: &[Vec<f64>], emission: &[Vec<f64>], observed: &[usize]) -> f64 {
    let n = transition.len();
    let transition = softmax_rows(transition);
    let emission = softmax_rows(emission);
    let mut alpha = vec![1.0 / n as f64; n];
    let mut total = 0.0;
    for (t, &symbol) in observed.iter().enumerate() {
        if t > 0 {
            let mut next = vec![0.0; n];
            for i in 0..n {
                for j in 0..n {
                    next[j] += alpha[i] * transition[i][j];
                }
            }
            alpha = next;
        }
        let mut scale = 0.0;
        for j in 0..n {
            alpha[j] *= emission[j][symbol];
            scale += alpha[j];
        }
        for a in &mut alpha {
            *a /= scale;
        }
        total += scale.ln();
    }
    total
}

fn logits(n: usize, m: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| (0..m).map(|j| ((i * m + j) as f64).sin()).collect())
        .collect()
}

/// The same by summation over all paths.
fn by_enumeration(transition: &[Vec<f64>], emission: &[Vec<f64>], observed: &[usize]) -> f64 {
    let (a, b) = (softmax_rows(transition), softmax_rows(emission));
    let n = a.len();
    let mut total = 0.0;
    for path in 0..n.pow(observed.len() as u32) {
        let state = |t: usize| path / n.pow(t as u32) % n;
        let mut p = 1.0 / n as f64;
        for (t, symbol) in observed.iter().enumerate() {
            if t > 0 {
                p *= a[state(t - 1)][state(t)];
            }
            p *= b[state(t)][*symbol];
        }
        total += p;
    }
    total.ln()
}

#[test]
fn agrees_with_all_paths() {
    let (a, b) = (logits(2, 2), logits(2, 3));
    let observed = [0, 2, 1, 2];
    let want = by_enumeration(&a, &b, &observed);
    assert!((log_probability(&a, &b, &observed) - want).abs() < 1e-14);
}

table! {
    log_probability: for n in 0..4, (&logits(2, 2), &logits(2, 3), const &[2, 0, 1][..n]);
}

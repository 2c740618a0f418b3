//! Indices that run beside a loop's counter, one further in each trip.

use chainrule::prelude::*;

use crate::check::{irregular, table};

fn x(n: usize) -> Vec<f64> {
    irregular(n, 0.7)
}

/// The lower triangle of a matrix, packed by rows.
#[differentiable]
fn packed(l: &[f64], v: &[f64]) -> f64 {
    let n = v.len();
    let mut z = v.to_vec();
    let mut idx = 0;
    for i in 0..n {
        for j in i + 1..n {
            z[j] += l[idx] * v[i];
            idx += 1;
        }
    }
    let mut total = 0.0;
    for i in 0..n {
        total += z[i] * z[i];
    }
    total * idx as f64
}

/// The index is used before and after it moves, and behind the loop, which may not run.
#[differentiable]
fn beside(v: &[f64], #[constant] lo: usize, #[constant] hi: usize) -> f64 {
    let (mut a, mut b) = (1, lo + 2);
    let mut total = 1.0;
    for i in lo..hi {
        total *= 1.0 + v[a] * i as f64;
        a += 1;
        total += v[a] * v[b];
        b += 1;
    }
    total * (a + 10 * b) as f64
}

/// Not in each trip, or not by one.
#[differentiable]
fn at_times(v: &[f64]) -> f64 {
    let (mut found, mut twice) = (0, 0);
    let mut kept = vec![0.0; v.len()];
    let mut total = 0.0;
    for i in 0..v.len() {
        if v[i] > 0.0 {
            kept[found] = v[i] * v[i];
            found += 1;
        }
        total += twice as f64 * v[i];
        twice += 2;
    }
    let mut rest = 0;
    for k in &kept {
        total += k * rest as f64;
        rest += 1;
        if rest > 3 {
            break;
        }
    }
    total * (found + 10 * rest) as f64
}

#[differentiable]
fn backwards(v: &[f64]) -> f64 {
    let mut k = 0;
    let mut total = 0.0;
    for i in (0..v.len()).rev() {
        total = total * v[k] + v[i] * k as f64;
        k += 1;
    }
    total
}

#[differentiable]
fn kept_counts(v: &[f64], #[constant] n: usize) -> f64 {
    let mut out = vec![0.0; n];
    let (mut k, mut m) = (0, 0);
    for i in 0..n {
        out[k] = v[m] * v[i];
        k += 1;
        let old = m;
        m = m + 1;
        out[old] *= v[old] + m as f64;
    }
    let mut total = 0.0;
    let mut c = k;
    for o in &out {
        total += o * o * c as f64;
        c += 1;
    }
    total
}

/// The inner loops read what the outer trip has reached: an index, a number, a flag.
#[differentiable]
fn reached(c: &[f64], l: &[f64]) -> f64 {
    let (n, mut at, mut factor, mut turn) = (c.len(), 0, 1.0, false);
    let mut z = vec![0.5; n];
    for i in 0..n {
        for j in i + 1..n {
            z[j] += l[at + j - i - 1] * c[i] * factor;
        }
        if !turn {
            for j in i + 1..n {
                if z[j] > 0.0 {
                    z[j] *= factor + l[at] * l[at + j - i - 1];
                }
            }
        }
        at += n - i - 1;
        factor = 0.5 * factor + z[i].sin();
        turn = factor < 0.3;
    }
    z.iter().map(|z| z * z).sum::<f64>() + factor
}

table! {
    reached: (&irregular(5, 0.7), &irregular(10, 1.3)), (&vec![0.4], &vec![]);
    packed: for n in 0..6, (&x(n * n), &x(n));
    beside: for n in 0..5, (&x(12), const n, const 4), (&x(12), const 0, const n);
    at_times: for n in 0..8, (&x(n));
    backwards: for n in 0..6, (&x(n));
    kept_counts: for n in 0..6, (&x(8), const n);
}

//! Loops that keep or replace what they carry: extrema, the last of a kind, and what only looks like them.

use chainrule::prelude::*;

use crate::check::{irregular, table};

#[differentiable]
fn least(x: &[f64], y: &[f64]) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..x.len() {
        let s = (x[i] - y[i]) * (x[i] - y[i]) + 0.1 * x[i];
        if s < best {
            best = s;
        }
    }
    best
}

/// The value in front of the loop may stay.
#[differentiable]
fn from_first(x: &[f64]) -> f64 {
    let mut most = x[0] * x[0];
    for v in &x[1..] {
        most = most.max(v * v * v);
    }
    most * x[1]
}

/// Of zeros of both signs either may be the greater one, so that a checked driver may find another value than the function's.
#[differentiable(checked = false)]
fn other_order(x: &[f64]) -> f64 {
    let mut most = x[0];
    let mut least = 2.0 * x[0];
    for v in x {
        most = (v * 1.5).max(most);
    }
    for v in x {
        least = f64::min(v.sin(), least);
    }
    most * least
}

/// Several values are replaced at once, and an index that moves beside.
#[differentiable]
fn partners(x: &[f64], y: &[f64]) -> f64 {
    let (mut best, mut partner, mut at) = (x[0], y[0], 0);
    let mut k = 1;
    for i in 1..x.len() {
        let v = x[i] * y[k];
        if v > best {
            best = v;
            partner = y[k] * y[k] * x[i];
            at = k;
        }
        k += 1;
    }
    best * partner + at as f64 * x[0]
}

#[differentiable]
fn sides_exchanged(x: &[f64]) -> f64 {
    let mut best = 0.0;
    for &v in x {
        best = if v * v <= best { best } else { v * v };
    }
    best
}

/// The greatest of the least.
#[differentiable]
fn nested(x: &[f64], y: &[f64]) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for a in x {
        let mut least = f64::INFINITY;
        for b in y {
            let d = (a - b) * (a - b) + 0.01 * a * b;
            if d < least {
                least = d;
            }
        }
        most = most.max(least * a);
    }
    most
}

#[differentiable]
fn branches_in_branches(x: &[f64]) -> f64 {
    let mut last = x[0];
    for i in 0..x.len() {
        if i % 2 == 1 {
            let v = x[i] * x[i - 1];
            if v > 0.0 {
                last = v.sqrt() + x[i];
            }
        }
    }
    last * x[2]
}

#[differentiable]
fn first_beyond(x: &[f64], #[constant] bound: f64) -> f64 {
    let mut found = x[0];
    for i in 1..x.len() {
        if x[i] * x[i] > bound {
            found = x[i] * x[i - 1];
            break;
        }
    }
    found
}

/// A loop without a counter.
#[differentiable]
fn bisected(x: &[f64]) -> f64 {
    let mut best = x[0];
    let (mut lo, mut hi) = (0, x.len());
    while hi - lo > 1 {
        let mid = (lo + hi) / 2;
        let v = x[mid].exp();
        if v > 1.0 {
            best = v * x[0];
            lo = mid;
        } else {
            hi = mid;
        }
    }
    best
}

/// Each trip has an array and references of its own.
#[differentiable]
fn scratch(x: &[f64]) -> f64 {
    let mut best = f64::INFINITY;
    for row in x.chunks_exact(3) {
        let mut powers = [0.0; 3];
        for (p, v) in powers.iter_mut().zip(row) {
            *p = v * v + 0.5 * v;
        }
        let s: f64 = powers.iter().zip(row).map(|(p, v)| p * v).sum();
        if s < best {
            best = s;
        }
    }
    best
}

/// The new value depends on the old one: each replacement counts.
#[differentiable]
fn mixed(x: &[f64]) -> f64 {
    let mut best = x[0];
    for v in x {
        if *v > best {
            best = 0.25 * best + 0.75 * v;
        }
    }
    best
}

/// A sum beside the extremum.
#[differentiable]
fn beside_a_sum(x: &[f64]) -> f64 {
    let (mut most, mut sum) = (x[0], 0.0);
    for v in x {
        sum += v * v;
        if *v * sum > most {
            most = v * v;
        }
    }
    most * sum
}

/// A trip writes to what it reads.
#[differentiable]
fn written(x: &mut [f64]) -> f64 {
    let mut most = 0.0;
    for i in 1..x.len() {
        x[i] += 0.5 * x[i - 1];
        if x[i] > most {
            most = x[i] * x[i];
        }
    }
    most
}

#[differentiable]
fn written_by_reference(x: &mut [f64], y: f64) -> f64 {
    let (mut least, mut most, mut first) = (f64::INFINITY, 0.0, 1.0);
    for i in 0..x.len() / 3 {
        let row = &mut x[i * 3..i * 3 + 3];
        row[0] += y;
        let s = row[0] * row[1] * row[0];
        if s < least {
            least = s;
        }
    }
    for v in x.iter_mut() {
        *v += y;
        if *v * *v > most {
            most = *v * *v;
        }
    }
    for c in x.chunks_mut(2) {
        let [a, b] = c else { break };
        *a *= y;
        std::mem::swap(a, b);
        if *a * *b > first {
            first = *a * *b;
        }
    }
    least * most + first * x[0]
}

#[differentiable]
fn written_behind(x: &mut [f64]) -> f64 {
    let mut most = f64::NEG_INFINITY;
    for v in x.iter() {
        most = most.max(v * v);
    }
    for v in x.iter_mut() {
        *v /= most;
    }
    x[0] * x[1] + most
}

#[differentiable]
fn by_iterators(x: &[f64], y: &[f64]) -> f64 {
    let most = x.iter().map(|v| v * v).fold(f64::NEG_INFINITY, f64::max);
    let least = x.iter().zip(y).map(|(a, b)| a * b).reduce(f64::min);
    let by = y.iter().map(|v| v.sin()).max_by(|a, b| a.total_cmp(b));
    most * least.unwrap_or(1.0) + by.unwrap()
}

#[differentiable]
fn log_sum_exp(x: &[f64]) -> f64 {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    x.iter().map(|v| (v - most).exp()).sum::<f64>().ln() + most
}

#[differentiable]
fn generic<T: Real>(x: &[T]) -> T {
    let mut best = x[0];
    for &v in x {
        if v * v > best {
            best = v * v;
        }
    }
    best * x[0]
}

#[differentiable]
fn of_numbers(x: &[f64]) -> f64 {
    generic(x)
}

/// The winner of a loop decides what another loop reads.
#[differentiable]
fn assigned(centroids: &[f64], #[constant] points: &[f64]) -> f64 {
    let mut total = 0.0;
    for p in points {
        let (mut best, mut nearest) = (f64::INFINITY, 0);
        for (k, c) in centroids.iter().enumerate() {
            let d = (c - p) * (c - p);
            if d < best {
                (best, nearest) = (d, k);
            }
        }
        total += best.sqrt() * centroids[nearest];
    }
    total
}

fn x(n: usize) -> Vec<f64> {
    irregular(n, 0.7)
}

/// The selected tuple has a name.
#[differentiable]
fn named_tuple(x: &[f64], y: &[f64], #[constant] k: &[usize]) -> f64 {
    let m = x
        .iter()
        .enumerate()
        .min_by(|a, b| a.1.partial_cmp(b.1).unwrap())
        .unwrap();
    let pair = x
        .iter()
        .zip(y.iter())
        .max_by(|a, b| (a.0 * a.1).total_cmp(&(b.0 * b.1)))
        .unwrap();
    let k = k.iter().enumerate().min_by(|a, b| a.1.cmp(b.1)).unwrap();
    m.1 * m.1 * m.0 as f64 + pair.0 / pair.1 + x[k.0] * y[*k.1]
}

fn y(n: usize) -> Vec<f64> {
    irregular(n, 1.9)
}

table! {
    named_tuple: (&x(5), &y(5), const &[3, 1, 2]);
    least: (&x(7), &y(7)), (&Vec::new(), &Vec::new());
    from_first: (&x(7)), (&vec![2.0, 0.3]);
    other_order: (&x(7));
    partners: (&x(7), &y(7)), (&vec![9.0, 0.1], &y(2));
    sides_exchanged: (&x(7)), (&Vec::new());
    nested: (&x(5), &y(6));
    branches_in_branches: (&x(8)), (&vec![0.5, -0.3, 0.7]);
    first_beyond: (&x(8), const 0.5), (&x(8), const 100.0);
    bisected: (&x(9));
    scratch: (&x(12));
    mixed: (&x(7));
    beside_a_sum: (&x(7));
    written: (&mut x(7));
    written_by_reference: (&mut x(7), 0.4);
    written_behind: (&mut x(7));
    by_iterators: (&x(7), &y(7));
    log_sum_exp: (&x(7));
    of_numbers: (&x(7));
    assigned: (&x(4), const &[0.2, 1.4, -0.6]);
}

/// The first of equal ones has the derivative, and what isn't a number is passed over.
#[test]
fn ties_and_nan() {
    let bar = |x: &[f64]| least::gradient(x, &[0.0; 4][..x.len()]).0;
    assert_eq!(bar(&[1.0, -0.5, -0.5, 1.0]), [0.0, -0.9, 0.0, 0.0]);
    let nan = f64::NAN;
    assert_eq!(bar(&[1.0, nan, 0.5, nan]), [0.0, 0.0, 1.1, 0.0]);
    assert_eq!(from_first::gradient(&[0.5, nan, 0.25]).len(), 3);
    // Either of two zeros may be the greater one, by std's documentation, so that only the derivative is known.
    assert_eq!(other_order::gradient(&[0.0, -0.0]), [0.0, 0.0]);
}

//! Local lists that a function fills and reads, in loops and in front of them, and what their shadows hold then.

use chainrule::prelude::*;

use crate::check::table;

const LIST: [f64; 24] = {
    let mut list = [0.0; 24];
    let mut i = 0;
    while i < 24 {
        list[i] = 0.13 * ((i * 29 % 19) as f64) - 0.9;
        i += 1;
    }
    list
};

/// Two passes, of which the second one doesn't read all.
#[differentiable]
fn passes(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.0; n];
    for i in 1..n {
        z[i] = x[i] * x[i - 1];
    }
    let mut s = 0.0;
    for i in (2..n).step_by(2) {
        s += z[i].sin();
    }
    s
}

/// Neighbours, so that each element has two terms.
#[differentiable]
fn neighbours(x: &[f64]) -> f64 {
    let z: Vec<f64> = x.iter().map(|x| x * x).collect();
    let mut s = 0.0;
    for i in 1..z.len() {
        s += z[i] * z[i - 1];
    }
    s
}

/// A list for each row, whose last one is shorter, and an element of it that the data choose.
#[differentiable]
fn rows(x: &[f64], #[constant] labels: &[usize], d: usize) -> f64 {
    let mut s = 0.0;
    for (row, label) in x.chunks(d).zip(labels) {
        let e: Vec<f64> = row.iter().map(|x| x.exp()).collect();
        let sum: f64 = e.iter().sum();
        let p: Vec<f64> = e.iter().map(|e| e / sum).collect();
        s -= p[label % p.len()].ln();
    }
    s
}

/// One list for all rows, which a row fills in part.
#[differentiable]
fn in_part(x: &[f64], d: usize) -> f64 {
    let mut z = vec![0.0; d];
    let mut s = 0.0;
    for i in 0..x.len() / d {
        for j in i % 2..d {
            z[j] = x[i * d + j].sin();
        }
        for j in 0..d {
            s += z[j] * z[d - 1 - j];
        }
    }
    s
}

/// Elements that are written again and again, at indices that may be equal.
#[differentiable]
fn written_again(x: &[f64], #[constant] at: &[usize]) -> f64 {
    let mut z = vec![0.0; x.len()];
    for i in 0..x.len() {
        z[i] = x[i].exp();
    }
    let mut s = 0.0;
    for (k, at) in at.iter().enumerate() {
        s += z[*at] * x[k];
        z[*at] = x[k].cos();
    }
    for i in 0..z.len() {
        s += z[i] * z[i];
    }
    s
}

/// A time step, and the one before.
#[differentiable]
fn steps(x: &[f64], steps: usize) -> f64 {
    let n = x.len();
    let mut u = x.to_vec();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + 0.2 * (u[i - 1] * u[i + 1] - u[i]);
        }
        std::mem::swap(&mut u, &mut next);
    }
    u.iter().map(|u| u.sin()).sum()
}

/// A result by a parameter, which is read where it is written.
#[differentiable]
fn product(a: &[f64], x: &[f64], y: &mut [f64]) {
    let m = a.len() / y.len();
    for i in 0..y.len() {
        y[i] = 0.0;
        for k in 0..m {
            y[i] += a[i * m + k] * x[k];
        }
        y[i] *= y[i];
    }
}

#[differentiable]
fn by_parameter(x: &[f64], rows: usize, columns: usize) -> f64 {
    let mut y = vec![1.0; rows];
    product(&x[..rows * columns], x, &mut y);
    let mut s = 0.0;
    for (i, y) in y.iter().enumerate() {
        s += y * x[i];
    }
    s
}

/// The loop needn't run, and the element in front of it is read then, too.
#[differentiable]
fn read_in_front(x: &[f64], n: usize) -> f64 {
    let mut y = x.to_vec();
    let mut s = 0.0;
    for i in 0..y.len() {
        s += y[i] * 0.5;
        for k in 0..n {
            y[i] = y[i] * y[i] * x[k];
        }
        s += y[i];
    }
    s
}

table! {
    passes: for n in [2, 3, 7, 24], (&LIST[..n].to_vec());
    neighbours: for n in [1, 2, 9], (&LIST[..n].to_vec());
    rows: for d in [3, 5, 7], (&LIST.to_vec(), const &vec![2, 0, 4, 1, 3, 0, 2, 1], const d);
    in_part: for d in [2, 3, 8], (&LIST.to_vec(), const d);
    written_again: (&LIST[..6].to_vec(), const &vec![0, 3, 3, 5, 0]);
    steps: for n in 0..4, (&LIST[..7].to_vec(), const n);
    by_parameter: for n in [0, 1, 3, 8], (&LIST.to_vec(), const 3, const n);
    read_in_front: for n in 0..3, (&LIST[..5].to_vec(), const n);
}

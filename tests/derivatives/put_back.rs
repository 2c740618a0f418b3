//! Slices of the caller's that are written in loops: what they held is put back after the reverse half, as a whole where there are more
//! stores than elements, store by store where there are fewer.

use chainrule::prelude::*;

use crate::check::{map_table, table};

const X: [f64; 12] = [
    0.7, 1.9, -0.4, 1.3, 0.2, -1.1, 2.3, 0.6, -0.8, 1.7, 0.9, -1.5,
];

fn x(n: usize) -> Vec<f64> {
    X.iter().cycle().take(n).copied().collect()
}

/// A positive definite matrix, row by row.
fn spd(n: usize) -> Vec<f64> {
    let entry = |i: usize, j: usize| if i == j { 3.0 } else { 0.4 / (i + j) as f64 };
    (0..n * n).map(|k| entry(k / n, k % n)).collect()
}

#[differentiable]
fn product(c: &mut [f64], a: &[f64], b: &[f64], n: usize, k: usize, m: usize) {
    for i in 0..n {
        let row = &mut c[i * m..(i + 1) * m];
        row.fill(0.0);
        for l in 0..k {
            let s = a[i * k + l];
            let other = &b[l * m..(l + 1) * m];
            for j in 0..m {
                row[j] += s * other[j];
            }
        }
    }
}

#[differentiable]
fn product_by_rows(c: &mut [f64], a: &[f64], b: &[f64], m: usize) {
    for (row, left) in c.chunks_exact_mut(m).zip(a.chunks_exact(m)) {
        for (s, other) in left.iter().zip(b.chunks_exact(m)) {
            for (r, o) in row.iter_mut().zip(other) {
                *r += s * o;
            }
        }
    }
}

/// Adds to what is there, and reads the sums afterwards.
#[differentiable]
fn accumulated(c: &mut [f64], a: &[f64], rounds: usize) -> f64 {
    for _ in 0..rounds {
        for i in 0..c.len() {
            c[i] += a[i] * a[0];
        }
    }
    let mut s = 0.0;
    for v in c.iter() {
        s += v * v;
    }
    s
}

/// Two rows of a matrix, of which there may be many more.
#[differentiable]
fn rotate(a: &mut [f64], n: usize, i: usize, j: usize, angle: f64) {
    let (sin, cos) = angle.sin_cos();
    for k in 0..n {
        let (p, q) = (a[i * n + k], a[j * n + k]);
        a[i * n + k] = cos * p - sin * q;
        a[j * n + k] = sin * p + cos * q;
    }
}

/// The stores of a block, at positions that the caller tells.
#[differentiable]
fn scatter(k: &mut [f64], n: usize, at: &[usize], stiffness: f64) {
    for i in at {
        for j in at {
            k[i * n + j] += if i == j {
                stiffness
            } else {
                -stiffness * stiffness
            };
        }
    }
}

#[differentiable]
fn cholesky(k: &mut [f64], n: usize) {
    for j in 0..n {
        for i in j..n {
            let mut s = k[i * n + j];
            for l in 0..j {
                s -= k[i * n + l] * k[j * n + l];
            }
            if i == j {
                k[j * n + j] = s.sqrt();
            } else {
                k[i * n + j] = s / k[j * n + j];
            }
        }
    }
}

#[differentiable]
fn forward_substitution(l: &[f64], z: &mut [f64]) {
    let n = z.len();
    for i in 0..n {
        for j in 0..i {
            z[i] -= l[i * n + j] * z[j];
        }
        z[i] /= l[i * n + i];
    }
}

/// Triangular stores that nothing reads again.
#[differentiable]
fn triangle(c: &mut [f64], x: &[f64]) {
    let n = x.len();
    for i in 0..n {
        for j in 0..=i {
            c[i * n + j] = x[i] * x[j];
        }
    }
}

/// Leaves both loops early.
#[differentiable]
fn until(c: &mut [f64], x: &[f64], limit: f64) -> f64 {
    let mut sum = 0.0;
    'rows: for i in 0..x.len() {
        for j in 0..c.len() {
            c[j] += x[i];
            sum += x[i] * x[i];
            if sum > limit {
                break 'rows;
            }
        }
        if x[i] < 0.0 {
            return sum;
        }
    }
    sum * sum
}

/// Two nests; the second is the one that counts.
#[differentiable]
fn two_nests(c: &mut [f64], x: &[f64], few: usize) {
    for i in 0..few {
        c[i] = x[i];
    }
    for i in (1..c.len()).rev() {
        c[i] = x[0] * x[i];
    }
}

/// In steps, and only where it is asked for.
#[differentiable]
fn every_other(c: &mut [f64], x: &[f64], start: usize) {
    for i in (start..c.len()).step_by(2) {
        if x[i] > 0.0 {
            c[i] *= 2.0;
        } else {
            c[i] = x[i].exp();
        }
    }
}

#[differentiable]
fn add_to(to: &mut [f64], from: &[f64]) {
    for i in 0..to.len() {
        to[i] += from[i] * from[i];
    }
}

/// The caller's memory, and a callee's rule in between.
#[differentiable]
fn called_between(a: &mut [f64], b: &[f64]) -> f64 {
    for i in 0..a.len() {
        a[i] *= b[i];
    }
    add_to(a, b);
    for i in 0..a.len() {
        a[i] = a[i] * 0.5 + b[0];
    }
    let mut s = 0.0;
    for i in 0..a.len() {
        s += a[i] * b[i];
    }
    s
}

/// A local that a callee writes several times.
#[differentiable]
fn reused_buffer(x: &[f64], n: usize) -> f64 {
    let mut c = vec![0.0; n * n];
    let mut s = 0.0;
    for _ in 0..n {
        product(&mut c, x, x, n, n, n);
        for v in &c {
            s += v.sin();
        }
        product(&mut c, &x[..n], x, n, 1, n);
        s += c[0] * c[n * n - 1];
    }
    s
}

map_table! {
    product: for n in 0..3, (&mut x(n * 2), &x(n * 3), &x(6), const n, const 3, const 2),
        (&mut x(12), &x(2), &x(2 * n), const 1, const 2, const n);
    product_by_rows: for n in 0..4, (&mut x(n * 2), &x(n * 2), &x(4), const 2);
    rotate: for j in 1..4, (&mut x(12), const 3, const 0, const j, 0.4), (&mut x(6), const 3, const 1, const 0, 0.3);
    scatter: for n in 2..4, (&mut x(n * n), const n, const &[0, 1], 0.7), (&mut x(12), const n, const &[1], 0.7);
    cholesky: for n in 0..5, (&mut spd(n), const n);
    forward_substitution: for n in 0..4, (&spd(n), &mut x(n));
    triangle: for n in 0..4, (&mut x(n * n), &x(n));
    two_nests: for few in 0..4, (&mut x(few + 1), &x(5), const few), (&mut x(5), &x(5), const few);
    every_other: for start in 0..4, (&mut x(6), &x(6), const start), (&mut x(start), &x(6), const 0);
}

table! {
    accumulated: for n in 0..4, (&mut x(n), &x(n + 1), const 3), (&mut x(3), &x(3), const n);
    until: for n in 0..4, (&mut x(n), &x(4), 1.7), (&mut x(3), &x(n), 100.0), (&mut x(5), &x(2), 0.1);
    called_between: for n in 0..4, (&mut x(n), &x(n + 1));
    reused_buffer: for n in 1..4, (&x(n * n), const n);
}

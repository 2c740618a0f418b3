//! Loops over parts of slices, which rules take once: parts that aren't there where the loop doesn't run, neighbours, and what a loop stores.

use chainrule::prelude::*;

use crate::check::{map_table, table};

fn x(n: usize) -> Vec<f64> {
    [0.8, 0.3, -1.1, 0.6, 1.7, -0.4, 0.9][..n].to_vec()
}

/// Less than the slice has; the sum runs on. It is not checked, since its rule's panic is asked for below, and not its own.
#[differentiable(checked = false)]
fn first(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += x[i] * s.cos() + x[i].sin();
    }
    s
}

/// For few elements no part is there that could be taken.
#[differentiable]
fn inner(x: &[f64]) -> f64 {
    let n = x.len();
    let mut s = 0.0;
    for i in 2..n {
        s += x[i] * x[i - 1] * x[i - 2];
    }
    s
}

#[differentiable]
fn neighbours(x: &[f64], lo: usize, hi: usize) -> f64 {
    let mut s = 1.0;
    for i in (lo..hi).rev() {
        s = s * x[i + 1] + x[i - 1] * x[i];
    }
    s
}

#[differentiable]
fn in_place(x: &mut [f64], n: usize) {
    for i in 1..n {
        x[i] = x[i] * x[i - 1] + x[i].cos();
    }
}

#[differentiable]
fn in_front(x: &mut [f64], n: usize) {
    for i in 0..n {
        x[i + 1] += x[i] * x[i + 1];
        x[i] *= 0.5 * x[i];
    }
}

/// The farthest neighbour is there for some trips alone.
#[differentiable]
fn at_times(x: &[f64]) -> f64 {
    let n = x.len();
    let mut s = 0.0;
    for i in 0..n {
        s += x[i] * x[i];
        if i + 1 < n {
            s += x[i] * x[i + 1];
        }
        if i > 0 {
            s *= x[i - 1];
        }
    }
    s
}

/// Rows of a matrix, one of them empty for no rows at all.
#[differentiable]
fn rows(m: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        let row = &m[i * n..(i + 1) * n];
        for j in 0..n {
            s += row[j] * (row[j] * s).sin();
        }
    }
    s
}

/// Of a triangle, with the diagonal and without.
#[differentiable]
fn triangles(m: &[f64], v: &mut [f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        for j in 0..i {
            v[i] += m[i * n + j] * v[j].sin();
        }
        for j in i..n {
            s += v[j] * m[i * n + j] * v[i];
        }
    }
    s
}

/// What the first part starts at is known once the loop runs.
#[differentiable]
fn behind(x: &[f64], k: usize) -> f64 {
    let rest = x.len().saturating_sub(k);
    let mut s = 0.0;
    for i in 0..rest {
        s += x[k..][i] * x[k..][i] * s.cos() + x[k..][i];
    }
    s
}

/// What each trip may leave out.
#[differentiable]
fn on_condition(x: &[f64], k: usize) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len().min(2) {
        if k + 2 <= x.len() {
            s *= x[k..][i] * s.sin();
        }
    }
    s
}

#[differentiable]
fn of_a_list(x: &[f64], n: usize) -> f64 {
    let mut v = vec![1.0; n];
    for round in 0..3 {
        for i in 0..n {
            v[i] = (v[i] * x[i]).sin() + round as f64;
        }
        for i in 1..n {
            v[i] *= v[i - 1];
        }
    }
    v.iter().sum()
}

/// Nests whose inner loops run as often, less often, and not in each trip.
#[differentiable]
fn nests(x: &[f64], m: usize, n: usize) -> f64 {
    let mut s = 1.0;
    for i in 0..m {
        for j in 0..n {
            s = (s * x[j]).sin() + x[i];
        }
        for j in i..n {
            s = (s + x[j]).cos();
        }
        if i == 1 {
            for j in 1..n {
                s = s * s * x[j];
            }
        }
    }
    s
}

/// A row of a matrix as numbers of a list.
#[differentiable]
fn flat_rows(m: &[f64], v: &[f64], rows: usize, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..rows {
        let mut t = 0.0;
        for j in 0..n {
            t += m[i * n + j] * v[j] * t.cos() + m[i * n + j];
        }
        s += t * t;
    }
    s
}

/// Neighbours in all directions, and a step in place.
#[differentiable]
fn grid(u: &mut [f64], w: &[f64], rows: usize, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 1..rows {
        for j in 1..n {
            s += w[i * n + j - 1] * w[(i - 1) * n + j] * w[i * n + j] + w[j] * w[j];
            u[i * n + j] = u[i * n + j] * w[j + i * n - 1] + s;
        }
        for j in (0..n).rev() {
            u[i * n + j] *= u[i * n + j] + w[(i * n) + (j)];
        }
    }
    s
}

/// Each reads what another trip has written.
#[differentiable]
fn within_rows(u: &mut [f64], rows: usize, n: usize) {
    for i in 0..rows {
        for j in 1..n {
            u[i * n + j] += u[i * n + j - 1] * u[i * n + j];
        }
    }
}

/// Multiples of a row are added to another: the factor's cotangent is a sum, which runs over any number of columns.
#[differentiable]
fn multiples(c: &mut [f64], a: &[f64], s: f64, n: usize) {
    for j in 0..n {
        c[j] += s * a[j];
    }
}

#[differentiable]
fn scaled(c: &mut [f64], a: f64, b: f64, lo: usize, hi: usize) {
    for j in (lo..hi).rev() {
        c[j + 1] = c[j + 1] * a - c[j + 1] / b;
    }
}

/// What the sum reads is written, before it is read and after.
#[differentiable]
fn twice(c: &mut [f64], d: &mut [f64], s: f64) {
    let n = c.len().min(d.len());
    for j in 0..n {
        c[j] = s * d[j] + c[j];
        d[j] = s * c[j] - d[j];
    }
}

#[differentiable]
fn softmax(x: &mut [f64]) {
    let mut max = f64::NEG_INFINITY;
    for v in x.iter() {
        max = v.max(max);
    }
    let mut sum = 0.0;
    for v in x.iter_mut() {
        *v = (*v - max).exp();
        sum += *v;
    }
    for v in x.iter_mut() {
        *v /= sum;
    }
}

#[differentiable]
fn single(c: &mut [f32], a: &[f32], s: f32) {
    for (c, a) in c.iter_mut().zip(a) {
        *c -= s * a;
    }
}

/// A factor that is the same in all trips, and isn't there where no trip reads it.
#[differentiable]
fn factors(x: &[f64], l: &[f64], i: usize, n: usize) -> f64 {
    let mut out = vec![0.0; n];
    for k in 0..n {
        out[k] += l[k] * x[i] - x[i] / l[k];
    }
    for k in (0..n).rev() {
        if k % 2 == 0 {
            out[k] *= x[i];
        }
    }
    out.iter().map(|v| v * v).sum()
}

/// Sums over parts of lists of the function's own, of which nobody needs the old content.
#[differentiable]
fn sums(a: &[f64], s: f64, t: f64, lo: usize, hi: usize) -> f64 {
    let mut c = vec![1.0; hi];
    for j in lo..hi {
        c[j] -= s * a[j];
    }
    for j in (lo..hi).rev() {
        c[j] = c[j] - a[j + 1] * t + a[j + 1] * s;
    }
    c.iter().map(|v| v * v * v).sum()
}

/// What all terms lose is summed with the other sign.
#[differentiable]
fn shifted(x: &[f64], shift: f64) -> f64 {
    let center = shift * shift;
    let sum: f64 = x.iter().map(|v| (v - center).exp()).sum();
    sum.ln() + shift
}

/// The factor is one of what is multiplied.
#[differentiable]
fn among(x: &[f64], i: usize) -> f64 {
    let n = x.len();
    let mut c = vec![1.0; n];
    for k in 0..n {
        c[k] += x[k] * x[i];
        if c[k] > 2.1 {
            c[k] *= x[i];
        }
    }
    for k in 0..n {
        c[k] *= 1.0 + x[i];
        if k == i {
            c[k] += x[i] * x[i];
        }
    }
    c.iter().map(|v| v * v).sum()
}

/// The factor is changed on the way.
#[differentiable]
fn changed(u: &mut [f64], i: usize) {
    for k in 0..u.len() {
        u[k] = u[k] * u[i] + 0.5;
    }
}

/// The index in front of the row's first.
#[differentiable]
fn before_rows(m: &[f64], rows: usize, n: usize) -> f64 {
    let mut s = 1.0;
    for i in 1..rows {
        for j in 0..n {
            s = (s * m[i * n + j - 1]).sin() + m[i * n + j];
        }
    }
    s
}

/// One trip more, and loops that run once or never.
#[differentiable]
fn inclusive(x: &[f64], l: &[f64], i: usize, lo: usize, hi: usize) -> f64 {
    let mut s = 1.0;
    for k in lo..=hi {
        s += l[k] * x[i] * x[i];
    }
    for k in (lo as i32..=hi as i32 - 1).step_by(2) {
        s *= l[k as usize] - x[i];
    }
    s
}

#[differentiable]
fn matrix_vector(m: &[f64], x: &[f64], out: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..n {
            out[j] += m[i * n + j] * x[i] * out[n + i];
        }
    }
}

#[differentiable]
fn doubled(u: &mut [f64]) {
    u[0] *= 2.0 * u[0];
}

/// What is read again has been written in between, in many ways.
#[differentiable]
fn read_again(u: &mut Vec<f64>, c: bool) -> f64 {
    let mut s = u[0] * u[0];
    {
        let rest = &mut u[..];
        rest[0] *= 1.5;
        s += rest[0] * rest[1];
    }
    s += u[0] * u[0] * u[1];
    doubled(&mut u[..]);
    s += u[0] * u[1];
    if c {
        u[0] = s * u[0];
    }
    s += u[0];
    u.swap(0, 1);
    s *= u[0] * u[1];
    for v in u.iter_mut() {
        *v += 1.0;
    }
    s += u[0] * u[1];
    u.insert(0, s);
    s * u[0] * u[1]
}

/// Entries between 0.5 and 1.5.
fn many(n: usize) -> Vec<f64> {
    (0..n).map(|k| 1.0 + 0.5 * (k as f64 * 1.7).sin()).collect()
}

fn many_single(n: usize) -> Vec<f32> {
    many(n).into_iter().map(|v| v as f32).collect()
}

table! {
    flat_rows: for p in [(0, 0), (2, 0), (0, 3), (2, 3)], (&x(p.0 * p.1), &x(p.1), const p.0, const p.1);
    grid: for p in [(0, 0), (1, 0), (0, 1), (2, 2), (2, 3)], (&mut x(p.0 * p.1), &x(p.0 * p.1), const p.0, const p.1);
    factors: for p in [(0, 0, 0), (0, 3, 0), (2, 1, 1), (3, 2, 9)], (&many(p.0), &many(p.2), const p.1, const p.2);
    sums: for p in [(0, 0, 0), (0, 3, 2), (2, 0, 1), (4, 0, 3), (9, 0, 8), (12, 1, 11)], (&many(p.0), 0.7, -0.4, const p.1, const p.2);
    shifted: for n in [1, 4, 9, 15], (&many(n), 0.7);
    among: for p in [(1, 0), (3, 2), (9, 4)], (&many(p.0), const p.1);
    before_rows: for p in [(1, 2), (2, 3), (3, 2)], (&x(p.0 * p.1), const p.0, const p.1);
    inclusive: for p in [(0, 0, 1, 0), (1, 0, 0, 0), (2, 1, 2, 2), (3, 2, 0, 4)], (&many(p.0), &many(5), const p.1, const p.2, const p.3);
    read_again: (&mut many(2), const true), (&mut many(3), const false);
    first: for p in [(0, 0), (3, 0), (3, 2), (5, 5)], (&x(p.0), const p.1);
    inner: for n in 0..5, (&x(n));
    neighbours: for p in [(0, 3, 1), (0, 7, 7), (4, 1, 3), (7, 2, 6)], (&x(p.0), const p.1, const p.2);
    behind: for p in [(0, 4), (2, 3), (3, 3), (5, 2)], (&x(p.0), const p.1);
    on_condition: for p in [(0, 1), (3, 1), (3, 4)], (&x(p.0), const p.1);
    at_times: for n in 0..5, (&x(n));
    rows: for n in 0..3, (&x(n * n), const n);
    triangles: for n in 0..3, (&x(n * n), &mut x(n), const n);
    of_a_list: for n in 0..4, (&x(5), const n);
    nests: for p in [(0, 3), (3, 0), (1, 3), (3, 4)], (&x(5), const p.0, const p.1);
}

map_table! {
    matrix_vector: for n in [0, 1, 3, 9], (&many(n * n), &many(n), &mut many(2 * n), const n);
    changed: for p in [(1, 0), (3, 2), (9, 4)], (&mut many(p.0), const p.1);
    within_rows: for p in [(0, 0), (2, 0), (1, 1), (2, 3)], (&mut x(p.0 * p.1), const p.0, const p.1);
    multiples: for n in [0, 1, 3, 4, 9, 12], (&mut many(n + 1), &many(n), 0.7, const n);
    scaled: for p in [(0, 0), (3, 1), (0, 9), (2, 11)], (&mut many(12), 0.7, -1.2, const p.0, const p.1);
    twice: for n in [0, 2, 7, 8], (&mut many(n), &mut many(n + 1), 0.7);
    softmax: for n in [1, 3, 9], (&mut many(n));
    single: for n in [0, 5, 8], (&mut many_single(n), &many_single(n), 0.7);
    in_place: for p in [(0, 0), (3, 0), (3, 1), (4, 4), (5, 3)], (&mut x(p.0), const p.1);
    in_front: for p in [(0, 0), (3, 1), (5, 4)], (&mut x(p.0), const p.1);
}

/// The rule of what would index out of bounds panics, too.
#[test]
#[should_panic(expected = "out of range")]
fn a_part_that_isnt_there() {
    first::gradient(&x(2), 3);
}

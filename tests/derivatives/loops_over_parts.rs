//! Loops over parts of slices, which rules take once: parts that aren't there where the loop doesn't run, neighbours, and what a loop stores.

use chainrule::prelude::*;

use crate::check::{map_table, table};

fn x(n: usize) -> Vec<f64> {
    [0.8, 0.3, -1.1, 0.6, 1.7, -0.4, 0.9][..n].to_vec()
}

/// Less than the slice has; the sum runs on.
#[differentiable]
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

table! {
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
    in_place: for p in [(0, 0), (3, 0), (3, 1), (4, 4), (5, 3)], (&mut x(p.0), const p.1);
    in_front: for p in [(0, 0), (3, 1), (5, 4)], (&mut x(p.0), const p.1);
}

/// The rule of what would index out of bounds panics, too.
#[test]
#[should_panic(expected = "out of range")]
fn a_part_that_isnt_there() {
    first::gradient(&x(2), 3);
}

//! The determinant by recursive expansion, rows and columns as linked lists (`GradBench`: det).

use crate::harness::case::Case;
use crate::harness::input::Random;
use gradbench::evals::det::{determinant, lists};

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    const N: usize = 7;
    vec![Case::new(
        "det_7",
        Random::new(31337).uniforms(N * N),
        vec![0.0; N * N],
        |a| determinant(a, N),
        |a, a_bar| determinant::value_and_gradient_into(a, N, a_bar),
        |a, a_bar| by_hand(a, N, a_bar),
    )]
}

/// Combined rule: takes the cotangent of its result with the arguments, adds to `a_bar`, gives the value.
fn minor_combined(
    a: &[f64],
    a_bar: &mut [f64],
    n: usize,
    m: usize,
    rows: &mut [usize],
    cols: &mut [usize],
    bar: f64,
) -> f64 {
    let row = rows[n];
    if m == 1 {
        a_bar[row * n + cols[n]] += bar;
        return a[row * n + cols[n]];
    }
    let mut det = 0.0;
    let mut sign = 1.0;
    rows[n] = rows[row];
    let mut previous = n;
    let mut col = cols[n];
    for _ in 0..m {
        cols[previous] = cols[col];
        let t = sign * a[row * n + col];
        let d = minor_combined(a, a_bar, n, m - 1, rows, cols, t * bar);
        cols[previous] = col;
        a_bar[row * n + col] += sign * (bar * d);
        det += t * d;
        previous = col;
        col = cols[col];
        sign = -sign;
    }
    rows[n] = row;
    det
}

fn by_hand(a: &[f64], n: usize, a_bar: &mut [f64]) -> f64 {
    let (mut rows, mut cols) = lists(n);
    a_bar.fill(0.0);
    minor_combined(a, a_bar, n, n, &mut rows, &mut cols, 1.0)
}

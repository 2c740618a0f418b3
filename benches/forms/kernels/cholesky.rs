//! Cholesky factorisation, logarithm of the determinant, and a forward solve: `ln det A + b' inv(A) b`.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::{Hand, With};
use rows::harness::input::Random;
use std::array::from_fn;

const N: usize = 24;

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(3);
    let m = random.normals(N * N);
    let b = random.normals(N);
    let element = |i: usize, j: usize| {
        let dot: f64 = (0..N).map(|k| m[i * N + k] * m[j * N + k]).sum();
        dot + if i == j { 5.0 } else { 0.0 }
    };
    let a: Vec<f64> = (0..N * N).map(|k| element(k / N, k % N)).collect();
    let rows: Vec<Vec<f64>> = a.chunks_exact(N).map(<[f64]>::to_vec).collect();
    let array: [[f64; N]; N] = from_fn(|i| from_fn(|j| a[i * N + j]));
    let b_array: [f64; N] = from_fn(|i| b[i]);
    let zeros = (vec![0.0; N * N], vec![0.0; N]);
    let hand = Hand::new(
        (a.clone(), b.clone()),
        With {
            gradient: zeros.clone(),
            scratch: (vec![0.0; N * N], vec![0.0; N], vec![0.0; N]),
        },
        |(a, b), bar| {
            let (a_bar, b_bar) = &mut bar.gradient;
            let (l, y, d) = &mut bar.scratch;
            by_hand(a, b, N, a_bar, b_bar, l, y, d)
        },
    );
    macro_rules! flat_forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                (a.clone(), b.clone()),
                zeros.clone(),
                |(a, b)| $form(a, b, N),
                |(a, b), (a_bar, b_bar)| $form::value_and_gradient_into(a, b, N, a_bar, b_bar),
            )),*]
        };
    }
    let mut forms = flat_forms! { flat right_looking split_rows helpers };
    forms.push(hand.form(
        "vec_of_vec",
        (rows, b.clone()),
        (vec![vec![0.0; N]; N], vec![0.0; N]),
        |(a, b)| vec_of_vec(a, b),
        |(a, b), (a_bar, b_bar)| vec_of_vec::value_and_gradient_into(a, b, a_bar, b_bar),
    ));
    forms.push(hand.form(
        "arrays",
        (array, b_array),
        ([[0.0; N]; N], [0.0; N]),
        |(a, b)| arrays(a, b),
        |(a, b), (a_bar, b_bar)| arrays::value_and_gradient_into(a, b, a_bar, b_bar),
    ));
    Kernel::new(forms)
}

/// Row by row; `d` holds the reciprocals of the diagonal. The cotangent of the factor stands in `a_bar`.
#[allow(clippy::too_many_arguments)]
fn by_hand(
    a: &[f64],
    b: &[f64],
    n: usize,
    a_bar: &mut [f64],
    b_bar: &mut [f64],
    l: &mut [f64],
    y: &mut [f64],
    d: &mut [f64],
) -> f64 {
    let (mut log_det, mut quad) = (0.0, 0.0);
    for i in 0..n {
        let (above, row) = l.split_at_mut(i * n);
        let row = &mut row[..n];
        for (j, other) in above.chunks_exact(n).enumerate() {
            let mut s = a[i * n + j];
            for (row, other) in row[..j].iter().zip(other) {
                s -= row * other;
            }
            row[j] = s * d[j];
        }
        let (mut s, mut t) = (a[i * n + i], b[i]);
        for (row, y) in row[..i].iter().zip(&*y) {
            s -= row * row;
            t -= row * y;
        }
        row[i] = s.sqrt();
        d[i] = 1.0 / row[i];
        y[i] = t * d[i];
        log_det += row[i].ln();
        quad += y[i] * y[i];
    }
    for (b_bar, y) in b_bar.iter_mut().zip(&*y) {
        *b_bar = 2.0 * y;
    }
    // The solve: what row i reads of y and L.
    for i in (0..n).rev() {
        let t = b_bar[i] * d[i];
        b_bar[i] = t;
        let row = &l[i * n..i * n + i];
        let row_bar = &mut a_bar[i * n..(i + 1) * n];
        for (((row_bar, y), row), b_bar) in
            row_bar[..i].iter_mut().zip(&*y).zip(row).zip(&mut *b_bar)
        {
            *row_bar = -t * y;
            *b_bar -= t * row;
        }
        row_bar[i] = 2.0 * d[i] - t * y[i];
        row_bar[i + 1..].fill(0.0);
    }
    // The factorisation.
    for i in (0..n).rev() {
        let row = &l[i * n..(i + 1) * n];
        let (above, row_bar) = a_bar.split_at_mut(i * n);
        let row_bar = &mut row_bar[..n];
        let s = 0.5 * row_bar[i] * d[i];
        row_bar[i] = s;
        for (row_bar, row) in row_bar[..i].iter_mut().zip(row) {
            *row_bar -= 2.0 * s * row;
        }
        for j in (0..i).rev() {
            let t = row_bar[j] * d[j];
            row_bar[j] = t;
            let other = &l[j * n..(j + 1) * n];
            let other_bar = &mut above[j * n..(j + 1) * n];
            for (((row_bar, other), other_bar), row) in row_bar[..j]
                .iter_mut()
                .zip(other)
                .zip(&mut other_bar[..j])
                .zip(row)
            {
                *row_bar -= t * other;
                *other_bar -= t * row;
            }
            other_bar[j] -= t * row[j];
        }
    }
    2.0 * log_det + quad
}

#[differentiable]
fn flat(a: &[f64], b: &[f64], n: usize) -> f64 {
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let mut s = a[i * n + j];
            for k in 0..j {
                s -= l[i * n + k] * l[j * n + k];
            }
            if i == j {
                l[i * n + i] = s.sqrt();
            } else {
                l[i * n + j] = s / l[j * n + j];
            }
        }
    }
    let mut total = 0.0;
    let mut y = vec![0.0; n];
    for i in 0..n {
        let mut s = b[i];
        for k in 0..i {
            s -= l[i * n + k] * y[k];
        }
        y[i] = s / l[i * n + i];
        total += 2.0 * l[i * n + i].ln() + y[i] * y[i];
    }
    total
}

#[differentiable]
fn right_looking(a: &[f64], b: &[f64], n: usize) -> f64 {
    let mut l = a.to_vec();
    let mut y = b.to_vec();
    let mut total = 0.0;
    for k in 0..n {
        let pivot = l[k * n + k].sqrt();
        l[k * n + k] = pivot;
        total += 2.0 * pivot.ln();
        for i in k + 1..n {
            l[i * n + k] /= pivot;
        }
        for i in k + 1..n {
            for j in k + 1..=i {
                l[i * n + j] -= l[i * n + k] * l[j * n + k];
            }
        }
        y[k] /= pivot;
        for i in k + 1..n {
            y[i] -= l[i * n + k] * y[k];
        }
        total += y[k] * y[k];
    }
    total
}

#[differentiable]
fn split_rows(a: &[f64], b: &[f64], n: usize) -> f64 {
    let mut l = a.to_vec();
    for i in 0..n {
        let (above, rest) = l.split_at_mut(i * n);
        let row = &mut rest[..n];
        for j in 0..i {
            let other = &above[j * n..(j + 1) * n];
            let mut s = row[j];
            for k in 0..j {
                s -= row[k] * other[k];
            }
            row[j] = s / other[j];
        }
        let mut s = row[i];
        for k in 0..i {
            s -= row[k] * row[k];
        }
        row[i] = s.sqrt();
    }
    let mut total = 0.0;
    let mut y = b.to_vec();
    for i in 0..n {
        let row = &l[i * n..(i + 1) * n];
        let (solved, rest) = y.split_at_mut(i);
        let mut s = rest[0];
        for k in 0..i {
            s -= row[k] * solved[k];
        }
        rest[0] = s / row[i];
        total += 2.0 * row[i].ln() + rest[0] * rest[0];
    }
    total
}

#[differentiable]
fn factor(l: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let mut s = l[i * n + j];
            for k in 0..j {
                s -= l[i * n + k] * l[j * n + k];
            }
            l[i * n + j] = if i == j { s.sqrt() } else { s / l[j * n + j] };
        }
    }
}

#[differentiable]
fn solve(l: &[f64], y: &mut [f64], n: usize) {
    for i in 0..n {
        for k in 0..i {
            y[i] -= l[i * n + k] * y[k];
        }
        y[i] /= l[i * n + i];
    }
}

#[differentiable]
fn helpers(a: &[f64], b: &[f64], n: usize) -> f64 {
    let mut l = a.to_vec();
    factor(&mut l, n);
    let mut y = b.to_vec();
    solve(&l, &mut y, n);
    let log_det: f64 = (0..n).map(|i| l[i * n + i].ln()).sum();
    let quad: f64 = y.iter().map(|y| y * y).sum();
    2.0 * log_det + quad
}

#[differentiable]
fn vec_of_vec(a: &[Vec<f64>], b: &[f64]) -> f64 {
    let n = b.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let mut s = a[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            if i == j {
                l[i][i] = s.sqrt();
            } else {
                l[i][j] = s / l[j][j];
            }
        }
    }
    let mut total = 0.0;
    let mut y = vec![0.0; n];
    for i in 0..n {
        let mut s = b[i];
        for k in 0..i {
            s -= l[i][k] * y[k];
        }
        y[i] = s / l[i][i];
        total += 2.0 * l[i][i].ln() + y[i] * y[i];
    }
    total
}

#[differentiable]
fn arrays(a: &[[f64; N]; N], b: &[f64; N]) -> f64 {
    let mut l = [[0.0; N]; N];
    for i in 0..N {
        for j in 0..=i {
            let mut s = a[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            if i == j {
                l[i][i] = s.sqrt();
            } else {
                l[i][j] = s / l[j][j];
            }
        }
    }
    let mut total = 0.0;
    let mut y = [0.0; N];
    for i in 0..N {
        let mut s = b[i];
        for k in 0..i {
            s -= l[i][k] * y[k];
        }
        y[i] = s / l[i][i];
        total += 2.0 * l[i][i].ln() + y[i] * y[i];
    }
    total
}

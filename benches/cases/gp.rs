//! The log marginal likelihood of a Gaussian process: a Cholesky factorisation and a solve in place.

use crate::harness::case::Case;
use crate::harness::input::Random;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    const N: usize = 128;
    let x: Vec<f64> = (0..N).map(|i| 0.2 * i as f64).collect();
    vec![Case::new(
        "gp_lml",
        (x, Random::new(2).normals(N), 0.1),
        (vec![0.0; N], vec![0.0; N], 0.0),
        |(x, y, noise)| gp_lml(x, y, *noise),
        |(x, y, noise), (x_bar, y_bar, noise_bar)| {
            gp_lml::value_and_gradient_into(x, y, *noise, x_bar, y_bar, noise_bar)
        },
        |(x, y, noise), (x_bar, y_bar, noise_bar)| by_hand(x, y, *noise, x_bar, y_bar, noise_bar),
    )]
}

/// Log marginal likelihood of a Gaussian process with an RBF kernel.
#[differentiable]
fn gp_lml(x: &[f64], y: &[f64], noise: f64) -> f64 {
    let n = x.len();
    let mut k = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let d = x[i] - x[j];
            k[i * n + j] = (-0.5 * d * d).exp();
        }
        k[i * n + i] += noise;
    }
    cholesky(&mut k, n);
    let mut z = y.to_vec();
    let mut log_det = 0.0;
    for i in 0..n {
        let mut s = z[i];
        for j in 0..i {
            s -= k[i * n + j] * z[j];
        }
        z[i] = s / k[i * n + i];
        log_det += k[i * n + i].ln();
    }
    let mut squares = 0.0;
    for v in &z {
        squares += v * v;
    }
    -0.5 * (n as f64 * (2.0 * std::f64::consts::PI).ln() + 2.0 * log_det + squares)
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

#[inline]
fn by_hand(
    x: &[f64],
    y: &[f64],
    noise: f64,
    x_bar: &mut [f64],
    y_bar: &mut [f64],
    noise_bar: &mut f64,
) -> f64 {
    let n = x.len();
    let mut k = vec![0.0; n * n];
    // The result of `exp`, overwritten by the factorisation: one residual, sized for the triangular nest.
    let mut e = vec![0.0; n * (n + 1) / 2];
    for i in 0..n {
        let row = &mut k[i * n..i * n + i + 1];
        let e = &mut e[i * (i + 1) / 2..][..i + 1];
        for j in 0..=i {
            let d = x[i] - x[j];
            e[j] = (-0.5 * d * d).exp();
            row[j] = e[j];
        }
        row[i] += noise;
    }
    cholesky(&mut k, n);
    let mut z = y.to_vec();
    let mut log_det = 0.0;
    for i in 0..n {
        let row = &k[i * n..i * n + i + 1];
        let mut s = z[i];
        for j in 0..i {
            s -= row[j] * z[j];
        }
        z[i] = s / row[i];
        log_det += row[i].ln();
    }
    let mut squares = 0.0;
    for (v, y_bar) in z.iter().zip(y_bar.iter_mut()) {
        squares += v * v;
        *y_bar = -v;
    }
    let value = -0.5 * (n as f64 * (2.0 * std::f64::consts::PI).ln() + 2.0 * log_det + squares);
    // Reverse half of the solve: first contributions assign, and the cotangent of `z` becomes that of `y`.
    let mut k_bar = vec![0.0; n * n];
    for i in (0..n).rev() {
        let row = &k[i * n..i * n + i + 1];
        let row_bar = &mut k_bar[i * n..i * n + i + 1];
        let s_bar = y_bar[i] / row[i];
        row_bar[i] = -s_bar * z[i] - 1.0 / row[i];
        for j in 0..i {
            row_bar[j] = -s_bar * z[j];
            y_bar[j] -= s_bar * row[j];
        }
        y_bar[i] = s_bar;
    }
    reverse_slices(&k, &mut k_bar, n);
    x_bar.fill(0.0);
    let mut sum = 0.0;
    for i in 0..n {
        let row_bar = &k_bar[i * n..i * n + i + 1];
        let e = &e[i * (i + 1) / 2..][..i + 1];
        sum += row_bar[i];
        let mut xi_bar = 0.0;
        for j in 0..=i {
            let d_bar = -(x[i] - x[j]) * (row_bar[j] * e[j]);
            xi_bar += d_bar;
            x_bar[j] -= d_bar;
        }
        x_bar[i] += xi_bar;
    }
    *noise_bar = sum;
    value
}

/// Nothing is stored. One subslice for each run of the inner loop, forward order in it.
fn reverse_slices(k: &[f64], k_bar: &mut [f64], n: usize) {
    for j in (0..n).rev() {
        let pivot = k[j * n + j];
        let row_j = &k[j * n..j * n + j];
        let (upper, lower) = k_bar.split_at_mut((j + 1) * n);
        let (row_j_bar, pivot_bar) = upper[j * n..j * n + j + 1].split_at_mut(j);
        let mut p_bar = pivot_bar[0];
        for i in j + 1..n {
            let row_i = &k[i * n..i * n + j + 1];
            let row_i_bar = &mut lower[(i - j - 1) * n..][..j + 1];
            let s_bar = row_i_bar[j] / pivot;
            p_bar -= s_bar * row_i[j];
            row_i_bar[j] = s_bar;
            let (row_i, row_i_bar) = (&row_i[..j], &mut row_i_bar[..j]);
            for l in 0..j {
                row_i_bar[l] -= s_bar * row_j[l];
                row_j_bar[l] -= s_bar * row_i[l];
            }
        }
        let s_bar = 0.5 * p_bar / pivot;
        pivot_bar[0] = s_bar;
        for l in 0..j {
            row_j_bar[l] -= 2.0 * s_bar * row_j[l];
        }
    }
}

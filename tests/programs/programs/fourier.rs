//! The fast Fourier transform, in place, on real and imaginary parts.

use chainrule::prelude::*;

use crate::check::{map_table, table};

/// Decimation in time; the length is a power of two.
#[differentiable]
#[inline(never)]
fn transform(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    // Reverse the bits of the indices.
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut len = 2;
    while len <= n {
        let angle = -2.0 * std::f64::consts::PI / len as f64;
        for start in (0..n).step_by(len) {
            for k in 0..len / 2 {
                let (sin, cos) = (angle * k as f64).sin_cos();
                let (a, b) = (start + k, start + k + len / 2);
                let x = re[b] * cos - im[b] * sin;
                let y = re[b] * sin + im[b] * cos;
                re[b] = re[a] - x;
                im[b] = im[a] - y;
                re[a] += x;
                im[a] += y;
            }
        }
        len <<= 1;
    }
}

/// A weighted power spectrum.
#[differentiable]
fn spectrum(signal: &[f64], weights: &[f64]) -> f64 {
    let mut re = signal.to_vec();
    let mut im = vec![0.0; signal.len()];
    transform(&mut re, &mut im);
    let mut total = 0.0;
    for k in 0..re.len() {
        total += weights[k] * (re[k].powi(2) + im[k].powi(2));
    }
    total
}

const X: [f64; 8] = [0.7, 1.9, -0.4, 1.3, 0.2, -1.1, 0.8, 0.5];

/// With equal weights the spectrum is `n |x|^2`, by Parseval's theorem.
#[test]
fn parseval() {
    for n in [1, 2, 4, 8] {
        let (x_bar, _) = spectrum::gradient(&X[..n], &vec![1.0; n]);
        for (bar, x) in x_bar.iter().zip(&X) {
            assert!((bar - 2.0 * n as f64 * x).abs() < 1e-12);
        }
    }
}

table! {
    spectrum: for n in 0..4, (&X[..1 << n].to_vec(), &X[8 - (1 << n)..].to_vec());
}

map_table! {
    transform: for n in 0..3, (&mut X[..1 << n].to_vec(), &mut X[4..4 + (1 << n)].to_vec());
}

//! A convolution, then the sum of squares: `y[i] = sum_k h[k] x[i + k]`; the filter and the signal are active.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::{Hand, With};
use rows::harness::input::Random;

const N: usize = 512;
const K: usize = 9;

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(10);
    let input = (random.normals(K), random.normals(N));
    let zeros = (vec![0.0; K], vec![0.0; N]);
    let hand = Hand::new(
        input.clone(),
        With {
            gradient: zeros.clone(),
            scratch: vec![0.0; N + K],
        },
        |(h, x), bar| {
            let (h_bar, x_bar) = &mut bar.gradient;
            by_hand(h, x, h_bar, x_bar, &mut bar.scratch)
        },
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                input.clone(),
                zeros.clone(),
                |(h, x)| $form(h, x),
                |(h, x), (h_bar, x_bar)| $form::value_and_gradient_into(h, x, h_bar, x_bar),
            )),*]
        };
    }
    let forms = forms! { index windows iterators while_loop out_parameter returned scattered };
    Kernel::new(forms)
}

/// The results stand with a margin of zeros on both sides, so that the cotangent of each `x` is a sum over all of `h`.
fn by_hand(h: &[f64], x: &[f64], h_bar: &mut [f64], x_bar: &mut [f64], y: &mut [f64]) -> f64 {
    let h: &[f64; K] = h.try_into().unwrap();
    let m = x.len() + 1 - K;
    let n = x.len();
    // `y[i + K - 1]` is twice the result at `i`.
    let y = &mut y[..n + K - 1];
    y[..K - 1].fill(0.0);
    y[K - 1 + m..].fill(0.0);
    let mut total = 0.0;
    let mut sums = [[0.0; 4]; K];
    let full = m / 4 * 4;
    let mut i = 0;
    while i < full {
        let xs: &[f64; K + 3] = x[i..i + K + 3].try_into().unwrap();
        let mut s = [0.0; 4];
        for k in 0..K {
            for j in 0..4 {
                s[j] += h[k] * xs[k + j];
            }
        }
        for j in 0..4 {
            total += s[j] * s[j];
            s[j] *= 2.0;
        }
        for k in 0..K {
            for j in 0..4 {
                sums[k][j] += s[j] * xs[k + j];
            }
        }
        y[i + K - 1..i + K + 3].copy_from_slice(&s);
        i += 4;
    }
    for i in full..m {
        let mut s = 0.0;
        for k in 0..K {
            s += h[k] * x[i + k];
        }
        total += s * s;
        s *= 2.0;
        for k in 0..K {
            sums[k][0] += s * x[i + k];
        }
        y[i + K - 1] = s;
    }
    for (h_bar, s) in h_bar.iter_mut().zip(&sums) {
        *h_bar = (s[0] + s[2]) + (s[1] + s[3]);
    }
    let (lanes, rest) = x_bar[..n].as_chunks_mut::<4>();
    for (c, x_bar) in lanes.iter_mut().enumerate() {
        let ys: &[f64; K + 3] = y[4 * c..4 * c + K + 3].try_into().unwrap();
        let mut s = [0.0; 4];
        for k in 0..K {
            for j in 0..4 {
                s[j] += h[K - 1 - k] * ys[k + j];
            }
        }
        *x_bar = s;
    }
    let done = n - rest.len();
    for (j, x_bar) in rest.iter_mut().enumerate() {
        let ys = &y[done + j..done + j + K];
        *x_bar = (0..K).map(|k| h[K - 1 - k] * ys[k]).sum();
    }
    total
}

#[differentiable]
fn index(h: &[f64], x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() - h.len() + 1 {
        let mut y = 0.0;
        for k in 0..h.len() {
            y += h[k] * x[i + k];
        }
        total += y * y;
    }
    total
}

#[differentiable]
fn windows(h: &[f64], x: &[f64]) -> f64 {
    let mut total = 0.0;
    for w in x.windows(h.len()) {
        let mut y = 0.0;
        for k in 0..h.len() {
            y += h[k] * w[k];
        }
        total += y * y;
    }
    total
}

#[differentiable]
fn iterators(h: &[f64], x: &[f64]) -> f64 {
    x.windows(h.len())
        .map(|w| w.iter().zip(h).map(|(x, h)| x * h).sum::<f64>())
        .map(|y| y * y)
        .sum()
}

#[differentiable]
fn while_loop(h: &[f64], x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i + h.len() <= x.len() {
        let mut y = 0.0;
        let mut k = 0;
        while k < h.len() {
            y += h[k] * x[i + k];
            k += 1;
        }
        total += y * y;
        i += 1;
    }
    total
}

#[differentiable]
fn convolve(h: &[f64], x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        y[i] = 0.0;
        for k in 0..h.len() {
            y[i] += h[k] * x[i + k];
        }
    }
}

#[differentiable]
fn out_parameter(h: &[f64], x: &[f64]) -> f64 {
    let mut y = vec![0.0; x.len() - h.len() + 1];
    convolve(h, x, &mut y);
    let mut total = 0.0;
    for v in &y {
        total += v * v;
    }
    total
}

#[differentiable]
fn convolved(h: &[f64], x: &[f64]) -> Vec<f64> {
    (0..=x.len() - h.len())
        .map(|i| (0..h.len()).map(|k| h[k] * x[i + k]).sum())
        .collect()
}

#[differentiable]
fn returned(h: &[f64], x: &[f64]) -> f64 {
    let y = convolved(h, x);
    y.iter().map(|y| y * y).sum()
}

#[differentiable]
fn scattered(h: &[f64], x: &[f64]) -> f64 {
    let n = x.len() - h.len() + 1;
    let mut y = vec![0.0; n];
    for k in 0..h.len() {
        for i in 0..n {
            y[i] += h[k] * x[i + k];
        }
    }
    y.iter().map(|y| y * y).sum()
}

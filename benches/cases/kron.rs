//! A fresh buffer of 800 x 800 products, and its sum.

use crate::harness::case::Case;
use crate::harness::input::Random;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    let mut random = Random::new(3);
    vec![Case::new(
        "kron_sum",
        (random.normals(400), random.normals(1600)),
        (vec![0.0; 400], vec![0.0; 1600]),
        |(x, y)| kron_sum(x, y),
        |(x, y), (x_bar, y_bar)| kron_sum::value_and_gradient_into(x, y, x_bar, y_bar),
        |(x, y), (x_bar, y_bar)| by_hand(x, y, x_bar, y_bar),
    )]
}

#[differentiable]
fn kron_sum(x: &[f64], y: &[f64]) -> f64 {
    let (n, m) = (20, 40);
    let mut c = vec![0.0; n * m * n * m];
    let width = n * m;
    for i in 0..n {
        for j in 0..n {
            let a = x[i * n + j];
            for k in 0..m {
                for l in 0..m {
                    c[(i * m + k) * width + j * m + l] = a * y[k * m + l];
                }
            }
        }
    }
    c.iter().sum()
}

/// The cotangent of every element of `c` is one number, known before the nest runs: no shadow, and the nest's reverse
/// half goes into the nest, in its order. `LANES` as in `matmul`.
#[inline]
fn by_hand(x: &[f64], y: &[f64], x_bar: &mut [f64], y_bar: &mut [f64]) -> f64 {
    const W: usize = 4;
    let (n, m) = (20, 40);
    let t = 1.0;
    let mut c = vec![0.0; n * m * n * m];
    let width = n * m;
    y_bar.fill(0.0);
    for i in 0..n {
        for j in 0..n {
            let a = x[i * n + j];
            let mut a_bar = 0.0;
            let mut lanes = [0.0; W];
            for k in 0..m {
                let row = &mut c[(i * m + k) * width + j * m..][..m];
                let (y, y_bar) = (&y[k * m..(k + 1) * m], &mut y_bar[k * m..(k + 1) * m]);
                let chunks = row
                    .as_chunks_mut::<W>()
                    .0
                    .iter_mut()
                    .zip(y.as_chunks::<W>().0);
                for ((c, y), y_bar) in chunks.zip(y_bar.as_chunks_mut::<W>().0) {
                    for l in 0..W {
                        c[l] = a * y[l];
                        lanes[l] += t * y[l];
                        y_bar[l] += a * t;
                    }
                }
                for l in m / W * W..m {
                    row[l] = a * y[l];
                    a_bar += t * y[l];
                    y_bar[l] += a * t;
                }
            }
            for lane in lanes {
                a_bar += lane;
            }
            x_bar[i * n + j] = a_bar;
        }
    }
    c.iter().sum()
}

//! Least squares with a polynomial, powers by a running product (`GradBench`: llsq).

use crate::harness::case::Case;
use crate::harness::input::Random;
use gradbench::evals::llsq::{llsq, sign};

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    const N: usize = 4096;
    vec![Case::new(
        "llsq",
        Random::new(31337).uniforms(128),
        vec![0.0; 128],
        |x| llsq(x, N),
        |x, x_bar| llsq::value_and_gradient_into(x, N, x_bar),
        |x, x_bar| by_hand(x, N, x_bar),
    )]
}

/// The array is made once, before the outer loop, and each run of the inner loop fills it.
fn by_hand(x: &[f64], n: usize, x_bar: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    x_bar.fill(0.0);
    let mut powers = vec![0.0; x.len()];
    for i in 0..n {
        let t = -1.0 + 2.0 * i as f64 / (n as f64 - 1.0);
        let mut y = 0.0;
        let mut power = 1.0;
        for (c, kept) in x.iter().zip(&mut powers) {
            *kept = power;
            y += c * power;
            power *= t;
        }
        let r = sign(t) - y;
        sum += r * r;
        let y_bar = -r;
        for (x_bar, power) in x_bar.iter_mut().zip(&powers) {
            *x_bar += y_bar * power;
        }
    }
    0.5 * sum
}

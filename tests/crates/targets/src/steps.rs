//! Integrators, with and without checkpoints.

use alloc::vec;
use alloc::vec::Vec;

use chainrule::prelude::*;

/// A step of the classical method of Runge and Kutta. The right-hand side writes to its last argument.
#[differentiable]
fn step(f: impl Fn(&[f64], &mut [f64]), y: &mut [f64], h: f64) {
    let n = y.len();
    let (mut k, mut sum, mut at) = (vec![0.0; n], y.to_vec(), y.to_vec());
    for (part, weight) in [(0.5, 1.0), (0.5, 2.0), (1.0, 2.0), (0.0, 1.0)] {
        f(&at, &mut k);
        for i in 0..n {
            sum[i] += h / 6.0 * weight * k[i];
            at[i] = y[i] + part * h * k[i];
        }
    }
    y.copy_from_slice(&sum);
}

/// Prey and predators after some steps.
#[differentiable]
pub fn lotka_volterra(theta: &[f64], #[constant] steps: usize) -> f64 {
    let mut y = vec![1.0, 0.5];
    for _ in 0..steps {
        let rates = |at: &[f64], out: &mut [f64]| {
            out[0] = theta[0] * at[0] - theta[1] * at[0] * at[1];
            out[1] = theta[2] * at[0] * at[1] - theta[3] * at[1];
        };
        step(rates, &mut y, 0.0625);
    }
    y[0] * y[0] + y[1]
}

/// The logistic map, whose reverse half keeps few states. The counter is a `u64`.
#[differentiable]
pub fn map(x: f64, rate: f64, #[constant] from: u64, #[constant] trips: u64) -> f64 {
    let mut s = x;
    #[checkpoint(3)]
    for i in from..from + trips {
        s = rate * s * (1.0 - s) + (i % 3) as f64 * 0.001;
    }
    s
}

/// The same by a counter of type `usize`, with lists as its state.
#[differentiable]
pub fn heat(u: &[f64], conductivity: f64, #[constant] steps: usize) -> f64 {
    let mut now = u.to_vec();
    #[checkpoint(4)]
    for _ in 0..steps {
        let mut next: Vec<f64> = now.clone();
        for i in 1..now.len() - 1 {
            next[i] += conductivity * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
        }
        now = next;
    }
    let mut y = 0.0;
    for v in &now {
        y += v * v * v;
    }
    y
}

/// Two buffers that exchange their contents.
#[differentiable]
pub fn swapped(u: &[f64], c: f64, #[constant] steps: usize) -> f64 {
    let (mut a, mut b) = (u.to_vec(), u.to_vec());
    for _ in 0..steps {
        for i in 1..a.len() {
            b[i] = a[i] + c * (a[i - 1] - a[i]) * a[i];
        }
        core::mem::swap(&mut a, &mut b);
    }
    a[a.len() - 1] * a[1]
}

//! Runge-Kutta of order four on a chain of equations, the right-hand side in place. Beside the form of `GradBench` stands one whose
//! right-hand side isn't inlined, so that its split rule runs: its pullback is kept for each call.

use crate::Kernel;
use chainrule::prelude::*;
use gradbench::evals::ode::last;
use rows::cases::ode::{by_hand, input};
use rows::harness::case::Hand;

const N: usize = 20;
const STEPS: usize = 20;

pub(crate) fn kernel() -> Kernel {
    let x = input(N);
    let zeros = vec![0.0; N];
    let hand = Hand::new(x.clone(), zeros.clone(), |x, x_bar| {
        by_hand(x, STEPS, x_bar)
    });
    let forms = vec![
        hand.form(
            "inlined",
            x.clone(),
            zeros.clone(),
            |x| last(x, STEPS),
            |x, x_bar| last::value_and_gradient_into(x, STEPS, x_bar),
        ),
        hand.form(
            "called",
            x,
            zeros,
            |x| called(x, STEPS),
            |x, x_bar| called::value_and_gradient_into(x, STEPS, x_bar),
        ),
    ];
    Kernel::new(forms)
}

#[differentiable]
#[inline(never)]
fn rates(x: &[f64], y: &[f64], out: &mut [f64]) {
    out[0] = x[0];
    for i in 1..x.len() {
        out[i] = x[i] * y[i - 1];
    }
}

#[differentiable]
fn called(x: &[f64], s: usize) -> f64 {
    let n = x.len();
    let h = 2.0 / s as f64;
    let mut y = vec![0.0; n];
    let (mut k1, mut k2, mut k3, mut k4) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut stage = vec![0.0; n];
    for _ in 0..s {
        rates(x, &y, &mut k1);
        for i in 0..n {
            stage[i] = y[i] + h * k1[i] / 2.0;
        }
        rates(x, &stage, &mut k2);
        for i in 0..n {
            stage[i] = y[i] + h * k2[i] / 2.0;
        }
        rates(x, &stage, &mut k3);
        for i in 0..n {
            stage[i] = y[i] + h * k3[i];
        }
        rates(x, &stage, &mut k4);
        for i in 0..n {
            y[i] += h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
        }
    }
    y[n - 1]
}

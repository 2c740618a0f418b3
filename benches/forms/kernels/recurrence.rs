//! The likelihood of a GARCH(1, 1) process with an autoregressive mean: two linear recurrences.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::{Hand, With};
use rows::harness::input::normal;

const N: usize = 500;
/// Mean, autoregression, then the three numbers of the variance.
const P: [f64; 5] = [0.05, 0.3, 0.1, 0.15, 0.7];

pub(crate) fn kernel() -> Kernel {
    let x = normal(N);
    let hand = Hand::new(
        x.clone(),
        With {
            gradient: [0.0; 5],
            scratch: vec![[0.0; 3]; N],
        },
        |x, bar| by_hand(&P, x, &mut bar.gradient, &mut bar.scratch),
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                x.clone(),
                [0.0; 5],
                |x| $form(&P, x),
                |x, bar| $form::value_and_gradient_into(&P, x, bar),
            )),*]
        };
    }
    Kernel::new(forms! { scalars struct_state fold while_loop history pushed previous })
}

/// Keeps residual, variance and its reciprocal of each time.
fn by_hand(p: &[f64; 5], x: &[f64], p_bar: &mut [f64; 5], kept: &mut [[f64; 3]]) -> f64 {
    let [mu, phi, omega, alpha, beta] = *p;
    let n = x.len();
    let kept = &mut kept[..n];
    let (mut e, mut v, mut total) = (0.0, 1.0, 0.0);
    for t in 1..n {
        v = omega + alpha * e * e + beta * v;
        e = x[t] - mu - phi * x[t - 1];
        let over = 1.0 / v;
        total += v.ln() + e * e * over;
        kept[t] = [e, v, over];
    }
    kept[0] = [0.0, 1.0, 1.0];
    let [
        mut mu_bar,
        mut phi_bar,
        mut omega_bar,
        mut alpha_bar,
        mut beta_bar,
    ] = [0.0; 5];
    // Of the variance and of the residual of the time after.
    let (mut v_bar, mut e_bar) = (0.0, 0.0);
    for t in (1..n).rev() {
        let [e, _, over] = kept[t];
        let [e0, v0, _] = kept[t - 1];
        let q = e * over;
        e_bar += 2.0 * q;
        mu_bar -= e_bar;
        phi_bar -= e_bar * x[t - 1];
        v_bar += over - q * q;
        omega_bar += v_bar;
        alpha_bar += v_bar * e0 * e0;
        beta_bar += v_bar * v0;
        e_bar = 2.0 * alpha * v_bar * e0;
        v_bar *= beta;
    }
    *p_bar = [mu_bar, phi_bar, omega_bar, alpha_bar, beta_bar];
    total
}

#[differentiable]
fn scalars(p: &[f64; 5], #[constant] x: &[f64]) -> f64 {
    let (mu, phi, omega, alpha, beta) = (p[0], p[1], p[2], p[3], p[4]);
    let mut e = 0.0;
    let mut v = 1.0;
    let mut total = 0.0;
    for t in 1..x.len() {
        v = omega + alpha * e * e + beta * v;
        e = x[t] - mu - phi * x[t - 1];
        total += v.ln() + e * e / v;
    }
    total
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct State {
    e: f64,
    v: f64,
}

#[differentiable]
impl State {
    fn next(self, p: &[f64; 5], #[constant] before: f64, #[constant] now: f64) -> State {
        State {
            e: now - p[0] - p[1] * before,
            v: p[2] + p[3] * self.e * self.e + p[4] * self.v,
        }
    }
}

#[differentiable]
fn struct_state(p: &[f64; 5], #[constant] x: &[f64]) -> f64 {
    let mut state = State { e: 0.0, v: 1.0 };
    let mut total = 0.0;
    for t in 1..x.len() {
        state = state.next(p, x[t - 1], x[t]);
        total += state.v.ln() + state.e * state.e / state.v;
    }
    total
}

#[differentiable]
fn fold(p: &[f64; 5], #[constant] x: &[f64]) -> f64 {
    let (_, _, total) = x
        .windows(2)
        .fold((0.0, 1.0, 0.0), |(e, v, total): (f64, f64, f64), w| {
            let v = p[2] + p[3] * e * e + p[4] * v;
            let e = w[1] - p[0] - p[1] * w[0];
            (e, v, total + v.ln() + e * e / v)
        });
    total
}

#[differentiable]
fn while_loop(p: &[f64; 5], #[constant] x: &[f64]) -> f64 {
    let [mu, phi, omega, alpha, beta] = *p;
    let (mut e, mut v) = (0.0, 1.0);
    let mut total = 0.0;
    let mut t = 1;
    while t < x.len() {
        v = omega + alpha * e * e + beta * v;
        e = x[t] - mu - phi * x[t - 1];
        total += v.ln() + e * e / v;
        t += 1;
    }
    total
}

#[differentiable]
fn history(p: &[f64; 5], #[constant] x: &[f64]) -> f64 {
    let n = x.len();
    let mut e = vec![0.0; n];
    let mut v = vec![1.0; n];
    for t in 1..n {
        e[t] = x[t] - p[0] - p[1] * x[t - 1];
        v[t] = p[2] + p[3] * e[t - 1] * e[t - 1] + p[4] * v[t - 1];
    }
    let mut total = 0.0;
    for t in 1..n {
        total += v[t].ln() + e[t] * e[t] / v[t];
    }
    total
}

#[differentiable]
fn pushed(p: &[f64; 5], #[constant] x: &[f64]) -> f64 {
    let mut residuals = vec![0.0];
    for w in x.windows(2) {
        residuals.push(w[1] - p[0] - p[1] * w[0]);
    }
    let mut variances = vec![1.0];
    for t in 1..x.len() {
        let e: f64 = residuals[t - 1];
        variances.push(p[2] + p[3] * e.powi(2) + p[4] * variances[t - 1]);
    }
    residuals[1..]
        .iter()
        .zip(&variances[1..])
        .map(|(e, v)| v.ln() + e * e / v)
        .sum()
}

#[differentiable]
fn previous(p: &[f64; 5], #[constant] x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut last_x = x[0];
    let mut last_e = 0.0;
    let mut last_v = 1.0;
    for &now in &x[1..] {
        let e = now - p[0] - p[1] * last_x;
        let v = p[2] + p[3] * last_e * last_e + p[4] * last_v;
        total += v.ln() + e * e / v;
        last_x = now;
        last_e = e;
        last_v = v;
    }
    total
}

//! The energy of a line: squares of second differences, and a potential at each point.

use crate::Kernel;
use chainrule::prelude::*;
use rows::gradient_of_structs;
use rows::harness::case::{Hand, With};
use rows::harness::input::normal;

const N: usize = 2000;
const H: f64 = 0.5;

pub(crate) fn kernel() -> Kernel {
    let u = normal(N);
    let zeros = vec![0.0; N];
    let hand = Hand::new(
        u.clone(),
        With {
            gradient: zeros.clone(),
            scratch: zeros.clone(),
        },
        |u, bar| by_hand(u, H, &mut bar.gradient, &mut bar.scratch),
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                u.clone(),
                zeros.clone(),
                |u| $form(u, H),
                |u, u_bar| $form::value_and_gradient_into(u, H, u_bar),
            )),*]
        };
    }
    let mut forms = forms! { index from_zero windows two_passes iterators };
    forms.push(hand.form(
        "method",
        Line { u: u.clone(), h: H },
        LineTangent {
            u: zeros,
            h: NoTangent,
        },
        Line::energy,
        |line, bar| line.energy_value_and_gradient_into(bar),
    ));
    Kernel::new(forms)
}

/// The cotangents of the differences stand in `d`; then each component of the gradient is assigned once.
fn by_hand(u: &[f64], h: f64, u_bar: &mut [f64], d: &mut [f64]) -> f64 {
    let n = u.len();
    let (u_bar, d) = (&mut u_bar[..n], &mut d[..n]);
    let s = 1.0 / (h * h);
    let mut total = 0.0;
    d[0] = 0.0;
    d[n - 1] = 0.0;
    for i in 1..n - 1 {
        let v = (u[i - 1] - 2.0 * u[i] + u[i + 1]) * s;
        let p = 0.25 * u[i] * u[i];
        total += v * v + p * u[i] * u[i];
        d[i] = 2.0 * s * v;
    }
    u_bar[0] = d[1];
    u_bar[n - 1] = d[n - 2];
    for i in 1..n - 1 {
        u_bar[i] = d[i - 1] - 2.0 * d[i] + d[i + 1] + u[i] * u[i] * u[i];
    }
    total
}

#[differentiable]
fn index(u: &[f64], #[constant] h: f64) -> f64 {
    let mut total = 0.0;
    for i in 1..u.len() - 1 {
        let d = (u[i - 1] - 2.0 * u[i] + u[i + 1]) / (h * h);
        total += d * d + 0.25 * u[i] * u[i] * u[i] * u[i];
    }
    total
}

#[differentiable]
fn from_zero(u: &[f64], #[constant] h: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..u.len() - 2 {
        let d = (u[i] - 2.0 * u[i + 1] + u[i + 2]) / (h * h);
        total += d * d + 0.25 * u[i + 1].powi(4);
    }
    total
}

#[differentiable]
fn windows(u: &[f64], #[constant] h: f64) -> f64 {
    let mut total = 0.0;
    for w in u.windows(3) {
        let d = (w[0] - 2.0 * w[1] + w[2]) / (h * h);
        total += d * d + 0.25 * w[1] * w[1] * w[1] * w[1];
    }
    total
}

#[differentiable]
fn two_passes(u: &[f64], #[constant] h: f64) -> f64 {
    let n = u.len();
    let mut d = vec![0.0; n];
    for i in 1..n - 1 {
        d[i] = (u[i - 1] - 2.0 * u[i] + u[i + 1]) / (h * h);
    }
    let mut total = 0.0;
    for i in 1..n - 1 {
        total += d[i] * d[i] + 0.25 * u[i] * u[i] * u[i] * u[i];
    }
    total
}

#[differentiable]
fn iterators(u: &[f64], #[constant] h: f64) -> f64 {
    u.windows(3)
        .map(|w| {
            let d = (w[0] - 2.0 * w[1] + w[2]) / (h * h);
            d.powi(2) + 0.25 * w[1].powi(4)
        })
        .sum()
}

#[derive(Clone, Debug, Differentiable)]
struct Line {
    u: Vec<f64>,
    #[constant]
    h: f64,
}

#[differentiable]
impl Line {
    fn energy(&self) -> f64 {
        let mut total = 0.0;
        for i in 1..self.u.len() - 1 {
            let d = (self.u[i - 1] - 2.0 * self.u[i] + self.u[i + 1]) / (self.h * self.h);
            total += d * d + 0.25 * self.u[i].powi(4);
        }
        total
    }
}

gradient_of_structs! { LineTangent { u } }

//! Runge-Kutta of order four with the right-hand side as a closure that captures the parameters.

use crate::harness::case::Case;
use chainrule::prelude::*;

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    const STEPS: usize = 1000;
    vec![Case::new(
        "rk4_closure",
        [1.1, 0.4, 0.4, 0.1],
        [0.0; 4],
        |theta| distance(theta, STEPS),
        |theta, theta_bar| distance::value_and_gradient_into(theta, STEPS, theta_bar),
        |theta, theta_bar| by_hand(theta, STEPS, theta_bar),
    )]
}

#[differentiable]
fn ahead(y: &[f64; 2], k: &[f64; 2], h: f64) -> [f64; 2] {
    [y[0] + h * k[0], y[1] + h * k[1]]
}

#[differentiable]
fn runge_kutta(
    f: impl Fn(&[f64; 2]) -> [f64; 2],
    start: [f64; 2],
    h: f64,
    steps: usize,
) -> [f64; 2] {
    let mut y = start;
    for _ in 0..steps {
        let k1 = f(&y);
        let k2 = f(&ahead(&y, &k1, 0.5 * h));
        let k3 = f(&ahead(&y, &k2, 0.5 * h));
        let k4 = f(&ahead(&y, &k3, h));
        for i in 0..2 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y
}

/// Predator and prey.
#[differentiable]
fn distance(theta: &[f64; 4], steps: usize) -> f64 {
    let [a, b, c, d] = *theta;
    let y = runge_kutta(
        |y| [y[0] * (a - b * y[1]), y[1] * (d * y[0] - c)],
        [1.0, 0.5],
        0.01,
        steps,
    );
    y[0] * y[0] + y[1] * y[1]
}

/// A closure with its rules: a type of its own, so that callers are compiled for it and nothing is boxed.
trait Rules {
    /// Cotangents of what is captured.
    type Bar: Copy;
    fn zero(&self) -> Self::Bar;
    fn call(&self, y: &[f64; 2]) -> [f64; 2];
    /// Adds to the captures' cotangent, gives that of `y`. The forward half keeps nothing but `y`, which the caller has.
    fn reverse(&self, bar: &mut Self::Bar, y: &[f64; 2], out_bar: &[f64; 2]) -> [f64; 2];
}

struct PredatorPrey {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
}

impl Rules for PredatorPrey {
    type Bar = [f64; 4];

    fn zero(&self) -> [f64; 4] {
        [0.0; 4]
    }

    #[inline]
    fn call(&self, y: &[f64; 2]) -> [f64; 2] {
        [
            y[0] * (self.a - self.b * y[1]),
            y[1] * (self.d * y[0] - self.c),
        ]
    }

    #[inline]
    fn reverse(&self, bar: &mut [f64; 4], y: &[f64; 2], out_bar: &[f64; 2]) -> [f64; 2] {
        let (p, q) = (y[0] * out_bar[0], y[1] * out_bar[1]);
        bar[0] += p;
        bar[1] -= y[1] * p;
        bar[2] -= q;
        bar[3] += y[0] * q;
        [
            (self.a - self.b * y[1]) * out_bar[0] + self.d * q,
            (self.d * y[0] - self.c) * out_bar[1] - self.b * p,
        ]
    }
}

/// The four points of a step at which `f` is called.
type Points = [[f64; 2]; 4];

#[inline]
fn step_forward(f: &impl Rules, y: [f64; 2], h: f64) -> (Points, [f64; 2]) {
    let k1 = f.call(&y);
    let y2 = ahead(&y, &k1, 0.5 * h);
    let k2 = f.call(&y2);
    let y3 = ahead(&y, &k2, 0.5 * h);
    let k3 = f.call(&y3);
    let y4 = ahead(&y, &k3, h);
    let k4 = f.call(&y4);
    let mut next = y;
    for i in 0..2 {
        next[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
    ([y, y2, y3, y4], next)
}

#[inline]
fn step_reverse<F: Rules>(
    f: &F,
    bar: &mut F::Bar,
    points: &Points,
    next_bar: [f64; 2],
    h: f64,
) -> [f64; 2] {
    let ahead = [0.5 * h, 0.5 * h, h];
    let weights = [h / 6.0, h / 3.0, h / 3.0, h / 6.0];
    let mut y_bar = next_bar;
    let mut k_bar = next_bar.map(|t| weights[3] * t);
    for j in (0..3).rev() {
        let point_bar = f.reverse(bar, &points[j + 1], &k_bar);
        for i in 0..2 {
            y_bar[i] += point_bar[i];
            k_bar[i] = weights[j] * next_bar[i] + ahead[j] * point_bar[i];
        }
    }
    let point_bar = f.reverse(bar, &points[0], &k_bar);
    [y_bar[0] + point_bar[0], y_bar[1] + point_bar[1]]
}

/// Split rule of the integrator, for any closure: residuals are an array of known length of arrays on the stack's kind.
fn runge_kutta_forward(
    f: &impl Rules,
    start: [f64; 2],
    h: f64,
    steps: usize,
) -> ([f64; 2], Vec<Points>) {
    let mut kept = vec![[[0.0; 2]; 4]; steps];
    let mut y = start;
    for kept in &mut kept {
        (*kept, y) = step_forward(f, y, h);
    }
    (y, kept)
}

fn runge_kutta_reverse<F: Rules>(
    kept: &[Points],
    f: &F,
    h: f64,
    out_bar: [f64; 2],
) -> ([f64; 2], F::Bar) {
    let mut bar = f.zero();
    let mut y_bar = out_bar;
    for kept in kept.iter().rev() {
        y_bar = step_reverse(f, &mut bar, kept, y_bar, h);
    }
    (y_bar, bar)
}

fn by_hand(theta: &[f64; 4], steps: usize, theta_bar: &mut [f64; 4]) -> f64 {
    let [a, b, c, d] = *theta;
    let f = PredatorPrey { a, b, c, d };
    let (y, kept) = runge_kutta_forward(&f, [1.0, 0.5], 0.01, steps);
    let (_, bar) = runge_kutta_reverse(&kept, &f, 0.01, [2.0 * y[0], 2.0 * y[1]]);
    *theta_bar = bar;
    y[0] * y[0] + y[1] * y[1]
}

//! Runge-Kutta of order four on a chain, the right-hand side in place (`GradBench`: ode).

use crate::harness::case::Case;
use crate::harness::input::Random;
use gradbench::evals::ode::{last, rates};

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    vec![case("ode_20_100", 20, 100), case("ode_1000_20", 1000, 20)]
}

fn case(name: &'static str, n: usize, steps: usize) -> Case {
    Case::new(
        name,
        (input(n), steps),
        vec![0.0; n],
        |(x, steps)| last(x, *steps),
        |(x, steps), x_bar| last::value_and_gradient_into(x, *steps, x_bar),
        |(x, steps), x_bar| by_hand(x, *steps, x_bar),
    )
}

/// Numbers near two, so that the last component, a product of all, doesn't vanish.
pub fn input(n: usize) -> Vec<f64> {
    let uniforms = Random::new(31337).uniforms(n);
    uniforms.into_iter().map(|x| 1.5 + x).collect()
}

/// The same where the cotangent of `y` has no other contribution yet and that of `out` no reader afterwards.
#[inline]
fn f_reverse(x: &[f64], x_bar: &mut [f64], y: &[f64], y_bar: &mut [f64], out_bar: &[f64]) {
    let n = x.len();
    x_bar[0] += out_bar[0];
    let (t, x, x_bar, y) = (&out_bar[1..n], &x[1..n], &mut x_bar[1..n], &y[..n - 1]);
    let (y_bar, last) = y_bar[..n].split_at_mut(n - 1);
    for i in 0..n - 1 {
        x_bar[i] += t[i] * y[i];
        y_bar[i] = x[i] * t[i];
    }
    last[0] = 0.0;
}

/// One step forward, from `y` to `next`; `stages` get the three other points at which `f` is called.
#[inline]
fn step_forward(
    x: &[f64],
    h: f64,
    y: &[f64],
    stages: &mut [f64],
    next: &mut [f64],
    k: &mut [Vec<f64>; 4],
) {
    let n = x.len();
    let ahead = [0.5 * h, 0.5 * h, h];
    rates(x, y, &mut k[0]);
    for (j, stage) in stages.chunks_exact_mut(n).enumerate() {
        for ((stage, y), k) in stage.iter_mut().zip(y).zip(&k[j]) {
            *stage = y + ahead[j] * k;
        }
        rates(x, stage, &mut k[j + 1]);
    }
    let [k1, k2, k3, k4] = k.each_ref().map(|k| &k[..n]);
    let (y, next) = (&y[..n], &mut next[..n]);
    for i in 0..n {
        next[i] = y[i] + h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
    }
}

/// One step backward: each cotangent is assigned where it is made, loops run forward.
#[inline]
fn step_reverse(
    x: &[f64],
    x_bar: &mut [f64],
    h: f64,
    y: &[f64],
    stages: &[f64],
    buffers: &mut [Vec<f64>; 4],
) {
    let n = x.len();
    let ahead = [0.5 * h, 0.5 * h, h];
    let weights = [h / 6.0, h / 3.0, h / 3.0, h / 6.0];
    let [y_bar, next_bar, k_bar, stage_bar] = buffers.each_mut().map(|b| &mut b[..n]);
    next_bar.copy_from_slice(y_bar);
    for (k_bar, t) in k_bar.iter_mut().zip(&*next_bar) {
        *k_bar = weights[3] * t;
    }
    for j in (0..3).rev() {
        f_reverse(x, x_bar, &stages[j * n..(j + 1) * n], stage_bar, k_bar);
        for i in 0..n {
            y_bar[i] += stage_bar[i];
            k_bar[i] = weights[j] * next_bar[i] + ahead[j] * stage_bar[i];
        }
    }
    f_reverse(x, x_bar, y, stage_bar, k_bar);
    for (y_bar, t) in y_bar.iter_mut().zip(&*stage_bar) {
        *y_bar += t;
    }
}

fn buffers(n: usize) -> [Vec<f64>; 4] {
    [vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]]
}

/// What `f`'s reverse half reads, and no more: `y` and three stages for each step. `stage` is private to an iteration,
/// so that each may have its own place in the array of residuals, and nothing is copied. `kept` is that array; a caller
/// may keep it from call to call.
#[inline]
fn stages_kept(x: &[f64], s: usize, x_bar: &mut [f64], kept: &mut [f64]) -> f64 {
    let n = x.len();
    let h = 2.0 / s as f64;
    let mut k = buffers(n);
    kept[..n].fill(0.0);
    for step in 0..s {
        let (y, rest) = kept[4 * n * step..4 * n * (step + 1) + n].split_at_mut(n);
        let (stages, next) = rest.split_at_mut(3 * n);
        step_forward(x, h, y, stages, next, &mut k);
    }
    x_bar.fill(0.0);
    let mut bars = buffers(n);
    bars[0][n - 1] = 1.0;
    for step in (0..s).rev() {
        let (y, stages) = kept[4 * n * step..4 * n * (step + 1)].split_at(n);
        step_reverse(x, x_bar, h, y, stages, &mut bars);
    }
    kept[4 * n * s + n - 1]
}

/// Value and gradient; every cotangent is assigned where it is made.
pub fn by_hand(x: &[f64], s: usize, x_bar: &mut [f64]) -> f64 {
    let mut kept = vec![0.0; 4 * x.len() * s + x.len()];
    stages_kept(x, s, x_bar, &mut kept)
}

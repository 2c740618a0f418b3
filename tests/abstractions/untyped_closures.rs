//! Closures without types in their parameters, handed to functions: right-hand sides of differential equations, objectives.

use chainrule::prelude::*;

use crate::check::table;

/// The explicit Euler method, in place.
#[differentiable]
#[inline(never)]
fn euler(f: impl Fn(f64, &[f64], &mut [f64]), y: &mut [f64], dt: f64, #[constant] n: usize) {
    let mut d = vec![0.0; y.len()];
    let mut t = 0.0;
    for _ in 0..n {
        f(t, y, &mut d);
        for i in 0..y.len() {
            y[i] += dt * d[i];
        }
        t += dt;
    }
}

/// Heun's method, in place.
#[differentiable]
fn heun<F>(f: F, y: &mut Vec<f64>, t0: f64, t1: f64, #[constant] n: usize)
where
    F: Fn(f64, &[f64], &mut [f64]),
{
    let h = (t1 - t0) / n as f64;
    let m = y.len();
    let mut k1 = vec![0.0; m];
    let mut k2 = vec![0.0; m];
    let mut end = vec![0.0; m];
    for s in 0..n {
        let t = t0 + s as f64 * h;
        f(t, y, &mut k1);
        for i in 0..m {
            end[i] = y[i] + h * k1[i];
        }
        f(t + h, &end, &mut k2);
        for i in 0..m {
            y[i] += 0.5 * h * (k1[i] + k2[i]);
        }
    }
}

#[differentiable]
fn decay(k: f64, y0: f64, #[constant] n: usize) -> f64 {
    let mut y = [y0];
    euler(
        |_t, y, d| {
            d[0] = -k * y[0];
        },
        &mut y,
        0.1,
        n,
    );
    y[0]
}

#[differentiable]
fn lorenz(p: &[f64], y0: &[f64]) -> f64 {
    let mut y = y0.to_vec();
    heun(
        |_t, y, d| {
            d[0] = p[0] * (y[1] - y[0]);
            d[1] = y[0] * (p[1] - y[2]) - y[1];
            d[2] = y[0] * y[1] - p[2] * y[2];
        },
        &mut y,
        0.0,
        0.1,
        4,
    );
    y[0] * y[1] + y[2]
}

#[differentiable]
fn driven(k: f64) -> f64 {
    let mut y = vec![1.0, 2.0];
    heun(
        |t, y, dy| {
            for i in 0..y.len() {
                dy[i] = -k * y[i] + t;
            }
        },
        &mut y,
        0.0,
        1.0,
        3,
    );
    y[0] * y[1]
}

#[differentiable]
fn by_elements(k: f64) -> f64 {
    let mut y = vec![1.0, 2.0];
    heun(
        |_, y, dy| {
            for (d, v) in dy.iter_mut().zip(y.iter()) {
                *d = -k * v;
            }
        },
        &mut y,
        0.0,
        1.0,
        3,
    );
    y[0] * y[1]
}

#[differentiable]
fn copied_first(k: f64) -> f64 {
    let mut y = vec![1.0, 2.0];
    heun(
        |_, y, dy| {
            dy.copy_from_slice(y);
            dy[0] *= k;
            let (a, b) = (y[0], y[1]);
            dy[1] -= a * b;
        },
        &mut y,
        0.0,
        1.0,
        3,
    );
    y[0] * y[1]
}

#[differentiable]
fn squared<F: Fn(&[f64]) -> f64>(f: F, x: &[f64]) -> f64 {
    f(x) * f(x)
}

#[differentiable]
fn objectives(k: f64, x: &[f64]) -> f64 {
    let sums = squared(|x| x.iter().map(|v| v * k).sum(), x);
    let last = squared(
        |x| {
            let n = x.len();
            k * x[n - 1]
        },
        x,
    );
    let rosenbrock = squared(
        |x| (x[0] - k).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2),
        x,
    );
    sums + last + rosenbrock
}

table! {
    decay: for n in 0..4, (0.7, 1.3, const n);
    lorenz: (&vec![10.0, 28.0, 2.6], &vec![1.0, 0.5, 0.9]);
    driven: (0.7);
    by_elements: (0.7);
    copied_first: (0.7);
    objectives: (0.7, &vec![1.1, 0.4]);
}

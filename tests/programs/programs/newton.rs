//! Newton's iteration: of a number, and of a system with a line search.

use chainrule::prelude::*;

use crate::check::{check, table};

/// Kepler's equation `e - k sin(e) = m`.
#[differentiable]
#[inline(never)]
fn eccentric_anomaly(m: f64, k: f64) -> f64 {
    let mut e = if k > 0.8 { std::f64::consts::PI } else { m };
    for _ in 0..50 {
        let step = (e - k * e.sin() - m) / (1.0 - k * e.cos());
        e -= step;
        if step.abs() < 1e-14 {
            break;
        }
    }
    e
}

/// `x^2 + y^2 = a`, `x y = b`.
#[differentiable]
#[inline(never)]
fn residual(u: [f64; 2], a: f64, b: f64) -> [f64; 2] {
    [u[0] * u[0] + u[1] * u[1] - a, u[0] * u[1] - b]
}

#[differentiable]
#[inline(never)]
fn norm(r: [f64; 2]) -> f64 {
    r[0].abs() + r[1].abs()
}

#[differentiable]
#[inline(never)]
fn intersection(a: f64, b: f64) -> f64 {
    let mut u = [2.0, 0.1];
    loop {
        let r = residual(u, a, b);
        if norm(r) < 1e-13 {
            return u[0];
        }
        let determinant = 2.0 * (u[0] * u[0] - u[1] * u[1]);
        let step = [
            (u[0] * r[0] - 2.0 * u[1] * r[1]) / determinant,
            (2.0 * u[0] * r[1] - u[1] * r[0]) / determinant,
        ];
        let mut length = 1.0;
        let mut next = [u[0] - step[0], u[1] - step[1]];
        while norm(residual(next, a, b)) > norm(r) && length > 1e-3 {
            length *= 0.5;
            next = [u[0] - length * step[0], u[1] - length * step[1]];
        }
        u = next;
    }
}

/// By the implicit function theorem: `de/dm = 1 / (1 - k cos e)`, `de/dk = sin(e) / (1 - k cos e)`.
#[test]
fn implicit_function() {
    for (m, k) in [(0.7, 0.3), (1.9, 0.9), (0.0, 0.5)] {
        let e = eccentric_anomaly(m, k);
        let slope = 1.0 / (1.0 - k * e.cos());
        check!(eccentric_anomaly(m, k)).assert_gradient(&[slope, slope * e.sin()]);
    }
}

/// `x = (sqrt(a + 2 b) + sqrt(a - 2 b)) / 2`.
#[test]
fn system() {
    let (a, b) = (2.3_f64, 0.4);
    let (plus, minus) = ((a + 2.0 * b).sqrt(), (a - 2.0 * b).sqrt());
    let want = [0.25 / plus + 0.25 / minus, 0.5 / plus - 0.5 / minus];
    check!(intersection(a, b)).assert_gradient(&want);
}

table! {
    norm: ([0.3, -0.4]) => [1.0, -1.0];
}

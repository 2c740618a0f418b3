//! Functions of the same module that take functions: their bodies stand for the calls, closures and all.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
fn ahead(y: &[f64; 2], k: &[f64; 2], h: f64) -> [f64; 2] {
    [y[0] + h * k[0], y[1] + h * k[1]]
}

/// Heun's method.
#[differentiable]
fn heun(f: impl Fn(&[f64; 2]) -> [f64; 2], start: [f64; 2], h: f64, steps: usize) -> [f64; 2] {
    let mut y = start;
    for _ in 0..steps {
        let first = f(&y);
        let second = f(&ahead(&y, &first, h));
        for i in 0..2 {
            y[i] += 0.5 * h * (first[i] + second[i]);
        }
    }
    y
}

/// Names that the callee has, too.
#[differentiable]
fn predator(h: f64, b: f64, steps: usize) -> f64 {
    let first = h * b;
    let y = heun(
        |y| [y[0] * (h - b * y[1]), y[1] * (first * y[0] - 0.4)],
        [1.0, first],
        0.1 * b,
        steps,
    );
    y[0] * y[1] + first
}

/// Simpson's rule.
#[differentiable]
fn simpson<F>(f: F, a: f64, b: f64, n: usize) -> f64
where
    F: Fn(f64) -> f64,
{
    let h = (b - a) / n as f64;
    let mut sum = f(a) - f(b);
    for k in 0..n {
        let x = a + k as f64 * h;
        sum += 4.0 * f(x + 0.5 * h) + 2.0 * f(x + h);
    }
    sum * h / 6.0
}

#[differentiable]
fn bump(x: f64) -> f64 {
    (-x * x).exp()
}

#[differentiable]
fn integral(s: f64, b: f64, n: usize) -> f64 {
    let scaled = |x: f64| bump(s * x) * x;
    simpson(scaled, 0.0, b, n)
        + simpson(bump, s, b, 2 * n) * simpson(&|x: f64| x * x * s, 0.0, 1.0, 1)
}

/// An early way out, in the callee and in what it calls.
#[differentiable]
fn newton<F: Fn(f64) -> f64, G: Fn(f64) -> f64>(f: F, slope: &G, start: f64) -> f64 {
    let mut x = start;
    for _ in 0..20 {
        let step = f(x) / slope(x);
        x -= step;
        if step.abs() < 1e-13 {
            return x;
        }
    }
    x
}

#[differentiable]
fn root(a: f64) -> f64 {
    let f = |x: f64| {
        if x < 0.0 {
            return -a;
        }
        x * x - a
    };
    newton(f, &|x| 2.0 * x, 1.5) * a
}

/// Each element by a function that is chosen before.
#[differentiable]
fn each(f: &dyn Fn(f64, usize) -> f64, x: &mut [f64]) {
    for (i, v) in x.iter_mut().enumerate() {
        *v = f(*v, i);
    }
}

#[differentiable]
fn elements(x: &[f64], c: f64) -> f64 {
    let mut y = x.to_vec();
    each(&|v, i| v * c + i as f64 * v * v, &mut y);
    let s: f64 = y.iter().sum();
    each(&|v, _| v * s, &mut y);
    y.iter().sum()
}

/// What is handed on, or called otherwise, is called by its rules.
#[differentiable]
fn twice(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

#[differentiable]
fn four_times(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    twice(&f, twice(&f, x))
}

#[differentiable]
fn handed_on(a: f64, x: f64) -> f64 {
    four_times(|v| v.sin() * a, x) + twice(|v| twice(|w| w * v * a, v), x)
}

/// A function beside a constant that the call's surroundings call otherwise.
const ROUNDS: usize = 3;

#[differentiable]
fn rounds(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let mut y = x;
    for _ in 0..ROUNDS {
        y = f(y);
    }
    y
}

#[differentiable]
fn named(rounds_of: f64) -> f64 {
    let y = 2.0;
    rounds(|x| x * y - rounds_of * x * x, rounds_of) * y
}

table! {
    predator: for n in [0, 1, 3], (0.9, 0.6, const n);
    integral: for n in [1, 4], (0.8, 1.3, const n);
    root: (2.0), (0.7);
    elements: (&[0.3, -1.2, 0.8], 0.7), (&Vec::<f64>::new(), 0.7);
    handed_on: (0.8, 0.3);
    named: (0.4);
}

#[test]
fn a_root_has_its_derivative() {
    for a in [2.0, 0.7] {
        approx::assert_relative_eq!(root(a), a * f64::sqrt(a), max_relative = 1e-14);
        approx::assert_relative_eq!(root::gradient(a), 1.5 * f64::sqrt(a), max_relative = 1e-13);
    }
}

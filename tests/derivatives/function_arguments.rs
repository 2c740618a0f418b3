//! Functions as arguments: closures with captures, function items, parameters that are functions.

use chainrule::prelude::*;

use crate::check::check;

// ---- What takes functions. -----------------------------------------------------------------------------------------

/// The trapezoidal rule.
#[differentiable]
fn integrate<F: Fn(f64) -> f64>(f: F, a: f64, b: f64, n: usize) -> f64 {
    let h = (b - a) / n as f64;
    let mut sum = 0.5 * (f(a) + f(b));
    for i in 1..n {
        sum += f(a + h * i as f64);
    }
    sum * h
}

#[differentiable]
fn total(mut f: impl FnMut(f64) -> f64, h: f64, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += f(h * i as f64);
    }
    s
}

#[differentiable]
fn twice(f: &dyn Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

#[differentiable]
fn composed<F, G>(f: &F, g: &G, x: f64) -> f64
where
    F: Fn(f64) -> f64,
    G: Fn(f64) -> f64,
{
    f(g(x)) * x
}

#[differentiable]
fn pointer(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

/// Newton's method.
#[differentiable]
fn newton(f: impl Fn(f64) -> f64, df: impl Fn(f64) -> f64, mut x: f64) -> f64 {
    for _ in 0..50 {
        let step = f(x) / df(x);
        x -= step;
        if step.abs() < 1e-12 {
            break;
        }
    }
    x
}

#[differentiable]
fn fixed_point<F: Fn(f64) -> f64>(f: F, start: f64, tolerance: f64) -> f64 {
    let mut x = start;
    loop {
        let next = f(x);
        if (next - x).abs() < tolerance {
            return next;
        }
        x = next;
    }
}

/// One level more.
#[differentiable]
fn outer<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    inner(&f, x) + inner(&f, 2.0 * x)
}

#[differentiable]
fn inner(f: &impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x) * x
}

// ---- What passes them. ---------------------------------------------------------------------------------------------

#[differentiable]
fn sine(x: f64) -> f64 {
    x.sin()
}

#[differentiable]
fn captured(a: f64, b: f64, w: &[f64]) -> f64 {
    integrate(|t: f64| w[0] * (a * t).sin() + w[1] * t * b, a, b, 4)
}

#[test]
fn captures_of_a_closure() {
    check!(captured(0.7, 1.9, &[1.3, -0.4]));
}

#[differentiable]
fn untyped(a: f64, b: f64) -> f64 {
    integrate(|t| (a * t).exp() * b, a, b, 3)
}

#[test]
fn a_closure_whose_parameter_has_no_type() {
    check!(untyped(0.7, 1.9));
}

#[differentiable]
fn items(x: f64, y: f64) -> f64 {
    integrate(sine, x, y, 3)
        + twice(&sine, x)
        + pointer(sine, y)
        + total(f64::cos, x, 3)
        + pointer(f64::exp, x)
}

#[test]
fn function_items() {
    check!(items(0.3, 1.1));
}

#[differentiable]
fn decay(x: &[f64], k: f64) -> f64 {
    let mut c = 1.0;
    let f = |t: f64| {
        c *= (-k * t).exp();
        c * x[0]
    };
    total(f, x[1], 4) * c
}

#[test]
fn a_captured_variable_that_changes() {
    check!(decay(&[1.3, 0.2], 0.7));
}

#[differentiable]
fn counted(x: f64) -> f64 {
    let mut calls = 0;
    let y = total(
        |t: f64| {
            calls += 1;
            t * t
        },
        x,
        3,
    );
    y * calls as f64
}

#[test]
fn a_captured_counter() {
    let checked = check!(counted(1.5));
    assert_eq!(checked.gradient(), &[45.0]);
}

#[differentiable]
fn root(a: f64, start: f64) -> f64 {
    newton(|x| x * x - a, |x| 2.0 * x, start)
}

#[test]
fn newtons_method() {
    let checked = check!(root(2.0, 1.0));
    let want = 0.5 / 2.0_f64.sqrt();
    assert!((checked.gradient()[0] - want).abs() < 1e-9);
    assert!(checked.gradient()[1].abs() < 1e-9);
}

#[differentiable]
fn kepler(e: f64, m: f64) -> f64 {
    fixed_point(|x| m + e * x.sin(), m, 1e-14)
}

#[test]
fn a_fixed_point() {
    check!(kepler(0.3, 1.2));
}

#[differentiable]
fn levels(a: f64, x: f64) -> f64 {
    outer(|t: f64| a * t * t, x) + outer(sine, x)
}

#[test]
fn through_two_levels() {
    check!(levels(0.8, 1.2));
}

#[differentiable]
fn same_twice(a: f64, x: &[f64]) -> f64 {
    let g = |t: f64| a * t + x[0] * t * t;
    composed(&g, &g, x[1]) + composed(&|t: f64| t * a, &sine, a)
}

#[test]
fn the_same_closure_twice() {
    check!(same_twice(0.6, &[0.3, 0.9]));
}

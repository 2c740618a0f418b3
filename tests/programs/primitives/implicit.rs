//! The derivative of a root through the implicit function theorem, against that of the iteration that finds it.

use chainrule::prelude::*;

use crate::check::{assert_close, check};

/// `x - e sin x = mean`, by Newton's method.
#[primitive(result = x, partials(
    mean = 1.0 / (1.0 - e * x.cos()),
    e = x.sin() / (1.0 - e * x.cos()),
))]
fn kepler(mean: f64, e: f64) -> f64 {
    newton(mean, e)
}

/// The same, differentiated through the loop.
#[differentiable]
#[inline(never)]
fn newton(mean: f64, e: f64) -> f64 {
    let mut x = mean;
    for _ in 0..20 {
        x -= (x - e * x.sin() - mean) / (1.0 - e * x.cos());
    }
    x
}

/// `x³ + p₀ x = p₁`; the rules use the drivers of the equation.
#[primitive(frule = root_frule, rrule = root_rrule, rrule_frule = root_rrule_frule)]
fn root(p: &[f64]) -> f64 {
    iterated(p)
}

#[differentiable]
#[inline(never)]
fn equation(x: f64, p: &[f64]) -> f64 {
    x * x * x + p[0] * x - p[1]
}

#[differentiable]
#[inline(never)]
fn iterated(p: &[f64]) -> f64 {
    let mut x = 1.0;
    for _ in 0..20 {
        let y: f64 = equation(x, p);
        x -= y / (3.0 * x * x + p[0]);
    }
    x
}

fn root_frule(Dual(p, p_dot): Dual<&[f64], &[f64]>) -> Dual<f64, f64> {
    let x = root(p);
    let (slope, _) = equation::gradient(x, p);
    let (_, along_p) = equation::jvp(x, p, 0.0, p_dot);
    Dual(x, -along_p / slope)
}

fn root_rrule(p: &[f64]) -> (f64, impl FnOnce(f64, CoDual<&[f64], &mut [f64]>) + use<>) {
    let x = root(p);
    (x, move |x_bar, CoDual(p, p_bar)| {
        let (slope, y_p) = equation::gradient(x, p);
        for (p_bar, y_p) in p_bar.iter_mut().zip(y_p) {
            *p_bar -= x_bar / slope * y_p;
        }
    })
}

type Shadow<'a> = CoDual<Dual<&'a [f64], &'a [f64]>, Dual<&'a mut [f64], &'a mut [f64]>>;

fn root_rrule_frule(
    p: Dual<&[f64], &[f64]>,
) -> (
    Dual<f64, f64>,
    impl FnOnce(Dual<f64, f64>, Shadow<'_>) + use<>,
) {
    let Dual(x, x_dot) = root_frule(p);
    let pullback =
        move |Dual(x_bar, x_bar_dot): Dual<f64, f64>,
              CoDual(Dual(p, p_dot), Dual(p_bar, p_bar_dot)): Shadow<'_>| {
            let (slope, y_p) = equation::gradient(x, p);
            let (slope_dot, y_p_dot) = equation::hvp(x, p, x_dot, p_dot);
            let y_bar = -x_bar / slope;
            let y_bar_dot = -(x_bar_dot + y_bar * slope_dot) / slope;
            for i in 0..p.len() {
                p_bar[i] += y_bar * y_p[i];
                p_bar_dot[i] += y_bar_dot * y_p[i] + y_bar * y_p_dot[i];
            }
        };
    (Dual(x, x_dot), pullback)
}

#[differentiable]
#[inline(never)]
fn radius(mean: f64, e: f64, a: f64) -> f64 {
    a * (1.0 - e * kepler(mean, e).cos())
}

#[differentiable]
#[inline(never)]
fn of_roots(p: &[f64]) -> f64 {
    root(p) * root(&[p[1], p[0]])
}

#[test]
fn partials_agree_with_the_iteration() {
    for (mean, e) in [(0.0, 0.5), (0.9, 0.3), (2.4, 0.7)] {
        check!(kepler(mean, e));
        let (got, want) = (kepler::gradient(mean, e), newton::gradient(mean, e));
        assert_close(&[got.0, got.1], &[want.0, want.1]);
        for (u, v) in [(1.0, 0.0), (0.0, 1.0), (0.6, -0.7)] {
            let (got, want) = (kepler::hvp(mean, e, u, v), newton::hvp(mean, e, u, v));
            assert!((got.0 - want.0).abs() < 1e-11 && (got.1 - want.1).abs() < 1e-11);
        }
    }
    check!(radius(0.9, 0.3, 1.4));
}

#[test]
fn rules_by_hand_agree_with_the_iteration() {
    let p = vec![0.7, 1.9];
    check!(root(&p.clone()));
    check!(of_roots(&p.clone()));
    assert_close(&root::gradient(&p), &iterated::gradient(&p));
    assert_close(
        root::hessian(&p).as_slice(),
        iterated::hessian(&p).as_slice(),
    );
}

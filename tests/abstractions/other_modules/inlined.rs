//! Callers of short functions of another module.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

use super::helpers::{self, Degrees, Fallible, Gauss, Kernel, axpy, cube, square};
use super::vectors::V;

const LOCAL: f64 = 7.0;

fn hidden(x: f64) -> f64 {
    10.0 * x
}

#[differentiable]
fn names_of_both_modules(x: f64) -> f64 {
    let factor = 3.0;
    cube(x)
        + helpers::square(x) * square(x)
        + helpers::with_a_constant(x) * factor
        + helpers::turned(x) * LOCAL
        + helpers::with_a_function(x) * hidden(1.0)
}

#[differentiable]
fn lists(x: &[f64]) -> f64 {
    let mut y = vec![1.0; x.len()];
    axpy(2.0, x, &mut y);
    let mut s = 0.0;
    for i in 0..x.len() {
        s += helpers::dot(&x[..i], &y[..i]) * square(x[i]);
    }
    s
}

#[differentiable]
fn structs(v: V) -> f64 {
    helpers::length(v) + square(v.x)
}

#[differentiable]
fn parts(a: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..2 {
        let r = helpers::row(a, i, 2);
        s += r[0] * r[1];
    }
    s
}

#[differentiable]
fn imported_in_the_body(a: &[f64]) -> f64 {
    use super::helpers::with_a_constant as other;
    let helpers = 2.0;
    let mut s = 0.0;
    for i in 0..2 {
        s += super::helpers::cube(a[i]) * other(a[i]) * helpers;
    }
    s
}

#[differentiable]
fn closures(x: f64) -> f64 {
    let f = helpers::line(x, 2.0);
    f(x) * f(1.0)
}

#[differentiable]
fn iterators(x: &[f64]) -> f64 {
    let sum: f64 = helpers::squares(x).map(|v| v.sin()).sum();
    sum * helpers::doubled(helpers::from_one(x).map(|v| v * v))
}

#[differentiable]
fn generics(x: f64) -> f64 {
    let t = helpers::generic(x, 2.0 * x);
    t.max(0.1) * helpers::generic(t, x).min(100.0)
}

#[differentiable]
fn aliases<K: Kernel>(k: &K, x: &[f64]) -> Fallible<f64> {
    let path = helpers::trajectory(k, 3, x)?;
    Ok(path.y.concat().iter().sum::<f64>() * path.end().max(0.1))
}

#[differentiable]
fn by_trait(s: f64, x: &[f64]) -> f64 {
    aliases(&Gauss { s }, x).unwrap_or(0.0)
}

#[differentiable]
fn conversions(x: f64) -> f64 {
    let sine = |a: Degrees| a.d.sin();
    let half: Degrees = (0.5 * x).into();
    sine(x.into()) * half.d
}

#[test]
fn rules_of_short_functions() {
    check_rules!(names_of_both_modules, 0.7);
    check_rules!(lists, &[0.4, 0.5, -0.6]);
    check_rules!(structs, V { x: 0.3, y: 0.4 });
    check_rules!(parts, &[0.3, 0.5, 0.6, 0.7]);
    check_rules!(imported_in_the_body, &[0.3, 0.5]);
    check_rules!(closures, 0.7);
    check_rules!(iterators, &[0.4, 0.5, -0.6]);
    check_rules!(generics, 0.7);
    check_rules!(by_trait, 0.5, &[0.4, 0.5, -0.6]);
    check_rules!(conversions, 0.6);
}

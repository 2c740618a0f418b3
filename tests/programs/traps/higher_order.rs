//! Higher order. Derivatives inside of differentiable functions (41) are in `nested`.

use chainrule::prelude::*;

use crate::check::table;

/// 42. `max` and `min` under second derivatives: the side that was taken counts (clad#1872).
#[differentiable]
fn trap_42_kinks(a: f64, b: f64) -> f64 {
    (a * a * b).max(b * b).min(3.0 * a * b) * a.abs()
}

#[differentiable]
#[inline(never)]
fn inner(a: f64, b: f64) -> f64 {
    (a * b).sin() + a.powi(3)
}

/// 42. Calls in calls (clad#1737).
#[differentiable]
fn trap_42_nested(a: f64, b: f64) -> f64 {
    inner(inner(a, b), inner(b, inner(a, a)))
}

/// 42. Mixed partials: the second derivatives are symmetric, and off the diagonal there is one.
#[differentiable]
fn trap_42_mixed(a: f64, b: f64, c: f64) -> f64 {
    (a * b).exp() * c.sin() + a / (b + c)
}

/// `d2/da db (a b) = 1`, and nothing else.
#[test]
fn trap_42_product() {
    let hessian = trap_42_bilinear::hessian(&[0.7, 1.9]);
    assert_eq!(hessian.as_slice(), &[0.0, 1.0, 1.0, 0.0]);
}

#[differentiable]
fn trap_42_bilinear(x: &[f64]) -> f64 {
    x[0] * x[1]
}

table! {
    trap_42_kinks: (0.7, 1.9), (2.3, 0.4), (-0.7, 0.3);
    trap_42_nested: (0.7, 0.4);
    trap_42_mixed: (0.7, 0.4, 1.1);
}

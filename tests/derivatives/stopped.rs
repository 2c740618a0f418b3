//! `stop_gradient` of references, and functions of the crate `libm`.

use chainrule::prelude::*;
use libm::{cos, pow};

use crate::check::check;

#[differentiable]
#[inline(never)]
fn product(a: &[f64], b: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..a.len() {
        total += a[i] * b[i];
    }
    total
}

#[differentiable]
fn of_a_slice(x: &[f64]) -> f64 {
    let y = stop_gradient(x);
    x[0] * y[1]
}

#[differentiable]
fn of_lists(x: &[f64], v: &Vec<f64>) -> f64 {
    let fixed: &[f64] = stop_gradient(v);
    let mut total = 0.0;
    for i in 0..x.len() {
        total += x[i] * fixed[i] * v[i];
    }
    total + product(stop_gradient(x), v) * product(stop_gradient(&v[1..]), &x[1..])
}

#[test]
fn references_are_constants() {
    assert_eq!(
        of_a_slice::value_and_gradient(&[1.0, 2.0]),
        (2.0, vec![2.0, 0.0])
    );
    let (x, v) = ([1.0, 2.0], vec![3.0, 4.0]);
    // x (v ṽ) + (x̃ v) (ṽ[1..] x[1..])
    let (value, (x_bar, v_bar)) = of_lists::value_and_gradient(&x, &v);
    assert_eq!(value, 9.0 + 32.0 + 11.0 * 8.0);
    assert_eq!(x_bar, [9.0, 16.0 + 11.0 * 4.0]);
    assert_eq!(v_bar, [3.0 + 8.0, 8.0 + 2.0 * 8.0]);
    let (_, dot) = of_lists::jvp(&x, &v, &[1.0, 0.5], &vec![2.0, -1.0]);
    assert_eq!(dot, 9.0 + 30.0 + 22.0 - 24.0);
}

#[differentiable]
fn by_path(x: f64, y: f64) -> f64 {
    libm::sin(x) * libm::exp(y)
        + libm::atan2(x, y) * libm::log1p(x)
        + libm::fma(x, y, libm::tanh(x))
}

#[differentiable]
fn by_name(x: f64, y: f64) -> f64 {
    cos(x) * pow(x, y) + libm::sqrt(x) + libm::hypot(x, y) * libm::expm1(y)
}

#[differentiable]
fn piecewise(x: f64, y: f64) -> f64 {
    libm::floor(x) * y + libm::fmax(x, y) * libm::fmin(x, y) * libm::fabs(y) + libm::copysign(x, y)
}

#[differentiable]
fn single(x: f32) -> f32 {
    libm::sinf(x) * libm::powf(x, 3.0)
}

#[test]
fn functions_of_libm() {
    check!(by_path(1.3, 0.7));
    check!(by_name(1.3, 0.7));
    check!(piecewise(1.3, -0.7));
    let (value, slope) = single::value_and_gradient(0.9);
    assert_eq!(value, single(0.9));
    let expected = 0.9_f32.cos() * 0.9_f32.powi(3) + 3.0 * 0.81 * 0.9_f32.sin();
    assert!((slope - expected).abs() < 1e-6);
}

//! Third derivatives: drivers of functions with `order = 3`, in functions that are differentiated themselves.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

use super::close;

#[differentiable]
fn bent(a: f64, b: f64) -> f64 {
    if a > 0.0 { a * b.sin() } else { a.exp() }
}

/// Early exits, a loop, and calls of what stands for them.
#[differentiable(order = 3)]
fn energy(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += bent(x[i] * k, x[0]);
        if s > 100.0 {
            return s;
        }
    }
    s * s
}

#[differentiable]
fn of_gradient(x: &[f64], k: f64) -> f64 {
    let (by_x, by_k) = energy::gradient(x, k);
    by_x[0] * by_x[1] + by_k * x[0]
}

#[differentiable]
fn of_value_and_gradient(x: &[f64], k: f64) -> f64 {
    let (value, (by_x, by_k)) = energy::value_and_gradient(x, k);
    value * by_x[0] * by_x[1] + by_k * x[0]
}

#[test]
fn gradients_in_second_order() {
    for x in [[0.5, 0.7], [-0.5, 0.7], [80.0, 40.0]] {
        check_rules!(of_gradient, &x, 1.3);
        check_rules!(of_value_and_gradient, &x, 1.3);
    }
}

#[differentiable(order = 3)]
fn quartic(x: f64) -> f64 {
    x.powi(4) + (2.0 * x).sin()
}

#[differentiable]
fn slope(x: f64) -> f64 {
    quartic::derivative(x) * x
}

#[differentiable]
fn bend(x: f64) -> f64 {
    quartic::hvp(x, 1.0) * x
}

#[test]
fn closed_forms() {
    let x = 0.4_f64;
    let (sin, cos) = (2.0 * x).sin_cos();
    let second = 12.0 * x * x - 4.0 * sin;
    let third = 24.0 * x - 8.0 * cos;
    close(slope::second_derivative(x), 2.0 * second + x * third, 1e-14);
    close(bend::derivative(x), second + x * third, 1e-14);
    close(
        slope::jvp(x, 2.0).1,
        2.0 * (quartic::derivative(x) + x * second),
        1e-14,
    );
    check_rules!(slope, x);
}

/// Its third derivatives are constants: 6 by the first alone, 2 by twice the second and the third, else 0.
#[differentiable(order = 3)]
fn cubic(x: &[f64]) -> f64 {
    x[0] * x[0] * x[0] + x[1] * x[1] * x[2]
}

#[differentiable]
fn third(x: &[f64], u: &[f64], v: &[f64]) -> f64 {
    let product = cubic::hvp(x, u);
    let mut sum = 0.0;
    for i in 0..v.len() {
        sum += product[i] * v[i];
    }
    sum
}

#[test]
fn hessian_times_vector() {
    let (x, u, v, w) = (
        [0.3, -0.4, 0.9],
        [1.0, 0.5, -2.0],
        [0.2, 0.7, 0.4],
        [0.6, -1.0, 0.8],
    );
    let hessian = |x: &[f64], a: &[f64], b: &[f64]| {
        6.0 * x[0] * a[0] * b[0]
            + 2.0 * x[2] * a[1] * b[1]
            + 2.0 * x[1] * (a[1] * b[2] + a[2] * b[1])
    };
    close(third(&x, &u, &v), hessian(&x, &u, &v), 1e-14);
    let (by_x, by_u, by_v) = third::gradient(&x, &u, &v);
    for i in 0..3 {
        let mut unit = [0.0; 3];
        unit[i] = 1.0;
        // Of third order and multilinear: where `x` stands, its direction does.
        close(by_x[i], hessian(&unit, &u, &v), 1e-14);
        close(by_u[i], hessian(&x, &unit, &v), 1e-14);
        close(by_v[i], hessian(&x, &u, &unit), 1e-14);
    }
    let (_, dot) = third::jvp(&x, &u, &v, &w, &v, &u);
    let along = hessian(&w, &u, &v) + hessian(&x, &v, &v) + hessian(&x, &u, &u);
    close(dot, along, 1e-14);
}

/// Newton's method with both derivatives by the library, differentiated by what the function depends on.
#[differentiable(order = 3)]
fn loss(x: f64, a: f64) -> f64 {
    (x - a).powi(4) + 0.5 * x * x
}

#[differentiable]
fn minimum(start: f64, a: f64) -> f64 {
    let mut x = start;
    for _ in 0..40 {
        let (by_x, _) = loss::gradient(x, a);
        let (bend, _) = loss::hvp(x, a, 1.0, 0.0);
        x -= by_x / bend;
    }
    x
}

#[test]
fn newtons_method_is_differentiated() {
    let a = 1.5;
    let x = minimum(0.2, a);
    close(4.0 * (x - a).powi(3) + x, 0.0, 1e-14);
    let (by_start, by_a) = minimum::gradient(0.2, a);
    let q = 12.0 * (x - a) * (x - a);
    close(by_start, 0.0, 1e-12);
    close(by_a, q / (q + 1.0), 1e-12);
}

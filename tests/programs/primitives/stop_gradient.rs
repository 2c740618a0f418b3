//! `stop_gradient`: a value counts as constant, in every mode.

use chainrule::prelude::*;

use crate::check::assert_close;

fn both(x: f64, y: f64) -> (f64, f64) {
    (x + y, x * y)
}

#[differentiable]
fn weighted(x: f64, y: f64) -> f64 {
    let w = stop_gradient(x * y);
    w * x * x + stop_gradient(y)
}

#[differentiable]
#[inline(never)]
fn make(x: f64, y: f64) -> f64 {
    x * y
}

/// Of what only rustc knows the type, and as an integer.
#[differentiable]
fn deferred(x: f64, y: f64) -> f64 {
    let z = make(x, y);
    let w = stop_gradient(make(x, y));
    let n = stop_gradient(make(x, y) * 2.0) as usize;
    w * z * n as f64
}

#[differentiable]
fn of_vectors(x: &[f64]) -> f64 {
    let frozen = stop_gradient(x.to_vec());
    let mut total = 0.0;
    for i in 0..x.len() {
        total += frozen[i] * x[i] * x[i];
    }
    total
}

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[differentiable]
fn of_structs(p: Point) -> f64 {
    let q = stop_gradient(p);
    q.x * p.x + q.y * p.y * p.y
}

#[differentiable]
fn without_rules(x: f64, y: f64) -> f64 {
    let (a, b) = both(stop_gradient(x), stop_gradient(y));
    a * x + b * y
}

#[test]
fn values() {
    let (x, y) = (0.7, 1.9);
    let w = x * y;
    let Dual(value, y_dot) = weighted::frule(Dual(x, 1.0), Dual(y, 10.0));
    assert_close(&[value, y_dot], &[w * x * x + y, 2.0 * w * x]);
    assert_close(&[weighted::rrule(x, y).1(3.0).0], &[6.0 * w * x]);
    let (value, (x_bar, y_bar)) = weighted::value_and_gradient(x, y);
    assert_close(&[value, x_bar, y_bar], &[w * x * x + y, 2.0 * w * x, 0.0]);
    // The derivative of what is computed: `w` is a constant in the gradient too.
    let (xx, yx) = weighted::hvp(x, y, 1.0, 10.0);
    assert_close(&[xx, yx], &[2.0 * w, 0.0]);
}

#[test]
fn deferred_types() {
    let (x, y) = (0.7, 1.9);
    let (w, n) = (x * y, 2.0);
    let (x_bar, y_bar) = deferred::gradient(x, y);
    assert_close(&[x_bar, y_bar], &[w * y * n, w * x * n]);
    assert_close(
        &[deferred::jvp(x, y, 1.0, 10.0).1],
        &[w * n * (y + 10.0 * x)],
    );
    let (xx, yx) = deferred::hvp(x, y, 1.0, 10.0);
    assert_close(&[xx, yx], &[w * n * 10.0, w * n]);
}

#[test]
fn aggregates() {
    let x = [0.5, -2.0];
    assert_close(&of_vectors::gradient(&x), &[0.5, 8.0]);
    assert_close(&of_vectors::hvp(&x, &[1.0, 1.0]), &[1.0, -4.0]);
    let p = Point { x: 0.5, y: -2.0 };
    let p_bar = of_structs::gradient(p);
    assert_close(&[p_bar.x, p_bar.y], &[0.5, 8.0]);
    let p_bar = of_structs::hvp(p, PointTangent { x: 1.0, y: 1.0 });
    assert_close(&[p_bar.x, p_bar.y], &[0.0, -4.0]);
}

#[test]
fn arguments_of_a_function_without_rules() {
    let (x_bar, y_bar) = without_rules::gradient(0.5, 2.0);
    assert_close(&[x_bar, y_bar], &[2.5, 1.0]);
    let (xx, yx) = without_rules::hvp(0.5, 2.0, 1.0, 1.0);
    assert_eq!((xx, yx), (0.0, 0.0));
}

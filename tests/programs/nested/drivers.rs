//! Each driver inside of a differentiable function, in forward and reverse mode, split and combined.

use chainrule::prelude::*;

use super::close;
use crate::check::map_table;

#[differentiable(nested)]
fn energy(x: &[f64], a: f64) -> f64 {
    let mut total = a.sin();
    for i in 1..x.len() {
        total += (a * x[i - 1]).exp() * x[i] * x[i];
    }
    total
}

#[differentiable]
fn by_gradient(x: &[f64], a: f64) -> [f64; 2] {
    let (slope, of_a) = energy::gradient(x, a);
    let mut total = 0.0;
    for s in slope {
        total += s * s;
    }
    [total, of_a * a]
}

#[differentiable]
fn by_value_and_gradient(x: &[f64], a: f64) -> [f64; 2] {
    let (y, (slope, of_a)) = energy::value_and_gradient(x, a);
    [y * slope[0], of_a - y * y]
}

#[differentiable]
fn by_jvp(x: &[f64], u: &[f64], a: f64) -> [f64; 2] {
    let (y, y_dot) = energy::jvp(x, a, u, a * a);
    [y * y_dot, y_dot.sin()]
}

#[differentiable]
fn by_vjp(x: &[f64], a: f64, y_bar: f64) -> [f64; 2] {
    let (y, (slope, of_a)) = energy::vjp(x, a, y_bar * y_bar);
    [y * slope[1], of_a * of_a]
}

/// A step of an explicit method: the result is a vector.
#[differentiable(nested)]
fn flow(x: &[f64]) -> Vec<f64> {
    vec![x[1] * x[0], x[0].sin() - x[1] * x[1], x[0] * x[0] * x[1]]
}

#[differentiable]
fn by_jvp_of_a_vector(x: &[f64], u: &[f64]) -> [f64; 2] {
    let (y, y_dot) = flow::jvp(x, u);
    [y[0] * y_dot[1], y_dot[0] * y_dot[2]]
}

#[differentiable]
fn by_vjp_of_a_vector(x: &[f64], w: &[f64]) -> [f64; 2] {
    let (y, x_bar) = flow::vjp(x, w.to_vec());
    [y[2] * x_bar[0], x_bar[1] * x_bar[0]]
}

#[differentiable]
fn by_jacobian(x: &[f64]) -> [f64; 2] {
    let j = flow::jacobian(x);
    [j[(0, 0)] * j[(1, 1)], j[(2, 0)] + j[(2, 1)] * j[(1, 0)]]
}

#[differentiable(nested)]
fn wide(x: &[f64; 3]) -> [f64; 2] {
    [x[0] * x[1] * x[2], (x[0] - x[2]).exp()]
}

#[differentiable]
fn by_jacobian_of_an_array(x: &[f64; 3]) -> [f64; 2] {
    let j = wide::jacobian(x);
    [j[(0, 2)] * j[(1, 0)], j[(0, 1)] / j[(1, 2)]]
}

#[differentiable(nested)]
fn by_value(x: [f64; 3]) -> [f64; 3] {
    [x[0] * x[1], x[1] * x[1] * x[2], x[0].sin()]
}

#[differentiable]
fn by_jacobian_by_value(x: [f64; 3]) -> f64 {
    let j = by_value::jacobian(x);
    j[(0, 0)] * j[(1, 2)] * j[(2, 0)] + j[(1, 1)]
}

/// Two blocks, of a struct's entries and of a number.
#[differentiable(nested)]
fn pull(ends: &(f64, [f64; 2]), k: f64) -> (f64, f64) {
    let (a, [b, c]) = *ends;
    (k * a * b, k * k * c.sin() + a)
}

#[differentiable]
fn by_jacobian_of_blocks(a: f64, b: f64, k: f64) -> [f64; 2] {
    let ends = (a, [b, a * b]);
    let (of_ends, of_k) = pull::jacobian(&ends, k);
    [
        of_ends[(0, 0)] * of_ends[(1, 2)],
        of_k[(1, 0)] + of_k[(0, 0)] * of_ends[(1, 0)],
    ]
}

#[differentiable(nested)]
fn curve(t: f64) -> f64 {
    t.sin() * t * t
}

#[differentiable]
fn by_derivative(t: f64) -> (f64, f64) {
    (curve::derivative(t) * t, curve::derivative(t * t))
}

#[differentiable(nested)]
fn helix(t: f64) -> [f64; 3] {
    [t.cos(), t.sin(), t * t]
}

/// The tangent of a curve in space.
#[differentiable]
fn by_derivative_of_a_vector(t: f64) -> f64 {
    let d = helix::derivative(t);
    (d[0] * d[1] + d[2] * d[2]).sqrt()
}

#[differentiable(nested)]
fn weighted(x: &[f64], #[constant] w: &[f64], #[constant] n: usize, scale: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        total += w[i] * x[i] * x[i] * scale;
    }
    total
}

#[differentiable]
fn with_constants(x: &[f64], #[constant] w: &[f64], scale: f64) -> [f64; 2] {
    let (slope, of_scale) = weighted::gradient(x, w, x.len(), scale);
    let (_, along) = weighted::jvp(x, w, 2, scale, x, 1.0);
    [slope[0] * of_scale, along]
}

#[differentiable(nested)]
fn norm<T: Real>(x: &[T]) -> T {
    let mut s = T::ZERO;
    for v in x {
        s += *v * *v;
    }
    s.sqrt()
}

#[differentiable]
fn of_generic(x: &[f64]) -> f64 {
    let slope = norm::gradient(x);
    slope[0] * slope[1] + norm::jvp::<f64>(x, x).1
}

/// Control flow around calls, and calls in closures and chains.
#[differentiable]
fn among_other_things(x: &[f64], n: usize) -> f64 {
    let slope_of = |t: f64| curve::derivative(t) * x[0];
    let mut z = x[1];
    for k in 0..n {
        if k == 2 {
            return z + slope_of(z);
        }
        z = 0.1 * slope_of(z) + x.iter().map(|v| curve::gradient(*v)).sum::<f64>();
    }
    z
}

map_table! {
    by_gradient: (&vec![0.3, -0.7, 1.1], 0.6);
    by_value_and_gradient: (&vec![0.3, -0.7, 1.1], 0.6), (&vec![0.5], -0.2);
    by_jvp: (&vec![0.3, -0.7, 1.1], &vec![0.2, 0.5, -1.0], 0.6);
    by_vjp: (&vec![0.3, -0.7, 1.1], 0.6, 1.3);
    by_jvp_of_a_vector: (&vec![0.3, -0.7], &vec![0.4, 0.9]);
    by_vjp_of_a_vector: (&vec![0.3, -0.7], &vec![0.4, 0.9, -0.3]);
    by_jacobian: (&vec![0.3, -0.7]);
    by_jacobian_of_an_array: (&[0.3, -0.7, 0.2]);
    by_jacobian_by_value: ([0.3, -0.7, 0.2]);
    by_jacobian_of_blocks: (0.4, -0.6, 1.2);
    by_derivative: (0.8);
    by_derivative_of_a_vector: (0.8);
    with_constants: (&vec![0.3, -0.7], const &[2.0, 3.0], 0.6);
    of_generic: (&vec![0.3, -0.7]);
    among_other_things: (&vec![0.3, 0.7], const 0), (&vec![0.3, 0.7], const 1), (&vec![0.3, 0.7], const 3);
}

/// The combined rule, against the split one, which the table checks.
#[test]
fn combined() {
    let x = [0.3, -0.7];
    close(
        by_derivative_of_a_vector::gradient(0.8),
        by_derivative_of_a_vector::vjp(0.8, 1.0).1,
        1e-14,
    );
    let pairs = [
        (of_generic::gradient(&x), of_generic::vjp(&x, 1.0).1),
        (
            among_other_things::gradient(&x, 3).to_vec(),
            among_other_things::vjp(&x, 3, 1.0).1,
        ),
        (
            by_jacobian_by_value::gradient([0.3, 0.7, 0.2]).to_vec(),
            by_jacobian_by_value::vjp([0.3, 0.7, 0.2], 1.0).1.to_vec(),
        ),
    ];
    for (combined, split) in pairs {
        combined
            .iter()
            .zip(&split)
            .for_each(|(a, b)| close(*a, *b, 1e-14));
    }
}

#[differentiable]
fn along_too_short(x: &[f64], u: &[f64]) -> f64 {
    flow::jvp(x, u).1[0]
}

/// As outside of differentiable functions.
#[test]
#[should_panic(expected = "flow: the shadow of `x` has length 1, the argument 2")]
fn directions_of_the_wrong_length() {
    along_too_short::gradient(&[0.3, 0.7], &[1.0]);
}

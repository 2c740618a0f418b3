//! Functions with `order = 1`, and functions of second order that call them.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

const X: [f64; 3] = [0.7, 1.9, 0.4];

#[differentiable(order = 1)]
fn residual(x: &[f64], t: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        total = (total + x[i] * (t * i as f64).cos()).sin();
        for k in 0..3 {
            total = total.tanh() + k as f64 * x[i];
        }
    }
    total
}

#[differentiable(order = 1)]
fn squares(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x * x).collect()
}

#[differentiable(order = 1)]
fn scale(x: &mut [f64], by: f64) {
    for x in x {
        *x *= by;
    }
}

#[differentiable(order = 1)]
fn root(x: f64) -> Option<f64> {
    (x > 0.0).then(|| x.sqrt())
}

#[differentiable(order = 1, recursive)]
fn power(x: f64, n: u32) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

#[differentiable(order = 1)]
fn hypotenuse<T: Real>(a: T, b: T) -> T {
    (a * a + b * b).sqrt()
}

/// It has rules of second order all the same.
#[differentiable(order = 1)]
fn twice(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

#[derive(Clone, Debug, Differentiable)]
struct Spring {
    stiffness: f64,
}

#[differentiable(order = 1)]
impl Spring {
    fn energy(&self, x: f64) -> f64 {
        0.5 * self.stiffness * x * x
    }
}

/// Its own rules of second order are never used.
#[differentiable]
fn loss(x: &[f64], spring: &Spring) -> f64 {
    let mut total = 0.0;
    for i in 0..4 {
        let r = residual(x, i as f64);
        total += r * r;
    }
    let mut scaled = squares(x);
    scale(&mut scaled, total);
    let root = root(scaled[1]).unwrap_or(0.0);
    let shift = x[2];
    root + twice(|t| t.sin() + shift, x[0])
        + power(x[0], 3)
        + hypotenuse(x[1], x[2])
        + spring.energy(x[0])
}

/// The combined rule of the callee is called in its place.
#[differentiable]
fn last(x: &[f64]) -> f64 {
    residual(x, 0.5)
}

#[differentiable]
fn twice_shifted(x: f64) -> f64 {
    twice(|t| t.sin() + x, x)
}

#[test]
fn rules_of_first_order() {
    check_rules!(residual, &X, 0.3; order = 1);
    check_rules!(squares, &X; order = 1);
    check_rules!(scale, &mut [0.5, 1.5], 0.3; order = 1);
    check_rules!(root, 2.0; order = 1);
    check_rules!(power, 1.3, 4; order = 1);
    check_rules!(hypotenuse::<f64>, 0.3, 0.4; order = 1);
    check_rules!(Spring::energy, &Spring { stiffness: 2.0 }, 0.4; order = 1);
}

#[test]
fn rules_of_callers() {
    check_rules!(loss, &X, &Spring { stiffness: 2.0 }; order = 1);
    check_rules!(last, &X; order = 1);
    check_rules!(twice_shifted, 0.3);
}

#[test]
fn drivers() {
    assert_eq!(power::derivative(1.5, 3), 3.0 * 1.5 * 1.5);
    assert_eq!(root::gradient(4.0), Some(0.25));
    let (a_bar, b_bar) = hypotenuse::gradient(3.0, 4.0);
    assert!((a_bar - 0.6).abs() < 1e-15 && (b_bar - 0.8).abs() < 1e-15);
    let jacobian = squares::jacobian(&X);
    assert_eq!((jacobian[(1, 1)], jacobian[(1, 2)]), (2.0 * X[1], 0.0));
    let (value, (x_bar, t_bar)) = residual::value_and_gradient(&X, 0.3);
    let (same, along) = residual::jvp(&X, 0.3, &[1.0, 0.0, 0.0], 0.0);
    assert_eq!(value, same);
    assert!((along - x_bar[0]).abs() < 1e-12 * along.abs());
    let (_, (again, _)) = residual::vjp(&X, 0.3, 2.0);
    assert!((again[2] - 2.0 * x_bar[2]).abs() < 1e-12 * again[2].abs());
    let mut buffers = ([0.0; 3], 0.0);
    residual::value_and_gradient_into(&X, 0.3, &mut buffers.0, &mut buffers.1);
    assert_eq!((&buffers.0[..], buffers.1), (&x_bar[..], t_bar));
}

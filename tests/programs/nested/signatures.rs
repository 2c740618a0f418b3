//! Drivers of functions with other signatures: single precision, structs as results, recursion, generics, text; and ones whose drivers can't be
//! differentiated, but have rules all the same.

use chainrule::prelude::*;

use super::close;

#[differentiable(nested)]
fn single(x: f32, y: &[f32]) -> f32 {
    x * x * y[0]
}

#[differentiable]
fn on_single(x: f32, y: &[f32]) -> f32 {
    single::gradient(x, y).0 * single::jvp(x, y, 1.0, y).1
}

/// `2 x y (2 x y + x^2 y)`
#[test]
fn of_single_precision() {
    let (x, y) = (2.0, [3.0]);
    let want = f64::from(y[0] * y[0] * (8.0 * x + 6.0 * x * x));
    close(f64::from(on_single::gradient(x, &y).0), want, 1e-6);
    close(f64::from(on_single::jvp(x, &y, 1.0, &[0.0]).1), want, 1e-6);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Point {
    a: f64,
    b: Vec<f64>,
}

#[differentiable(nested)]
fn point(x: f64) -> Point {
    Point {
        a: x * x,
        b: vec![x * x * x],
    }
}

#[differentiable]
fn on_a_struct(x: f64) -> f64 {
    let d = point::derivative(x);
    d.a * d.b[0]
}

#[differentiable(nested)]
fn power(x: f64, n: usize) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

#[differentiable]
fn on_recursion(x: f64) -> f64 {
    power::derivative(x, 4) + power::gradient(x, 3)
}

#[differentiable(nested)]
fn generic<T: Real, const N: usize>(x: [T; N], k: T) -> T {
    x[0] * x[0] * k
}

#[differentiable]
fn on_generic(x: f64) -> f64 {
    generic::gradient([x, 1.0], x).0[0]
}

#[differentiable(nested)]
fn named(x: f64, name: &str, owned: String) -> f64 {
    x * x * (name.len() + owned.len()) as f64
}

#[differentiable]
fn on_text(x: f64) -> f64 {
    named::gradient(x, "ab", String::new())
}

#[test]
fn closed_forms() {
    for (got, want) in [
        (on_a_struct::gradient(2.0), 72.0),
        (on_a_struct::derivative(2.0), 72.0),
        (on_recursion::gradient(2.0), 60.0),
        (on_recursion::derivative(2.0), 60.0),
        (on_generic::gradient(3.0), 12.0),
        (on_generic::derivative(3.0), 12.0),
        (on_text::gradient(3.0), 4.0),
        (on_text::derivative(3.0), 4.0),
    ] {
        close(got, want, 1e-14);
    }
}

/// What can't be differentiated is an error on use alone.
#[differentiable(nested)]
fn borrowed<'a>(x: &'a [f64], perhaps: Option<&[f64]>) -> f64 {
    match perhaps {
        Some(v) => v[0] * x[0] * x[0],
        None => x[0],
    }
}

#[differentiable(nested)]
fn counted(x: f64, #[constant] log: &mut Vec<f64>) -> f64 {
    log.push(1.0);
    x * x
}

#[differentiable(nested)]
fn grown(x: &mut Vec<f64>, k: f64) -> f64 {
    x.push(k);
    x[0] * k
}

#[test]
fn from_outside_all_have_drivers() {
    assert_eq!(borrowed::gradient(&[3.0], None).0, [1.0]);
    let mut log = Vec::new();
    assert_eq!(counted::gradient(3.0, &mut log), 6.0);
    assert_eq!(log, [1.0]);
    assert_eq!(grown::gradient(&mut vec![2.0], 3.0), (vec![3.0], 2.0));
}

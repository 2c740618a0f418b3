//! Calls of generic functions of the same module: results and parameters of closures have the types that the call decides.

use chainrule::prelude::*;

use crate::check::table;

#[differentiable]
#[inline(never)]
fn applied<T: Real>(f: impl Fn(T) -> T, x: T) -> T {
    f(f(x))
}

#[differentiable]
fn in_generic<T: Real>(x: T) -> T {
    let y = applied(|y| y.cos(), x);
    let scaled = |a: T| a * y;
    scaled(y) + y.sin()
}

#[differentiable]
fn instantiated(x: f64) -> f64 {
    let y = applied(|y| y.exp().min(x), x);
    in_generic(x) * y.sin() + applied(|y| y.tan(), y)
}

#[differentiable]
#[inline(never)]
fn newton<T: Real>(f: impl Fn(T) -> T, df: &dyn Fn(T) -> T, start: T, steps: usize) -> T {
    let mut x = start;
    for _ in 0..steps {
        x = x - f(x) / df(x);
    }
    x
}

/// A literal decides the type, as it does in Rust.
#[differentiable]
fn root(a: f64) -> f64 {
    let r = newton(|x| x * x - a, &|x| 2.0 * x, 1.0, 6);
    r.powi(3)
}

#[differentiable]
#[inline(never)]
fn mapped<T: Real>(f: impl Fn(&[T], usize) -> (T, Vec<T>), x: &[T]) -> (T, Vec<T>) {
    f(x, 1)
}

#[differentiable]
fn listed(x: &[f64]) -> f64 {
    let (sum, all) = mapped(
        |x, n| {
            let sum: f64 = x.iter().skip(n).map(|v| v.sqrt()).sum();
            (sum, x.iter().map(|v| v * v).collect())
        },
        x,
    );
    let scaled = |v: f64| v * sum;
    scaled(sum) * all.iter().map(|v| v.sin()).sum::<f64>()
}

#[differentiable]
#[inline(never)]
fn norm<const N: usize>(x: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += x[i] * x[i];
    }
    sum.sqrt()
}

#[differentiable]
#[inline(never)]
fn scaled<T: Real, const N: usize>(x: [T; N], by: T) -> ([T; N], Option<T>) {
    let mut y = x;
    for i in 0..N {
        y[i] = y[i] * by;
    }
    (y, y.first().copied())
}

#[differentiable]
fn arrays(x: f64, y: f64) -> f64 {
    let (list, first) = scaled([x, y, x * y], x);
    let mut sum = norm(&list).ln();
    for v in list {
        sum += v.exp();
    }
    match first {
        Some(first) => sum * first.sin(),
        None => sum,
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Point<T: Real> {
    x: T,
    y: T,
}

#[differentiable]
#[inline(never)]
fn middle<T: Real>(p: &Point<T>, q: &Point<T>) -> Point<T> {
    Point {
        x: (p.x + q.x) / T::from_f64(2.0),
        y: (p.y + q.y) / T::from_f64(2.0),
    }
}

#[differentiable]
#[inline(never)]
fn stretched<T>(p: &Point<T>, by: T) -> T
where
    T: Real,
{
    (p.x * by).hypot(p.y)
}

#[differentiable]
fn points(x: f64, y: f64) -> f64 {
    let m = middle(&Point { x, y }, &Point { x: y * y, y: x });
    let s = stretched(&m, x);
    s.sin() + m.x.exp() * s.max(m.y)
}

/// The lifetimes of a function are no types.
#[differentiable]
#[inline(never)]
fn weighed<'a>(x: &'a [f64], w: &'a [f64], #[constant] skipped: &'a [usize]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        if !skipped.contains(&i) {
            sum += x[i] * w[i];
        }
    }
    sum
}

#[differentiable]
fn with_lifetimes(x: &[f64], w: &[f64]) -> f64 {
    let s = weighed(x, w, &[1]);
    let scaled = |v: f64| v.sin() * s;
    scaled(s)
}

/// Functions whose results are chosen by other types than their arguments.
#[differentiable]
#[inline(never)]
fn converted<T: Real, U: Real>(x: T, _as: U) -> U {
    U::from_f64(x.to_f64())
}

fn wide<T: Real>(x: T) -> f64 {
    x.to_f64()
}

#[differentiable]
fn passive(x: f64, #[constant] y: f32) -> f64 {
    let narrow = converted(y, 1.0f64);
    x.powi(2) * narrow.sin() + wide(y)
}

table! {
    instantiated: (0.7), (-0.4);
    root: (2.0);
    listed: (&[0.5, 1.5, 2.0]), (&[0.3]);
    arrays: (0.7, 0.9);
    points: (0.7, 0.9), (1.7, 0.2);
    with_lifetimes: (&[0.5, 1.5, 2.0], &[0.2, 0.3, 1.4]);
    passive: (0.7, const 0.5f32);
}

//! Patterns that take lists apart, and elements that may not be there.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];

fn x(n: usize) -> Vec<f64> {
    X[..n].to_vec()
}

#[differentiable]
fn first_or(x: &[f64]) -> f64 {
    let Some(a) = x.first() else {
        return 0.0;
    };
    a * a
}
#[differentiable]
fn get_some(x: &[f64], k: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..5 {
        if let Some(v) = x.get(i + k) {
            s += v * v * x[0];
        } else {
            s += x[0];
        }
    }
    s
}
#[differentiable]
fn last_mut_and_get(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    if let Some(p) = v.last_mut() {
        *p *= x[0];
    }
    match v.get(1) {
        Some(q) if *q > 0.0 => q * q,
        Some(q) => *q,
        None => v[0],
    }
}
#[differentiable]
fn copied(x: &[f64]) -> f64 {
    let a = x.get(1).copied();
    match a {
        Some(v) => v * v,
        None => x[0],
    }
}
#[differentiable]
fn ends(x: &[f64]) -> f64 {
    match x {
        [] => 1.0,
        [a] => a * a,
        [a, b] => a * b,
        [a, rest @ .., b] => a * b * rest[0],
    }
}
#[differentiable]
fn recursive(x: &[f64]) -> f64 {
    match x {
        [] => 0.0,
        [first, rest @ ..] => first * first + recursive(rest) * first,
    }
}
#[differentiable]
fn array(x: &[f64]) -> f64 {
    let [a, b] = [x[0] * 2.0, x[1]];
    let t = [a, b, a * b];
    match &t {
        [p, .., q] => p * q,
    }
}

/// A pattern of the only variant of an enum always fits.
#[derive(Clone, Debug, Differentiable)]
enum Only {
    Both { a: f64, b: [f64; 2] },
}

#[differentiable]
fn only_variant(x: f64, y: f64) -> f64 {
    let mut only = Only::Both {
        a: x * y,
        b: [x, y],
    };
    {
        let Only::Both { a, .. } = &mut only;
        *a *= x;
    }
    let list = [only.clone(), only];
    let mut sum = 0.0;
    for Only::Both { a, b: [_, c] } in &list {
        sum = sum * y + a * c.sin();
    }
    let [first, _] = list;
    let Only::Both { a, b } = first;
    sum * a + b[0]
}

table! {
    only_variant: (0.7, 1.3), (-0.4, 0.9);
    first_or: for n in 0..3, (&x(n));
    get_some: for n in 1..4, (&x(n), const 1);
    last_mut_and_get: for n in 1..4, (&x(n));
    copied: for n in 1..4, (&x(n));
    ends: for n in 0..5, (&x(n));
    recursive: for n in 0..4, (&x(n));
    array: (&[1.3, 0.7]);
}

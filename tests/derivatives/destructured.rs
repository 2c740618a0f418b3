//! Assignments and `let` that take a value apart, and `let` of several names without a value.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    a: f64,
    b: f64,
    n: usize,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Pair(f64, f64);

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Either {
    Left(f64, f64),
    Right(f64),
}

#[differentiable]
fn model(x: f64) -> Model {
    Model {
        a: x,
        b: x * x,
        n: 2,
    }
}

#[differentiable]
fn and_square(x: f64) -> (f64, f64) {
    (x, x * x)
}

#[differentiable]
fn swapped_array(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (x, y * x);
    [a, b] = [b, a];
    a * a * b
}

#[differentiable]
fn from_calls(x: f64, y: f64, n: usize) -> f64 {
    let mut a = x;
    let mut b = y;
    for _ in 0..n {
        (a, b) = and_square(a * b);
    }
    a * a * b + y
}

#[differentiable]
#[allow(unused_assignments, reason = "what is assigned anew is what is tested")]
fn of_structs(x: f64, y: f64) -> f64 {
    let (mut a, mut b, mut k) = (y, x, 7);
    let s = model(x);
    Model { a, b, .. } = s;
    Model { a: b, b: _, n: k } = model(y * b);
    a * a * b + y * k as f64
}

#[differentiable]
fn of_tuple_structs(x: f64, y: f64) -> f64 {
    let (mut a, mut b);
    Pair(a, b) = Pair(x, y);
    Pair(_, a) = Pair(a, a * y);
    Pair(b, ..) = Pair(b * a, x);
    _ = a;
    (a, _) = (b, a);
    a * a * b
}

#[differentiable]
fn first_parts(x: f64, y: f64) -> f64 {
    let Pair(a, ..) = Pair(x * y, y);
    let (Either::Left(b, _) | Either::Right(b)): Either = if x > y {
        Either::Left(x, a)
    } else {
        Either::Right(y * a)
    };
    a * a * b
}

#[differentiable]
fn to_places(x: f64, y: f64) -> f64 {
    let mut v = vec![x, y];
    let mut s = model(x);
    (v[0], s.b) = (s.a * y, v[1]);
    (s.a, v[1]) = and_square(y);
    [v[0], s.b] = [s.b * v[0], v[1]];
    v[0] * s.b + s.a * v[1]
}

#[differentiable]
fn nested_with_rests(x: f64, y: f64) -> f64 {
    let (mut a, mut b, c);
    (a, (b, c), ..) = (x, (y, x * y), 3, 4);
    (a, b) = (b, a + b);
    let (mut d, mut e);
    [d, .., e] = [a, b, c];
    ([_, d, ..], Model { a: (b), .. }) = ([a, b, c, d], model(e * d));
    (.., e) = (1, 'a', e * a);
    a + b * c * d * e
}

#[differentiable]
#[allow(unused_assignments, reason = "what is assigned anew is what is tested")]
fn places_are_evaluated_in_order(x: &mut [f64], y: f64) -> f64 {
    let mut i = 0;
    (i, x[i]) = (1, y);
    i = 0;
    Pair(x[i], ..) = Pair(x[0] * x[1], y);
    x[0] * x[1]
}

#[differentiable]
fn exchanged_elements(x: &mut [f64], y: f64) -> f64 {
    let (mut i, mut j) = (0, 1);
    for _ in 0..3 {
        [x[i], x[j]] = [x[j] * y, x[i]];
        [i, j] = [j, i];
    }
    x[i] * x[i] * x[j]
}

#[differentiable]
fn in_branches(x: f64, y: f64) -> f64 {
    let [mut a, b]: [f64; 2];
    let (c, mut d): (f64, f64);
    if x > y {
        [a, b] = [x, y * y];
        c = x;
        d = y;
    } else {
        (a, b) = (y, x);
        (c, d) = and_square(x * y);
    }
    a += 1.0;
    d *= a;
    a * b + c * d
}

#[differentiable]
fn later(x: f64, y: f64) -> f64 {
    let (mut a, mut b);
    if x > y {
        a = x;
        b = y;
    } else {
        a = y * y;
        b = x;
    }
    a += 1.0;
    b *= a;
    a * b
}

table! {
    swapped_array: (0.7, 1.3);
    from_calls: for n in 0..4, (0.7, 1.3, const n);
    of_structs: (0.7, 1.3);
    of_tuple_structs: (0.7, 1.3);
    first_parts: (0.7, 1.3), (1.3, 0.7);
    to_places: (0.7, 1.3);
    nested_with_rests: (0.7, 1.3);
    places_are_evaluated_in_order: (&mut vec![0.7, 1.3], 0.4);
    exchanged_elements: (&mut vec![0.7, 1.3], 0.4);
    in_branches: (0.7, 1.3), (1.3, 0.7);
    later: (0.7, 1.3), (1.3, 0.7);
}

//! A `&mut` variable handed over whole where the callee takes `&`, beside another borrow of the same memory.

use chainrule::prelude::*;

use crate::check::table;

/// `y` is a `&mut`, which the callee takes by `&`.
#[differentiable]
#[inline(never)]
fn weighted(a: &[f64], b: &[f64], s: f64) -> f64 {
    a[0] * b[1] * s + b[0].sin()
}

#[differentiable]
fn scaled_by<T: Real>(t: &T, list: &[T]) -> T {
    *t * list[0] * list[1].sin()
}

#[differentiable]
fn whole_beside_a_part(y: &mut [f64], s: f64) -> f64 {
    let a = weighted(&y[..2], y, s);
    y[0] = a * y[1];
    let b = weighted(y, &y[1..], a);
    y[1] += b;
    a * b + y[0]
}

#[differentiable]
fn whole_twice(y: &mut [f64], s: f64) -> f64 {
    y[1] *= s;
    let a = weighted(y, y, s.cos());
    a * y[0]
}

#[differentiable]
fn whole_beside_an_element(y: &mut [f64], s: f64) -> f64 {
    let mut total = s;
    for v in y.iter() {
        total += scaled_by(v, y) * s;
    }
    y[0] = total;
    total
}

fn weighed(weights: [f64; 2], rest: &mut [f64]) -> f64 {
    rest[0] += 1.0;
    weights[1] * rest[1]
}

#[differentiable]
#[inline(never)]
fn mapped(f: impl Fn(f64) -> f64, list: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..list.len() {
        total = total * 0.5 + f(list[i]);
    }
    total
}

/// A closure that reads the variable that stands beside it.
#[differentiable]
fn beside_its_reader(y: &mut [f64], s: f64) -> f64 {
    y[0] *= s;
    let a = mapped(|t| t * y[0] * s, y);
    y[1] += a;
    let reads = |t: f64| (t * y[1]).sin();
    a * mapped(reads, y)
}

#[differentiable]
fn beside_a_reader_by_reference(y: &mut Vec<f64>, s: f64) -> f64 {
    let part = &y[1..];
    let reads = |t: f64| t * part[0] * s;
    let a = mapped(&reads, y);
    y[1] += a;
    a * y[1]
}

/// Both sides of a split in code that nothing active goes through.
#[differentiable]
fn constant_sides(x: f64) -> f64 {
    let mut list = [0.5, 0.25, 0.75];
    let (left, right) = list.split_at_mut(1);
    let weight = weighed([0.5, left[0]], right);
    x * x * weight + list[1] * x
}

#[differentiable]
#[inline(never)]
fn rotated(a: &mut f64, b: &mut f64, c: &f64) {
    let first = *a * *c;
    *a = *b * *c;
    *b = first;
}

/// Elements that a pattern takes apart.
#[differentiable]
fn elements_of_a_pattern(x: f64) -> f64 {
    let mut p = [x, 2.0 * x, 3.0 * x * x];
    let [a, b, c] = &mut p;
    rotated(a, b, c);
    p[0] * p[1].sin() + p[2]
}

#[differentiable]
#[inline(never)]
fn scaled_rest(a: &f64, rest: &mut [f64]) {
    for v in rest.iter_mut() {
        *v *= *a;
    }
}

#[differentiable]
fn first_and_rest(x: &[f64]) -> f64 {
    let mut p = x.to_vec();
    let (first, rest) = p.split_first_mut().unwrap();
    scaled_rest(first, rest);
    if let [first, middle @ .., _] = &mut p[..] {
        scaled_rest(first, middle);
    }
    if let [middle @ .., last] = &mut p[..] {
        scaled_rest(last, middle);
    }
    p.iter().sum()
}

#[differentiable]
#[inline(never)]
fn scaled_both(a: &mut f64, b: &mut f64) {
    *a *= *b;
    *b += a.sin();
}

/// Positions from the end aren't numbers that are known here.
#[differentiable]
fn last_and_rest(x: &[f64]) -> f64 {
    let mut p = x.to_vec();
    let (last, rest) = p.split_last_mut().unwrap();
    scaled_rest(last, rest);
    if let Some((last, rest)) = p.split_last_mut() {
        scaled_rest(last, rest);
    }
    if let [first, .., last] = &mut p[..] {
        scaled_both(first, last);
        scaled_both(last, first);
    }
    if let [first, .., last] = p.as_mut_slice() {
        scaled_both(first, last);
    }
    if let [first, rest @ ..] = p.as_mut_slice() {
        scaled_rest(first, rest);
    }
    let (left, right) = p.as_mut_slice().split_at_mut(1);
    scaled_rest(&mut left[0], right);
    p.iter().sum()
}

/// The same row on both sides, and the same element exchanged with itself.
#[differentiable]
fn rows_with_themselves(rows: &[Vec<f64>]) -> f64 {
    let mut p = rows.to_vec();
    let mut s = 0.0;
    for i in 0..p.len() {
        for j in 0..p.len() {
            s += dot_of_rows(&p[i], &p[j]).sin();
            p.swap(i, j);
        }
    }
    s + p[0][0]
}

#[differentiable]
#[inline(never)]
fn dot_of_rows(a: &[f64], b: &[f64]) -> f64 {
    a[0] * b[0] + a[1].sin() * b[1] * a[0]
}

#[differentiable]
#[inline(never)]
fn mixed_rows(a: &mut [f64; 2], b: &mut [f64; 2]) {
    let product = a[0] * b[1];
    b[0] += product;
    a[1] *= product;
}

#[differentiable]
fn rows_of_a_pattern(x: f64) -> f64 {
    let mut p = [[x, 2.0], [3.0 * x, 1.0]];
    let [a, b] = &mut p;
    for _ in 0..2 {
        mixed_rows(a, b);
    }
    p[0][0] * p[0][1] + p[1][0]
}

table! {
    elements_of_a_pattern: (0.7);
    first_and_rest: (&[0.7, -0.4, 0.9, 1.2]);
    last_and_rest: (&[0.7, -0.4, 0.9, 1.2]), (&[0.7]);
    rows_with_themselves: (&vec![vec![0.4, 1.2], vec![-0.3, 0.8]]);
    rows_of_a_pattern: (0.7);
    constant_sides: (0.7);
    beside_its_reader: (&mut [0.7, -0.4, 0.9], 0.8);
    beside_a_reader_by_reference: (&mut vec![0.7, -0.4, 0.9], 0.8);
    whole_beside_a_part: (&mut [0.7, -0.4, 0.9], 0.8);
    whole_twice: (&mut [0.7, -0.4, 0.9], 0.8);
    whole_beside_an_element: (&mut [0.7, -0.4, 0.9], 0.8);
}

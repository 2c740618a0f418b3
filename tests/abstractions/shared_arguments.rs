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

/// Both sides of a split in code that nothing active goes through.
#[differentiable]
fn constant_sides(x: f64) -> f64 {
    let mut list = [0.5, 0.25, 0.75];
    let (left, right) = list.split_at_mut(1);
    let weight = weighed([0.5, left[0]], right);
    x * x * weight + list[1] * x
}

table! {
    constant_sides: (0.7);
    whole_beside_a_part: (&mut [0.7, -0.4, 0.9], 0.8);
    whole_twice: (&mut [0.7, -0.4, 0.9], 0.8);
    whole_beside_an_element: (&mut [0.7, -0.4, 0.9], 0.8);
}

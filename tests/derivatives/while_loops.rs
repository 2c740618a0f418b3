//! `while` and `loop` that count to a bound, in either direction, and ones that only seem to.

use chainrule::prelude::*;

use crate::check::{irregular, table};

fn x(n: usize) -> Vec<f64> {
    irregular(n, 0.7)
}

#[differentiable]
fn convolved(h: &[f64], v: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i + h.len() <= v.len() {
        let mut y = 0.0;
        let mut k = 0;
        while k < h.len() {
            y += h[k] * v[i + k];
            k += 1;
        }
        total += y * y;
        i += 1;
    }
    total * i as f64
}

/// The counter is used behind the loop, whether that ran or not.
#[differentiable]
fn bounded(v: &[f64], #[constant] lo: usize, #[constant] hi: usize) -> f64 {
    let mut i = lo;
    let mut total = 1.0;
    while hi > i {
        total *= 1.0 + v[i] * i as f64;
        i += 1;
    }
    let mut k = 1;
    while k <= hi {
        total += v[k - 1] * v[k - 1] * k as f64;
        k += 1;
    }
    total * (i + 10 * k) as f64
}

#[differentiable]
fn downwards(v: &[f64], #[constant] last: usize) -> f64 {
    let mut total = 0.0;
    let mut i = v.len();
    while i > last {
        i -= 1;
        total = 0.5 * total + v[i].sin() * total + v[i];
    }
    total * (1 + i) as f64
}

/// Exits and trips that end early.
#[differentiable]
fn left_early(v: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    loop {
        if i >= v.len() {
            break;
        }
        i += 1;
        if v[i - 1] < 0.0 {
            continue;
        }
        total += v[i - 1] * v[i - 1];
        if total > 3.0 {
            break;
        }
    }
    let mut k = v.len();
    while k > 0 {
        k -= 1;
        if v[k] > 0.9 {
            break;
        }
        total += v[k] * k as f64;
    }
    total * (1 + i + 100 * k) as f64
}

/// The bound moves with what the loop does.
#[differentiable]
fn moving_bounds(a: f64, #[constant] n: usize) -> f64 {
    let mut list = vec![a, 2.0 * a];
    let mut i = 0;
    while i < list.len() {
        if list.len() < n {
            let next = (list[i] * 1.5).sin();
            list.push(next);
        }
        i += 1;
    }
    let mut rest = list.clone();
    let mut k = 0;
    while k < rest.len() {
        let alias = &mut rest;
        let last = alias.pop().unwrap_or(0.0);
        if k < alias.len() {
            alias[k] *= last;
        }
        k += 1;
        if rest.len() < 2 {
            break;
        }
    }
    let mut top = n;
    let mut j = 0;
    let mut total = 0.0;
    while j < top {
        total += a * a * j as f64;
        top -= 1;
        j += 1;
    }
    for r in &rest {
        total += r * r;
    }
    total * (i + 10 * k) as f64
}

/// Steps that aren't one in each trip.
#[differentiable]
fn uneven(v: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i < v.len() {
        total += v[i] * v[i];
        if v[i] > 0.0 {
            i += 1;
        }
        i += 1;
    }
    let mut k = 0;
    while k + 1 < v.len() {
        total += v[k] * v[k + 1];
        k += 2;
    }
    total * (i + k) as f64
}

/// The trips write the list whose length is the bound.
#[differentiable]
fn in_place(v: &[f64]) -> f64 {
    let mut list = v.to_vec();
    let mut i = 1;
    while i < list.len() {
        list[i] = list[i] * list[i - 1] + 1.0;
        i += 1;
    }
    list[list.len() - 1]
}

table! {
    convolved: for n in [0, 2, 3, 4, 9], (&x(3), &x(n));
    bounded: for n in 0..5, (&x(5), const n, const 4), (&x(5), const 4, const n);
    downwards: for n in 0..5, (&x(n), const 0), (&x(n), const 2), (&x(n), const 7);
    left_early: for n in 0..9, (&x(n));
    moving_bounds: for n in 0..9, (0.7, const n);
    uneven: for n in 0..9, (&x(n));
    in_place: for n in 1..9, (&x(n));
}

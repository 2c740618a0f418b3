//! Buffers of a function's own, which it lends to functions that call them constant.

use chainrule::prelude::*;

use crate::check::table;

/// How often it was called, with what is kept between calls.
#[differentiable]
#[inline(never)]
fn counted(x: f64, #[constant] calls: &mut Vec<f64>) -> f64 {
    calls.push(1.5);
    x * x * calls[0] + calls.len() as f64 * x
}

#[differentiable]
fn lent(x: f64) -> f64 {
    let mut calls = vec![0.5];
    let first = counted(x, &mut calls);
    first * counted(x * first, &mut calls) + calls.len() as f64
}

#[differentiable]
fn lent_in_loops(x: &[f64]) -> f64 {
    let mut calls = Vec::new();
    let mut last = 0.0;
    for v in x {
        last = counted(last + v, &mut calls) * calls[calls.len() - 1];
    }
    last
}

#[differentiable]
#[inline(never)]
fn fill(#[constant] weights: &mut [f64], #[constant] n: usize) {
    for (k, weight) in weights.iter_mut().enumerate() {
        *weight = (n + k) as f64;
    }
}

/// Overwritten between its uses.
#[differentiable]
fn refilled(x: f64) -> f64 {
    let mut weights = [0.0; 3];
    let mut y = x;
    for n in 0..3 {
        fill(&mut weights, n);
        y = (y * weights[n]).sin() + weights[2] * x;
    }
    y
}

/// By recursion.
#[differentiable]
#[inline(never)]
fn halved(x: f64, #[constant] depth: usize, #[constant] steps: &mut Vec<f64>) -> f64 {
    steps.push(depth as f64);
    if depth == 0 {
        return x * steps[0];
    }
    halved(x.sin() * steps[steps.len() - 1], depth - 1, steps) + x
}

#[differentiable]
fn of_a_recursion(x: f64) -> f64 {
    let mut steps = Vec::new();
    halved(x, 3, &mut steps) * halved(x * x, 1, &mut steps)
}

table! {
    lent: (0.7), (-1.2);
    lent_in_loops: (&[0.7, -0.3, 0.2]);
    refilled: (0.7);
    of_a_recursion: (0.7), (-0.4);
}

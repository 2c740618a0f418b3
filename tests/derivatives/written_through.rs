//! Locals that hold nothing differentiated at first, and are changed only through what borrows them: bindings of patterns, elements
//! of loops, parameters of closures.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Debug, Default, Differentiable)]
struct State {
    a: f64,
    v: Vec<f64>,
}

fn grid(n: usize) -> Vec<(f64, f64)> {
    vec![(1.5, 2.0); n]
}

fn states(n: usize) -> Vec<State> {
    vec![State::default(); n]
}

#[differentiable]
fn by_a_pattern(x: &[f64]) -> f64 {
    let mut s = State::default();
    let State { a, v } = &mut s;
    *a = x[0];
    v.push(x[1]);
    s.a * s.v[0]
}

#[differentiable]
fn by_patterns_in_a_loop(x: &[f64]) -> f64 {
    let mut all = states(2);
    for State { a, .. } in all.iter_mut() {
        *a += x[0] * x[1];
    }
    for State { a, .. } in &mut all {
        *a *= x[0];
    }
    all[0].a * all[1].a
}

#[differentiable]
fn by_elements(x: &[f64]) -> f64 {
    let mut pairs = grid(2);
    for ((_, y), v) in pairs.iter_mut().zip(x) {
        *y = v.sin();
    }
    pairs.iter_mut().for_each(|(a, b)| *a *= *b);
    for (k, (a, _)) in pairs.iter_mut().enumerate() {
        *a *= x[k];
    }
    pairs[0].0 * pairs[1].1 + pairs[1].0
}

#[differentiable]
fn by_a_loop(x: &[f64], n: usize) -> f64 {
    let mut s = State::default();
    for k in 0..n {
        let State { a, v } = &mut s;
        *a += x[k % 2];
        v.push(*a * x[1]);
    }
    s.a + s.v.iter().sum::<f64>()
}

/// What comes out of a call that gets a `&mut` is a value of its own, whatever is done with it.
fn draw(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 40) as f64 / 16_777_216.0
}

#[differentiable]
fn with_noise(x: &[f64]) -> f64 {
    let mut state = 7;
    let noise = draw(&mut state);
    let mut scaled = draw(&mut state);
    scaled *= x[0];
    noise.max(x[1]) * scaled + noise * x[0]
}

#[test]
fn locals_that_held_nothing_differentiated() {
    let x = [0.7, 1.3];
    check!(by_a_pattern(&x));
    check!(by_patterns_in_a_loop(&x));
    check!(by_elements(&x));
    for n in 0..4 {
        check!(by_a_loop(&x, const n));
    }
    check!(with_noise(&x));
}

//! Calls of short functions of the same module, whose bodies stand for them.

use chainrule::prelude::*;

use crate::check::table;

const STEPS: usize = 2;

/// Names of its own that callers have, too, and a way out in the middle.
#[differentiable]
fn damped(x: f64, mut k: usize) -> f64 {
    let mut y = x;
    let n = STEPS;
    loop {
        if k == 0 {
            return y;
        }
        let x = y * 0.5;
        if x > 10.0 {
            return x * n as f64;
        }
        y += x * x;
        k -= 1;
    }
}

#[differentiable]
fn names(y: f64, n: usize) -> f64 {
    let k = 3.0;
    let x = damped(y * k, n) + damped(k * 10.0 * y, STEPS);
    x * k * y
}

fn damped_by_hand(x: f64, mut k: usize) -> (f64, f64) {
    let (mut y, mut d) = (x, 1.0);
    loop {
        if k == 0 {
            return (y, d);
        }
        if y * 0.5 > 10.0 {
            return (y * 0.5 * 2.0, d);
        }
        d += 0.5 * y * d;
        y += 0.25 * y * y;
        k -= 1;
    }
}

fn names_by_hand(y: f64, n: usize) -> (f64, f64) {
    let (a, a_dot) = damped_by_hand(3.0 * y, n);
    let (b, b_dot) = damped_by_hand(30.0 * y, 2);
    let sum = a + b;
    (
        sum * 3.0 * y,
        (3.0 * a_dot + 30.0 * b_dot) * 3.0 * y + sum * 3.0,
    )
}

/// What is written is overwritten in each step, so that nobody needs the old content.
#[differentiable]
fn rates(y: &[f64], a: f64, out: &mut [f64]) {
    for (r, y) in out.iter_mut().zip(y) {
        *r = a * y.sin();
    }
}

#[differentiable]
fn steps(y: &mut Vec<f64>, a: f64, n: usize) -> f64 {
    let mut out = vec![0.0; y.len()];
    for _ in 0..n {
        rates(y, a, &mut out);
        for i in 0..out.len() {
            y[i] += 0.1 * out[i];
        }
    }
    out[0] * y[0]
}

/// The value, the derivative by `a`, and the gradient by `y`, which goes out with the state's own cotangent `w`.
fn steps_by_hand(y: &[f64], a: f64, n: usize, w: &[f64]) -> (f64, f64, Vec<f64>) {
    let mut states = vec![y.to_vec()];
    for _ in 0..n {
        let last = &states[states.len() - 1];
        states.push(last.iter().map(|y| y + 0.1 * (a * y.sin())).collect());
    }
    let (first, last) = (states[n - 1][0], states[n][0]);
    let value = a * first.sin() * last;
    let (mut bar, mut a_bar) = (w.to_vec(), first.sin() * last);
    bar[0] += a * first.sin();
    for (k, state) in states[..n].iter().enumerate().rev() {
        for i in 0..y.len() {
            a_bar += bar[i] * 0.1 * state[i].sin();
            bar[i] *= 1.0 + 0.1 * a * state[i].cos();
        }
        if k == n - 1 {
            bar[0] += a * first.cos() * last;
        }
    }
    (value, a_bar, bar)
}

/// Each calls itself through the other.
#[differentiable]
fn even(x: f64, n: usize) -> f64 {
    if n == 0 { x } else { x * odd(x, n - 1) }
}

#[differentiable]
fn odd(x: f64, n: usize) -> f64 {
    if n == 0 { 1.0 } else { even(x, n - 1) + x }
}

/// A generic that is called as the constant is, which the callee means.
#[differentiable]
fn generic<const STEPS: usize>(x: f64) -> f64 {
    STEPS as f64 * damped(x, 1) * x
}

/// What the body declares is not what the callee means.
#[differentiable]
fn declared(x: f64) -> f64 {
    const STEPS: usize = 7;
    damped(30.0 * x, STEPS) * x
}

/// A number that the callee calls by the name of a function.
#[differentiable]
fn named(damped: f64) -> f64 {
    fn_of(damped) * damped
}

#[differentiable]
fn fn_of(x: f64) -> f64 {
    damped(x, 1)
}

#[test]
fn names_are_the_callees_own() {
    for (y, n) in [(0.3, 2), (-0.7, 1), (1.5, 3), (0.3, 0)] {
        let (value, by_hand) = names_by_hand(y, n);
        assert_eq!(names(y, n), value);
        assert_eq!(names::value_and_gradient(y, n).0, value);
        approx::assert_relative_eq!(names::gradient(y, n), by_hand, max_relative = 1e-14);
    }
    let (value, d) = damped_by_hand(0.4, 1);
    assert_eq!(generic::<5>(0.4), 5.0 * value * 0.4);
    approx::assert_relative_eq!(
        generic::gradient::<5>(0.4),
        5.0 * (d * 0.4 + value),
        max_relative = 1e-14
    );
    let (value, d) = damped_by_hand(60.0, 7);
    assert_eq!(declared(2.0), value * 2.0);
    approx::assert_relative_eq!(
        declared::gradient(2.0),
        60.0 * d + value,
        max_relative = 1e-14
    );
    let (value, d) = damped_by_hand(0.8, 1);
    approx::assert_relative_eq!(named::gradient(0.8), value + 0.8 * d, max_relative = 1e-14);
}

#[test]
fn memory_is_put_back() {
    let (y, a, n) = (vec![0.3, -1.2, 2.0], 0.7, 4);
    let w = [0.5, -1.0, 2.0];
    let (value, a_bar, y_bar) = steps_by_hand(&y, a, n, &w);
    let mut state = y.clone();
    let (found, pullback) = steps::rrule(&mut state, a, n);
    approx::assert_relative_eq!(found, value, max_relative = 1e-15);
    let mut bar = w.to_vec();
    let found = pullback(1.0, CoDual(&mut state, &mut bar));
    assert_eq!(state, y);
    approx::assert_relative_eq!(found, a_bar, max_relative = 1e-14);
    approx::assert_relative_eq!(bar[..], y_bar[..], max_relative = 1e-14);
}

#[test]
fn recursion_ends() {
    // x · (x · (x · (x + x) + x) + x)... by its own recurrence.
    fn by_hand(x: f64, n: usize) -> (f64, f64) {
        if n == 0 {
            return (x, 1.0);
        }
        let (o, d) = if n == 1 {
            (1.0, 0.0)
        } else {
            let (e, d) = by_hand(x, n - 2);
            (e + x, d + 1.0)
        };
        (x * o, o + x * d)
    }
    for n in 0..7 {
        let (value, d) = by_hand(1.3, n);
        approx::assert_relative_eq!(even(1.3, n), value, max_relative = 1e-14);
        approx::assert_relative_eq!(even::gradient(1.3, n), d, max_relative = 1e-14);
    }
}

table! {
    names: (0.3, const 2), (-0.7, const 1), (1.5, const 3);
    fn_of: (0.7);
    declared: (2.0);
    even: for n in 0..6, (1.3, const n);
}

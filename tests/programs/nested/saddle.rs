//! A game: one player minimises what the other one maximises, both by gradient descent. The outer derivative goes through the inner
//! descent, in which each step takes a derivative.

use chainrule::prelude::*;

use super::close;
use super::descent::argmin;

#[differentiable(nested)]
fn payoff(q: &[f64; 2], p: &[f64; 2]) -> f64 {
    (p[0] * p[0] + p[1] * p[1]) - (q[0] * q[0] + q[1] * q[1])
}

/// `payoff` at the second player's answer to `p`, and the answer; derivatives in `q` by reverse mode.
#[differentiable]
#[inline(never)]
fn answered_by_reverse(p: &[f64; 2]) -> (f64, [f64; 2]) {
    let mut q = [1.0, 1.0];
    let (mut value, (mut slope, _)) = payoff::value_and_gradient(&q, p);
    let (mut i, mut eta) = (0, 1e-5);
    loop {
        if (slope[0] * slope[0] + slope[1] * slope[1]).sqrt() <= 1e-5 {
            return (value, q);
        }
        if i == 10 {
            eta *= 2.0;
            i = 0;
            continue;
        }
        let next = [q[0] + eta * slope[0], q[1] + eta * slope[1]];
        let (x, y) = (q[0] - next[0], q[1] - next[1]);
        if (x * x + y * y).sqrt() <= 1e-5 {
            return (value, q);
        }
        let (there, (slope_there, _)) = payoff::value_and_gradient(&next, p);
        if there > value {
            q = next;
            value = there;
            slope = slope_there;
            i += 1;
        } else {
            eta /= 2.0;
            i = 0;
        }
    }
}

/// Derivatives in `q` by forward mode.
#[differentiable]
#[inline(never)]
fn answered_by_forward(p: &[f64; 2]) -> (f64, [f64; 2]) {
    let (mut q, zero) = ([1.0, 1.0], [0.0, 0.0]);
    let (mut value, mut slope_x): (f64, f64) = payoff::jvp(&q, p, &[1.0, 0.0], &zero);
    let mut slope_y = payoff::jvp(&q, p, &[0.0, 1.0], &zero).1;
    let (mut i, mut eta) = (0, 1e-5);
    loop {
        if (slope_x * slope_x + slope_y * slope_y).sqrt() <= 1e-5 {
            return (value, q);
        }
        if i == 10 {
            eta *= 2.0;
            i = 0;
            continue;
        }
        let next = [q[0] + eta * slope_x, q[1] + eta * slope_y];
        let (x, y) = (q[0] - next[0], q[1] - next[1]);
        if (x * x + y * y).sqrt() <= 1e-5 {
            return (value, q);
        }
        let there = payoff(&next, p);
        if there > value {
            q = next;
            value = there;
            slope_x = payoff::jvp(&q, p, &[1.0, 0.0], &zero).1;
            slope_y = payoff::jvp(&q, p, &[0.0, 1.0], &zero).1;
            i += 1;
        } else {
            eta /= 2.0;
            i = 0;
        }
    }
}

#[differentiable]
#[inline(never)]
fn over_reverse(p: &[f64; 2]) -> f64 {
    answered_by_reverse(p).0
}

#[differentiable]
#[inline(never)]
fn over_forward(p: &[f64; 2]) -> f64 {
    answered_by_forward(p).0
}

const EXPECTED: f64 = 8.246_324_826_140_356e-6;

fn array(p: &[f64]) -> [f64; 2] {
    [p[0], p[1]]
}

#[test]
fn all_nestings_agree() {
    let start = [1.0, 1.0];
    let units = [[1.0, 0.0], [0.0, 1.0]];
    let rr = argmin(
        &start,
        |p| over_reverse(&array(p)),
        |p| over_reverse::gradient(&array(p)).to_vec(),
    );
    let fr = argmin(
        &start,
        |p| over_reverse(&array(p)),
        |p| units.map(|u| over_reverse::jvp(&array(p), &u).1).to_vec(),
    );
    let rf = argmin(
        &start,
        |p| over_forward(&array(p)),
        |p| over_forward::gradient(&array(p)).to_vec(),
    );
    let ff = argmin(
        &start,
        |p| over_forward(&array(p)),
        |p| units.map(|u| over_forward::jvp(&array(p), &u).1).to_vec(),
    );
    for (p, forward) in [(rr, false), (fr, false), (rf, true), (ff, true)] {
        let p = array(&p);
        let (_, q) = if forward {
            answered_by_forward(&p)
        } else {
            answered_by_reverse(&p)
        };
        for x in p.into_iter().chain(q) {
            close(x, EXPECTED, 1e-12);
        }
    }
}

//! A charged particle whose acceleration is the gradient of a potential, and the position of a charge that makes it land at the origin:
//! a derivative of a simulation in which each step takes a derivative.

use chainrule::prelude::*;

use super::close;
use super::descent::argmin;

/// Two repelling charges, of which the first can be moved.
#[differentiable(nested)]
fn potential(at: &[f64; 2], w: f64) -> f64 {
    let charges = [[10.0, 10.0 - w], [10.0, 0.0]];
    let mut total = 0.0;
    for charge in charges {
        let (x, y) = (charge[0] - at[0], charge[1] - at[1]);
        total += 1.0 / (x * x + y * y).sqrt();
    }
    total
}

/// Where the particle lands, squared. The force is found in reverse mode.
#[differentiable]
#[inline(never)]
fn by_reverse(w: f64) -> f64 {
    let (mut pos, mut vel, dt) = ([0.0, 8.0], [0.75, 0.0], 0.1);
    loop {
        let (slope, _) = potential::gradient(&pos, w);
        for i in 0..2 {
            pos[i] += dt * vel[i];
        }
        if pos[1] <= 0.0 {
            let landing = -pos[1] / vel[1];
            let x = pos[0] + landing * vel[0];
            return x * x;
        }
        for i in 0..2 {
            vel[i] -= dt * slope[i];
        }
    }
}

/// The force is found in forward mode, one component at a time.
#[differentiable]
fn by_forward(w: f64) -> f64 {
    let (mut pos, mut vel, dt) = ([0.0, 8.0], [0.75, 0.0], 0.1);
    loop {
        let (_, slope_x) = potential::jvp(&pos, w, &[1.0, 0.0], 0.0);
        let (_, slope_y) = potential::jvp(&pos, w, &[0.0, 1.0], 0.0);
        for i in 0..2 {
            pos[i] += dt * vel[i];
        }
        if pos[1] <= 0.0 {
            let landing = -pos[1] / vel[1];
            let x = pos[0] + landing * vel[0];
            return x * x;
        }
        vel[0] -= dt * slope_x;
        vel[1] -= dt * slope_y;
    }
}

const EXPECTED: f64 = 0.207_191_874_648_611_6;

fn minimised(slope: impl Fn(f64) -> f64, value: impl Fn(f64) -> f64) -> f64 {
    argmin(&[0.0], |w| value(w[0]), |w| vec![slope(w[0])])[0]
}

#[test]
fn all_nestings_agree() {
    let rr = minimised(|w| by_reverse::gradient(w), by_reverse);
    let rf = minimised(|w| by_forward::gradient(w), by_forward);
    let fr = minimised(by_reverse::derivative, by_reverse);
    let ff = minimised(by_forward::derivative, by_forward);
    for w in [rr, rf, fr, ff] {
        close(w, EXPECTED, 1e-12);
    }
}

#[test]
fn the_split_rule_agrees() {
    for w in [0.0, 0.1, EXPECTED] {
        let (y, pullback) = by_reverse::rrule(w);
        let slope = pullback(1.0);
        assert_eq!(y, by_reverse(w));
        close(slope, by_reverse::gradient(w), 1e-13);
        close(slope, by_forward::vjp(w, 1.0).1, 1e-12);
        let h = 1e-6;
        let difference = (by_reverse(w + h) - by_reverse(w - h)) / (2.0 * h);
        close(slope, difference, 1e-6);
    }
}

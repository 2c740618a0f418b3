//! Ordinary differential equations: fixed steps, and steps chosen by an estimate of the error, with rejections.

use chainrule::prelude::*;

use crate::check::{check, flat, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Oscillator {
    stiffness: f64,
    friction: f64,
}

flat!(Oscillator {
    stiffness: f64,
    friction: f64
});

#[differentiable]
impl Oscillator {
    fn rate(&self, u: &[f64; 2]) -> [f64; 2] {
        [u[1], -self.stiffness * u[0] - self.friction * u[1]]
    }

    fn runge_kutta(&self, u: &[f64; 2], h: f64) -> [f64; 2] {
        let k1 = self.rate(u);
        let k2 = self.rate(&ahead(u, &k1, 0.5 * h));
        let k3 = self.rate(&ahead(u, &k2, 0.5 * h));
        let k4 = self.rate(&ahead(u, &k3, h));
        let mut out = *u;
        for i in 0..2 {
            out[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        out
    }
}

#[differentiable]
#[inline(never)]
fn ahead(u: &[f64; 2], k: &[f64; 2], h: f64) -> [f64; 2] {
    [u[0] + h * k[0], u[1] + h * k[1]]
}

#[differentiable]
fn fixed(model: &Oscillator, start: [f64; 2], t: f64, steps: usize) -> f64 {
    let h = t / steps as f64;
    let mut u = start;
    for _ in 0..steps {
        u = model.runge_kutta(&u, h);
    }
    u[0]
}

/// Heun's method with Euler's inside, to a tolerance. Steps depend on the error, and the error on the parameters: the
/// derivative goes through the steps too.
#[differentiable]
#[inline(never)]
fn adaptive(model: &Oscillator, start: [f64; 2], end: f64, #[constant] tolerance: f64) -> f64 {
    let mut t = 0.0;
    let mut h = 0.3;
    let mut u = start;
    let mut rejected = 0;
    while t < end {
        if t + h > end {
            h = end - t;
        }
        let k1 = model.rate(&u);
        let euler = ahead(&u, &k1, h);
        let k2 = model.rate(&euler);
        let mut heun = u;
        let mut error = 0.0_f64;
        for i in 0..2 {
            heun[i] += 0.5 * h * (k1[i] + k2[i]);
            error = error.max((heun[i] - euler[i]).abs());
        }
        let factor = 0.9 * (tolerance / error).sqrt();
        if error > tolerance {
            rejected += 1;
            if rejected > 100 {
                return f64::NAN;
            }
            h *= factor.max(0.2);
            continue;
        }
        t += h;
        u = heun;
        h *= factor.min(2.0);
    }
    u[0]
}

fn model() -> Oscillator {
    Oscillator {
        stiffness: 1.7,
        friction: 0.3,
    }
}

/// With `w = sqrt(k - c^2 / 4)`, from `(1, 0)`: `exp(-c t / 2) (cos(w t) + c / (2 w) sin(w t))`.
fn solution(stiffness: f64, friction: f64, t: f64) -> f64 {
    let w = (stiffness - 0.25 * friction * friction).sqrt();
    (-0.5 * friction * t).exp() * ((w * t).cos() + 0.5 * friction / w * (w * t).sin())
}

#[test]
fn many_small_steps_have_the_solutions_derivative() {
    let (g, _, t_bar) = fixed::gradient(&model(), [1.0, 0.0], 1.1, 200);
    let h = 1e-5;
    let at = |k: f64, c: f64, t: f64| solution(1.7 + k * h, 0.3 + c * h, 1.1 + t * h);
    let want = |k, c, t| (at(k, c, t) - at(-k, -c, -t)) / (2.0 * h);
    assert!((g.stiffness - want(1.0, 0.0, 0.0)).abs() < 1e-8);
    assert!((g.friction - want(0.0, 1.0, 0.0)).abs() < 1e-8);
    assert!((t_bar - want(0.0, 0.0, 1.0)).abs() < 1e-8);
}

#[test]
fn steps_are_rejected() {
    // The first step is too long for the second tolerance, so that both ways through the loop are taken.
    check!(adaptive(&model(), [1.0, 0.0], 0.9, const 0.2));
    check!(adaptive(&model(), [1.0, 0.0], 0.9, const 0.02));
}

#[test]
fn no_step_at_all() {
    let (model_bar, start_bar, end_bar) = adaptive::gradient(&model(), [1.0, 0.0], 0.0, 0.02);
    assert_eq!((model_bar.stiffness, model_bar.friction), (0.0, 0.0));
    assert_eq!((start_bar, end_bar), ([1.0, 0.0], 0.0));
}

table! {
    fixed: for n in 1..4, (&model(), [1.1, 0.6], 0.8, const n);
}

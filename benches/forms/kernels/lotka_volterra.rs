//! Lotka and Volterra's equations by Runge-Kutta's method of order four; parameters and initial values are active.

use crate::Kernel;
use chainrule::prelude::*;
use rows::gradient_of_structs;
use rows::harness::case::{Hand, With};

const STEPS: usize = 200;
const H: f64 = 0.02;
const P: [f64; 4] = [1.5, 1.0, 3.0, 0.9];
const Y: [f64; 2] = [1.0, 1.2];

pub(crate) fn kernel() -> Kernel {
    let zeros = ([0.0; 4], [0.0; 2]);
    let hand = Hand::new(
        (P, Y),
        With {
            gradient: zeros,
            scratch: vec![[[0.0; 2]; 4]; STEPS],
        },
        |(p, y), bar| {
            let (p_bar, y_bar) = &mut bar.gradient;
            by_hand(p, *y, p_bar, y_bar, &mut bar.scratch)
        },
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                (P, Y),
                zeros,
                |(p, y)| $form(p, y, STEPS),
                |(p, y), (p_bar, y_bar)| {
                    $form::value_and_gradient_into(p, y, STEPS, p_bar, y_bar)
                },
            )),*]
        };
    }
    let mut forms = forms! { arrays tuples out_parameter closure scalars };
    let model = Model {
        a: P[0],
        b: P[1],
        c: P[2],
        d: P[3],
    };
    let tangent = model.zero_tangent();
    forms.push(hand.form(
        "method",
        (model, Y),
        (tangent, [0.0; 2]),
        |(model, y)| model.solve(y, STEPS),
        |(model, y), (model_bar, y_bar)| {
            model.solve_value_and_gradient_into(y, STEPS, model_bar, y_bar)
        },
    ));
    forms.push(hand.form(
        "trait_object",
        (P, Y),
        zeros,
        |(p, y)| trait_object(p, y, STEPS),
        |(p, y), (p_bar, y_bar)| trait_object::value_and_gradient_into(p, y, STEPS, p_bar, y_bar),
    ));
    Kernel::new(forms)
}

#[inline]
fn rate(p: &[f64; 4], y: [f64; 2]) -> [f64; 2] {
    [
        p[0] * y[0] - p[1] * y[0] * y[1],
        p[3] * y[0] * y[1] - p[2] * y[1],
    ]
}

/// Reverse half of `rate`: returns the cotangent of `y`, in two operations from that of the result, and those of `p`.
#[inline]
fn rate_reverse(p: &[f64; 4], y: [f64; 2], k_bar: [f64; 2]) -> ([f64; 2], [f64; 4]) {
    let (u, v) = (k_bar[0] * y[0], k_bar[1] * y[1]);
    (
        [
            k_bar[0] * (p[0] - p[1] * y[1]) + k_bar[1] * (p[3] * y[1]),
            k_bar[1] * (p[3] * y[0] - p[2]) - k_bar[0] * (p[1] * y[0]),
        ],
        [u, u * y[1], v, v * y[0]],
    )
}

/// Keeps the four points of each step at which the rate is taken.
fn by_hand(
    p: &[f64; 4],
    y: [f64; 2],
    p_bar: &mut [f64; 4],
    y_bar: &mut [f64; 2],
    kept: &mut [[[f64; 2]; 4]],
) -> f64 {
    let at = |y: [f64; 2], h: f64, k: [f64; 2]| [y[0] + h * k[0], y[1] + h * k[1]];
    let mut y = y;
    let (mut total, scale) = (0.0, 1.0 / STEPS as f64);
    for kept in &mut *kept {
        let k1 = rate(p, y);
        let y2 = at(y, 0.5 * H, k1);
        let k2 = rate(p, y2);
        let y3 = at(y, 0.5 * H, k2);
        let k3 = rate(p, y3);
        let y4 = at(y, H, k3);
        let k4 = rate(p, y4);
        *kept = [y, y2, y3, y4];
        let next = |i: usize| y[i] + H / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        y = [next(0), next(1)];
        total += y[0] * y[0] + y[1];
    }
    let mut sums = [0.0; 4];
    let mut bar = [0.0; 2];
    let mut next = y;
    for &[y, y2, y3, y4] in kept.iter().rev() {
        bar = [bar[0] + 2.0 * scale * next[0], bar[1] + scale];
        let k_bar = [H / 6.0 * bar[0], H / 6.0 * bar[1]];
        let twice = [H / 3.0 * bar[0], H / 3.0 * bar[1]];
        let (y4_bar, p4) = rate_reverse(p, y4, k_bar);
        let (y3_bar, p3) = rate_reverse(p, y3, at(twice, H, y4_bar));
        let (y2_bar, p2) = rate_reverse(p, y2, at(twice, 0.5 * H, y3_bar));
        let (y1_bar, p1) = rate_reverse(p, y, at(k_bar, 0.5 * H, y2_bar));
        for i in 0..2 {
            bar[i] = ((bar[i] + y4_bar[i]) + (y3_bar[i] + y2_bar[i])) + y1_bar[i];
        }
        for i in 0..4 {
            sums[i] += (p4[i] + p3[i]) + (p2[i] + p1[i]);
        }
        next = y;
    }
    *p_bar = [sums[0], -sums[1], -sums[2], sums[3]];
    *y_bar = bar;
    total * scale
}

#[differentiable]
fn rhs(p: &[f64; 4], y: [f64; 2]) -> [f64; 2] {
    [
        p[0] * y[0] - p[1] * y[0] * y[1],
        p[3] * y[0] * y[1] - p[2] * y[1],
    ]
}

#[differentiable]
fn arrays(p: &[f64; 4], start: &[f64; 2], n: usize) -> f64 {
    let mut y = *start;
    let mut total = 0.0;
    for _ in 0..n {
        let k1 = rhs(p, y);
        let k2 = rhs(p, [y[0] + 0.5 * H * k1[0], y[1] + 0.5 * H * k1[1]]);
        let k3 = rhs(p, [y[0] + 0.5 * H * k2[0], y[1] + 0.5 * H * k2[1]]);
        let k4 = rhs(p, [y[0] + H * k3[0], y[1] + H * k3[1]]);
        for i in 0..2 {
            y[i] += H / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        total += y[0] * y[0] + y[1];
    }
    total / n as f64
}

#[differentiable]
fn pair(p: &[f64; 4], (x, y): (f64, f64)) -> (f64, f64) {
    (p[0] * x - p[1] * x * y, p[3] * x * y - p[2] * y)
}

#[differentiable]
fn step(p: &[f64; 4], (x, y): (f64, f64)) -> (f64, f64) {
    let k1 = pair(p, (x, y));
    let k2 = pair(p, (x + 0.5 * H * k1.0, y + 0.5 * H * k1.1));
    let k3 = pair(p, (x + 0.5 * H * k2.0, y + 0.5 * H * k2.1));
    let k4 = pair(p, (x + H * k3.0, y + H * k3.1));
    (
        x + H / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0),
        y + H / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1),
    )
}

#[differentiable]
fn tuples(p: &[f64; 4], start: &[f64; 2], n: usize) -> f64 {
    let mut state = (start[0], start[1]);
    let mut total = 0.0;
    for _ in 0..n {
        state = step(p, state);
        total += state.0 * state.0 + state.1;
    }
    total / n as f64
}

#[differentiable]
fn rhs_into(p: &[f64], y: &[f64], dy: &mut [f64]) {
    dy[0] = p[0] * y[0] - p[1] * y[0] * y[1];
    dy[1] = p[3] * y[0] * y[1] - p[2] * y[1];
}

#[differentiable]
fn out_parameter(p: &[f64; 4], start: &[f64; 2], n: usize) -> f64 {
    let mut y = start.to_vec();
    let mut k1 = vec![0.0; 2];
    let mut k2 = vec![0.0; 2];
    let mut k3 = vec![0.0; 2];
    let mut k4 = vec![0.0; 2];
    let mut at = vec![0.0; 2];
    let mut total = 0.0;
    for _ in 0..n {
        rhs_into(p, &y, &mut k1);
        for i in 0..2 {
            at[i] = y[i] + 0.5 * H * k1[i];
        }
        rhs_into(p, &at, &mut k2);
        for i in 0..2 {
            at[i] = y[i] + 0.5 * H * k2[i];
        }
        rhs_into(p, &at, &mut k3);
        for i in 0..2 {
            at[i] = y[i] + H * k3[i];
        }
        rhs_into(p, &at, &mut k4);
        for i in 0..2 {
            y[i] += H / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        total += y[0] * y[0] + y[1];
    }
    total / n as f64
}

#[differentiable]
fn rk4(f: impl Fn([f64; 2]) -> [f64; 2], y: [f64; 2], h: f64) -> [f64; 2] {
    let k1 = f(y);
    let k2 = f([y[0] + 0.5 * h * k1[0], y[1] + 0.5 * h * k1[1]]);
    let k3 = f([y[0] + 0.5 * h * k2[0], y[1] + 0.5 * h * k2[1]]);
    let k4 = f([y[0] + h * k3[0], y[1] + h * k3[1]]);
    [
        y[0] + h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]),
        y[1] + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]),
    ]
}

#[differentiable]
fn closure(p: &[f64; 4], start: &[f64; 2], n: usize) -> f64 {
    let f = |y: [f64; 2]| {
        [
            p[0] * y[0] - p[1] * y[0] * y[1],
            p[3] * y[0] * y[1] - p[2] * y[1],
        ]
    };
    let mut y = *start;
    let mut total = 0.0;
    for _ in 0..n {
        y = rk4(f, y, H);
        total += y[0] * y[0] + y[1];
    }
    total / n as f64
}

#[differentiable]
fn scalars(p: &[f64; 4], start: &[f64; 2], n: usize) -> f64 {
    let [a, b, c, d] = *p;
    let [mut x, mut y] = *start;
    let mut total = 0.0;
    for _ in 0..n {
        let kx1 = a * x - b * x * y;
        let ky1 = d * x * y - c * y;
        let (x2, y2) = (x + 0.5 * H * kx1, y + 0.5 * H * ky1);
        let kx2 = a * x2 - b * x2 * y2;
        let ky2 = d * x2 * y2 - c * y2;
        let (x3, y3) = (x + 0.5 * H * kx2, y + 0.5 * H * ky2);
        let kx3 = a * x3 - b * x3 * y3;
        let ky3 = d * x3 * y3 - c * y3;
        let (x4, y4) = (x + H * kx3, y + H * ky3);
        let kx4 = a * x4 - b * x4 * y4;
        let ky4 = d * x4 * y4 - c * y4;
        x += H / 6.0 * (kx1 + 2.0 * kx2 + 2.0 * kx3 + kx4);
        y += H / 6.0 * (ky1 + 2.0 * ky2 + 2.0 * ky3 + ky4);
        total += x * x + y;
    }
    total / n as f64
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
}

gradient_of_structs! { ModelTangent { a, b, c, d } }

#[differentiable]
impl Model {
    fn rates(&self, y: &[f64; 2]) -> [f64; 2] {
        [
            self.a * y[0] - self.b * y[0] * y[1],
            self.d * y[0] * y[1] - self.c * y[1],
        ]
    }

    fn step(&self, y: &[f64; 2], h: f64) -> [f64; 2] {
        let k1 = self.rates(y);
        let k2 = self.rates(&[y[0] + 0.5 * h * k1[0], y[1] + 0.5 * h * k1[1]]);
        let k3 = self.rates(&[y[0] + 0.5 * h * k2[0], y[1] + 0.5 * h * k2[1]]);
        let k4 = self.rates(&[y[0] + h * k3[0], y[1] + h * k3[1]]);
        [
            y[0] + h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]),
            y[1] + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]),
        ]
    }

    fn solve(&self, start: &[f64; 2], n: usize) -> f64 {
        let mut y = *start;
        let mut total = 0.0;
        for _ in 0..n {
            y = self.step(&y, H);
            total += y[0] * y[0] + y[1];
        }
        total / n as f64
    }
}

#[differentiable(dyn)]
trait Rhs {
    fn rhs(&self, y: [f64; 2]) -> [f64; 2];
}

#[differentiable(dyn)]
impl Rhs for Model {
    fn rhs(&self, y: [f64; 2]) -> [f64; 2] {
        [
            self.a * y[0] - self.b * y[0] * y[1],
            self.d * y[0] * y[1] - self.c * y[1],
        ]
    }
}

#[differentiable]
fn integrate(f: &dyn Rhs, start: &[f64; 2], n: usize) -> f64 {
    let mut y = *start;
    let mut total = 0.0;
    for _ in 0..n {
        let k1 = f.rhs(y);
        let k2 = f.rhs([y[0] + 0.5 * H * k1[0], y[1] + 0.5 * H * k1[1]]);
        let k3 = f.rhs([y[0] + 0.5 * H * k2[0], y[1] + 0.5 * H * k2[1]]);
        let k4 = f.rhs([y[0] + H * k3[0], y[1] + H * k3[1]]);
        for i in 0..2 {
            y[i] += H / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        total += y[0] * y[0] + y[1];
    }
    total / n as f64
}

#[differentiable]
fn trait_object(p: &[f64; 4], start: &[f64; 2], n: usize) -> f64 {
    let model = Model {
        a: p[0],
        b: p[1],
        c: p[2],
        d: p[3],
    };
    integrate(&model, start, n)
}

//! What is right passes, whatever the signature.

#![allow(
    clippy::cast_lossless,
    clippy::needless_range_loop,
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    reason = "functions are written as users may write them"
)]

use chainrule::prelude::*;
use chainrule::testing::check_rules;

#[differentiable]
fn sum_of_sines(x: &[f64], k: f64) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += (k * v).sin();
    }
    total
}

#[differentiable]
fn nll(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let row = &x[i * d..(i + 1) * d];
        let mut z = 0.0;
        for j in 0..d {
            z += w[j] * row[j];
        }
        total += z.exp().ln_1p() - y[i] * z;
    }
    total
}

#[test]
fn slices_and_numbers() {
    let x = [0.3, -1.2, 0.8];
    check_rules!(sum_of_sines, &x, 1.5);
    check_rules!(sum_of_sines, &vec![0.7; 200], 0.3; seed = 3);
    check_rules!(sum_of_sines, &[], 1.5);
    let (x, y) = ([1.0, 0.5, 1.0, -1.5, 1.0, 2.0], [1.0, 0.0, 1.0]);
    check_rules!(nll, &[0.1, 0.2], &x, &y);
}

#[differentiable]
fn in_place(x: &mut [f64], k: f64, n: usize) -> f64 {
    let mut product = 1.0;
    for _ in 0..n {
        for i in 1..x.len() {
            x[i] = x[i] * x[i - 1] + k;
            product *= x[i].cos();
        }
    }
    product
}

#[differentiable]
fn normalize(x: &mut [f64]) {
    let mut norm = 0.0;
    for i in 0..x.len() {
        norm += x[i] * x[i];
    }
    let norm = norm.sqrt();
    for i in 0..x.len() {
        x[i] /= norm;
    }
}

#[test]
fn mutation() {
    let mut x = [0.5, -0.75, 1.25];
    check_rules!(in_place, &mut x, 0.3, 3);
    check_rules!(normalize, &mut x);
    assert_eq!(x, [0.5, -0.75, 1.25]);
}

#[differentiable]
fn polar(r: f64, phi: f64) -> (f64, f64) {
    (r * phi.cos(), r * phi.sin())
}

#[differentiable]
fn squares(x: Vec<f64>) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for i in 0..x.len() {
        y[i] = x[i] * x[i];
    }
    y
}

#[differentiable]
fn rotate(x: [f64; 2], k: f64) -> [f64; 2] {
    [
        x[0] * k.cos() - x[1] * k.sin(),
        x[0] * k.sin() + x[1] * k.cos(),
    ]
}

#[test]
fn results_that_are_no_scalars() {
    check_rules!(polar, 2.0, 0.7);
    check_rules!(squares, vec![1.0, -2.0, 0.0]);
    check_rules!(rotate, [0.3, 1.9], 0.4);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    weights: Vec<f64>,
    bias: f64,
    #[constant]
    degree: usize,
}

#[differentiable]
impl Model {
    fn logp(&self, t: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..t.len() {
            let z = self.weights[i % self.degree] * t[i] + self.bias;
            total -= z * z;
        }
        total
    }

    fn consume(self, k: f64) -> f64 {
        self.weights[0] * k + self.bias.exp()
    }

    fn step(&mut self, rate: f64) -> f64 {
        self.bias *= rate;
        self.weights[0] += self.bias * self.bias;
        self.bias
    }

    fn constant(#[constant] &self, k: f64) -> f64 {
        self.bias * k * k
    }

    fn ratio(a: f64, b: f64) -> f64 {
        a / b
    }
}

#[differentiable]
fn evaluate(model: &Model, t: f64) -> f64 {
    (model.weights[0] * t).sin() + model.bias * t * t
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
#[tangent(Self)]
struct V2 {
    x: f64,
    y: f64,
}

#[differentiable]
fn turned(v: V2, k: f64) -> V2 {
    V2 {
        x: -v.y * k,
        y: v.x * k,
    }
}

#[test]
fn structs_and_methods() {
    let model = Model {
        weights: vec![0.5, -1.5],
        bias: 0.25,
        degree: 2,
    };
    check_rules!(Model::logp, &model, &[0.1, 0.2, 0.3]);
    check_rules!(Model::consume, model.clone(), 1.5);
    check_rules!(Model::step, &mut model.clone(), 1.5);
    check_rules!(Model::constant, &model, 1.5);
    check_rules!(<Model>::ratio, 1.0, 3.0);
    check_rules!(evaluate, &model, 0.9);
    check_rules!(turned, V2 { x: 1.0, y: 2.0 }, 0.7);
}

#[differentiable]
fn single(x: &[f32], k: f32) -> f32 {
    let mut total = 0.0;
    for v in x {
        total += (k * v).sin() * v.exp();
    }
    total
}

#[differentiable]
fn mixed(x: &[f32], k: f64) -> f64 {
    (f64::from(x[0]) * k).exp() + x[1].sqrt() as f64
}

#[test]
fn single_precision() {
    check_rules!(single, &[0.5, -0.25, 1.5], 0.75);
    check_rules!(mixed, &[0.5, 2.0], 0.75);
}

#[differentiable]
fn relu(x: f64) -> f64 {
    x.max(0.0)
}

#[differentiable]
fn distance(x: f64, y: f64) -> f64 {
    (x - y).abs()
}

#[differentiable]
fn huber(x: f64) -> f64 {
    if x.abs() < 1.0 {
        0.5 * x * x
    } else {
        x.abs() - 0.5
    }
}

#[test]
fn kinks_and_branches() {
    for x in [-1.5, 0.0, 2.0] {
        check_rules!(relu, x);
    }
    check_rules!(distance, 1.5, 1.5);
    check_rules!(distance, 1.5, 2.5);
    for x in [-1.0, 0.3, 1.0, 4.0] {
        check_rules!(huber, x);
    }
}

#[differentiable]
fn square(x: f64) -> f64 {
    x * x
}

#[differentiable]
fn unused(x: f64, _y: f64, z: &[f64]) -> f64 {
    x * z[0]
}

#[differentiable]
fn edges(x: f64) -> f64 {
    x.ln() + 1e6 * x
}

#[test]
fn special_points() {
    check_rules!(square, 0.0);
    check_rules!(unused, 1.0, 2.0, &[3.0, 4.0]);
    for x in [1e-9, 1e-3, 1.0, 1e9] {
        check_rules!(edges, x);
    }
}

#[primitive(partials(x = x.cos()))]
fn sine(x: f64) -> f64 {
    x.sin()
}

#[differentiable]
fn of_a_primitive(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        total += sine(*v * *v);
    }
    total
}

#[test]
fn primitives() {
    check_rules!(sine, 0.7);
    check_rules!(of_a_primitive, &[0.3, 1.2]);
}

/// The smallest steps are lost in the sum.
#[differentiable]
fn mean_anomaly(day: f64) -> f64 {
    (357.5291 + 0.985_600_28 * (day + 2_440_588.0 - 2_451_545.0)) % 360.0
}

#[test]
fn steps_that_are_lost() {
    for day in [0.31, 2.4, 0.7] {
        check_rules!(mean_anomaly, day);
    }
}

/// Small steps of the argument are lost in the sum.
#[differentiable]
fn beside_something_large(x: f64, y: f64) -> f64 {
    let h = 68_915.3 - x;
    h.sin().atan2(h.cos() * y.sin() - 0.3 * y.cos())
}

#[test]
fn steps_that_are_lost_in_second_order() {
    for (x, y) in [(0.022, 0.012), (0.01, 0.005), (0.065, 0.042), (0.3, 0.7)] {
        check_rules!(beside_something_large, x, y);
    }
}

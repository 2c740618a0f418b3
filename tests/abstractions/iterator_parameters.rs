//! Functions that take iterators, which stand for their calls in functions and methods of the same module.

use chainrule::prelude::*;

use crate::check::{flat, table};

const X: [f64; 4] = [0.7, 1.9, -0.4, 1.3];

#[differentiable]
fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|v| v * v).sum::<f64>().sqrt()
}

#[differentiable]
fn weighted<I, J>(a: I, b: J, scale: f64) -> f64
where
    I: Iterator<Item = f64>,
    J: IntoIterator<Item = f64>,
{
    let mut total = 0.0;
    for (a, b) in a.zip(b) {
        if a > 10.0 {
            return total;
        }
        total += a * b;
    }
    total * scale
}

#[differentiable]
fn mean<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    let (mut n, mut sum) = (0, 0.0);
    for v in values {
        n += 1;
        sum += v;
    }
    if n == 0 {
        return 0.0;
    }
    sum / f64::from(n)
}

#[differentiable]
fn multiplied(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(1.0, |a, b| a * b)
}

#[differentiable]
fn covariance(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let n = pairs.clone().count() as f64;
    let m = pairs.clone().map(|(x, _)| x).sum::<f64>() / n;
    pairs.map(|(x, y)| (x - m) * y).sum::<f64>()
}

#[differentiable]
fn of_chains(x: &[f64], k: f64) -> f64 {
    norm(x.iter().map(|v| v * k)) + weighted(x.iter().copied(), x.iter().rev().map(|v| v.sin()), k)
}

#[differentiable]
fn of_lists(x: &[f64], k: f64) -> f64 {
    let y: Vec<f64> = x.iter().map(|v| v * v).collect();
    mean(x) + mean(&x[1..]) * k + mean(x.iter().skip(1)) + norm(y.into_iter())
}

#[differentiable]
fn of_values(x: &[f64], k: f64) -> f64 {
    let ranged = norm((0..3).map(|i| k * f64::from(i)));
    multiplied(x.iter().map(|v| v + k)) + multiplied(vec![k, x[0]]) * ranged + multiplied([k, 2.0])
}

#[differentiable]
fn of_pairs(x: &[f64], k: f64) -> f64 {
    covariance(x.iter().zip(x.iter().skip(1)).map(|(a, b)| (*a, b * k)))
}

/// The arguments as they are when the call is made, not as they are later.
#[differentiable]
fn of_a_variable(x: &[f64], k: f64) -> f64 {
    let scaled = x.iter().map(|v| v * k);
    let a = norm(scaled);
    let mut y = x.to_vec();
    let b = multiplied(y.iter().copied());
    y[0] = a;
    b + norm(y.iter().copied())
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    weights: Vec<f64>,
    rate: f64,
}
flat!(Model {
    weights: Vec<f64>,
    rate: f64
});

#[differentiable]
impl Model {
    fn penalty(&self, x: f64) -> f64 {
        x * norm(self.weights.iter().map(|w| w * self.rate))
    }
}

#[differentiable]
fn by_method(model: &Model, x: f64) -> f64 {
    model.penalty(x * x)
}

table! {
    of_chains: (&X, 0.8), (&[20.0, 1.0], 0.3);
    of_lists: (&X, 0.8);
    of_values: (&X, 0.8);
    of_pairs: (&X, 0.8);
    of_a_variable: (&X, 0.8);
    by_method: (&Model { weights: X.to_vec(), rate: 0.7 }, 1.3);
}

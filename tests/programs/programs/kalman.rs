//! The log-likelihood of a local linear trend, by Kalman's filter.

use chainrule::prelude::*;

use crate::check::{flat, table};

type Matrix = [[f64; 2]; 2];

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    level_noise: f64,
    slope_noise: f64,
    observation_noise: f64,
    damping: f64,
}

flat!(Model {
    level_noise: f64,
    slope_noise: f64,
    observation_noise: f64,
    damping: f64
});

#[differentiable]
#[inline(never)]
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut c = [[0.0; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

#[differentiable]
#[inline(never)]
fn transposed(a: &Matrix) -> Matrix {
    [[a[0][0], a[1][0]], [a[0][1], a[1][1]]]
}

#[differentiable]
impl Model {
    fn transition(&self) -> Matrix {
        [[1.0, 1.0], [0.0, self.damping]]
    }

    /// What is missing among the data is `None`... a NaN here, and skipped.
    fn log_likelihood(&self, #[constant] data: &[f64]) -> f64 {
        let f = self.transition();
        let mut mean = [0.0, 0.0];
        let mut covariance = [[10.0, 0.0], [0.0, 1.0]];
        let mut total = 0.0;
        for &y in data {
            // Predict.
            mean = [
                f[0][0] * mean[0] + f[0][1] * mean[1],
                f[1][0] * mean[0] + f[1][1] * mean[1],
            ];
            covariance = product(&product(&f, &covariance), &transposed(&f));
            covariance[0][0] += self.level_noise.exp();
            covariance[1][1] += self.slope_noise.exp();
            if y.is_nan() {
                continue;
            }
            // Update.
            let innovation = y - mean[0];
            let variance = covariance[0][0] + self.observation_noise.exp();
            let gain = [covariance[0][0] / variance, covariance[1][0] / variance];
            total -= 0.5 * (variance.ln() + innovation * innovation / variance);
            mean[0] += gain[0] * innovation;
            mean[1] += gain[1] * innovation;
            let row = covariance[0];
            for i in 0..2 {
                for j in 0..2 {
                    covariance[i][j] -= gain[i] * row[j];
                }
            }
        }
        total
    }
}

#[differentiable]
#[inline(never)]
fn log_likelihood(model: &Model, #[constant] data: &[f64]) -> f64 {
    model.log_likelihood(data)
}

fn model() -> Model {
    Model {
        level_noise: -1.2,
        slope_noise: -2.3,
        observation_noise: -0.7,
        damping: 0.9,
    }
}

const DATA: [f64; 4] = [0.7, 1.9, f64::NAN, 1.3];

table! {
    log_likelihood: for n in 0..5, (&model(), const &DATA[..n]);
}

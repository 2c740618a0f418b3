//! The log-likelihood of a mixture of normal distributions, with triangular factors of the precision matrices.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Component {
    /// Before normalisation.
    log_weight: f64,
    mean: Vec<f64>,
    /// Logarithms of the factor's diagonal.
    log_diagonal: Vec<f64>,
    /// What is below the diagonal, row by row.
    lower: Vec<f64>,
}

flat!(Component { log_weight: f64, mean: Vec<f64>, log_diagonal: Vec<f64>, lower: Vec<f64> });

#[differentiable]
#[inline(never)]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut top = f64::NEG_INFINITY;
    for &v in x {
        top = top.max(v);
    }
    let mut sum = 0.0;
    for &v in x {
        sum += (v - top).exp();
    }
    top + sum.ln()
}

#[differentiable]
impl Component {
    /// Up to a constant.
    fn log_density(&self, x: &[f64]) -> f64 {
        let d = self.mean.len();
        let mut centred = vec![0.0; d];
        for i in 0..d {
            centred[i] = x[i] - self.mean[i];
        }
        let mut total = 0.0;
        let mut at = 0;
        for i in 0..d {
            let mut z = self.log_diagonal[i].exp() * centred[i];
            for c in &centred[..i] {
                z += self.lower[at] * c;
                at += 1;
            }
            total += self.log_diagonal[i] - 0.5 * z * z;
        }
        total
    }
}

#[differentiable]
fn log_likelihood(components: &[Component], #[constant] data: &[[f64; 2]]) -> f64 {
    let mut weights = vec![0.0; components.len()];
    for (weight, c) in weights.iter_mut().zip(components) {
        *weight = c.log_weight;
    }
    let norm = log_sum_exp(&weights);
    let mut total = 0.0;
    for x in data {
        let mut terms = vec![0.0; components.len()];
        for (term, c) in terms.iter_mut().zip(components) {
            *term = c.log_weight - norm + c.log_density(x);
        }
        total += log_sum_exp(&terms);
    }
    total
}

fn components(k: usize) -> Vec<Component> {
    (0..k)
        .map(|k| {
            let k = k as f64;
            Component {
                log_weight: 0.3 - 0.2 * k,
                mean: vec![0.5 * k, -0.3],
                log_diagonal: vec![0.1, -0.2 * k],
                lower: vec![0.4 + k],
            }
        })
        .collect()
}

const DATA: [[f64; 2]; 3] = [[0.7, 1.9], [-0.4, 0.3], [1.2, -0.8]];

table! {
    log_likelihood: for n in 0..4, (&components(2), const &DATA[..n]), (&components(1), const &DATA[..n]);
}

//! The log-likelihood of a mixture of normal distributions with diagonal covariances; the points are constant.
//!
//! `q` holds inverse deviations, and `alpha` the logarithms of the weights with what normalises the densities.

use crate::Kernel;
use chainrule::prelude::*;
use rows::gradient_of_structs;
use rows::harness::case::Hand;
use rows::harness::input::Random;

const POINTS: usize = 60;
const K: usize = 5;
const D: usize = 4;

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(11);
    let x = random.normals(POINTS * D);
    let alpha = random.normals(K);
    let mu = random.normals(K * D);
    let q: Vec<f64> = random.uniforms(K * D).iter().map(|q| 0.5 + q).collect();
    let rows = |x: &[f64]| -> Vec<Vec<f64>> { x.chunks_exact(D).map(<[f64]>::to_vec).collect() };
    let input = (alpha.clone(), mu.clone(), q.clone(), x.clone());
    let zeros = (vec![0.0; K], vec![0.0; K * D], vec![0.0; K * D]);
    let hand = Hand::new(
        input.clone(),
        zeros.clone(),
        |(alpha, mu, q, x), (alpha_bar, mu_bar, q_bar)| {
            by_hand(alpha, mu, q, x, alpha_bar, mu_bar, q_bar)
        },
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                input.clone(),
                zeros.clone(),
                |(alpha, mu, q, x)| $form(alpha, mu, q, x),
                |(alpha, mu, q, x), (alpha_bar, mu_bar, q_bar)| {
                    $form::value_and_gradient_into(alpha, mu, q, x, alpha_bar, mu_bar, q_bar)
                },
            )),*]
        };
    }
    let mut forms = forms! { index iterators scratch_inside scratch_outside helper kept_range };
    let params = Params {
        alpha: alpha.clone(),
        mu: mu.clone(),
        q: q.clone(),
    };
    let tangent = params.zero_tangent();
    forms.push(hand.form(
        "struct_of_vecs",
        (params, x.clone()),
        tangent,
        |(params, x)| params.log_likelihood(x),
        |(params, x), bar| params.log_likelihood_value_and_gradient_into(x, bar),
    ));
    forms.push(hand.form(
        "vec_of_vec",
        (alpha, rows(&mu), rows(&q), rows(&x)),
        (zeros.0, vec![vec![0.0; D]; K], vec![vec![0.0; D]; K]),
        |(alpha, mu, q, x)| vec_of_vec(alpha, mu, q, x),
        |(alpha, mu, q, x), (alpha_bar, mu_bar, q_bar)| {
            vec_of_vec::value_and_gradient_into(alpha, mu, q, x, alpha_bar, mu_bar, q_bar)
        },
    ));
    Kernel::new(forms)
}

/// Both halves of a point; the responsibilities are the exponentials.
fn by_hand(
    alpha: &[f64],
    mu: &[f64],
    q: &[f64],
    x: &[f64],
    alpha_bar: &mut [f64],
    mu_bar: &mut [f64],
    q_bar: &mut [f64],
) -> f64 {
    let mu: &[[f64; D]; K] = mu.as_chunks().0.try_into().unwrap();
    let q: &[[f64; D]; K] = q.as_chunks().0.try_into().unwrap();
    let alpha: &[f64; K] = alpha.try_into().unwrap();
    let (mut sums, mut mu_sums, mut q_sums) = ([0.0; K], [[0.0; D]; K], [[0.0; D]; K]);
    let mut total = 0.0;
    for x in x.as_chunks::<D>().0 {
        let (mut d, mut z, mut terms) = ([[0.0; D]; K], [[0.0; D]; K], [0.0; K]);
        let mut max = f64::NEG_INFINITY;
        for k in 0..K {
            let mut squares = [0.0; D];
            for j in 0..D {
                d[k][j] = x[j] - mu[k][j];
                z[k][j] = d[k][j] * q[k][j];
                squares[j] = z[k][j] * z[k][j];
            }
            terms[k] = alpha[k] - 0.5 * (squares[0] + squares[1] + squares[2] + squares[3]);
            if terms[k] > max {
                max = terms[k];
            }
        }
        let mut sum = 0.0;
        for term in &mut terms {
            *term = (*term - max).exp();
            sum += *term;
        }
        total += sum.ln() + max;
        let scale = 1.0 / sum;
        for k in 0..K {
            let r = terms[k] * scale;
            sums[k] += r;
            for j in 0..D {
                let t = r * z[k][j];
                mu_sums[k][j] += t;
                q_sums[k][j] -= t * d[k][j];
            }
        }
    }
    alpha_bar.copy_from_slice(&sums);
    for k in 0..K {
        for j in 0..D {
            mu_bar[k * D + j] = mu_sums[k][j] * q[k][j];
            q_bar[k * D + j] = q_sums[k][j];
        }
    }
    total
}

#[differentiable]
fn log_sum_exp(x: &[f64]) -> f64 {
    let mut max = x[0];
    for i in 1..x.len() {
        if x[i] > max {
            max = x[i];
        }
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += (x[i] - max).exp();
    }
    max + sum.ln()
}

#[differentiable]
fn index(alpha: &[f64], mu: &[f64], q: &[f64], #[constant] x: &[f64]) -> f64 {
    let k = alpha.len();
    let d = mu.len() / k;
    let n = x.len() / d;
    let mut terms = vec![0.0; k];
    let mut total = 0.0;
    for i in 0..n {
        for c in 0..k {
            let mut s = 0.0;
            for j in 0..d {
                let z = (x[i * d + j] - mu[c * d + j]) * q[c * d + j];
                s += z * z;
            }
            terms[c] = alpha[c] - 0.5 * s;
        }
        total += log_sum_exp(&terms);
    }
    total
}

#[differentiable]
fn iterators(alpha: &[f64], mu: &[f64], q: &[f64], #[constant] x: &[f64]) -> f64 {
    let d = mu.len() / alpha.len();
    x.chunks_exact(d)
        .map(|x| {
            let terms: Vec<f64> = mu
                .chunks_exact(d)
                .zip(q.chunks_exact(d))
                .zip(alpha)
                .map(|((mu, q), alpha)| {
                    let s: f64 = x
                        .iter()
                        .zip(mu)
                        .zip(q)
                        .map(|((x, mu), q)| ((x - mu) * q).powi(2))
                        .sum();
                    alpha - 0.5 * s
                })
                .collect();
            log_sum_exp(&terms)
        })
        .sum()
}

#[differentiable]
fn scratch_inside(alpha: &[f64], mu: &[f64], q: &[f64], #[constant] x: &[f64]) -> f64 {
    let k = alpha.len();
    let d = mu.len() / k;
    let mut total = 0.0;
    for x in x.chunks(d) {
        let mut terms = vec![0.0; k];
        for c in 0..k {
            let mu = &mu[c * d..(c + 1) * d];
            let q = &q[c * d..(c + 1) * d];
            let mut z = vec![0.0; d];
            for j in 0..d {
                z[j] = (x[j] - mu[j]) * q[j];
            }
            terms[c] = alpha[c];
            for j in 0..d {
                terms[c] -= 0.5 * z[j] * z[j];
            }
        }
        total += log_sum_exp(&terms);
    }
    total
}

#[differentiable]
fn scratch_outside(alpha: &[f64], mu: &[f64], q: &[f64], #[constant] x: &[f64]) -> f64 {
    let k = alpha.len();
    let d = mu.len() / k;
    let mut z = vec![0.0; d];
    let mut terms = vec![0.0; k];
    let mut total = 0.0;
    for i in 0..x.len() / d {
        for c in 0..k {
            for j in 0..d {
                z[j] = (x[i * d + j] - mu[c * d + j]) * q[c * d + j];
            }
            let mut s = 0.0;
            for j in 0..d {
                s += z[j] * z[j];
            }
            terms[c] = alpha[c] - 0.5 * s;
        }
        total += log_sum_exp(&terms);
    }
    total
}

#[differentiable]
fn log_density(alpha: f64, mu: &[f64], q: &[f64], #[constant] x: &[f64]) -> f64 {
    let mut term = alpha;
    for ((mu, q), x) in mu.iter().zip(q).zip(x) {
        let z = (x - mu) * q;
        term -= 0.5 * z * z;
    }
    term
}

#[differentiable]
fn helper(alpha: &[f64], mu: &[f64], q: &[f64], #[constant] x: &[f64]) -> f64 {
    let k = alpha.len();
    let d = mu.len() / k;
    let mut total = 0.0;
    for x in x.chunks_exact(d) {
        let mut terms = Vec::with_capacity(k);
        for c in 0..k {
            let (start, end) = (c * d, (c + 1) * d);
            terms.push(log_density(alpha[c], &mu[start..end], &q[start..end], x));
        }
        total += log_sum_exp(&terms);
    }
    total
}

#[differentiable]
fn kept_range(alpha: &[f64], mu: &[f64], q: &[f64], #[constant] x: &[f64]) -> f64 {
    let k = alpha.len();
    let d = mu.len() / k;
    let mut total = 0.0;
    for x in x.chunks_exact(d) {
        let mut terms = Vec::with_capacity(k);
        for c in 0..k {
            let at = c * d..(c + 1) * d;
            terms.push(log_density(alpha[c], &mu[at.clone()], &q[at], x));
        }
        total += log_sum_exp(&terms);
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Params {
    alpha: Vec<f64>,
    mu: Vec<f64>,
    q: Vec<f64>,
}

gradient_of_structs! { ParamsTangent { alpha, mu, q } }

#[differentiable]
impl Params {
    fn log_likelihood(&self, #[constant] x: &[f64]) -> f64 {
        let k = self.alpha.len();
        let d = self.mu.len() / k;
        let mut terms = vec![0.0; k];
        let mut total = 0.0;
        for i in 0..x.len() / d {
            for c in 0..k {
                terms[c] = self.alpha[c];
                for j in 0..d {
                    let z = (x[i * d + j] - self.mu[c * d + j]) * self.q[c * d + j];
                    terms[c] -= 0.5 * z * z;
                }
            }
            total += log_sum_exp(&terms);
        }
        total
    }
}

#[differentiable]
fn vec_of_vec(alpha: &[f64], mu: &[Vec<f64>], q: &[Vec<f64>], #[constant] x: &[Vec<f64>]) -> f64 {
    let mut total = 0.0;
    for x in x {
        let mut terms = vec![0.0; alpha.len()];
        for c in 0..alpha.len() {
            let mut s = 0.0;
            for j in 0..x.len() {
                let z = (x[j] - mu[c][j]) * q[c][j];
                s += z * z;
            }
            terms[c] = alpha[c] - 0.5 * s;
        }
        total += log_sum_exp(&terms);
    }
    total
}

//! `gmm`: the log posterior of a mixture of normal distributions.

use super::{check, flat, no_function, read, rows, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::f64::consts::{LN_2, PI};

/// `out = Q x`, with Q lower triangular, `q_diag` on its diagonal and the columns of `l` below it.
#[differentiable]
pub fn q_times_x(q_diag: &[f64], l: &[f64], x: &[f64], out: &mut [f64]) {
    for ((out, q), x) in out.iter_mut().zip(q_diag).zip(x) {
        *out = q * x;
    }
    let mut rest = l;
    for (i, x) in x.iter().enumerate() {
        let (column, tail) = rest.split_at(q_diag.len() - i - 1);
        for (out, l) in out[i + 1..].iter_mut().zip(column) {
            *out += l * x;
        }
        rest = tail;
    }
}

/// The sum of squares.
#[differentiable]
pub fn squared_norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

/// The logarithm of the sum of the exponentials of `x`.
#[differentiable]
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    x.iter().map(|v| (v - max).exp()).sum::<f64>().ln() + max
}

/// The parameters of the prior.
#[derive(Clone, Copy, Debug)]
pub struct Wishart {
    /// The scale.
    pub gamma: f64,
    /// The degrees of freedom, less the dimension and one.
    pub m: f64,
}

/// The log posterior of `alpha.len()` components, given the points `xs` of `d` coordinates.
#[differentiable]
pub fn objective(
    alpha: &[f64],
    mu: &[f64],
    q: &[f64],
    l: &[f64],
    #[constant] xs: &[f64],
    d: usize,
    #[constant] prior: Wishart,
) -> f64 {
    let k = alpha.len();
    let n = xs.len() / d;
    let triangle = d * (d - 1) / 2;
    let q_diags: Vec<f64> = q.iter().map(|v| v.exp()).collect();
    let sum_qs: Vec<f64> = q.chunks_exact(d).map(|q| q.iter().sum()).collect();
    let (mut x_centered, mut qx, mut main_term) = (vec![0.0; d], vec![0.0; d], vec![0.0; k]);
    let mut likelihood = 0.0;
    for x in xs.chunks_exact(d) {
        for ik in 0..k {
            let center = &mu[ik * d..(ik + 1) * d];
            for j in 0..d {
                x_centered[j] = x[j] - center[j];
            }
            q_times_x(
                &q_diags[ik * d..(ik + 1) * d],
                &l[ik * triangle..(ik + 1) * triangle],
                &x_centered,
                &mut qx,
            );
            main_term[ik] = alpha[ik] + sum_qs[ik] - 0.5 * squared_norm(&qx);
        }
        likelihood += log_sum_exp(&main_term);
    }
    likelihood -= n as f64 * log_sum_exp(alpha);
    let gamma: f64 = prior.gamma;
    let m: f64 = prior.m;
    let squares = squared_norm(&q_diags) + squared_norm(l);
    let scaled = 0.5 * gamma * gamma * squares - m * sum_qs.iter().sum::<f64>();
    likelihood - scaled + constants(n, k, d, prior)
}

/// What the log posterior has whatever the parameters are, for `n` points of `d` coordinates and `k` components.
pub fn constants(n: usize, k: usize, d: usize, prior: Wishart) -> f64 {
    let d = d as f64;
    let freedom = d + prior.m + 1.0;
    let wishart =
        freedom * d * (prior.gamma.ln() - 0.5 * LN_2) - log_multivariate_gamma(0.5 * freedom, d);
    k as f64 * wishart - n as f64 * 0.5 * d * (2.0 * PI).ln()
}

/// The logarithm of the multivariate gamma function of dimension `p`.
fn log_multivariate_gamma(a: f64, p: f64) -> f64 {
    let mut sum = 0.25 * p * (p - 1.0) * PI.ln();
    let mut j = 1.0;
    while j <= p {
        sum += chainrule::special::ln_gamma(a + 0.5 * (1.0 - j));
        j += 1.0;
    }
    sum
}

#[derive(Deserialize)]
struct Input {
    d: usize,
    k: usize,
    n: usize,
    x: Vec<Vec<f64>>,
    m: f64,
    gamma: f64,
    alpha: Vec<f64>,
    mu: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
    #[serde(flatten)]
    limits: Limits,
}

#[derive(Serialize)]
struct Gradient {
    alpha: Vec<f64>,
    mu: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
}

/// Answers `objective` and `jacobian`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let input: Input = read(input)?;
    let (d, k, alpha) = (input.d, input.k, &input.alpha);
    check(
        d > 0 && alpha.len() == k,
        "`alpha` must have k numbers, and d not be 0",
    )?;
    let counts = [input.mu.len(), input.q.len(), input.l.len()];
    check(counts == [k; 3], "`mu`, `q` and `l` must have k rows")?;
    check(input.x.len() == input.n, "`x` must have n rows")?;
    let (xs, mu) = (flat(&input.x, d, "x")?, flat(&input.mu, d, "mu")?);
    let (q, l) = (
        flat(&input.q, d, "q")?,
        flat(&input.l, d * (d - 1) / 2, "l")?,
    );
    let prior = Wishart {
        gamma: input.gamma,
        m: input.m,
    };
    match function {
        "objective" => run(
            input.limits,
            0.0,
            |y| *y = objective(alpha, &mu, &q, &l, &xs, d, prior),
            |y| y,
        ),
        "jacobian" => {
            let zeros = (
                vec![0.0; k],
                vec![0.0; k * d],
                vec![0.0; k * d],
                vec![0.0; l.len()],
            );
            run(
                input.limits,
                zeros,
                |(alpha_bar, mu_bar, q_bar, l_bar)| {
                    objective::value_and_gradient_into(
                        alpha, &mu, &q, &l, &xs, d, prior, alpha_bar, mu_bar, q_bar, l_bar,
                    );
                },
                |(alpha, mu, q, l)| {
                    let owned =
                        |all: &[f64]| rows(all, k).into_iter().map(<[f64]>::to_vec).collect();
                    Gradient {
                        mu: owned(&mu),
                        q: owned(&q),
                        l: owned(&l),
                        alpha,
                    }
                },
            )
        }
        _ => no_function(function),
    }
}

//! The log posterior of a mixture of normal distributions (`GradBench`: gmm).

use crate::harness::case::Case;
use crate::harness::input::Random;
use gradbench::evals::gmm::{Wishart, constants, objective, q_times_x, squared_norm};

const PRIOR: Wishart = Wishart { gamma: 1.0, m: 0.0 };

/// The rows of this group.
pub fn cases() -> Vec<Case> {
    vec![
        case::<10, 10>("gmm_d10_k10"),
        case::<32, 10>("gmm_d32_k10"),
        case::<10, 50>("gmm_d10_k50"),
    ]
}

fn case<const D: usize, const K: usize>(name: &'static str) -> Case {
    let n = 200;
    let triangle = D * (D - 1) / 2;
    let mut random = Random::new(31337);
    let xs = random.normals(n * D);
    let parameters = (
        random.normals(K),
        random.uniforms(K * D),
        random.normals(K * D),
        random.normals(K * triangle),
    );
    let zeros = (
        vec![0.0; K],
        vec![0.0; K * D],
        vec![0.0; K * D],
        vec![0.0; K * triangle],
    );
    Case::new(
        name,
        (parameters, xs),
        zeros,
        |((alpha, mu, q, l), xs)| objective(alpha, mu, q, l, xs, D, PRIOR),
        |((alpha, mu, q, l), xs), (alpha_bar, mu_bar, q_bar, l_bar)| {
            objective::value_and_gradient_into(
                alpha, mu, q, l, xs, D, PRIOR, alpha_bar, mu_bar, q_bar, l_bar,
            )
        },
        |((alpha, mu, q, l), xs), (alpha_bar, mu_bar, q_bar, l_bar)| {
            by_hand(alpha, mu, q, l, xs, D, [alpha_bar, mu_bar, q_bar, l_bar])
        },
    )
}

/// Combined rule of the callee `log_sum_exp`: the cotangent of its result is known before the call. Winner's position
/// instead of the losers; the results of `exp` are kept where the cotangents will stand.
#[inline]
fn log_sum_exp_combined(x: &[f64], bar: f64, x_bar: &mut [f64]) -> f64 {
    let (mut max, mut at) = (f64::NEG_INFINITY, usize::MAX);
    for (i, &v) in x.iter().enumerate() {
        if v > max {
            (max, at) = (v, i);
        }
    }
    let mut sum = 0.0;
    for (v, e) in x.iter().zip(x_bar.iter_mut()) {
        *e = (v - max).exp();
        sum += *e;
    }
    let sum_bar = bar / sum;
    let mut max_bar = bar;
    for e in x_bar.iter_mut() {
        *e *= sum_bar;
        max_bar -= *e;
    }
    if at != usize::MAX {
        x_bar[at] += max_bar;
    }
    sum.ln() + max
}

/// Reverse half of `squared_norm` and `q_times_x`: `qx`, whose last reader is its own cotangent, becomes it.
#[inline]
fn component_reverse(
    n_bar: f64,
    q_diag: &[f64],
    q_diag_bar: &mut [f64],
    l: &[f64],
    l_bar: &mut [f64],
    x_centered: &[f64],
    qx: &mut [f64],
    mu_bar: &mut [f64],
) {
    const W: usize = 4;
    let d = q_diag.len();
    for v in qx.iter_mut() {
        *v *= 2.0 * n_bar;
    }
    let (mut rest, mut rest_bar) = (l, l_bar);
    let mut first = 0;
    while d - first > 4 * W {
        // Two columns at once; the first element of the longer one is peeled off.
        let (c0, tail) = rest.split_at(d - first - 1);
        let (c1, tail) = tail.split_at(d - first - 2);
        let (c0_bar, tail_bar) = rest_bar.split_at_mut(d - first - 1);
        let (c1_bar, tail_bar) = tail_bar.split_at_mut(d - first - 2);
        let (x0, x1) = (x_centered[first], x_centered[first + 1]);
        let (t0, t1) = (qx[first], qx[first + 1]);
        q_diag_bar[first] += t0 * x0;
        q_diag_bar[first + 1] += t1 * x1;
        c0_bar[0] += t1 * x0;
        let mut x0_bar = q_diag[first] * t0 + t1 * c0[0];
        let mut x1_bar = q_diag[first + 1] * t1;
        let (t, t_rest) = qx[first + 2..d].as_chunks::<W>();
        let (c0, c0_rest) = c0[1..].as_chunks::<W>();
        let (c1, c1_rest) = c1.as_chunks::<W>();
        let (c0_bar, c0_rest_bar) = c0_bar[1..].as_chunks_mut::<W>();
        let (c1_bar, c1_rest_bar) = c1_bar.as_chunks_mut::<W>();
        let (mut lanes0, mut lanes1) = ([0.0; W], [0.0; W]);
        for ((((t, c0), c1), c0_bar), c1_bar) in t.iter().zip(c0).zip(c1).zip(c0_bar).zip(c1_bar) {
            for j in 0..W {
                lanes0[j] += t[j] * c0[j];
                lanes1[j] += t[j] * c1[j];
                c0_bar[j] += t[j] * x0;
                c1_bar[j] += t[j] * x1;
            }
        }
        for j in 0..t_rest.len() {
            x0_bar += t_rest[j] * c0_rest[j];
            x1_bar += t_rest[j] * c1_rest[j];
            c0_rest_bar[j] += t_rest[j] * x0;
            c1_rest_bar[j] += t_rest[j] * x1;
        }
        x0_bar += (lanes0[0] + lanes0[1]) + (lanes0[2] + lanes0[3]);
        x1_bar += (lanes1[0] + lanes1[1]) + (lanes1[2] + lanes1[3]);
        mu_bar[first] -= x0_bar;
        mu_bar[first + 1] -= x1_bar;
        (rest, rest_bar) = (tail, tail_bar);
        first += 2;
    }
    for i in first..d {
        let (column, tail) = rest.split_at(d - i - 1);
        let (column_bar, tail_bar) = rest_bar.split_at_mut(d - i - 1);
        let x = x_centered[i];
        let mut x_bar = q_diag[i] * qx[i];
        q_diag_bar[i] += qx[i] * x;
        let mut t = &qx[i + 1..d];
        let (mut c, mut c_bar) = (column, column_bar);
        // Short runs gain nothing by lanes.
        if column.len() >= 4 * W {
            let mut lanes = [0.0; W];
            let (t4, t_rest) = t.as_chunks::<W>();
            let (c4, c_rest) = c.as_chunks::<W>();
            let (c4_bar, c_rest_bar) = c_bar.as_chunks_mut::<W>();
            for ((t, c), c_bar) in t4.iter().zip(c4).zip(c4_bar) {
                for j in 0..W {
                    lanes[j] += t[j] * c[j];
                    c_bar[j] += t[j] * x;
                }
            }
            x_bar += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            (t, c, c_bar) = (t_rest, c_rest, c_rest_bar);
        }
        for ((t, c), c_bar) in t.iter().zip(c).zip(c_bar) {
            x_bar += t * c;
            *c_bar += t * x;
        }
        mu_bar[i] -= x_bar;
        (rest, rest_bar) = (tail, tail_bar);
    }
}

/// The reverse half of a point follows its forward half, so that the buffers of one point are all that is kept.
fn by_hand(
    alpha: &[f64],
    mu: &[f64],
    q: &[f64],
    l: &[f64],
    xs: &[f64],
    d: usize,
    [alpha_bar, mu_bar, q_bar, l_bar]: [&mut [f64]; 4],
) -> f64 {
    let k = alpha.len();
    let l_size = d * (d - 1) / 2;
    let q_diags: Vec<f64> = q.iter().map(|v| v.exp()).collect();
    let sum_qs: Vec<f64> = q.chunks_exact(d).map(|q| q.iter().sum()).collect();
    let n = xs.len() / d;
    // The buffers of a point.
    let (mut x_centered, mut qx) = (vec![0.0; k * d], vec![0.0; k * d]);
    let (mut main_term, mut main_term_bar) = (vec![0.0; k], vec![0.0; k]);
    let (mut q_diags_bar, mut sum_qs_bar) = (vec![0.0; d * k], vec![0.0; k]);
    // The prior: sums of terms, whose cotangents are known; they assign.
    let prior = squared_norm(&q_diags) + squared_norm(l);
    for (bar, v) in q_diags_bar.iter_mut().zip(&q_diags) {
        *bar = -v;
    }
    for (bar, v) in l_bar.iter_mut().zip(l) {
        *bar = -v;
    }
    mu_bar.fill(0.0);
    let alpha_term = log_sum_exp_combined(alpha, -(n as f64), alpha_bar);
    let mut total = 0.0;
    let mut reverse = |x_centered: &[f64], qx: &mut [f64], main_term_bar: &[f64]| {
        for ik in 0..k {
            let t = main_term_bar[ik];
            alpha_bar[ik] += t;
            sum_qs_bar[ik] += t;
            let at = ik * d..(ik + 1) * d;
            component_reverse(
                -0.5 * t,
                &q_diags[at.clone()],
                &mut q_diags_bar[at.clone()],
                &l[ik * l_size..(ik + 1) * l_size],
                &mut l_bar[ik * l_size..(ik + 1) * l_size],
                &x_centered[at.clone()],
                &mut qx[at.clone()],
                &mut mu_bar[at],
            );
        }
    };
    for x in xs.chunks_exact(d) {
        for ik in 0..k {
            let m = &mu[ik * d..(ik + 1) * d];
            let x_centered = &mut x_centered[ik * d..(ik + 1) * d];
            let qx = &mut qx[ik * d..(ik + 1) * d];
            for j in 0..d {
                x_centered[j] = x[j] - m[j];
            }
            q_times_x(
                &q_diags[ik * d..(ik + 1) * d],
                &l[ik * l_size..(ik + 1) * l_size],
                x_centered,
                qx,
            );
            main_term[ik] = alpha[ik] + sum_qs[ik] - 0.5 * squared_norm(qx);
        }
        total += log_sum_exp_combined(&main_term, 1.0, &mut main_term_bar);
        reverse(&x_centered, &mut qx, &main_term_bar);
    }
    for ik in 0..k {
        for j in ik * d..(ik + 1) * d {
            q_bar[j] = q_diags_bar[j] * q_diags[j] + sum_qs_bar[ik];
        }
    }
    total - n as f64 * alpha_term - 0.5 * prior + constants(n, k, d, PRIOR)
}

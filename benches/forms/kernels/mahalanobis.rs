//! Squared distances by a triangular factor, packed by columns below the diagonal as in `GradBench`'s mixture: of each
//! point `x` the square of `exp(q) .* (x - mu) + L (x - mu)`; the points are constant.

use crate::Kernel;
use chainrule::prelude::*;
use rows::harness::case::{Hand, With};
use rows::harness::input::Random;

const POINTS: usize = 40;
const D: usize = 10;
const PACKED: usize = D * (D - 1) / 2;

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(12);
    let x = random.normals(POINTS * D);
    let (mu, q, l) = (
        random.normals(D),
        random.uniforms(D),
        random.normals(PACKED),
    );
    // Columns below the diagonal, of decreasing length.
    let mut columns = Vec::new();
    let mut rest = &l[..];
    for i in 0..D {
        let (column, tail) = rest.split_at(D - i - 1);
        columns.push(column.to_vec());
        rest = tail;
    }
    let columns_bar: Vec<Vec<f64>> = columns.iter().map(|c| vec![0.0; c.len()]).collect();
    let input = (mu.clone(), q.clone(), l, x.clone());
    let zeros = (vec![0.0; D], vec![0.0; D], vec![0.0; PACKED]);
    let hand = Hand::new(
        input.clone(),
        With {
            gradient: zeros.clone(),
            scratch: ([0.0; D], [0.0; D]),
        },
        |(mu, q, l, x), bar| {
            let (mu_bar, q_bar, l_bar) = &mut bar.gradient;
            let (d, z) = &mut bar.scratch;
            by_hand(mu, q, l, x, mu_bar, q_bar, l_bar, d, z)
        },
    );
    macro_rules! forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                input.clone(),
                zeros.clone(),
                |(mu, q, l, x)| $form(mu, q, l, x),
                |(mu, q, l, x), (mu_bar, q_bar, l_bar)| {
                    $form::value_and_gradient_into(mu, q, l, x, mu_bar, q_bar, l_bar)
                },
            )),*]
        };
    }
    let mut forms = forms! { running_index computed_index helper split_columns scratch_inside };
    forms.push(hand.form(
        "vec_of_vec",
        (mu, q, columns, x),
        (vec![0.0; D], vec![0.0; D], columns_bar),
        |(mu, q, l, x)| vec_of_vec(mu, q, l, x),
        |(mu, q, l, x), (mu_bar, q_bar, l_bar)| {
            vec_of_vec::value_and_gradient_into(mu, q, l, x, mu_bar, q_bar, l_bar)
        },
    ));
    Kernel::new(forms)
}

/// Both halves of a point; cotangents of the diagonal are turned at the end.
fn by_hand(
    mu: &[f64],
    q: &[f64],
    l: &[f64],
    x: &[f64],
    mu_bar: &mut [f64],
    q_bar: &mut [f64],
    l_bar: &mut [f64],
    d: &mut [f64; D],
    z: &mut [f64; D],
) -> f64 {
    let mu: &[f64; D] = mu.try_into().unwrap();
    let l: &[f64; PACKED] = l.try_into().unwrap();
    let l_bar: &mut [f64; PACKED] = l_bar.try_into().unwrap();
    let diagonal: [f64; D] = std::array::from_fn(|i| q[i].exp());
    let (mut mu_sums, mut sums) = ([0.0; D], [0.0; D]);
    l_bar.fill(0.0);
    let mut total = 0.0;
    for x in x.as_chunks::<D>().0 {
        for i in 0..D {
            d[i] = x[i] - mu[i];
            z[i] = d[i] * diagonal[i];
        }
        let mut at = 0;
        for i in 0..D - 1 {
            let n = D - i - 1;
            for (z, l) in z[i + 1..].iter_mut().zip(&l[at..at + n]) {
                *z += d[i] * l;
            }
            at += n;
        }
        let mut squares = 0.0;
        for z in &mut *z {
            squares += *z * *z;
            *z *= 2.0;
        }
        total += squares;
        let mut at = 0;
        for i in 0..D {
            let n = D - i - 1;
            sums[i] += z[i] * d[i];
            let mut d_bar = z[i] * diagonal[i];
            let (l, l_bar) = (&l[at..at + n], &mut l_bar[at..at + n]);
            for ((z, l), l_bar) in z[i + 1..].iter().zip(l).zip(l_bar) {
                d_bar += z * l;
                *l_bar += z * d[i];
            }
            mu_sums[i] -= d_bar;
            at += n;
        }
    }
    mu_bar.copy_from_slice(&mu_sums);
    for i in 0..D {
        q_bar[i] = sums[i] * diagonal[i];
    }
    total
}

#[differentiable]
fn running_index(mu: &[f64], q: &[f64], l: &[f64], #[constant] x: &[f64]) -> f64 {
    let d = mu.len();
    let e: Vec<f64> = q.iter().map(|q| q.exp()).collect();
    let mut c = vec![0.0; d];
    let mut z = vec![0.0; d];
    let mut total = 0.0;
    for p in 0..x.len() / d {
        for i in 0..d {
            c[i] = x[p * d + i] - mu[i];
            z[i] = c[i] * e[i];
        }
        let mut idx = 0;
        for i in 0..d {
            for j in i + 1..d {
                z[j] += l[idx] * c[i];
                idx += 1;
            }
        }
        for i in 0..d {
            total += z[i] * z[i];
        }
    }
    total
}

#[differentiable]
fn computed_index(mu: &[f64], q: &[f64], l: &[f64], #[constant] x: &[f64]) -> f64 {
    let d = mu.len();
    let mut e = vec![0.0; d];
    for i in 0..d {
        e[i] = q[i].exp();
    }
    let mut total = 0.0;
    for p in 0..x.len() / d {
        for j in 0..d {
            let mut z = e[j] * (x[p * d + j] - mu[j]);
            for i in 0..j {
                z += l[i * (2 * d - i - 1) / 2 + j - i - 1] * (x[p * d + i] - mu[i]);
            }
            total += z * z;
        }
    }
    total
}

#[differentiable]
fn times(e: &[f64], l: &[f64], c: &[f64], z: &mut [f64]) {
    let d = c.len();
    for i in 0..d {
        z[i] = e[i] * c[i];
    }
    let mut idx = 0;
    for i in 0..d {
        for j in i + 1..d {
            z[j] += l[idx] * c[i];
            idx += 1;
        }
    }
}

#[differentiable]
fn squared_norm(z: &[f64]) -> f64 {
    z.iter().map(|z| z * z).sum()
}

#[differentiable]
fn helper(mu: &[f64], q: &[f64], l: &[f64], #[constant] x: &[f64]) -> f64 {
    let d = mu.len();
    let e: Vec<f64> = q.iter().map(|q| q.exp()).collect();
    let mut c = vec![0.0; d];
    let mut z = vec![0.0; d];
    let mut total = 0.0;
    for x in x.chunks_exact(d) {
        for i in 0..d {
            c[i] = x[i] - mu[i];
        }
        times(&e, l, &c, &mut z);
        total += squared_norm(&z);
    }
    total
}

#[differentiable]
fn split_columns(mu: &[f64], q: &[f64], l: &[f64], #[constant] x: &[f64]) -> f64 {
    let d = mu.len();
    let e: Vec<f64> = q.iter().map(|q| q.exp()).collect();
    let mut z = vec![0.0; d];
    let mut total = 0.0;
    for x in x.chunks_exact(d) {
        for i in 0..d {
            z[i] = (x[i] - mu[i]) * e[i];
        }
        let mut rest = l;
        for i in 0..d {
            let (column, tail) = rest.split_at(d - i - 1);
            let c = x[i] - mu[i];
            for (z, l) in z[i + 1..].iter_mut().zip(column) {
                *z += l * c;
            }
            rest = tail;
        }
        for z in &z {
            total += z * z;
        }
    }
    total
}

#[differentiable]
fn scratch_inside(mu: &[f64], q: &[f64], l: &[f64], #[constant] x: &[f64]) -> f64 {
    let d = mu.len();
    let e: Vec<f64> = q.iter().map(|q| q.exp()).collect();
    let mut total = 0.0;
    for x in x.chunks(d) {
        let c: Vec<f64> = x.iter().zip(mu).map(|(x, mu)| x - mu).collect();
        let mut z: Vec<f64> = c.iter().zip(&e).map(|(c, e)| c * e).collect();
        let mut idx = 0;
        for i in 0..d {
            for j in i + 1..d {
                z[j] += l[idx] * c[i];
                idx += 1;
            }
        }
        total += z.iter().map(|z| z * z).sum::<f64>();
    }
    total
}

#[differentiable]
fn vec_of_vec(mu: &[f64], q: &[f64], l: &[Vec<f64>], #[constant] x: &[f64]) -> f64 {
    let d = mu.len();
    let mut e = vec![0.0; d];
    for i in 0..d {
        e[i] = q[i].exp();
    }
    let mut c = vec![0.0; d];
    let mut z = vec![0.0; d];
    let mut total = 0.0;
    for p in 0..x.len() / d {
        for i in 0..d {
            c[i] = x[p * d + i] - mu[i];
            z[i] = e[i] * c[i];
        }
        for i in 0..d {
            for j in i + 1..d {
                z[j] += l[i][j - i - 1] * c[i];
            }
        }
        for i in 0..d {
            total += z[i] * z[i];
        }
    }
    total
}

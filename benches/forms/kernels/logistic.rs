//! Negative log-likelihood of logistic regression; the data are constant.

use crate::Kernel;
use chainrule::prelude::*;
use rows::gradient_of_structs;
use rows::harness::case::{Hand, With};
use rows::harness::input::Random;

const N: usize = 200;
const D: usize = 8;

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(8);
    let x = random.normals(N * D);
    let y: Vec<f64> = random.uniforms(N).iter().map(|u| u.round()).collect();
    let w: Vec<f64> = random.normals(D).iter().map(|w| 0.3 * w).collect();
    let b = 0.1;
    let columns: Vec<f64> = (0..N * D).map(|k| x[k % N * D + k / N]).collect();
    let rows: Vec<Vec<f64>> = x.chunks_exact(D).map(<[f64]>::to_vec).collect();
    let input = (w.clone(), b, x.clone(), y.clone());
    let zeros = (vec![0.0; D], 0.0);
    let hand = Hand::new(
        input.clone(),
        With {
            gradient: zeros.clone(),
            scratch: vec![0.0; N],
        },
        |(w, b, x, y), bar| {
            let (w_bar, b_bar) = &mut bar.gradient;
            by_hand(w, *b, x, y, w_bar, b_bar, &mut bar.scratch)
        },
    );
    macro_rules! forms {
        ($($form:ident $input:expr;)*) => {
            vec![$(hand.form(
                stringify!($form),
                $input,
                zeros.clone(),
                |(w, b, x, y)| $form(w, *b, x, y),
                |(w, b, x, y), (w_bar, b_bar)| {
                    $form::value_and_gradient_into(w, *b, x, y, w_bar, b_bar)
                },
            )),*]
        };
    }
    let mut forms = forms! {
        index input.clone();
        chunks input.clone();
        iterators input.clone();
        helper input.clone();
        columns_first (w.clone(), b, columns, y.clone());
        vec_of_vec (w.clone(), b, rows, y.clone());
    };
    let model = Model { w, b };
    let tangent = model.zero_tangent();
    forms.push(hand.form(
        "method",
        (model, Data { x, y, dim: D }),
        tangent,
        |(model, data)| model.loss(data),
        |(model, data), bar| model.loss_value_and_gradient_into(data, bar),
    ));
    Kernel::new(forms)
}

/// The scores, which don't wait for each other, then both halves of what is made of them with one exponential, then the
/// sums.
fn by_hand(
    w: &[f64],
    b: f64,
    x: &[f64],
    y: &[f64],
    w_bar: &mut [f64],
    b_bar: &mut f64,
    z: &mut [f64],
) -> f64 {
    let w: &[f64; D] = w.try_into().unwrap();
    let (x, _) = x.as_chunks::<D>();
    for (x, z) in x.iter().zip(&mut *z) {
        *z = b;
        for j in 0..D {
            *z += w[j] * x[j];
        }
    }
    let mut total = 0.0;
    for (z, y) in z.iter_mut().zip(y) {
        let e = z.exp();
        total += e.ln_1p() - y * *z;
        *z = e / (1.0 + e) - y;
    }
    let mut sums = [0.0; D];
    let mut b_sum = 0.0;
    for (x, t) in x.iter().zip(&*z) {
        b_sum += t;
        for j in 0..D {
            sums[j] += t * x[j];
        }
    }
    w_bar.copy_from_slice(&sums);
    *b_bar = b_sum;
    total
}

#[differentiable]
fn index(w: &[f64], b: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let mut z = b;
        for j in 0..d {
            z += w[j] * x[i * d + j];
        }
        total += z.exp().ln_1p() - y[i] * z;
    }
    total
}

#[differentiable]
fn chunks(w: &[f64], b: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let mut total = 0.0;
    for (row, y) in x.chunks(w.len()).zip(y) {
        let mut z = b;
        for (w, x) in w.iter().zip(row) {
            z += w * x;
        }
        total += z.exp().ln_1p() - y * z;
    }
    total
}

#[differentiable]
fn iterators(w: &[f64], b: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    x.chunks_exact(w.len())
        .zip(y)
        .map(|(row, &y)| {
            let z = b + row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>();
            z.exp().ln_1p() - y * z
        })
        .sum()
}

#[differentiable]
fn score(w: &[f64], #[constant] x: &[f64]) -> f64 {
    let mut z = 0.0;
    for j in 0..w.len() {
        z += w[j] * x[j];
    }
    z
}

#[differentiable]
fn softplus(z: f64) -> f64 {
    z.exp().ln_1p()
}

#[differentiable]
fn helper(w: &[f64], b: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let z = score(w, &x[i * d..(i + 1) * d]) + b;
        total += softplus(z) - y[i] * z;
    }
    total
}

#[differentiable]
fn columns_first(w: &[f64], b: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let n = y.len();
    let mut z = vec![b; n];
    for j in 0..w.len() {
        for i in 0..n {
            z[i] += w[j] * x[j * n + i];
        }
    }
    let mut total = 0.0;
    for i in 0..n {
        total += z[i].exp().ln_1p() - y[i] * z[i];
    }
    total
}

#[differentiable]
fn vec_of_vec(w: &[f64], b: f64, #[constant] x: &[Vec<f64>], #[constant] y: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        let mut z = b;
        for j in 0..w.len() {
            z += w[j] * x[i][j];
        }
        total += z.exp().ln_1p() - y[i] * z;
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Data {
    #[constant]
    x: Vec<f64>,
    #[constant]
    y: Vec<f64>,
    dim: usize,
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    w: Vec<f64>,
    b: f64,
}

gradient_of_structs! { ModelTangent { w, b } }

#[differentiable]
impl Model {
    fn score(&self, #[constant] x: &[f64]) -> f64 {
        let mut z = self.b;
        for j in 0..x.len() {
            z += self.w[j] * x[j];
        }
        z
    }

    fn loss(&self, #[constant] data: &Data) -> f64 {
        let mut total = 0.0;
        for i in 0..data.y.len() {
            let z = self.score(&data.x[i * data.dim..(i + 1) * data.dim]);
            total += z.exp().ln_1p() - data.y[i] * z;
        }
        total
    }
}

//! A dense layer: `W x + b`, `tanh`, then the sum of squares.

use crate::Kernel;
use chainrule::prelude::*;
use rows::gradient_of_structs;
use rows::harness::case::Hand;
use rows::harness::input::Random;

const M: usize = 48;
const N: usize = 64;

pub(crate) fn kernel() -> Kernel {
    let mut random = Random::new(4);
    let w: Vec<f64> = random.normals(M * N).iter().map(|w| 0.1 * w).collect();
    let (b, x) = (random.normals(M), random.normals(N));
    let rows: Vec<Vec<f64>> = w.chunks_exact(N).map(<[f64]>::to_vec).collect();
    let matrix = Matrix {
        rows: M,
        cols: N,
        data: w.clone(),
    };
    let flat = (w, b.clone(), x.clone());
    let zeros = (vec![0.0; M * N], vec![0.0; M], vec![0.0; N]);
    let hand = Hand::new(
        flat.clone(),
        zeros.clone(),
        |(w, b, x), (w_bar, b_bar, x_bar)| by_hand(w, b, x, w_bar, b_bar, x_bar),
    );
    macro_rules! flat_forms {
        ($($form:ident)*) => {
            vec![$(hand.form(
                stringify!($form),
                flat.clone(),
                zeros.clone(),
                |(w, b, x)| $form(w, b, x),
                |(w, b, x), (w_bar, b_bar, x_bar)| {
                    $form::value_and_gradient_into(w, b, x, w_bar, b_bar, x_bar)
                },
            )),*]
        };
    }
    let mut forms = flat_forms! { index row_slices out_parameter returned iterators };
    forms.push(hand.form(
        "vec_of_vec",
        (rows, b.clone(), x.clone()),
        (vec![vec![0.0; N]; M], vec![0.0; M], vec![0.0; N]),
        |(w, b, x)| vec_of_vec(w, b, x),
        |(w, b, x), (w_bar, b_bar, x_bar)| {
            vec_of_vec::value_and_gradient_into(w, b, x, w_bar, b_bar, x_bar)
        },
    ));
    let tangent = matrix.zero_tangent();
    forms.push(hand.form(
        "struct_at",
        (matrix, b, x),
        (tangent, vec![0.0; M], vec![0.0; N]),
        |(w, b, x)| struct_at(w, b, x),
        |(w, b, x), (w_bar, b_bar, x_bar)| {
            struct_at::value_and_gradient_into(w, b, x, w_bar, b_bar, x_bar)
        },
    ));
    Kernel::new("dense", forms)
}

/// Both halves of a row in one pass over it.
fn by_hand(
    w: &[f64],
    b: &[f64],
    x: &[f64],
    w_bar: &mut [f64],
    b_bar: &mut [f64],
    x_bar: &mut [f64],
) -> f64 {
    let mut total = 0.0;
    x_bar.fill(0.0);
    let rows = w.chunks_exact(N).zip(w_bar.chunks_exact_mut(N));
    for (((w, w_bar), b), b_bar) in rows.zip(b).zip(b_bar) {
        let mut lanes = [0.0; 8];
        for (w, x) in w.as_chunks::<8>().0.iter().zip(x.as_chunks::<8>().0) {
            for j in 0..8 {
                lanes[j] += w[j] * x[j];
            }
        }
        let z = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6]))
            + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
        let y = (b + z).tanh();
        total += y * y;
        let t = 2.0 * y * (1.0 - y * y);
        *b_bar = t;
        for (((w_bar, x_bar), w), x) in w_bar.iter_mut().zip(&mut *x_bar).zip(w).zip(x) {
            *w_bar = t * x;
            *x_bar += t * w;
        }
    }
    total
}

#[differentiable]
fn index(w: &[f64], b: &[f64], x: &[f64]) -> f64 {
    let n = x.len();
    let mut total = 0.0;
    for i in 0..b.len() {
        let mut z = b[i];
        for j in 0..n {
            z += w[i * n + j] * x[j];
        }
        let y = z.tanh();
        total += y * y;
    }
    total
}

#[differentiable]
fn row_slices(w: &[f64], b: &[f64], x: &[f64]) -> f64 {
    let mut total = 0.0;
    for (row, b) in w.chunks_exact(x.len()).zip(b) {
        let mut z = *b;
        for (w, x) in row.iter().zip(x) {
            z += w * x;
        }
        total += z.tanh().powi(2);
    }
    total
}

#[differentiable]
fn layer(w: &[f64], b: &[f64], x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..out.len() {
        let mut z = b[i];
        for j in 0..n {
            z += w[i * n + j] * x[j];
        }
        out[i] = z.tanh();
    }
}

#[differentiable]
fn out_parameter(w: &[f64], b: &[f64], x: &[f64]) -> f64 {
    let mut y = vec![0.0; b.len()];
    layer(w, b, x, &mut y);
    let mut total = 0.0;
    for i in 0..y.len() {
        total += y[i] * y[i];
    }
    total
}

#[differentiable]
fn forward(w: &[f64], b: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut out = Vec::with_capacity(b.len());
    for i in 0..b.len() {
        let row = &w[i * n..(i + 1) * n];
        let mut z = b[i];
        for j in 0..n {
            z += row[j] * x[j];
        }
        out.push(z.tanh());
    }
    out
}

#[differentiable]
fn returned(w: &[f64], b: &[f64], x: &[f64]) -> f64 {
    let y = forward(w, b, x);
    y.iter().map(|y| y * y).sum()
}

#[differentiable]
fn iterators(w: &[f64], b: &[f64], x: &[f64]) -> f64 {
    w.chunks_exact(x.len())
        .zip(b)
        .map(|(row, b)| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b)
        .map(|z| z.tanh().powi(2))
        .sum()
}

#[differentiable]
fn vec_of_vec(w: &[Vec<f64>], b: &[f64], x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..w.len() {
        let mut z = b[i];
        for j in 0..x.len() {
            z += w[i][j] * x[j];
        }
        let y = z.tanh();
        total += y * y;
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

#[differentiable]
impl Matrix {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.cols + j]
    }
}

gradient_of_structs! { MatrixTangent { data } }

#[differentiable]
fn struct_at(w: &Matrix, b: &[f64], x: &[f64]) -> f64 {
    let mut total = 0.0;
    for i in 0..w.rows {
        let mut z = b[i];
        for j in 0..w.cols {
            z += w.at(i, j) * x[j];
        }
        let y = z.tanh();
        total += y * y;
    }
    total
}

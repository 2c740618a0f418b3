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
    Kernel::new(forms)
}

/// Four rows forward, then one pass over the cotangents for all of them.
fn by_hand(
    w: &[f64],
    b: &[f64],
    x: &[f64],
    w_bar: &mut [f64],
    b_bar: &mut [f64],
    x_bar: &mut [f64],
) -> f64 {
    const R: usize = 4;
    let x: &[f64; N] = x.try_into().unwrap();
    let x_bar: &mut [f64; N] = x_bar.try_into().unwrap();
    let mut total = 0.0;
    x_bar.fill(0.0);
    let (w, _) = w.as_chunks::<N>();
    let (w_bar, _) = w_bar.as_chunks_mut::<N>();
    let rows = w
        .as_chunks::<R>()
        .0
        .iter()
        .zip(w_bar.as_chunks_mut::<R>().0);
    let biases = b
        .as_chunks::<R>()
        .0
        .iter()
        .zip(b_bar.as_chunks_mut::<R>().0);
    for (([w0, w1, w2, w3], w_bar), (b, b_bar)) in rows.zip(biases) {
        let mut t = [0.0; R];
        for (r, row) in [w0, w1, w2, w3].iter().enumerate() {
            let mut z = b[r];
            for j in 0..N {
                z += row[j] * x[j];
            }
            let y = z.tanh();
            total += y * y;
            t[r] = 2.0 * y * (1.0 - y * y);
        }
        *b_bar = t;
        let [w0_bar, w1_bar, w2_bar, w3_bar] = w_bar;
        for j in 0..N {
            w0_bar[j] = t[0] * x[j];
            w1_bar[j] = t[1] * x[j];
            w2_bar[j] = t[2] * x[j];
            w3_bar[j] = t[3] * x[j];
            x_bar[j] += (t[0] * w0[j] + t[1] * w1[j]) + (t[2] * w2[j] + t[3] * w3[j]);
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

//! Cholesky's factor of a matrix in a `Vec`, and what is computed with it.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Matrix {
    n: usize,
    data: Vec<f64>,
}

flat!(Matrix { data: Vec<f64> });

#[differentiable]
impl Matrix {
    fn get(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.n + j]
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        self.data[i * self.n + j] = value;
    }

    fn zeros(n: usize) -> Matrix {
        Matrix {
            n,
            data: vec![0.0; n * n],
        }
    }

    /// The lower factor.
    fn cholesky(&self) -> Matrix {
        let mut l = Matrix::zeros(self.n);
        for i in 0..self.n {
            for j in 0..=i {
                let mut sum = self.get(i, j);
                for k in 0..j {
                    sum -= l.get(i, k) * l.get(j, k);
                }
                if i == j {
                    l.set(i, i, sum.sqrt());
                } else {
                    let value = sum / l.get(j, j);
                    l.set(i, j, value);
                }
            }
        }
        l
    }

    fn log_determinant(&self) -> f64 {
        let l = self.cholesky();
        let mut total = 0.0;
        for i in 0..l.n {
            total += l.get(i, i).ln();
        }
        2.0 * total
    }

    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let l = self.cholesky();
        let mut x = b.to_vec();
        for i in 0..l.n {
            for k in 0..i {
                x[i] -= l.get(i, k) * x[k];
            }
            x[i] /= l.get(i, i);
        }
        for i in (0..l.n).rev() {
            for k in i + 1..l.n {
                x[i] -= l.get(k, i) * x[k];
            }
            x[i] /= l.get(i, i);
        }
        x
    }
}

#[differentiable]
#[inline(never)]
fn log_determinant(a: &Matrix) -> f64 {
    a.log_determinant()
}

#[differentiable]
fn quadratic_form(a: &Matrix, b: &[f64]) -> f64 {
    let x = a.solve(b);
    let mut total = 0.0;
    for i in 0..b.len() {
        total += b[i] * x[i];
    }
    total
}

const A: [f64; 9] = [2.3, 0.4, -0.3, 0.4, 1.9, 0.2, -0.3, 0.2, 1.4];
const B: [f64; 3] = [0.7, 1.9, -0.4];

fn matrix(n: usize) -> Matrix {
    Matrix {
        n,
        data: (0..n * n)
            .map(|k| A[k / n.max(1) * 3 + k % n.max(1)])
            .collect(),
    }
}

/// Of the lower triangle, which alone is read: `d log det(A) / dA` is the inverse, off-diagonal entries count twice; and
/// `d (b' x) / dA = -x x'`, `d (b' x) / db = 2 x` with `A x = b`.
#[test]
fn closed_forms() {
    let a = matrix(3);
    let inverse: Vec<Vec<f64>> = (0..3)
        .map(|j| {
            a.solve(
                &(0..3)
                    .map(|i| f64::from(u8::from(i == j)))
                    .collect::<Vec<_>>(),
            )
        })
        .collect();
    let g = log_determinant::gradient(&a);
    let (a_bar, b_bar) = quadratic_form::gradient(&a, &B);
    let x = a.solve(&B);
    for i in 0..3 {
        assert!((b_bar[i] - 2.0 * x[i]).abs() < 1e-13);
        for j in 0..3 {
            let (got, got_form) = (g.data[3 * i + j], a_bar.data[3 * i + j]);
            let twice = if i == j {
                1.0
            } else if i > j {
                2.0
            } else {
                0.0
            };
            assert!(
                (got - twice * inverse[i][j]).abs() < 1e-13,
                "{i} {j}: {got}"
            );
            assert!(
                (got_form + twice * x[i] * x[j]).abs() < 1e-13,
                "{i} {j}: {got_form}"
            );
        }
    }
}

table! {
    log_determinant: for n in 0..4, (&matrix(n));
    quadratic_form: for n in 0..4, (&matrix(n), &B[..n].to_vec());
}

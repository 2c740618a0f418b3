//! A determinant by minors, recursively.

use chainrule::prelude::*;

use crate::check::{check, table};

/// Without row 0 and column `k`.
#[differentiable]
#[inline(never)]
fn minor(a: &[Vec<f64>], k: usize) -> Vec<Vec<f64>> {
    let n = a.len();
    let mut out = vec![vec![0.0; n - 1]; n - 1];
    for i in 1..n {
        for j in 0..n {
            if j == k {
                continue;
            }
            let column = if j < k { j } else { j - 1 };
            out[i - 1][column] = a[i][j];
        }
    }
    out
}

#[differentiable]
#[inline(never)]
fn determinant(a: &[Vec<f64>]) -> f64 {
    if a.is_empty() {
        return 1.0;
    }
    let mut total = 0.0;
    let mut sign = 1.0;
    for k in 0..a.len() {
        if a[0][k] != 0.0 {
            total += sign * a[0][k] * determinant(&minor(a, k));
        }
        sign = -sign;
    }
    total
}

fn matrix(n: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| {
            (0..n)
                .map(|j| ((3 * i + 5 * j) as f64 * 0.7).sin() + f64::from(u8::from(i == j)))
                .collect()
        })
        .collect()
}

/// Jacobi's formula: the gradient is the matrix of cofactors.
#[test]
fn cofactors() {
    let a = [vec![2.3, 0.4], vec![-0.3, 1.9]];
    check!(determinant(&a.to_vec())).assert_gradient(&[1.9, 0.3, -0.4, 2.3]);
}

table! {
    determinant: for n in 0..4, (&matrix(n));
}

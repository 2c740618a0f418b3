//! `det`: a determinant by recursive expansion along the first row that is left.

use super::{check, no_function, read, run};
use crate::protocol::Outcome;
use crate::runs::Limits;
use chainrule::prelude::*;
use serde::Deserialize;
use serde_json::Value;

/// The determinant of the `n` x `n` matrix `a`, row by row.
#[differentiable]
pub fn determinant(a: &[f64], n: usize) -> f64 {
    if n == 0 {
        return 1.0;
    }
    let (mut rows, mut cols) = lists(n);
    minor(a, n, n, &mut rows, &mut cols)
}

/// The minor of the `m` rows and columns that are left, linked lists whose heads are `rows[n]` and `cols[n]`.
#[differentiable]
pub fn minor(a: &[f64], n: usize, m: usize, rows: &mut [usize], cols: &mut [usize]) -> f64 {
    let row = rows[n];
    if m == 1 {
        return a[row * n + cols[n]];
    }
    let mut det = 0.0;
    let mut sign = 1.0;
    rows[n] = rows[row];
    let mut previous = n;
    let mut col = cols[n];
    for _ in 0..m {
        cols[previous] = cols[col];
        let d = minor(a, n, m - 1, rows, cols);
        cols[previous] = col;
        det += sign * a[row * n + col] * d;
        previous = col;
        col = cols[col];
        sign = -sign;
    }
    rows[n] = row;
    det
}

/// Lists of all rows and of all columns.
pub fn lists(n: usize) -> (Vec<usize>, Vec<usize>) {
    let list: Vec<usize> = (1..=n).chain([0]).collect();
    (list.clone(), list)
}

#[derive(Deserialize)]
struct Input {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
    #[serde(flatten)]
    limits: Limits,
}

/// Answers `primal` and `gradient`.
///
/// # Errors
///
/// What is wrong with the request.
pub fn evaluate(function: &str, input: Value) -> Result<Outcome, String> {
    let Input { a, ell, limits } = read(input)?;
    check(
        ell.checked_mul(ell) == Some(a.len()),
        "`A` must have ell * ell entries",
    )?;
    match function {
        "primal" => run(limits, 0.0, |y| *y = determinant(&a, ell), |y| y),
        "gradient" => run(
            limits,
            vec![0.0; a.len()],
            |a_bar| {
                determinant::value_and_gradient_into(&a, ell, a_bar);
            },
            |a_bar| a_bar,
        ),
        _ => no_function(function),
    }
}

//! Arrays of `ndarray` and matrices of `nalgebra` in one file: methods of one name, of both.

use chainrule::prelude::*;
use nalgebra::{DMatrix, DVector};
use ndarray::{Array1, Array2};

use crate::check::check;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Both {
    array: Array2<f64>,
    matrix: DMatrix<f64>,
}

#[differentiable]
fn arrays(x: &[f64], scale: f64) -> f64 {
    let start = Array1::from_vec(x.to_vec());
    let mut m = Array2::<f64>::ones((2, 2));
    m.row_mut(0).scaled_add(scale, &start);
    let mut column = m.column_mut(1);
    column *= &start;
    let mut sum = &m * 2.0 + &m;
    sum.row_mut(1).assign(&start);
    let first = m.row(0);
    m.sum() + sum.fold(0.0, |s, v| *v * s + *v) + first.dot(&start)
}

#[differentiable]
fn matrices(x: &[f64], scale: f64) -> f64 {
    let start = DVector::from_vec(x.to_vec());
    let mut m = DMatrix::from_element(2, 2, scale);
    m.column_mut(0).axpy(scale, &start, 1.0);
    let mut column = m.column_mut(1);
    column *= x[0];
    let mut other = m.clone();
    other.row_mut(0).copy_from(&start.transpose());
    m.sum() + other.fold(0.0, |s, v| s * v + v) + m.row(0).sum()
}

#[differentiable]
fn fields(x: &[f64], scale: f64) -> f64 {
    let mut both = Both {
        array: Array2::ones((2, 2)),
        matrix: DMatrix::from_element(2, 2, x[1]),
    };
    both.matrix.row_mut(0).fill(scale);
    both.matrix.sum() + both.array.sum()
}

#[test]
fn each_value_has_the_methods_of_its_library() {
    check!(arrays(&[0.7, -1.3], 0.4));
    check!(matrices(&[0.7, -1.3], 0.4));
    check!(fields(&[0.7, -1.3], 0.4));
}

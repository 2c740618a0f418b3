//! Decompositions, exponentials and triangular solves by the names of the library.

use crate::check::{check, table};
use chainrule::prelude::*;
use nalgebra::*;

#[differentiable]
fn chol_solve_dynamic(k: &DMatrix<f64>, y: &DVector<f64>) -> f64 {
    let chol = k.clone().cholesky().expect("not positive definite");
    let alpha = chol.solve(y);
    let logdet = 2.0 * chol.l().diagonal().map(|x| x.ln()).sum();
    -0.5 * y.dot(&alpha) - 0.5 * logdet
}

#[differentiable]
fn chol_fixed(p: &Matrix2<f64>, v: &Vector2<f64>) -> f64 {
    let c = p.cholesky().unwrap();
    let s = c.solve(v);
    v.dot(&s) + c.determinant().ln() + c.inverse()[(0, 1)]
}

#[differentiable]
fn cholesky_l_by_fn(k: &DMatrix<f64>, y: &DVector<f64>) -> f64 {
    let chol = Cholesky::new(k.clone()).unwrap();
    let l = chol.l();
    let z = l.solve_lower_triangular(y).unwrap();
    z.norm_squared() + l[(1, 0)]
}

#[differentiable]
fn lu_fixed(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    let x = a.lu().solve(b).unwrap();
    x.dot(b) + a.lu().determinant()
}

#[differentiable]
fn qr(a: &DMatrix<f64>) -> f64 {
    let qr = a.clone().qr();
    let (q, r) = (qr.q(), qr.r());
    q[(0, 0)] + r[(0, 1)] * r[(1, 1)]
}

#[differentiable]
fn svd(a: &DMatrix<f64>) -> f64 {
    let svd = a.clone().svd(true, true);
    let u = svd.u.unwrap();
    svd.singular_values[0] + svd.singular_values[1].ln() + u[(0, 0)].powi(2)
}

#[differentiable]
fn symmetric_eigen(a: &DMatrix<f64>) -> f64 {
    let s = a * a.transpose();
    let e = s.symmetric_eigen();
    e.eigenvalues.map(|x| x.sqrt()).sum() + e.eigenvectors[(0, 0)].powi(2)
}

#[differentiable]
fn try_inverse(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    let inv = a.try_inverse().expect("singular");
    (inv * b).norm()
}

#[differentiable]
fn determinant_exp(a: &Matrix2<f64>, t: f64) -> f64 {
    let p = (a * t).exp();
    p.determinant() + p[(0, 1)] + a.clone_owned().determinant()
}

#[differentiable]
fn triangular_solve(k: &DMatrix<f64>, y: &DVector<f64>) -> f64 {
    let l = k.clone().cholesky().unwrap().unpack();
    let z = l.solve_lower_triangular(y).unwrap();
    0.5 * z.norm_squared() + l.diagonal().map(f64::ln).sum()
}

#[differentiable]
fn tr_solve(k: &DMatrix<f64>, y: &DVector<f64>) -> f64 {
    let l = k.clone().cholesky().unwrap().l();
    let z = l.solve_lower_triangular(y).unwrap();
    let a = l.tr_solve_lower_triangular(&z).unwrap();
    let u = l.transpose();
    let b = u.solve_upper_triangular(&z).unwrap();
    a.dot(y) + b.norm()
}

#[differentiable]
fn normal_equations(x: &DMatrix<f64>, y: &DVector<f64>) -> f64 {
    let beta = (x.transpose() * x)
        .cholesky()
        .unwrap()
        .solve(&(x.transpose() * y));
    (x * beta - y).norm_squared()
}

#[differentiable]
fn option_inverse(a: &Matrix2<f64>, b: &Vector2<f64>) -> f64 {
    if let Some(inv) = a.try_inverse() {
        (inv * b).norm()
    } else {
        0.0
    }
}

#[differentiable]
fn fixed_decompositions(a: &Matrix3<f64>) -> f64 {
    let s = a + a.transpose();
    let e = s.symmetric_eigen();
    let largest = e.eigenvalues.max();
    let v = e.eigenvectors.column(1).into_owned();
    let svd = a.svd(true, true);
    let (u, v_t) = (svd.u.unwrap(), svd.v_t.unwrap());
    let qr = a.qr();
    largest
        + (v.transpose() * a * v)[(0, 0)]
        + svd.singular_values[2]
        + (u * v_t)[(0, 1)]
        + qr.q()[(1, 0)] * qr.r()[(0, 2)]
}

/// Only the singular values are asked for.
#[differentiable]
fn condition(a: &DMatrix<f64>) -> f64 {
    let s = a.clone().svd(false, false).singular_values;
    s[0] / s[s.len() - 1]
}

/// Values without vectors, by their own methods.
#[differentiable]
fn values_alone(a: &DMatrix<f64>, b: &Matrix3<f64>) -> f64 {
    let s = a.singular_values();
    let s3 = b.singular_values();
    let e = (a.transpose() * a).symmetric_eigenvalues();
    let c = b.transpose() * b;
    let e3 = c.symmetric_eigenvalues();
    s[0] / s[s.len() - 1] + s3[2] + e.map(|x| x.ln()).sum() + e3[0] * e3[1]
}

#[differentiable]
fn exponentials(a: &Matrix3<f64>, b: &DMatrix<f64>) -> f64 {
    a.exp()[(0, 2)] + b.exp().trace()
}

#[differentiable]
fn solved_for_matrices(l: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let x = l.solve_lower_triangular(b).unwrap();
    let y = l.tr_solve_upper_triangular(&x).unwrap();
    x.norm() + y[(0, 1)]
}

table! {
    chol_solve_dynamic: (&DMatrix::from_row_slice(2, 2, &[1.5, 0.25, 0.25, 1.7]), &DVector::from_vec(vec![0.3, 0.4]));
    chol_fixed: (&Matrix2::new(1.5, 0.25, 0.25, 1.7), &Vector2::new(0.3, 0.4));
    cholesky_l_by_fn: (&DMatrix::from_row_slice(2, 2, &[1.5, 0.25, 0.25, 1.7]), &DVector::from_vec(vec![0.3, 0.4]));
    lu_fixed: (&Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2), &Vector3::new(1.0, 0.2, 0.4));
    qr: (&DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    svd: (&DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    symmetric_eigen: (&DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]));
    try_inverse: (&Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2), &Vector3::new(1.0, 0.2, 0.4));
    determinant_exp: (&Matrix2::new(0.5, -1.25, 0.75, 0.5), 0.7);
    triangular_solve: (&DMatrix::from_row_slice(2, 2, &[1.5, 0.25, 0.25, 1.7]), &DVector::from_vec(vec![0.3, 0.4]));
    tr_solve: (&DMatrix::from_row_slice(2, 2, &[1.5, 0.25, 0.25, 1.7]), &DVector::from_vec(vec![0.3, 0.4]));
    normal_equations: (&DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &DVector::from_vec(vec![0.3, 0.4, -0.2]));
    option_inverse: (&Matrix2::new(0.5, -1.25, 0.75, 1.5), &Vector2::new(0.3, 0.1));
    fixed_decompositions: (&Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2));
    values_alone: (&DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2));
    condition: (&DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    exponentials: (&Matrix3::new(0.5, -0.25, 0.75, 0.5, 0.25, -0.5, 0.3, 0.1, 0.2), &DMatrix::from_row_slice(2, 2, &[0.5, 0.25, -0.25, 0.7]));
    solved_for_matrices: (&DMatrix::from_row_slice(2, 2, &[1.5, 0.4, 0.25, 1.7]), &DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]));
}

#[test]
#[should_panic(expected = "more columns than rows")]
fn wide_qr() {
    qr::gradient(&DMatrix::from_row_slice(
        2,
        3,
        &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5],
    ));
}

#[differentiable]
fn without_factor(a: &DMatrix<f64>) -> f64 {
    match Cholesky::new(a.clone()) {
        Some(factor) => factor.determinant(),
        None => a[(0, 0)],
    }
}

#[test]
fn indefinite() {
    check!(without_factor(&DMatrix::from_row_slice(
        2,
        2,
        &[1.5, 0.0, 0.25, -1.7]
    )));
}

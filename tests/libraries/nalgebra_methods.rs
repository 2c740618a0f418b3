//! Methods of matrices of `nalgebra`, and functions that make them, as programs write them.

use chainrule::prelude::*;
use nalgebra::{
    DMatrix, DVector, Matrix2, Matrix2x3, Matrix3, Matrix4, RowDVector, RowVector2, RowVector3,
    SMatrix, Vector1, Vector2, Vector3, Vector4, Vector5, Vector6,
};

use crate::check::{check, map_table, table};

fn matrix() -> DMatrix<f64> {
    DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5])
}

fn square() -> DMatrix<f64> {
    DMatrix::from_row_slice(3, 3, &[1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2])
}

fn vector() -> DVector<f64> {
    DVector::from_vec(vec![0.3, -0.7, 1.1])
}

fn fixed() -> Matrix3<f64> {
    Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2)
}

const NUMBERS: [f64; 6] = [0.5, -1.25, 0.75, 1.5, 0.25, -0.5];

// ---- Makers. --------------------------------------------------------------------------------------------------------

#[differentiable]
fn new(a: f64, b: f64, c: f64) -> f64 {
    let m = Matrix4::new(
        a,
        b,
        0.0,
        1.0,
        a * b,
        2.0,
        b,
        0.0,
        1.0,
        a,
        1.0,
        b,
        0.0,
        c,
        a,
        1.0,
    );
    let v = Vector4::new(a, b, 1.0, c);
    let n = Matrix2x3::new(a, b, c, 1.0, a * c, b);
    let w = Vector3::new(c, a, b);
    let k = Matrix2::new(a, b, c, a * b) * (n * w);
    let row = RowVector3::new(a, b * b, c) * w;
    (m * v).norm_squared() + k[0] * k[1] + row[0] + (RowVector2::new(a, b) * k)[0]
}

#[differentiable]
fn long_vectors(a: f64, b: f64) -> f64 {
    let one = Vector1::new(a * b);
    let two = Vector2::new(a, b);
    let five = Vector5::new(a, b, 1.0, a * a, b);
    let six = Vector6::new(1.0, a, b, b * b, a, 2.0);
    one[0] + two.norm() + five.norm_squared() * six[3] + six.norm()
}

#[differentiable]
fn matrix3(x: &[f64]) -> f64 {
    let m = Matrix3::new(x[0], x[1], x[2], x[3], x[4], x[5], 1.0, 2.0, x[0] * x[1]);
    m[(0, 1)] * m[(1, 0)] + (m * m)[(2, 1)]
}

#[differentiable]
fn of_slices(x: &[f64]) -> DMatrix<f64> {
    let rows = DMatrix::from_row_slice(2, 3, x);
    let columns = DMatrix::from_column_slice(3, 2, x);
    rows * columns
}

#[differentiable]
fn of_lists(x: &[f64]) -> f64 {
    let squares: Vec<f64> = x.iter().map(|v| v * v).collect();
    let m = DMatrix::from_vec(2, 3, squares);
    let cubes: Vec<f64> = x.iter().map(|v| v * v * v).collect();
    let v = DVector::from_vec(cubes);
    let w = DVector::from_column_slice(x) + DVector::from_row_slice(x);
    let r = RowDVector::from_row_slice(x);
    m[(1, 0)] * m[(0, 2)] + v.dot(&w) + r[1] * r[2]
}

#[differentiable]
fn fixed_of_slices(x: &[f64]) -> f64 {
    let m = Matrix2x3::from_row_slice(x);
    let n = SMatrix::<f64, 3, 2>::from_column_slice(x);
    let v = Vector6::from_row_slice(x);
    (m * n)[(1, 0)] * v[2] + m[(0, 2)]
}

#[differentiable]
fn of_numbers(k: f64) -> f64 {
    let m = DMatrix::from_element(2, 3, k);
    let v = DVector::from_element(3, k * k);
    let f = Vector3::from_element(k);
    (m * v)[1] + f.norm_squared() + f[0]
}

#[differentiable]
fn diagonals(x: &DVector<f64>, y: &Vector3<f64>) -> f64 {
    let d = DMatrix::from_diagonal(x);
    let e = Matrix3::from_diagonal(y);
    (&d * &d)[(1, 1)] + (d + DMatrix::<f64>::identity(3, 3)).sum() + (e * y).norm()
}

#[differentiable]
fn of_functions(x: &[f64], l: f64) -> f64 {
    let n = x.len();
    let k = DMatrix::<f64>::from_fn(n, n, |i, j| {
        let d = x[i] - x[j];
        (-d * d / (l * l)).exp()
    });
    let v = DVector::<f64>::from_fn(n, |i, _| x[i] * x[i]);
    let m = Matrix2::<f64>::from_fn(|i, j| x[i] * (j as f64 + l));
    v.dot(&(k * &v)) + m[(1, 1)] * m[(0, 1)]
}

// ---- Methods. -------------------------------------------------------------------------------------------------------

#[differentiable]
fn layers(w: &DMatrix<f64>, b: &DVector<f64>, x: &DVector<f64>, k: f64) -> f64 {
    let h = (w * x).map(|v| (v * k).tanh());
    let g = h.zip_map(b, |h, b| h * b * b + k);
    g.norm_squared() + h[0]
}

#[differentiable]
fn products(x: &DVector<f64>, y: &DVector<f64>, k: f64) -> f64 {
    let p = x.component_mul(y);
    let q = x.component_div(y);
    p.dot(&q) * k + p.scale(k).norm() + q.component_mul(&q).sum()
}

#[differentiable]
fn area(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> f64 {
    let n = (b - a).cross(&(c - a));
    0.5 * n.norm() + n.normalize().dot(a)
}

#[differentiable]
fn direction(x: DVector<f64>) -> DVector<f64> {
    x.normalize()
}

#[differentiable]
fn rows_and_columns(a: &DMatrix<f64>) -> f64 {
    let mut s = 0.0;
    for j in 0..a.ncols() {
        s += a.column(j).norm_squared() * (j as f64 + 1.0);
    }
    for i in 0..a.nrows() {
        s += a.row(i).sum() * a.row(0).dot(&a.row(i));
    }
    s
}

#[differentiable]
fn fixed_rows(a: &Matrix3<f64>) -> f64 {
    let r = a.row(1).into_owned();
    let c = a.column(2).into_owned();
    (r * c)[0] + a.diagonal().norm_squared() + a.trace() * a[(0, 1)]
}

#[differentiable]
fn parts(a: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let head = x.rows(0, 2).into_owned();
    let left = a.columns(1, 2).into_owned();
    let middle = a.view((1, 0), (2, 2)).into_owned();
    let top = a.rows(0, 2).clone_owned();
    head.norm_squared() * left[(0, 1)] + (middle * head)[0] + top.norm() + a.diagonal().dot(x)
}

#[differentiable]
fn numbers(a: &DMatrix<f64>) -> f64 {
    a.trace() * a.mean() + a.max() * (a.min() - 2.0 * a.max()) + a.as_slice()[3] * a.as_slice()[1]
}

#[differentiable]
fn transposed(a: &DMatrix<f64>, x: &DVector<f64>, b: &DMatrix<f64>) -> f64 {
    a.tr_mul(x).norm_squared() + a.tr_mul(b)[(0, 1)]
}

#[differentiable]
fn fixed_transposed(a: &Matrix2x3<f64>, x: &Vector2<f64>) -> f64 {
    let y = a.tr_mul(x);
    y[0] * y[2] + y[1]
}

#[differentiable]
fn inverses(a: &Matrix3<f64>, b: &DMatrix<f64>) -> f64 {
    let inverse = a.try_inverse().unwrap();
    let other = b.clone().try_inverse().unwrap();
    (inverse.transpose() * a)[(0, 1)] * a.determinant() + other[(1, 2)] * b.determinant()
}

#[differentiable]
fn perhaps_inverse(a: &Matrix2<f64>) -> f64 {
    match a.try_inverse() {
        Some(inverse) => inverse[(0, 1)],
        None => a[(0, 0)],
    }
}

#[differentiable]
fn iterated(x: &DVector<f64>) -> f64 {
    let mut s = 0.0;
    for v in x.iter() {
        s += v * v * v;
    }
    s + x.iter().map(|v| v.sin()).sum::<f64>()
}

#[differentiable]
fn orbit(p: &Vector3<f64>, v: Vector3<f64>, dt: f64) -> f64 {
    let (mut p, mut v) = (*p, v);
    for _ in 0..4 {
        let acceleration = -p / p.norm().powi(3);
        v += acceleration * dt;
        p += v * dt;
    }
    0.5 * v.norm_squared() + p.x * p.y
}

#[differentiable]
fn single(x: &DVector<f32>) -> f32 {
    let y = x.map(|v| v * v);
    y.component_mul(x).normalize().dot(&y)
}

table! {
    new: (0.7, 0.3, -0.4);
    long_vectors: (0.7, 0.3);
    matrix3: (&NUMBERS);
    of_lists: (&NUMBERS);
    fixed_of_slices: (&NUMBERS);
    of_numbers: (0.7);
    diagonals: (&vector(), &Vector3::new(0.3, -0.7, 1.1));
    of_functions: (&NUMBERS, 0.7);
    layers: (&matrix(), &DVector::from_vec(vec![0.4, -0.2]), &vector(), 0.7);
    products: (&vector(), &vector().map(f64::exp), 0.7);
    area: (&Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4), &Vector3::new(-0.5, 0.7, 0.1));
    rows_and_columns: (&matrix());
    fixed_rows: (&fixed());
    parts: (&square(), &vector());
    numbers: (&square());
    transposed: (&square(), &vector(), &square().map(f64::cos));
    fixed_transposed: (&Matrix2x3::new(0.5, -1.25, 0.75, 1.5, 0.25, -0.5), &Vector2::new(0.4, 0.6));
    inverses: (&fixed(), &square());
    perhaps_inverse: (&Matrix2::new(0.5, -1.25, 0.75, 1.5));
    iterated: (&vector());
    orbit: (&Vector3::new(1.0, 0.3, 0.2), Vector3::new(0.0, 1.0, 0.1), 0.1);
    single: (&vector().map(|v| v as f32));
}
map_table! {
    of_slices: (&NUMBERS);
    direction: (vector());
}

#[test]
fn empty_and_singular() {
    let (empty, none) = (DMatrix::<f64>::zeros(0, 0), DVector::<f64>::zeros(0));
    check!(rows_and_columns(&empty.clone()));
    check!(products(&none.clone(), &none.clone(), 0.7));
    assert_eq!(
        perhaps_inverse::gradient(&Matrix2::zeros()),
        Matrix2::new(1.0, 0.0, 0.0, 0.0)
    );
}

#[test]
#[should_panic(expected = "a matrix with 6 elements by 5 numbers")]
fn lengths_are_checked() {
    fixed_of_slices_of_five::gradient(&[1.0; 5]);
}

#[differentiable]
fn fixed_of_slices_of_five(x: &[f64]) -> f64 {
    Matrix2x3::from_row_slice(x)[(0, 0)]
}

// ---- Factorisations. ------------------------------------------------------------------------------------------------

#[differentiable]
fn by_lu(a: &DMatrix<f64>, b: &DVector<f64>, c: &DMatrix<f64>) -> f64 {
    let lu = a.clone().lu();
    let x = lu.solve(b).unwrap();
    let y = lu.solve(c).unwrap();
    let inverse = lu.try_inverse().unwrap();
    x.norm_squared() + y[(1, 0)] * inverse[(0, 1)] + lu.determinant()
}

#[differentiable]
fn by_cholesky(a: &DMatrix<f64>, b: &DVector<f64>) -> f64 {
    let factor = a.clone().cholesky().unwrap();
    let x = factor.solve(b);
    let inverse = factor.inverse();
    let l = factor.l();
    b.dot(&x) + inverse[(0, 1)] * l[(2, 0)] + factor.ln_determinant() * factor.determinant()
}

#[differentiable]
fn fixed_factors(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    let whole = a * a.transpose();
    let Some(factor) = whole.cholesky() else {
        return 0.0;
    };
    let x = factor.solve(b);
    let y = a.lu().solve(b).unwrap();
    x.dot(&y) + factor.l()[(1, 0)] + factor.inverse()[(0, 2)] + factor.determinant()
}

#[differentiable]
fn log_likelihood(x: &[f64], width: f64, #[constant] y: &DVector<f64>) -> f64 {
    let n = x.len();
    let k = DMatrix::<f64>::from_fn(n, n, |i, j| {
        let d = (x[i] - x[j]) / width;
        let noise = if i == j { 0.1 } else { 0.0 };
        (-0.5 * d * d).exp() + noise
    });
    match k.cholesky() {
        Some(factor) => -0.5 * (y.dot(&factor.solve(y)) + factor.ln_determinant()),
        None => f64::NEG_INFINITY,
    }
}

fn definite() -> DMatrix<f64> {
    let a = square();
    let mut whole = a.transpose() * &a;
    whole.fill_upper_triangle(7.0, 1);
    whole
}

#[test]
fn factorisations() {
    check!(by_lu(&square(), &vector(), &matrix().transpose()));
    check!(by_cholesky(&definite(), &vector()));
    check!(fixed_factors(&fixed(), &Vector3::new(0.3, -0.7, 1.1)));
    check!(log_likelihood(&[0.0, 0.4, 1.1, 1.7], 0.8, const &DVector::from_vec(vec![0.3, -0.7, 1.1, 0.2])));
    let (a_bar, b_bar) = fixed_factors::gradient(&Matrix3::zeros(), &Vector3::zeros());
    assert_eq!((a_bar, b_bar), (Matrix3::zeros(), Vector3::zeros()));
}

/// Long enough for the library to add in another order than one by one.
#[test]
fn long_vectors_have_the_same_values() {
    let long = DVector::from_fn(23, |i, _| (i as f64 + 0.3).sin());
    check!(products(&long.clone(), &long.map(f64::exp), 0.7));
    check!(mean_and_direction(&long.clone()));
}

#[differentiable]
fn mean_and_direction(x: &DVector<f64>) -> f64 {
    x.mean() + x.normalize()[3] + DVector::from_element(3, x[0]).sum()
}

#[differentiable]
fn sums_of_vectors(x: &[f64]) -> f64 {
    let v: Vec<Vector3<f64>> = x.iter().map(|x| Vector3::new(*x, x * x, x.sin())).collect();
    let sum: Vector3<f64> = v.iter().sum();
    let twice = v.iter().map(|v| v * 2.0).sum::<Vector3<f64>>();
    sum.dot(&twice)
}

#[test]
fn sums() {
    check!(sums_of_vectors(&[0.3, 0.7, 1.1]));
    check!(sums_of_vectors(&[]));
}

#[differentiable]
fn mapped_to_itself(v: &Vector3<f64>) -> f64 {
    let mut d = v * 2.0;
    d = d.map(|x| x * x);
    for _ in 0..2 {
        d = d.map(f64::sin);
    }
    d.sum()
}

#[differentiable]
fn mapped_in_a_circle(v: &Vector3<f64>) -> f64 {
    let mut d = v * 2.0;
    let mut e = v * 3.0;
    for _ in 0..2 {
        let t = d.map(|x| x * x);
        d = e.map(|x| x + 1.0);
        e = t;
    }
    v.dot(&e) + d.sum()
}

/// Nothing but the operator says that it is no `Option`.
#[differentiable]
fn gated(h: &[DVector<f64>], n: usize) -> f64 {
    let gate = (&h[n] * 2.0).map(|v| v.tanh());
    let twice = gate.map(|v| v * v).map(|v| v + 1.0);
    h[n].component_mul(&gate).dot(&twice)
}

#[test]
fn results_of_maps() {
    let v = Vector3::new(0.3, -0.7, 1.1);
    check!(mapped_to_itself(&v));
    check!(mapped_in_a_circle(&v));
    check!(gated(&[vector(), vector() * 0.5], const 1));
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Noise {
    measured: Vector2<f64>,
}

#[differentiable]
fn mapped_field(x: f64, y: f64) -> f64 {
    let noise = Noise {
        measured: Vector2::new(x, y),
    };
    let r = Matrix2::from_diagonal(&noise.measured.map(|s| s * s + y));
    r.determinant()
}

#[test]
fn a_field_is_no_option() {
    check!(mapped_field(0.7, -1.3));
}

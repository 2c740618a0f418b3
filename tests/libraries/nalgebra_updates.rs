//! Methods that write to matrices, makers, and macros.

use crate::check::{map_table, table};
use chainrule::prelude::*;
use nalgebra::*;

#[differentiable]
fn set_column(x: &DVector<f64>, y: &DVector<f64>) -> f64 {
    let mut a = DMatrix::zeros(3, 2);
    a.set_column(0, x);
    a.set_column(1, y);
    a.tr_mul(&a).determinant()
}

#[differentiable]
fn operators(a: &DVector<f64>, b: &DVector<f64>, k: f64) -> f64 {
    let c = 2.0 * a - b * k + (-a) / 3.0;
    let mut d = &c + a;
    d += b;
    d -= &c;
    d *= k;
    d /= 2.0;
    (d + c).norm()
}

#[differentiable]
fn axpy(a: &DVector<f64>, b: &DVector<f64>, k: f64) -> f64 {
    let mut y = a.clone();
    y.axpy(k, b, 1.0);
    y.norm()
}

#[differentiable]
fn gemv_gemm(a: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let mut y = DVector::zeros(2);
    y.gemv(1.5, a, x, 0.0);
    let mut c = DMatrix::zeros(2, 2);
    c.gemm(1.0, a, &a.transpose(), 0.0);
    y.norm() + c[(0, 1)]
}

#[differentiable]
fn apply(v: &DVector<f64>, k: f64) -> f64 {
    let mut w = v.clone();
    w.apply(|x| *x = (k * *x).sin());
    w.norm_squared()
}

#[differentiable]
fn from_columns(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let c = a.cross(b);
    let m = Matrix3::from_columns(&[*a, *b, c]);
    (m * a).norm_squared()
}

#[differentiable]
fn from_rows(a: Vector3<f64>, b: Vector3<f64>) -> f64 {
    let m = Matrix2x3::from_rows(&[a.transpose(), b.transpose()]);
    (m * m.transpose()).determinant()
}

#[differentiable]
fn from_vec_iter(x: &[f64]) -> f64 {
    let v = DVector::from_vec(x.to_vec());
    let w = DVector::from_iterator(x.len(), x.iter().map(|v| v * v));
    v.dot(&w)
}

#[differentiable]
fn from_fn_kernel(x: &[f64], ell: f64) -> f64 {
    let n = x.len();
    let k = DMatrix::from_fn(n, n, |i, j| {
        (-0.5 * (x[i] - x[j]).powi(2) / (ell * ell)).exp()
    });
    k.sum()
}

#[differentiable]
fn identity_scaled(k: f64, x: &Vector3<f64>) -> f64 {
    let a = Matrix3::identity() * k + x * x.transpose();
    (a * x).sum()
}

#[differentiable]
fn macro_vector(x: f64, y: f64) -> f64 {
    let v = vector![x, y, x * y];
    let m = matrix![x, 1.0, 0.0; 0.0, y, 2.0; 1.0, x, y];
    (m * v).norm_squared()
}

#[differentiable]
fn macro_dvector(x: f64, y: f64) -> f64 {
    let v = dvector![x, y, x * y];
    let m = dmatrix![x, 1.0, 0.0; 0.0, y, 2.0];
    (m * v).norm()
}

#[differentiable]
fn component_fields_write(v: &Vector3<f64>) -> f64 {
    let mut w = Vector3::zeros();
    w.x = v.y * v.z;
    w.y = v.x.sin();
    w.z += v.x * w.y;
    w.dot(v)
}

#[differentiable]
fn zeros_fill_loop(x: &[f64]) -> f64 {
    let n = x.len();
    let mut a = DMatrix::<f64>::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            a[(i, j)] = x[i] * x[j].sin();
        }
    }
    a.norm()
}

#[differentiable]
fn assign_index_vec(x: &Vector3<f64>, u: f64) -> f64 {
    let mut y = *x;
    y[0] += u * y[1];
    y[2] = y[0] * y[1];
    let z: Vector3<f64> = y * 2.0;
    z.norm()
}

#[differentiable]
fn from_diagonal(d: &Vector3<f64>, x: &Vector3<f64>) -> f64 {
    let m = Matrix3::from_diagonal(d);
    (x.transpose() * m * x)[(0, 0)]
}

#[differentiable]
fn elementwise(x: &DVector<f64>, y: &DVector<f64>, k: f64) -> f64 {
    let mut z = x.clone();
    z.component_mul_assign(y);
    z.scale_mut(k);
    z.add_scalar_mut(k * k);
    z.component_div_assign(y);
    z.unscale_mut(1.0 + k);
    let mut w = y.clone();
    w.fill(z[0]);
    w.zip_apply(x, |w, x| *w += x * x * k);
    w.axpy(0.5, &z, k);
    w.norm_squared() + z.sum()
}

/// A parameter is written.
#[differentiable]
fn written(y: &mut DVector<f64>, x: &DVector<f64>, a: &DMatrix<f64>, k: f64) -> f64 {
    let before = y.norm_squared();
    y.gemv(k, a, x, k * k);
    y.axpy(k, x, 1.0);
    before * y.sum()
}

/// A coefficient of zero has a derivative.
#[differentiable]
fn zero_coefficient(y: &DVector<f64>, a: &DMatrix<f64>, x: &DVector<f64>, k: f64) -> f64 {
    let mut z = y.clone();
    z.gemv(1.0, a, x, k);
    let mut w = y.clone();
    w.axpy(2.0, x, k);
    z.norm_squared() + w.dot(x)
}

#[differentiable]
fn rows_set(a: &Matrix3<f64>, x: &Vector3<f64>) -> Matrix3<f64> {
    let mut m = *a;
    m.set_row(1, &x.transpose());
    m.set_column(0, &(m * x));
    m
}

#[differentiable]
fn products_of_all_sizes(a: &DMatrix<f64>, x: &Vector2<f64>, r: &RowVector2<f64>) -> f64 {
    let tall = a * x;
    let wide = r * a.transpose();
    let both = wide * tall;
    let fixed = x * r;
    both[(0, 0)] + (a * fixed).norm() + (x.transpose() * (a.transpose() * a) * x)[(0, 0)]
}

/// Sizes of which only rustc knows that they are constants.
#[differentiable]
fn unknown_sizes(x: &DVector<f64>) -> f64 {
    let y = x * 2.0;
    let n = y.len();
    let mut m = DMatrix::identity(n, n) * y[0];
    m += DMatrix::from_fn(n, n, |i, j| y[i] * y[j]);
    m.norm() + (DVector::zeros(n) + y).sum()
}

#[differentiable]
fn nested(x: f64, y: f64) -> f64 {
    let v = nalgebra::vector![x, y];
    let p = point![x * y, 1.0, y];
    let q = vector![v[0] * 2.0, v.norm(), p.x];
    q.dot(&p.coords)
}

table! {
    set_column: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), &DVector::from_vec(vec![1.3, -0.4, 0.2]));
    operators: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), &DVector::from_vec(vec![1.3, -0.4, 0.2]), 0.7);
    axpy: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), &DVector::from_vec(vec![1.3, -0.4, 0.2]), 0.7);
    gemv_gemm: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &DVector::from_vec(vec![0.3, 0.4, 1.0]));
    apply: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), 0.7);
    from_columns: (&Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4));
    from_rows: (Vector3::new(0.3, -0.7, 1.1), Vector3::new(1.0, 0.2, 0.4));
    from_vec_iter: (&[0.5, -1.25, 0.75]);
    from_fn_kernel: (&[0.5, -1.25, 0.75], 0.7);
    identity_scaled: (0.7, &Vector3::new(0.3, -0.7, 1.1));
    macro_vector: (0.3, -0.7);
    macro_dvector: (0.3, -0.7);
    component_fields_write: (&Vector3::new(0.3, -0.7, 1.1));
    zeros_fill_loop: (&[0.5, -1.25, 0.75]);
    assign_index_vec: (&Vector3::new(0.3, -0.7, 1.1), 0.4);
    from_diagonal: (&Vector3::new(0.3, 0.7, 1.1), &Vector3::new(0.3, -0.7, 1.1));
    elementwise: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), &DVector::from_vec(vec![1.3, -0.4, 0.2]), 0.7);
    written: (&mut DVector::from_vec(vec![0.3, 0.4]), &DVector::from_vec(vec![1.3, -0.4]), &DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]), 0.7);
    zero_coefficient: (&DVector::from_vec(vec![0.3, 0.4]), &DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]), &DVector::from_vec(vec![1.3, -0.4]), 0.0);
    products_of_all_sizes: (&DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &Vector2::new(0.3, -0.7), &RowVector2::new(0.4, 1.1));
    unknown_sizes: (&DVector::from_vec(vec![0.3, 0.4, 1.0]));
    nested: (0.3, -0.7);
}

map_table! {
    rows_set: (&Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2), &Vector3::new(1.0, 0.2, 0.4));
}

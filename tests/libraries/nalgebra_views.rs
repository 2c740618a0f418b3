//! Rows, columns and blocks of matrices: read and written, of constants, of any size and of fixed sizes.

use crate::check::{check, table};
use chainrule::prelude::*;
use nalgebra::*;

#[differentiable]
fn row_column(a: &Matrix3<f64>) -> f64 {
    a.row(0).dot(&a.row(1)) + a.column(2).norm()
}

#[differentiable]
fn column_dot_vector(a: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let mut s = 0.0;
    for j in 0..a.ncols() {
        s += a.column(j).dot(x).powi(2);
    }
    s
}

#[differentiable]
fn row_times_vector(a: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..a.nrows() {
        s += (a.row(i) * x)[0].tanh();
    }
    s
}

#[differentiable]
fn const_rows(w: &DVector<f64>, #[constant] x: &DMatrix<f64>, #[constant] y: &DVector<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.nrows() {
        let z = x.row(i).transpose().dot(w);
        s += (z - y[i]).powi(2);
    }
    s / x.nrows() as f64
}

#[differentiable]
fn fixed_rows_view(x: &SVector<f64, 6>) -> f64 {
    let p = x.fixed_rows::<3>(0);
    let v = x.fixed_rows::<3>(3);
    p.dot(&v) + p.cross(&v).norm()
}

#[differentiable]
fn fixed_view_mat(t: &Matrix4<f64>, p: &Vector3<f64>) -> f64 {
    let r = t.fixed_view::<3, 3>(0, 0);
    let d = t.fixed_view::<3, 1>(0, 3);
    (r * p + d).norm()
}

#[differentiable]
fn fixed_view_owned(t: &Matrix4<f64>) -> f64 {
    let r: Matrix3<f64> = t.fixed_view::<3, 3>(0, 0).into_owned();
    r.determinant()
}

#[differentiable]
fn fixed_view_mut_copy(r: &Matrix3<f64>, t: &Vector3<f64>) -> f64 {
    let mut m = Matrix4::identity();
    m.fixed_view_mut::<3, 3>(0, 0).copy_from(r);
    m.fixed_view_mut::<3, 1>(0, 3).copy_from(t);
    (m * m)[(0, 3)] + m.norm()
}

#[differentiable]
fn column_mut_write(a: &DMatrix<f64>, k: f64) -> f64 {
    let mut b = a.clone();
    for j in 0..b.ncols() {
        let n = b.column(j).norm();
        let mut c = b.column_mut(j);
        c /= n;
    }
    (b.sum() * k).sin()
}

#[differentiable]
fn rows_mut_state(x: &DVector<f64>, dt: f64) -> f64 {
    let n = x.len() / 2;
    let mut d = DVector::zeros(2 * n);
    d.rows_mut(0, n).copy_from(&x.rows(n, n));
    let a = -x.rows(0, n);
    d.rows_mut(n, n).copy_from(&a);
    (x + d * dt).norm()
}

#[differentiable]
fn row_iter(a: &DMatrix<f64>) -> f64 {
    let mut s = 0.0;
    for r in a.row_iter() {
        s += r.norm();
    }
    s
}

#[differentiable]
fn column_iter_map(a: &DMatrix<f64>) -> f64 {
    a.column_iter().map(|c| c.norm_squared() * c[0]).sum()
}

/// Each row and column of a constant matrix is used several times, by constant code as well.
#[differentiable]
fn lines_of_constant(w: &DVector<f64>, #[constant] a: &DMatrix<f64>) -> f64 {
    let mut s = a.column_iter().map(|c| c.dot(w).exp()).sum::<f64>();
    for (i, r) in a.row_iter().enumerate() {
        let scale = (r * a)[i] + (r * r.transpose())[0];
        s += (r * w)[0] * scale + (r * w)[0].sin() * w[i];
    }
    for r in a.row_iter() {
        for c in a.column_iter() {
            s += (c - w).norm() * (r * c)[0] + (r * w)[0] * c.dot(w);
        }
    }
    let (r, c) = (a.row(0), a.column(1));
    let (left, right) = (r * c, r * a);
    s + (r * w)[0] * left[0] + (right * w)[0]
}

/// A matrix whose rows are no views.
struct Sparse(Vec<Vec<(usize, f64)>>);

impl Sparse {
    fn row_iter(&self) -> std::slice::Iter<'_, Vec<(usize, f64)>> {
        self.0.iter()
    }
}

#[differentiable]
fn own_rows(w: &DVector<f64>, #[constant] a: &Sparse) -> f64 {
    let mut s = 0.0;
    for r in a.row_iter() {
        s += w[r[0].0] * r[0].1;
    }
    s
}

#[differentiable]
fn dyn_views(a: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let tl = a.view((0, 0), (2, 2));
    let h = x.rows(0, 2);
    (tl * h).norm() + a.columns(1, 2).sum() + a.rows(0, 1).norm()
}

#[differentiable]
fn const_view_operand(w: &DVector<f64>, a: &DMatrix<f64>, #[constant] x: &DMatrix<f64>) -> f64 {
    let mut s = 0.0;
    for j in 0..x.ncols() {
        s += w.dot(&x.column(j)).tanh();
        s += (a * x.column(j)).norm();
        s += (w - x.column(j)).norm_squared();
    }
    s
}

#[differentiable]
fn let_view_const(
    w: &DVector<f64>,
    #[constant] x: &DMatrix<f64>,
    #[constant] y: &DVector<f64>,
) -> f64 {
    let mut s = 0.0;
    for i in 0..x.nrows() {
        let xi = x.row(i);
        let z = (xi * w)[(0, 0)];
        let p = 1.0 / (1.0 + (-z).exp());
        s -= y[i] * p.ln() + (1.0 - y[i]) * (1.0 - p).ln();
    }
    s
}

#[differentiable]
fn column_iter_mut_norm(a: &DMatrix<f64>) -> f64 {
    let mut b = a.clone();
    for (j, mut c) in b.column_iter_mut().enumerate() {
        let n = c.norm();
        c /= n;
        c *= (j + 1) as f64;
    }
    b.sum().sin()
}

#[differentiable]
fn normalize_rows(a: &mut DMatrix<f64>) {
    for i in 0..a.nrows() {
        let n = a.row(i).norm();
        let mut r = a.row_mut(i);
        r /= n;
    }
}
#[differentiable]
fn mut_param(a: &DMatrix<f64>) -> f64 {
    let mut b = a.clone();
    normalize_rows(&mut b);
    b.sum().sin() * b[(0, 1)]
}

#[differentiable]
fn homogeneous(m: &Matrix4<f64>, p: &Vector3<f64>) -> f64 {
    let h = m * p.push(1.0);
    let q = h.xyz() / h.w;
    q.norm() + q.xy().dot(&p.xy())
}

/// All views that are written, in turn.
#[differentiable]
fn all_written(a: &Matrix4<f64>, x: &Vector4<f64>, k: f64) -> f64 {
    let mut m = *a;
    m.row_mut(1).copy_from(&(x.transpose() * k));
    m.column_mut(2).axpy(k, x, 2.0);
    m.fixed_rows_mut::<2>(0).scale_mut(k);
    m.fixed_columns_mut::<2>(1).fill(k * k);
    let mut block = m.fixed_view_mut::<2, 2>(1, 1);
    block[(0, 1)] = x[0] * x[1];
    block += Matrix2::identity() * k;
    let mut part = m.view_mut((2, 0), (2, 3));
    part *= x[2];
    m.norm() * m[(1, 2)] + m.columns(1, 2).sum().sin()
}

/// A loop writes views, and the matrix is read between.
#[differentiable]
fn in_a_loop(a: &DMatrix<f64>, n: usize) -> f64 {
    let mut m = a.clone();
    let mut sum = 0.0;
    for k in 0..n {
        let scale = m.row(k % 2).norm();
        let mut row = m.row_mut((k + 1) % 2);
        row /= scale;
        sum += m.column(0).sum() * m[(0, 1)];
    }
    sum + m.norm()
}

/// A view of a local that was only made of constants.
#[differentiable]
fn of_zeros(x: &DVector<f64>) -> f64 {
    let n = x.len();
    let mut m = DMatrix::zeros(n, n);
    for j in 0..n {
        m.column_mut(j).copy_from(&(x * x[j]));
    }
    (m * x).norm()
}

#[differentiable]
fn single(a: &Matrix3<f32>, x: &Vector3<f32>) -> f32 {
    let mut m = *a;
    m.set_column(1, x);
    m.row_mut(0).fill(x[0]);
    (m.column(1).dot(x) + m.row(0).sum()) * m[(0, 1)]
}

table! {
    row_column: (&Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2));
    column_dot_vector: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &DVector::from_vec(vec![0.3, 0.4]));
    row_times_vector: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &DVector::from_vec(vec![0.3, 0.4, 1.0]));
    const_rows: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), const &DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), const &DVector::from_vec(vec![0.3, 0.4]));
    fixed_rows_view: (&SVector::<f64, 6>::from_row_slice(&[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    fixed_view_mat: (&Matrix4::from_fn(|i, j| ((i * 4 + j) as f64).sin()), &Vector3::new(0.3, -0.7, 1.1));
    fixed_view_owned: (&Matrix4::from_fn(|i, j| ((i * 4 + j) as f64).sin()));
    fixed_view_mut_copy: (&Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2), &Vector3::new(0.3, -0.7, 1.1));
    column_mut_write: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), 0.7);
    rows_mut_state: (&DVector::from_vec(vec![0.3, 0.4, 1.0, -0.3]), 0.1);
    row_iter: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    column_iter_map: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    lines_of_constant: (&DVector::from_vec(vec![0.3, 0.4]), const &DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]));
    own_rows: (&DVector::from_vec(vec![0.3, 0.4]), const &Sparse(vec![vec![(1, 0.5)], vec![(0, -1.5)]]));
    dyn_views: (&DMatrix::from_row_slice(3, 3, &[1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2]), &DVector::from_vec(vec![0.3, 0.4, 1.0]));
    const_view_operand: (&DVector::from_vec(vec![0.3, 0.4]), &DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]), const &DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    let_view_const: (&DVector::from_vec(vec![0.3, 0.4]), const &DMatrix::from_row_slice(3, 2, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), const &DVector::from_vec(vec![0.0, 1.0, 1.0]));
    column_iter_mut_norm: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    mut_param: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    homogeneous: (&Matrix4::from_fn(|i, j| ((i * 4 + j) as f64).sin() + 1.5), &Vector3::new(0.3, -0.7, 1.1));
    all_written: (&Matrix4::from_fn(|i, j| ((i * 4 + j) as f64).sin()), &Vector4::new(0.3, -0.7, 1.1, 0.4), 0.7);
    in_a_loop: for n in 0..4, (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), const n);
    of_zeros: (&DVector::from_vec(vec![0.3, 0.4, 1.0]));
    single: (&Matrix3::new(1.5, -0.25, 0.75, 0.5, 2.25, -0.5, 0.3, 0.1, 1.2), &Vector3::new(1.0, 0.2, 0.4));
}

#[test]
fn nothing() {
    check!(row_iter(&DMatrix::<f64>::zeros(0, 3)));
    check!(column_iter_map(&DMatrix::<f64>::zeros(3, 0)));
}

#[test]
#[should_panic(expected = "out of bounds")]
fn bounds_are_checked() {
    dyn_views::gradient(&DMatrix::zeros(1, 3), &DVector::zeros(3));
}

//! Statistics, distances, angles, and chains over matrices.

use crate::check::table;
use chainrule::prelude::*;
use nalgebra::*;

#[differentiable]
fn stats(v: &DVector<f64>) -> f64 {
    v.mean() + v.variance() * v.abs().sum() + v.amax() + v.min()
}

#[differentiable]
fn row_sum(a: &DMatrix<f64>) -> f64 {
    a.row_sum().norm_squared() + a.column_sum().norm() + a.row_mean()[1]
}

#[differentiable]
fn fill_lerp(a: &Vector3<f64>, b: &Vector3<f64>, t: f64) -> f64 {
    let mut c = a.lerp(b, t);
    let d = (a - b).normalize();
    c.x += t;
    c.y = d.x;
    c.norm() * a.metric_distance(b)
}

#[differentiable]
fn kronecker(a: &Matrix2<f64>, b: &Matrix2<f64>) -> f64 {
    let k = a.kronecker(b);
    k.trace() + k[(0, 3)] * a.tr_dot(b)
}

#[differentiable]
fn angle_dist(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.angle(b) + (a.dot(b) / (a.norm() * b.norm())).acos() + a.magnitude() * b.magnitude_squared()
}

#[differentiable]
fn component(v: &DVector<f64>, w: &DVector<f64>) -> f64 {
    v.component_mul(w).component_div(&v.add_scalar(2.0)).sum()
}

#[differentiable]
fn fold(v: &DVector<f64>) -> f64 {
    v.fold(0.0, |acc, x| acc + x * x * x)
}

#[differentiable]
fn local_map_sum(w: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let h = w * x;
    let s: f64 = h.map(|v| v.tanh()).sum();
    s + x.map(|v| v * v).norm()
}

#[differentiable]
fn param_map_sum(x: &DVector<f64>, y: &Vector3<f64>) -> f64 {
    x.map(|v| v.tanh()).sum() + y.map(|v| v * v).max() + x.map(f64::sin).mean()
}

#[differentiable]
fn iter_zip(v: &Vector3<f64>, w: &Vector3<f64>) -> f64 {
    v.iter()
        .zip(w.iter())
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[differentiable]
fn iter_mut(v: &DVector<f64>) -> f64 {
    let mut w = v.clone();
    for x in w.iter_mut() {
        *x = x.sin() * *x;
    }
    w.norm()
}

#[differentiable]
fn softmax_map(v: &DVector<f64>) -> f64 {
    let m = v.max();
    let e = v.map(|x| (x - m).exp());
    let s = e.sum();
    let p = e / s;
    p[0].ln()
}

#[differentiable]
fn quadratic_form(x: &DVector<f64>, a: &DMatrix<f64>) -> f64 {
    (x.transpose() * a * x)[(0, 0)]
}

#[differentiable]
fn outer_product(u: &DVector<f64>, v: &DVector<f64>) -> f64 {
    let m = u * v.transpose();
    (m.transpose() * u).norm() + m[(0, 1)]
}

#[differentiable]
fn means(a: &Matrix2x3<f64>) -> f64 {
    a.row_mean().norm_squared()
        + a.column_mean()[1] * a.row_sum_tr()[2]
        + a.column_sum().norm()
        + a.product() * a.amin()
}

#[differentiable]
fn rectangles(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let k = a.kronecker(b);
    k[(1, 2)] * k[(3, 5)] + k.norm() + a.tr_dot(&b.transpose())
}

table! {
    stats: (&DVector::from_vec(vec![0.3, -0.4, 1.0]));
    row_sum: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]));
    fill_lerp: (&Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4), 0.3);
    kronecker: (&Matrix2::new(0.5, -1.25, 0.75, 1.5), &Matrix2::new(0.25, -0.5, 1.0, 0.3));
    angle_dist: (&Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4));
    component: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), &DVector::from_vec(vec![1.3, -0.4, 0.2]));
    fold: (&DVector::from_vec(vec![0.3, 0.4, 1.0]));
    local_map_sum: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &DVector::from_vec(vec![0.3, 0.4, 1.0]));
    param_map_sum: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), &Vector3::new(0.3, -0.7, 1.1));
    iter_zip: (&Vector3::new(0.3, -0.7, 1.1), &Vector3::new(1.0, 0.2, 0.4));
    iter_mut: (&DVector::from_vec(vec![0.3, 0.4, 1.0]));
    softmax_map: (&DVector::from_vec(vec![0.3, 0.4, 1.0]));
    quadratic_form: (&DVector::from_vec(vec![0.3, 0.4]), &DMatrix::from_row_slice(2, 2, &[0.5, -1.25, 0.75, 1.5]));
    outer_product: (&DVector::from_vec(vec![0.3, 0.4, 1.0]), &DVector::from_vec(vec![1.3, -0.4, 0.2]));
    means: (&Matrix2x3::new(0.5, -1.25, 0.75, 1.5, 0.25, -0.5));
    rectangles: (&DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5]), &DMatrix::from_row_slice(2, 3, &[0.5, -1.2, 0.7, 1.1, 0.2, -0.4]));
}

#[differentiable]
fn between(x: &Vector3<f64>, z: &Vector3<f64>) -> f64 {
    x.metric_distance(z) + x.angle(z)
}

/// Where vectors coincide or vanish, distance and angle have no derivative, and it counts as zero.
#[test]
fn degenerate_vectors() {
    let (x, zero) = (Vector3::new(0.3, -0.7, 1.1), Vector3::zeros());
    let (x_bar, z_bar) = between::gradient(&x, &x);
    assert!(
        x_bar.norm() < 1e-7 && z_bar.norm() < 1e-7,
        "{x_bar} {z_bar}"
    );
    assert_eq!(between::gradient(&zero, &zero), (zero, zero));
}

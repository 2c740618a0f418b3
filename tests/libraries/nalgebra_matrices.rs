//! Matrices of `nalgebra`: operators, elements, methods, linear systems.

use chainrule::nalgebra::{ln_det_and_solve, solve};
use chainrule::prelude::*;
use nalgebra::{DMatrix, DVector, Matrix2x3, SMatrix, Vector3};

use crate::check::{Flat, check, map_table, table};

macro_rules! flat {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<A: Flat + nalgebra::Scalar, $($generics)*> Flat for $t {
            const ROUNDOFF: f64 = A::ROUNDOFF;

            fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
                for v in self.iter_mut() {
                    v.map(f);
                }
            }
        }
    )*};
}
flat! {
    [] DMatrix<A>;
    [] DVector<A>;
    [] nalgebra::RowDVector<A>;
    [const R: usize, const C: usize] SMatrix<A, R, C>;
}

fn matrix() -> DMatrix<f64> {
    DMatrix::from_row_slice(2, 3, &[0.5, -1.25, 0.75, 1.5, 0.25, -0.5])
}

fn vector() -> DVector<f64> {
    DVector::from_vec(vec![0.3, -0.7, 1.1])
}

/// A matrix that is positive definite, of which the upper triangle is something else.
fn definite(n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |i, j| {
        let distance = i as f64 - j as f64;
        if i == j {
            2.0 + 0.1 * i as f64
        } else if i > j {
            (-distance).exp()
        } else {
            7.0
        }
    })
}

fn general(n: usize) -> DMatrix<f64> {
    DMatrix::from_fn(n, n, |i, j| {
        ((3 * i + 5 * j * j + 1) as f64).sin() + if i == j { 2.0 + n as f64 } else { 0.0 }
    })
}

fn right_side(n: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| (1.0 + i as f64).cos())
}

// ---- Operators, elements, methods. ----------------------------------------------------------------------------------

#[differentiable]
fn quadratic(a: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let y = a * x;
    y.dot(&y) + y.norm() * x.sum()
}

#[differentiable]
fn elements(a: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            s += a[(i, j)] * x[j] * x[i];
        }
    }
    s
}

#[differentiable]
fn operators(a: &DMatrix<f64>, b: &DMatrix<f64>, k: f64) -> DMatrix<f64> {
    let c = a * 2.0 - k * b;
    let mut d = &c + a / k;
    d += &c;
    d *= k;
    -d * c.transpose()
}

#[differentiable]
fn fixed(a: &Matrix2x3<f64>, x: &Vector3<f64>) -> f64 {
    let y = a * x;
    let z = a.transpose() * y;
    z.norm_squared() / x[0] + a[(1, 2)]
}

#[differentiable]
fn owned(x: DVector<f64>) -> DVector<f64> {
    let norm = x.norm();
    x / norm
}

#[differentiable]
fn filled(x: &DVector<f64>, n: usize) -> f64 {
    let mut y = x.clone();
    for k in 0..n {
        y[0] = y[1] * y[2] + k as f64;
        y[2] += y[0] * x[0];
    }
    y.norm_squared()
}

#[differentiable]
fn single(a: &DMatrix<f32>, x: &DVector<f32>) -> f32 {
    let y = a * x;
    y.dot(&y) * 2.0
}

table! {
    quadratic: (&matrix(), &vector());
    elements: (&matrix(), &vector());
    fixed: (&Matrix2x3::new(0.5, -1.25, 0.75, 1.5, 0.25, -0.5), &Vector3::new(0.3, -0.7, 1.1));
    filled: for n in 0..4, (&vector(), const n);
    single: (&matrix().map(|v| v as f32), &vector().map(|v| v as f32));
}
map_table! {
    operators: (&matrix(), &matrix().map(f64::cos), 0.7);
    owned: (vector());
}

#[test]
fn the_norm_of_zeros_has_derivative_zero() {
    assert_eq!(length::gradient(&DVector::zeros(3)), DVector::zeros(3));
    assert_eq!(
        length::hvp(&DVector::zeros(3), &vector()),
        DVector::zeros(3)
    );
}

#[differentiable]
fn length(x: &DVector<f64>) -> f64 {
    x.norm()
}

#[test]
#[should_panic(expected = "the shadow of `a` is 3 by 2, the argument 2 by 3")]
fn shapes_are_checked() {
    quadratic::jvp(&matrix(), &vector(), &DMatrix::zeros(3, 2), &vector());
}

#[test]
#[should_panic(expected = "operators: the cotangent of the result is 3 by 2, the result 2 by 2")]
fn shapes_of_cotangents_are_checked() {
    operators::vjp(&matrix(), &matrix(), 2.0, DMatrix::zeros(3, 2));
}

// ---- Linear systems. ------------------------------------------------------------------------------------------------

#[differentiable]
fn solved(a: &DMatrix<f64>, b: &DVector<f64>) -> f64 {
    let x = solve(a, b).unwrap();
    x.norm_squared() + x[0]
}

/// What a normal distribution's density needs.
#[differentiable]
fn misfit(k: &DMatrix<f64>, y: &DVector<f64>) -> f64 {
    let (ln_det, x) = ln_det_and_solve(k, y).unwrap();
    ln_det + y.dot(&x) * x[0]
}

/// The log marginal likelihood of a Gaussian process.
#[differentiable]
fn gaussian_process(x: &DVector<f64>, y: &DVector<f64>, noise: f64) -> f64 {
    let n = x.len();
    let mut k = DMatrix::<f64>::zeros(3, 3);
    for i in 0..n {
        for j in 0..=i {
            let d = x[i] - x[j];
            k[(i, j)] = (-0.5 * d * d).exp();
        }
        k[(i, i)] += noise;
    }
    match ln_det_and_solve(&k, y) {
        Some((ln_det, z)) => -0.5 * (ln_det + y.dot(&z)),
        None => f64::NEG_INFINITY,
    }
}

#[test]
fn systems_of_all_sizes() {
    for n in [1, 2, 3, 5, 8] {
        check!(solved(&general(n), &right_side(n)));
        check!(misfit(&definite(n), &right_side(n)));
    }
}

#[test]
fn likelihoods() {
    check!(gaussian_process(&vector(), &right_side(3), 0.1));
}

/// d ln det A = tr(A⁻¹ dA), by hand, where differences would be many.
#[test]
fn a_large_system() {
    let (k, y) = (definite(40), right_side(40));
    let whole = nalgebra::Cholesky::new(k.clone()).unwrap().inverse();
    let (k_bar, _) = ln_det::gradient(&k, &y);
    let expected = DMatrix::from_fn(40, 40, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal => whole[(i, i)],
        std::cmp::Ordering::Greater => 2.0 * whole[(i, j)],
        std::cmp::Ordering::Less => 0.0,
    });
    assert!((k_bar - expected).amax() < 1e-14);
}

#[differentiable]
fn ln_det(k: &DMatrix<f64>, y: &DVector<f64>) -> f64 {
    ln_det_and_solve(k, y).unwrap().0
}

#[test]
fn degenerate_systems_have_no_solution() {
    let (zeros, b) = (DMatrix::<f64>::zeros(2, 2), right_side(2));
    assert_eq!(solve(&zeros, &b), None);
    assert!(ln_det_and_solve(&zeros, &b).is_none());
    assert!(ln_det_and_solve(&(zeros.map(|_| f64::NAN)), &b).is_none());
    let (x, x_dot) = solve::jvp(&zeros, &b, &DMatrix::identity(2, 2), &b);
    assert_eq!((x, x_dot), (None, None));
    // The likelihood has a value there, and derivatives that are zero.
    let x = DVector::from_vec(vec![1.0, 1.0, 2.0]);
    let (value, (x_bar, ..)) = gaussian_process::value_and_gradient(&x, &right_side(3), -0.5);
    assert_eq!((value, x_bar), (f64::NEG_INFINITY, DVector::zeros(3)));
}

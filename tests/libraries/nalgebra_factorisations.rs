//! Factorisations and functions of matrices of `nalgebra`, by functions of them that don't depend on a choice of signs.

use chainrule::nalgebra as linear;
use chainrule::prelude::*;
use nalgebra::{DMatrix, DVector};

use crate::check::check;

/// Any matrix, with numbers in every entry.
fn rectangular(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| {
        ((3 * i + 5 * j * j + 2 * i * j + 1) as f64).sin() + 0.3 * f64::from(u8::from(i == j))
    })
}

/// One whose singular values are far from each other and from zero.
fn general(n: usize) -> DMatrix<f64> {
    let strong = DMatrix::from_fn(n, n, |i, j| if i == j { 2.0 + i as f64 } else { 0.0 });
    rectangular(n, n) * 0.2 + strong
}

/// One that is positive definite, of which the upper triangle is something else.
fn definite(n: usize) -> DMatrix<f64> {
    let a = general(n);
    let mut whole = a.transpose() * &a;
    whole.fill_upper_triangle(7.0, 1);
    whole
}

fn right_side(n: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| (1.0 + i as f64).cos())
}

/// Numbers that make a sum of all entries out of a matrix, each of its own weight.
#[differentiable]
fn weighed(a: &DMatrix<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            s += a[(i, j)] * (1.0 + i as f64 - 0.7 * j as f64 + 0.1 * (i * j) as f64);
        }
    }
    s
}

#[differentiable]
fn inverted(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::inverse(a).unwrap())
}

#[differentiable]
fn determinant(a: &DMatrix<f64>) -> f64 {
    let d = linear::determinant(a);
    d * d + d
}

#[differentiable]
fn ln_abs_determinant(a: &DMatrix<f64>) -> Option<f64> {
    let l = linear::ln_abs_determinant(a)?;
    Some(l * l)
}

#[differentiable]
fn log_volume(a: &DMatrix<f64>) -> f64 {
    ln_abs_determinant(a).unwrap_or(0.0)
}

#[differentiable]
fn exponential(a: &DMatrix<f64>, t: f64) -> f64 {
    weighed(&linear::exp(&(a * t)))
}

#[differentiable]
fn cholesky(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::cholesky(a).unwrap())
}

#[differentiable]
fn lu(a: &DMatrix<f64>) -> f64 {
    let (p, l, u) = linear::lu(a).unwrap();
    weighed(&l) + weighed(&u).sin() + weighed(&p)
}

#[differentiable]
fn qr(a: &DMatrix<f64>) -> f64 {
    let (q, r) = linear::qr(a).unwrap();
    weighed(&q) * weighed(&r) + weighed(&r).sin()
}

/// `Σ f(λ) v vᵀ`, which is no matter of the vectors' signs.
#[differentiable]
fn eigen(a: &DMatrix<f64>) -> f64 {
    let (values, v) = linear::symmetric_eigen(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        for i in 0..v.nrows() {
            s += values[k].sin() * v[(i, k)] * v[(0, k)] * (1.0 + i as f64);
        }
    }
    s
}

#[differentiable]
fn spectrum(a: &DMatrix<f64>) -> f64 {
    let values = linear::symmetric_eigenvalues(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += values[k] * values[k] * (k as f64 - 0.5);
    }
    s
}

#[differentiable]
fn singular(a: &DMatrix<f64>) -> f64 {
    let (u, s, v) = linear::svd(a).unwrap();
    let mut sum = 0.0;
    for k in 0..s.len() {
        for i in 0..u.nrows() {
            for j in 0..v.nrows() {
                sum += s[k].cos() * u[(i, k)] * v[(j, k)] * (1.0 + i as f64 - 0.4 * j as f64);
            }
        }
    }
    sum
}

#[differentiable]
fn nuclear_norm(a: &DMatrix<f64>) -> f64 {
    linear::singular_values(a).unwrap().sum()
}

#[differentiable]
fn solved(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    weighed(&linear::solve_matrix(a, b).unwrap())
}

#[differentiable]
fn triangular(a: &DMatrix<f64>, b: &DVector<f64>) -> f64 {
    let x = linear::solve_lower_triangular(a, b).unwrap();
    let y = linear::solve_upper_triangular(a, &x).unwrap();
    x.norm_squared() + y[0]
}

#[differentiable]
fn fitted(a: &DMatrix<f64>, b: &DVector<f64>) -> f64 {
    let x = linear::least_squares(a, b).unwrap();
    x.norm_squared() + x[0]
}

#[test]
fn functions_of_all_sizes() {
    for n in [1, 2, 3, 4] {
        let a = general(n);
        check!(inverted(&a.clone()));
        check!(determinant(&(&a * 0.4)));
        check!(log_volume(&a.clone()));
        check!(exponential(&(&a * 0.2), 0.7));
        check!(solved(&a.clone(), &rectangular(n, 2)));
        check!(triangular(&a.clone(), &right_side(n)));
    }
}

#[test]
fn factorisations_of_all_sizes() {
    for n in [1, 2, 3, 4] {
        check!(cholesky(&definite(n)));
        check!(lu(&general(n)));
        check!(eigen(&(definite(n) * 0.1)));
        check!(spectrum(&(definite(n) * 0.1)));
    }
    // Pivots that are exchanged.
    check!(lu(&rectangular(3, 3)));
}

#[test]
fn factorisations_of_all_shapes() {
    for (rows, columns) in [(1, 1), (2, 2), (3, 2), (4, 3), (5, 1)] {
        let a = rectangular(rows, columns);
        check!(qr(&a.clone()));
        check!(fitted(&a.clone(), &right_side(rows)));
        check!(singular(&a.clone()));
        check!(singular(&a.transpose()));
        check!(nuclear_norm(&a.clone()));
    }
}

/// One direction at n = 40, by extrapolated differences, and the gradient in it.
#[test]
fn large_matrices() {
    let n = 40;
    let direction = rectangular(n, n) * 0.1;
    let towards = |a: &DMatrix<f64>, f: &dyn Fn(&DMatrix<f64>) -> f64| {
        let slope = |h: f64| (f(&(a + &direction * h)) - f(&(a - &direction * h))) / (2.0 * h);
        let h = 1e-3;
        (64.0 * slope(h / 4.0) - 20.0 * slope(h / 2.0) + slope(h)) / 45.0
    };
    let mut errors = Vec::new();
    macro_rules! compare {
        ($($f:ident, $a:expr;)*) => {$(
            let a = $a;
            let expected = towards(&a, &$f);
            let reverse = $f::gradient(&a).dot(&direction);
            let forward = $f::jvp(&a, &direction).1;
            errors.push((stringify!($f), (reverse - expected) / expected, (forward - reverse) / expected));
        )*};
    }
    let a = general(n);
    compare! {
        inverted, a.clone();
        log_volume, a.clone();
        cholesky, definite(n);
        lu, a.clone();
        qr, a.clone();
        spectrum, definite(n);
        eigen, definite(n) * 1e-3;
        nuclear_norm, a.clone();
        singular, a.clone();
    }
    for (name, difference, modes) in errors {
        assert!(difference.abs() < 1e-6, "{name}: {difference:e}");
        assert!(
            modes.abs() < 1e-9,
            "{name}: forward and reverse differ by {modes:e}"
        );
    }
}

/// The matrix of cofactors of a matrix of rank 2, and of one of rank 1, which has none.
#[test]
fn determinants_of_singular_matrices() {
    let rank_2 = DMatrix::from_row_slice(3, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let cofactors =
        DMatrix::from_row_slice(3, 3, &[-3.0, 6.0, -3.0, 6.0, -12.0, 6.0, -3.0, 6.0, -3.0]);
    assert!((linear::determinant::gradient(&rank_2) - cofactors).amax() < 1e-12);
    check!(determinant(&rank_2));
    let rank_1 = DMatrix::from_element(3, 3, 1.0);
    assert!(linear::determinant::gradient(&rank_1).amax() < 1e-14);
    check!(determinant(&rank_1));
}

/// The trace of exp, by its eigenvalues, has derivatives where they are equal. Vectors have none.
#[test]
fn equal_eigenvalues() {
    let a = DMatrix::<f64>::identity(3, 3);
    let (value, gradient) = trace_of_exp::value_and_gradient(&a);
    assert!((value - 3.0 * 1.0_f64.exp()).abs() < 1e-14);
    assert!((gradient - &a * 1.0_f64.exp()).amax() < 1e-14);
    let ones = (
        DVector::from_element(3, 1.0),
        DMatrix::from_element(3, 3, 1.0),
    );
    let (_, pullback) = linear::symmetric_eigen::vjp(&a, Some(ones));
    assert!(pullback.iter().any(|entry| entry.is_nan()));
    // Nor have they where a singular value is zero.
    let ones = DMatrix::from_element(3, 2, 1.0);
    let seed = (
        rectangular(3, 2),
        DVector::from_element(2, 1.0),
        rectangular(2, 2),
    );
    let (_, pullback) = linear::svd::vjp(&ones, Some(seed));
    assert!(pullback.iter().any(|entry| entry.is_nan()));
}

#[differentiable]
fn trace_of_exp(a: &DMatrix<f64>) -> f64 {
    let values = linear::symmetric_eigenvalues(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += values[k].exp();
    }
    s
}

#[test]
fn what_does_not_exist_is_none() {
    let zeros = DMatrix::<f64>::zeros(2, 2);
    let nan = zeros.map(|_| f64::NAN);
    assert!(linear::inverse(&zeros).is_none());
    assert!(linear::ln_abs_determinant(&zeros).is_none());
    assert!(linear::cholesky(&zeros).is_none());
    assert!(linear::lu(&zeros).is_none());
    assert!(linear::qr(&zeros).is_none());
    assert!(linear::qr(&rectangular(2, 3)).is_none());
    assert!(linear::least_squares(&zeros, &right_side(2)).is_none());
    assert!(linear::solve_matrix(&zeros, &zeros).is_none());
    assert!(linear::solve_lower_triangular(&zeros, &right_side(2)).is_none());
    assert!(linear::symmetric_eigen(&nan).is_none());
    assert!(linear::svd(&nan).is_none());
    assert_eq!(log_volume::value_and_gradient(&zeros), (0.0, zeros.clone()));
    assert_eq!(linear::inverse::jvp(&zeros, &zeros), (None, None));
}

#[test]
fn empty_matrices() {
    let empty = DMatrix::<f64>::zeros(0, 0);
    assert_eq!(linear::exp(&empty), empty);
    assert_eq!(
        linear::symmetric_eigenvalues(&empty),
        Some(DVector::zeros(0))
    );
    assert_eq!(linear::singular_values(&empty), Some(DVector::zeros(0)));
    assert_eq!(
        linear::determinant::value_and_gradient(&empty),
        (1.0, empty)
    );
}

#[test]
#[should_panic(expected = "the matrix is 2 by 3")]
fn shapes_are_checked() {
    linear::exp(&rectangular(2, 3));
}

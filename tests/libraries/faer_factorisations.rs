//! Factorisations of `faer`, called by the library's names.

use chainrule::prelude::*;
use faer::linalg::solvers::DenseSolveCore;
use faer::prelude::{Solve, SolveLstsq};
use faer::{Col, Mat, Side};

use super::faer_matrices::{column, distance, rectangular};
use crate::check::check;

/// One whose singular values are far from each other and from zero.
fn general(n: usize) -> Mat<f64> {
    let strong = Mat::from_fn(n, n, |i, j| if i == j { 2.0 + i as f64 } else { 0.0 });
    rectangular(n, n) * 0.2 + strong
}

/// One that is positive definite, of which the other side is something else.
fn definite(n: usize, side: Side) -> Mat<f64> {
    let a = general(n);
    let whole = a.transpose() * &a;
    Mat::from_fn(n, n, |i, j| match side {
        Side::Lower if i < j => 7.0,
        Side::Upper if i > j => 7.0,
        _ => whole[(i, j)],
    })
}

/// Numbers that make a sum of all entries out of a matrix, each of its own weight.
#[differentiable]
fn weighed(a: &Mat<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            s += a[(i, j)] * (1.0 + i as f64 - 0.7 * j as f64 + 0.1 * (i * j) as f64);
        }
    }
    s
}

#[differentiable]
fn by_lu(a: &Mat<f64>, b: &Col<f64>) -> f64 {
    let x = a.partial_piv_lu().solve(b);
    x.squared_norm_l2() + x[0]
}

#[differentiable]
fn by_full_lu(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let lu = a.full_piv_lu();
    let x = lu.solve(b);
    weighed(&lu.solve(&x))
}

#[differentiable]
fn by_qr(a: &Mat<f64>, b: &Col<f64>) -> f64 {
    let qr = a.qr();
    let x = qr.solve(b);
    let y = a.col_piv_qr().solve(&x);
    x.norm_l2() + y.sum() * weighed(&qr.inverse())
}

#[differentiable]
fn misfit(k: &Mat<f64>, y: &Col<f64>) -> f64 {
    match k.llt(Side::Lower) {
        Ok(factor) => {
            let x = factor.solve(y);
            let l = factor.L();
            let mut ln_det = 0.0;
            for i in 0..k.nrows() {
                ln_det += 2.0 * l[(i, i)].ln();
            }
            ln_det + y.transpose() * &x * x[0]
        }
        Err(_) => f64::NEG_INFINITY,
    }
}

#[differentiable]
fn of_upper(k: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let factor = k.llt(Side::Upper).unwrap();
    let inverse = factor.inverse();
    weighed(&factor.solve(b)) + weighed(&inverse) + weighed(&factor.L().cloned()).sin()
}

#[differentiable]
fn inverses(a: &Mat<f64>) -> f64 {
    weighed(&a.partial_piv_lu().inverse()) + weighed(&a.full_piv_lu().inverse()).sin()
}

#[differentiable]
fn factors(a: &Mat<f64>) -> f64 {
    let qr = a.qr();
    let (q, r) = (qr.compute_thin_Q(), qr.thin_R());
    weighed(&q) * weighed(&r.cloned()) + r[(0, 1)].sin()
}

#[differentiable]
fn determinant(a: &Mat<f64>) -> f64 {
    let d = a.determinant();
    d * d + d
}

#[differentiable]
fn fitted(a: &Mat<f64>, b: &Col<f64>) -> f64 {
    let x = a.qr().solve_lstsq(b);
    x.squared_norm_l2() + x[0]
}

#[differentiable]
fn fitted_columns(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    weighed(&a.qr().solve_lstsq(b)).sin()
}

#[differentiable]
fn spectrum(a: &Mat<f64>) -> f64 {
    let values = a.self_adjoint_eigenvalues(Side::Lower).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += values[k] * values[k] * (k as f64 - 0.5);
    }
    s
}

#[differentiable]
fn upper_spectrum(a: &Mat<f64>) -> f64 {
    match a.self_adjoint_eigenvalues(Side::Upper) {
        Ok(values) => values[0].sin() * values[values.len() - 1],
        Err(_) => 0.0,
    }
}

#[differentiable]
fn nuclear_norm(a: &Mat<f64>) -> f64 {
    let values = a.singular_values().unwrap();
    values.iter().sum::<f64>() + values[0] * values[0].sin()
}

/// The solution is discarded where the matrix is singular.
#[differentiable]
fn guarded(a: &Mat<f64>, b: &Col<f64>) -> f64 {
    let x = a.partial_piv_lu().solve(b);
    let inverse = a.partial_piv_lu().inverse();
    if a[(0, 0)] == 0.0 {
        a.sum() * b[0]
    } else {
        x.sum() + inverse.sum()
    }
}

#[test]
fn systems_of_all_sizes() {
    for n in [1, 2, 3, 5] {
        check!(by_lu(&general(n), &column(n)));
        check!(by_full_lu(&general(n), &rectangular(n, 2)));
        check!(by_qr(&general(n), &column(n)));
        check!(misfit(&definite(n, Side::Lower), &column(n)));
        check!(of_upper(&definite(n, Side::Upper), &rectangular(n, 2)));
        check!(inverses(&general(n)));
        check!(fitted(&general(n), &column(n)));
        check!(spectrum(&definite(n, Side::Lower)));
        check!(upper_spectrum(&definite(n, Side::Upper)));
        check!(nuclear_norm(&general(n)));
        check!(determinant(&rectangular(n, n)));
    }
}

#[test]
fn factors_of_rectangular_matrices() {
    check!(fitted(&rectangular(5, 3), &column(5)));
    check!(fitted_columns(&rectangular(4, 2), &rectangular(4, 3)));
    check!(nuclear_norm(&rectangular(4, 2)));
    check!(nuclear_norm(&rectangular(3, 5)));
    check!(factors(&rectangular(2, 2)));
    check!(factors(&rectangular(4, 3)));
}

/// d ln det A = tr(A⁻¹ dA), by hand, where differences would be many.
#[test]
fn a_large_system() {
    let (k, y) = (definite(40, Side::Lower), Col::zeros(40));
    let whole = k.llt(Side::Lower).unwrap().inverse();
    let (value, (k_bar, _)) = misfit::value_and_gradient(&k, &y);
    assert_eq!(value.to_bits(), misfit(&k, &y).to_bits());
    let expected = Mat::from_fn(40, 40, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal => whole[(i, i)],
        std::cmp::Ordering::Greater => 2.0 * whole[(i, j)],
        std::cmp::Ordering::Less => 0.0,
    });
    assert!(distance(&k_bar, &expected) < 1e-13);
}

#[test]
fn singular_matrices() {
    // The determinant has derivatives there.
    let a = Mat::from_fn(3, 3, |i, j| (i + 1) as f64 * (j + 2) as f64);
    check!(determinant(&a));
    let b = Mat::from_fn(3, 3, |i, j| if i == j && i < 2 { 2.0 } else { 0.0 });
    check!(determinant(&b));
    // The likelihood has a value, and derivatives that are zero.
    let (value, (k_bar, y_bar)) = misfit::value_and_gradient(&-general(3), &column(3));
    assert_eq!(value, f64::NEG_INFINITY);
    assert_eq!((k_bar, y_bar), (Mat::zeros(3, 3), Col::zeros(3)));
    // The library divides by the pivot that is zero.
    let (x, (a_bar, _)) = by_lu::value_and_gradient(&Mat::zeros(2, 2), &column(2));
    assert!(
        !x.is_finite() && !a_bar[(0, 0)].is_finite(),
        "{x} {a_bar:?}"
    );
    let b = column(2);
    let (_, (a_bar, b_bar)) = guarded::value_and_gradient(&Mat::zeros(2, 2), &b);
    assert_eq!(a_bar, Mat::full(2, 2, b[0]));
    assert_eq!(b_bar, Col::<f64>::zeros(2));
    check!(guarded(&general(2), &b));
}

#[test]
fn equal_eigenvalues() {
    // A kink of the single values. What turns the vectors has no second derivative.
    let a = Mat::<f64>::identity(2, 2);
    let gradient = spectrum::gradient(&a);
    assert_eq!(gradient[(0, 0)].abs() + gradient[(1, 1)].abs(), 2.0);
    let across = Mat::from_fn(2, 2, |i, j| if i == j { 0.0 } else { 1.0 });
    assert!(spectrum::hvp(&a, &across)[(1, 0)].is_nan());
    let along = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.0 });
    assert!(spectrum::hvp(&a, &along)[(0, 0)].is_finite());
}

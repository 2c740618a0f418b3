//! Functions of singular values of matrices of `nalgebra`, at values that are equal, nearly equal, zero and distinct.

use chainrule::nalgebra as linear;
use chainrule::prelude::*;
use nalgebra::{DMatrix, DVector};

use crate::check::check;
use crate::nalgebra_spectra::assert_near;

/// An orthogonal matrix.
fn reflection(n: usize, k: f64) -> DMatrix<f64> {
    let v = DMatrix::from_fn(n, 1, |i, _| (1.0 + k * i as f64).sin());
    DMatrix::identity(n, n) - &v * v.transpose() * (2.0 / v.norm_squared())
}

/// A matrix with these singular values.
fn with_values(rows: usize, columns: usize, values: &[f64]) -> DMatrix<f64> {
    let mut diagonal = DMatrix::zeros(rows, columns);
    for (k, value) in values.iter().enumerate() {
        diagonal[(k, k)] = *value;
    }
    reflection(rows, 1.0) * diagonal * reflection(columns, 2.0)
}

/// Matrices of all shapes whose rank is full: with singular values that are distinct, equal, and nearly so.
fn of_full_rank() -> Vec<DMatrix<f64>> {
    let mut all = Vec::new();
    for (rows, columns) in [(3, 3), (4, 3), (3, 5)] {
        for values in [
            [3.0, 1.0, 0.5],
            [1.0, 1.0, 1.0],
            [2.0, 2.0, 0.5],
            [2.0, 0.5, 0.5],
        ] {
            all.push(with_values(rows, columns, &values));
        }
        for exponent in -16..0 {
            let gap = 10.0_f64.powi(exponent);
            all.push(with_values(rows, columns, &[2.0, 1.0 + gap, 1.0]));
            all.push(with_values(
                rows,
                columns,
                &[1.0 + 3.0 * gap, 1.0 + gap, 1.0],
            ));
        }
    }
    all
}

fn direction(a: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| {
        ((2 * i + 5 * j + 1) as f64).cos()
    })
}

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

/// Compares values, gradients, forward and second derivatives of two functions.
macro_rules! compare {
    ($f:ident $reference:ident at $a:expr, $tolerance:expr) => {{
        let (a, e) = ($a, direction($a));
        let name = format!("{} at {a}", stringify!($f));
        let difference = ($f(a) - $reference(a)).abs() / $reference(a).abs().max(1.0);
        assert!(difference < $tolerance, "{name}: {difference:e}");
        let (gradient, reference) = ($f::gradient(a), $reference::gradient(a));
        assert_near(
            &format!("gradient of {name}"),
            &gradient,
            &reference,
            $tolerance,
        );
        let (hvp, reference) = ($f::hvp(a, &e), $reference::hvp(a, &e));
        assert_near(&format!("hvp of {name}"), &hvp, &reference, $tolerance);
        let error = ($f::jvp(a, &e).1 - gradient.dot(&e)).abs() / gradient.norm().max(1e-3);
        assert!(error < 1e-13, "jvp of {name}: {error:e}");
    }};
}

// ---- Sums. ----------------------------------------------------------------------------------------------------------

/// The sum of `s⁴ - s²`.
#[differentiable]
fn quartic_sum(a: &DMatrix<f64>) -> f64 {
    let quartic = (
        |s: f64| s.powi(4) - s * s,
        |s: f64| 4.0 * s.powi(3) - 2.0 * s,
        |s: f64| 12.0 * s * s - 2.0,
    );
    linear::singular_value_sum(a, &quartic).unwrap()
}

#[differentiable]
fn quartic_by_values(a: &DMatrix<f64>) -> f64 {
    let values = linear::singular_values(a).unwrap();
    let mut sum = 0.0;
    for k in 0..values.len() {
        let square = values[k] * values[k];
        sum += square * square - square;
    }
    sum
}

#[differentiable]
fn quartic_by_products(a: &DMatrix<f64>) -> f64 {
    let square = a.transpose() * a;
    square.norm_squared() - a.norm_squared()
}

#[differentiable]
fn nuclear_norm(a: &DMatrix<f64>) -> f64 {
    linear::singular_value_sum(a, &(|s| s, |_| 1.0, |_| 0.0)).unwrap()
}

#[differentiable]
fn nuclear_norm_by_values(a: &DMatrix<f64>) -> f64 {
    linear::singular_values(a).unwrap().sum()
}

/// The trace of `(A Aᵀ)^½`, or of `(Aᵀ A)^½`, if that is smaller.
#[differentiable]
fn nuclear_norm_by_root(a: &DMatrix<f64>) -> f64 {
    let square = if a.nrows() < a.ncols() {
        a * a.transpose()
    } else {
        a.transpose() * a
    };
    let root = linear::symmetric_sqrt(&square).unwrap();
    let mut s = 0.0;
    for k in 0..root.nrows() {
        s += root[(k, k)];
    }
    s
}

/// The logarithm of the product of singular values, squared.
#[differentiable]
fn volume_by_values(a: &DMatrix<f64>) -> f64 {
    let values = linear::singular_values(a).unwrap();
    let mut s = 0.0;
    for k in 0..values.len() {
        s += values[k].ln();
    }
    s * s
}

#[differentiable]
fn volume(a: &DMatrix<f64>) -> f64 {
    let square = if a.nrows() < a.ncols() {
        a * a.transpose()
    } else {
        a.transpose() * a
    };
    let s = linear::ln_abs_determinant(&square).unwrap() / 2.0;
    s * s
}

#[test]
fn sums_over_any_singular_values() {
    for a in of_full_rank() {
        compare!(quartic_sum quartic_by_products at &a, 1e-13);
        compare!(nuclear_norm nuclear_norm_by_root at &a, 1e-13);
        compare!(quartic_by_values quartic_by_products at &a, 3e-7);
        compare!(nuclear_norm_by_values nuclear_norm_by_root at &a, 1e-7);
        compare!(volume_by_values volume at &a, 1e-6);
    }
}

/// A function of the squares of the singular values is smooth where they are zero.
#[test]
fn singular_values_of_zero() {
    let is_nan = |m: DMatrix<f64>| m.iter().any(|entry| entry.is_nan());
    for (rows, columns) in [(3, 3), (4, 3), (3, 5), (2, 2), (1, 3)] {
        for values in [
            &[2.0, 1.0, 0.0][..],
            &[1.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0],
            &[1.0, 1e-9, 1e-17],
        ] {
            let values = &values[3 - rows.min(columns)..];
            let a = with_values(rows, columns, values);
            compare!(quartic_sum quartic_by_products at &a, 1e-13);
            check!(quartic_sum(&a.clone()));
        }
    }
    // The others have a kink.
    let exact = DMatrix::from_diagonal(&DVector::from_vec(vec![2.0, 0.0]));
    assert!(is_nan(nuclear_norm::hvp(&exact, &direction(&exact))));
    assert!(is_nan(nuclear_norm::hvp(
        &DMatrix::zeros(3, 2),
        &direction(&DMatrix::zeros(3, 2))
    )));
    let (zero, e) = (
        DMatrix::zeros(3, 1),
        DMatrix::from_row_slice(3, 1, &[0.0, 1.0, 0.0]),
    );
    assert!(is_nan(nuclear_norm::hvp(&zero, &e)));
    // Values alone know nothing of the function at zero.
    let tall = with_values(4, 3, &[2.0, 1.0, 0.0]);
    assert!(is_nan(quartic_by_values::hvp(&tall, &direction(&tall))));
    let twice = with_values(3, 3, &[2.0, 0.0, 0.0]);
    assert!(is_nan(quartic_by_values::hvp(&twice, &direction(&twice))));
    compare!(quartic_by_values quartic_by_products at &with_values(3, 3, &[2.0, 1.0, 0.0]), 1e-12);
}

#[differentiable]
fn largest(a: &DMatrix<f64>) -> f64 {
    linear::singular_values(a).unwrap()[0]
}

#[test]
fn second_derivatives_at_kinks_are_nan() {
    for (rows, columns) in [(3, 3), (4, 3), (3, 5)] {
        for gap in [0.0, 1e-15, 1e-12, 1e-9] {
            let a = with_values(rows, columns, &[1.0 + gap, 1.0, 0.5]);
            assert!(
                largest::hvp(&a, &direction(&a))
                    .iter()
                    .any(|entry| entry.is_nan())
            );
        }
    }
    check!(largest(&with_values(4, 3, &[1.5, 1.0, 0.5])));
}

// ---- The polar factor and the pseudo-inverse. -----------------------------------------------------------------------

#[differentiable]
fn polar(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::polar(a).unwrap())
}

/// `A (Aᵀ A)^-½`, or `(A Aᵀ)^-½ A`.
#[differentiable]
fn polar_by_root(a: &DMatrix<f64>) -> f64 {
    if a.nrows() < a.ncols() {
        let root = linear::symmetric_sqrt(&(a * a.transpose())).unwrap();
        weighed(&(linear::inverse(&root).unwrap() * a))
    } else {
        let root = linear::symmetric_sqrt(&(a.transpose() * a)).unwrap();
        weighed(&(a * linear::inverse(&root).unwrap()))
    }
}

#[differentiable]
fn pseudo_inverse(a: &DMatrix<f64>) -> f64 {
    weighed(&linear::pseudo_inverse(a).unwrap())
}

#[differentiable]
fn pseudo_inverse_by_products(a: &DMatrix<f64>) -> f64 {
    if a.nrows() < a.ncols() {
        weighed(&(a.transpose() * linear::inverse(&(a * a.transpose())).unwrap()))
    } else {
        weighed(&(linear::inverse(&(a.transpose() * a)).unwrap() * a.transpose()))
    }
}

#[test]
fn polar_factors_and_pseudo_inverses() {
    for a in of_full_rank() {
        compare!(polar polar_by_root at &a, 1e-12);
        compare!(pseudo_inverse pseudo_inverse_by_products at &a, 1e-11);
    }
    for (rows, columns) in [(3, 3), (4, 3), (3, 5), (1, 1), (1, 2)] {
        let values = &[2.0, 2.0, 0.5][..rows.min(columns)];
        check!(polar(&with_values(rows, columns, values)));
        check!(pseudo_inverse(&with_values(rows, columns, values)));
    }
    let singular = with_values(4, 3, &[2.0, 1.0, 0.0]);
    assert!(linear::polar(&singular).is_none() && linear::pseudo_inverse(&singular).is_none());
    let (y, y_dot) = linear::polar::jvp(&singular, &singular);
    assert!(y.is_none() && y_dot.is_none());
}

// ---- The vectors. ---------------------------------------------------------------------------------------------------

/// The polar factor, by the vectors.
#[differentiable]
fn polar_by_vectors(a: &DMatrix<f64>) -> f64 {
    let (u, _, v) = linear::svd(a).unwrap();
    weighed(&(u * v.transpose()))
}

#[test]
fn vectors_without_a_derivative_have_nan() {
    for (rows, columns, values) in [
        (3, 3, [1.0, 1.0, 0.5]),
        (4, 3, [2.0, 1.0, 1.0]),
        (3, 5, [2.0, 1.0, 0.0]),
    ] {
        let a = with_values(rows, columns, &values);
        let gradient = polar_by_vectors::gradient(&a);
        assert!(gradient.iter().any(|entry| entry.is_nan()), "{gradient}");
        assert!(polar_by_vectors::jvp(&a, &direction(&a)).1.is_nan());
    }
    // Small values are told apart, and so is a single zero of a square matrix.
    for values in [[1.0, 1e-5, 2e-5], [2.0, 1.0, 0.5]] {
        compare!(polar_by_vectors polar at &with_values(3, 3, &values), 1e-9);
        compare!(polar_by_vectors polar at &with_values(4, 3, &values), 1e-9);
    }
    let (rows, columns) = (
        with_values(3, 3, &[2.0, 1.0, 0.0]),
        with_values(2, 2, &[1.0, 0.0]),
    );
    for a in [rows, columns] {
        assert!(
            polar_by_vectors::gradient(&a)
                .iter()
                .all(|entry| entry.is_finite())
        );
    }
}

/// `nalgebra`'s decomposition of some of these is off by 1e-10.
#[test]
fn decompositions_are_accurate() {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for round in 0..300 {
        let (rows, columns) = (1 + round % 7, 1 + round / 7 % 7);
        let n = rows.min(columns);
        let mut values: Vec<f64> = (0..n).map(|_| 10.0_f64.powf(6.0 * random())).collect();
        if round % 3 == 0 {
            values[0] = values[n - 1];
        }
        let symmetric = with_values(n, n, &values);
        let symmetric = &symmetric * symmetric.transpose();
        let (l, v) = linear::symmetric_eigen(&symmetric).unwrap();
        let error = (&v * DMatrix::from_diagonal(&l) * v.transpose() - &symmetric).amax();
        assert!(
            error < 1e-14 * symmetric.amax(),
            "eigenvalues: {error:e}, {symmetric}"
        );
        for a in [
            with_values(rows, columns, &values),
            DMatrix::from_fn(rows, columns, |_, _| random()),
        ] {
            let (u, s, v) = linear::svd(&a).unwrap();
            let error = (&u * DMatrix::from_diagonal(&s) * v.transpose() - &a).amax();
            assert!(error < 1e-14 * a.amax(), "singular values: {error:e}, {a}");
            for m in [u, v] {
                let error = (m.tr_mul(&m) - DMatrix::identity(n, n)).amax();
                assert!(error < 1e-14, "vectors: {error:e}, {a}");
            }
        }
    }
}

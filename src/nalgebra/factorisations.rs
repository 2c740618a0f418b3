//! Cholesky's, LU and QR factorisations, as matrices.

use alloc::vec;
use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{Cholesky, DMatrix};

use super::algebra::Algebra;
use super::rules::{self, Function};
use crate::primitive;

type Matrix = DMatrix<f64>;

pub(super) struct CholeskyFactor;

/// The lower triangular `L` with `A = L Lᵀ`, of a symmetric matrix, or `None` where `A` isn't positive definite.
///
/// With Φ for the lower triangle with half of the diagonal, `L_dot = L Φ(L⁻¹ A_dot L⁻ᵀ)`, and `A_bar` is the symmetric part of
/// `L⁻ᵀ Φ(Lᵀ L_bar) L⁻¹`, folded to the lower triangle (I. Murray, Differentiation of the Cholesky decomposition, 2016).
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::cholesky;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[4.0, 0.0, 2.0, 5.0]);
/// assert_eq!(cholesky(&a), Some(DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 1.0, 2.0])));
/// assert_eq!(cholesky(&-a), None);
/// ```
#[primitive(
    frule = rules::frule::<CholeskyFactor>,
    rrule = rules::rrule::<CholeskyFactor>,
    rrule_frule = rules::rrule_frule::<CholeskyFactor>
)]
pub fn cholesky(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    Some(Cholesky::new(a.clone())?.l())
}

impl Function for CholeskyFactor {
    type Output = Option<Matrix>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        Some(vec![cholesky(&args[0])?])
    }

    fn tangents(_: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let l = &results[0];
        let inverse = Algebra::inverse(l);
        let middle = &inverse * tangents[0].symmetric() * inverse.transpose();
        vec![l * middle.lower_with_half_diagonal()]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let l = &results[0];
        let inverse = l.inverse();
        let middle = l.transposed().times(&cotangents[0].lower());
        let middle = middle.lower_with_half_diagonal();
        let whole = inverse.transposed().times(&middle).times(&inverse);
        vec![whole.plus(&whole.transposed()).scaled(0.5).folded()]
    }
}

struct LuFactors;

/// `(P, L, U)` with `P A = L U`: a permutation, a lower triangular matrix with ones on the diagonal, and an upper triangular one; or `None`
/// where a pivot is zero.
///
/// The permutation is constant: the derivatives are those of the factors for the pivots that this `A` has. With `F = L⁻¹ P A_dot U⁻¹`, `L_dot` is
/// `L` times the strict lower triangle of `F`, and `U_dot` the upper triangle of `F` times `U` (S. F. Walter, L. Lehmann, Algorithmic
/// differentiation of linear algebra functions, 2010).
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::lu;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[1.0, 3.0, 2.0, 4.0]);
/// let (p, l, u) = lu(&a).unwrap();
/// assert_eq!(l[(1, 0)], 0.5);
/// assert_eq!(p * a, l * u);
/// ```
#[primitive(
    frule = rules::frule::<LuFactors>,
    rrule = rules::rrule::<LuFactors>,
    rrule_frule = rules::rrule_frule::<LuFactors>
)]
pub fn lu(a: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>, DMatrix<f64>)> {
    assert!(
        a.is_square(),
        "the matrix is {} by {}",
        a.nrows(),
        a.ncols()
    );
    let factors = a.clone().lu();
    let (l, u) = (factors.l(), factors.u());
    let mut p = Matrix::identity(a.nrows(), a.nrows());
    factors.p().permute_rows(&mut p);
    let exists = u.diagonal().iter().all(|pivot| *pivot != 0.0);
    exists.then_some((p, l, u))
}

impl Function for LuFactors {
    type Output = Option<(Matrix, Matrix, Matrix)>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        let (p, l, u) = lu(&args[0])?;
        Some(vec![p, l, u])
    }

    fn tangents(_: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let [p, l, u] = results else {
            unreachable!("there are three factors")
        };
        let f = Algebra::inverse(l) * (p * &tangents[0]) * Algebra::inverse(u);
        vec![p * 0.0, l * f.strictly_lower(), f.upper() * u]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let [p, l, u] = results else {
            unreachable!("there are three factors")
        };
        let left = l.transposed().times(&cotangents[1]).strictly_lower();
        let right = cotangents[2].times(&u.transposed()).upper();
        let [left_inverse, right_inverse] = [l, u].map(|m| m.inverse().transposed());
        let middle = left_inverse.times(&left.plus(&right)).times(&right_inverse);
        vec![p.transposed().times(&middle)]
    }
}

pub(super) struct QrFactors;

/// `(Q, R)` with `A = Q R`, of a matrix with at least as many rows as columns: `Q` has orthonormal columns, as many as `A`, and `R` is upper
/// triangular. `None` where the columns of `A` depend on each other, or there are more of them than rows.
///
/// With `M = R R_barᵀ - Q_barᵀ Q`, and `C` the symmetric matrix with the lower triangle of `M`, `A_bar = (Q_bar + Q C) R⁻ᵀ` (S. F. Walter,
/// L. Lehmann, Algorithmic differentiation of linear algebra functions, 2010). Columns count as dependent where a diagonal entry of `R` is at most
/// 1e-14 times the largest.
///
/// ```
/// use chainrule::nalgebra::qr;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(3, 2, &[1.0, 2.0, 0.5, 1.0, 2.0, -1.0]);
/// let (q, r) = qr(&a).unwrap();
/// assert!((&q * r - &a).amax() < 1e-14 && (q.tr_mul(&q) - DMatrix::identity(2, 2)).amax() < 1e-14);
/// assert!(qr(&a.transpose()).is_none());
/// ```
#[primitive(
    frule = rules::frule::<QrFactors>,
    rrule = rules::rrule::<QrFactors>,
    rrule_frule = rules::rrule_frule::<QrFactors>
)]
pub fn qr(a: &DMatrix<f64>) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    if a.nrows() < a.ncols() {
        return None;
    }
    let (q, r) = a.clone().qr().unpack();
    let diagonal = r.diagonal().abs();
    let largest = diagonal.iter().fold(0.0, |a: f64, b| a.max(*b));
    let independent = diagonal.iter().all(|entry| *entry > 1e-14 * largest);
    independent.then_some((q, r))
}

impl Function for QrFactors {
    type Output = Option<(Matrix, Matrix)>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        let (q, r) = qr(&args[0])?;
        Some(vec![q, r])
    }

    fn tangents(_: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let (q, r) = (&results[0], &results[1]);
        let scaled = &tangents[0] * Algebra::inverse(r);
        let c = q.tr_mul(&scaled);
        let rotation = c.strictly_lower() - c.strictly_lower().transpose();
        let upper = c - rotation;
        vec![scaled - q * &upper, upper * r]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let (q, r) = (&results[0], &results[1]);
        let (q_bar, r_bar) = (&cotangents[0], cotangents[1].upper());
        let m = r.times(&r_bar.transposed());
        let m = m.minus(&q_bar.transposed().times(q));
        let whole = q_bar.plus(&q.times(&m.symmetric()));
        vec![whole.times(&r.inverse().transposed())]
    }
}

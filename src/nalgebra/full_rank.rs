//! The polar factor and the pseudo-inverse, of matrices of full rank.

use alloc::vec;
use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector};

use super::algebra::Algebra;
use super::clusters::roundoff;
use super::rules::{self, Function};
use super::singular::{across, parts, svd};
use crate::primitive;

type Matrix = DMatrix<f64>;

struct Polar;

/// The polar factor `U Vᵀ` of `A = U diag(s) Vᵀ`, which is the matrix nearest to `A` with orthonormal columns, or rows if there are fewer; for a square
/// matrix, the nearest orthogonal one. `None` where the rank isn't full, up to roundoff, or an entry isn't finite.
///
/// It has derivatives where singular values are equal, which `U` and `V` have not. For the factor `W` of a matrix `A` with at least as many rows as columns, and
/// `P = Wᵀ A`, `W_dot = W X + (A_dot - W Wᵀ A_dot) P⁻¹` with `P X + X P = Wᵀ A_dot - A_dotᵀ W` (C. Kenney, A. J. Laub, Polar decomposition and matrix
/// sign function condition estimates, 1991). `A_bar` is the same of `W_bar`.
///
/// ```
/// use chainrule::prelude::*;
/// use nalgebra::DMatrix;
///
/// /// The angle of the rotation that is nearest to a matrix.
/// #[differentiable]
/// fn angle(a: &DMatrix<f64>) -> f64 {
///     let rotation = chainrule::nalgebra::polar(a).unwrap();
///     rotation[(1, 0)].atan2(rotation[(0, 0)])
/// }
///
/// let gradient = angle::gradient(&(DMatrix::identity(2, 2) * 2.0));
/// assert!((gradient - DMatrix::from_row_slice(2, 2, &[0.0, -0.25, 0.25, 0.0])).amax() < 1e-15);
/// ```
#[primitive(frule = rules::frule::<Polar>, rrule = rules::rrule::<Polar>, rrule_frule = rules::rrule_frule::<Polar>)]
pub fn polar(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let (u, _, v) = of_full_rank(a)?;
    Some(u * v.transpose())
}

/// The singular values and vectors, none of which is as good as zero.
fn of_full_rank(a: &Matrix) -> Option<(Matrix, DVector<f64>, Matrix)> {
    let (u, s, v) = svd(a)?;
    let zero = roundoff(s.as_slice());
    s.iter().all(|s| *s > zero).then_some((u, s, v))
}

impl Function for Polar {
    type Output = Option<Matrix>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        Some(vec![polar(&args[0])?])
    }

    fn tangents(args: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        vec![polar_derivative(&args[0], &results[0], &tangents[0])]
    }

    fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        vec![polar_derivative(&args[0], &results[0], &cotangents[0])]
    }
}

/// The derivative of the polar factor `w` of `a`, which is its own transpose.
fn polar_derivative<M: Algebra>(a: &M, w: &M, direction: &M) -> M {
    if a.value().nrows() < a.value().ncols() {
        let [a, w, direction] = [a, w, direction].map(M::transposed);
        return polar_derivative(&a, &w, &direction).transposed();
    }
    let (p, _) = parts(&w.transposed().times(a));
    let (_, odd) = parts(&w.transposed().times(direction));
    let inside = w.times(&p.lyapunov(&odd.scaled(2.0)));
    match across(w, direction) {
        None => inside,
        Some(rest) => inside.plus(&p.solution(&rest.transposed()).transposed()),
    }
}

struct PseudoInverse;

/// The pseudo-inverse `A⁺` of a matrix whose rank is full: `(Aᵀ A)⁻¹ Aᵀ` if there are at least as many rows as columns, `Aᵀ (A Aᵀ)⁻¹` otherwise. `None` where
/// the rank isn't full, up to roundoff, or an entry isn't finite: there the pseudo-inverse isn't continuous.
///
/// `B_dot = -B A_dot B + B Bᵀ A_dotᵀ (I - A B) + (I - B A) A_dotᵀ Bᵀ B` for `B = A⁺` (G. H. Golub, V. Pereyra, The differentiation of pseudo-inverses and
/// nonlinear least squares problems, 1973). For `A⁺ b` take [`least_squares`](fn@super::least_squares).
///
/// ```
/// use chainrule::nalgebra::pseudo_inverse;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(3, 2, &[2.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
/// let expected = DMatrix::from_row_slice(2, 3, &[0.5, 0.0, 0.0, 0.0, 0.25, 0.0]);
/// assert!((pseudo_inverse(&a).unwrap() - expected).amax() < 1e-15);
/// assert!(pseudo_inverse(&DMatrix::zeros(3, 2)).is_none());
/// ```
#[primitive(
    frule = rules::frule::<PseudoInverse>,
    rrule = rules::rrule::<PseudoInverse>,
    rrule_frule = rules::rrule_frule::<PseudoInverse>
)]
pub fn pseudo_inverse(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let (u, s, v) = of_full_rank(a)?;
    Some(v * Matrix::from_diagonal(&s.map(f64::recip)) * u.transpose())
}

impl Function for PseudoInverse {
    type Output = Option<Matrix>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        Some(vec![pseudo_inverse(&args[0])?])
    }

    fn tangents(args: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let (a, b, a_dot) = (&args[0], &results[0], &tangents[0]);
        let (left, right) = (
            b * b.transpose() * a_dot.transpose(),
            a_dot.transpose() * b.tr_mul(b),
        );
        let (left, right) = (&left - &left * a * b, &right - b * (a * &right));
        vec![left + right - b * a_dot * b]
    }

    fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let (a, b, bar) = (&args[0], &results[0], cotangents[0].transposed());
        let b_t = b.transposed();
        let left = bar.times(b).times(&b_t);
        let left = left.minus(&a.times(&b.times(&left)));
        let right = b_t.times(b).times(&bar);
        let right = right.minus(&right.times(b).times(a));
        let middle = b_t.times(&bar.transposed()).times(&b_t);
        vec![left.plus(&right).minus(&middle)]
    }
}

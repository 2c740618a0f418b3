//! Functions of a square matrix: inverse, determinant, exponential.

use alloc::vec;
use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::DMatrix;

use super::algebra::{Algebra, exp_tangent};
use super::rules::{self, Function};
use crate::primitive;

type Matrix = DMatrix<f64>;

pub(super) struct Inverse;

/// The inverse `A⁻¹`, or `None` where a pivot of the LU factorisation is zero.
///
/// `A_bar = -A⁻ᵀ Y_bar A⁻ᵀ` for `Y = A⁻¹`. For `A⁻¹ b` take [`solve`](fn@super::solve), which is cheaper and more accurate.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::inverse;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 0.0, 4.0]);
/// assert_eq!(inverse(&a), Some(DMatrix::from_row_slice(2, 2, &[0.5, 0.0, 0.0, 0.25])));
/// assert_eq!(inverse(&DMatrix::zeros(2, 2)), None);
/// ```
#[primitive(frule = rules::frule::<Inverse>, rrule = rules::rrule::<Inverse>, rrule_frule = rules::rrule_frule::<Inverse>)]
pub fn inverse(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    a.clone().try_inverse()
}

impl Function for Inverse {
    type Output = Option<Matrix>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        Some(vec![inverse(&args[0])?])
    }

    fn tangents(_: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let y = &results[0];
        vec![-y * &tangents[0] * y]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let y = results[0].transposed();
        vec![y.times(&cotangents[0]).times(&y).scaled(-1.0)]
    }
}

pub(super) struct Determinant;

/// The determinant. Of large matrices it overflows: see [`ln_abs_determinant`](fn@ln_abs_determinant).
///
/// `A_bar` is `det_bar` times the matrix of cofactors, by a singular value decomposition: the derivatives, of second order too, hold for singular
/// matrices.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::determinant;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0]);
/// assert!(determinant(&a).abs() < 1e-15);
/// let cofactors = DMatrix::from_row_slice(2, 2, &[4.0, -2.0, -2.0, 1.0]);
/// assert!((determinant::gradient(&a) - cofactors).amax() < 1e-14);
/// ```
#[primitive(
    frule = rules::frule::<Determinant>,
    rrule = rules::rrule::<Determinant>,
    rrule_frule = rules::rrule_frule::<Determinant>
)]
pub fn determinant(a: &DMatrix<f64>) -> f64 {
    a.determinant()
}

impl Function for Determinant {
    type Output = f64;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        Some(vec![Matrix::from_element(1, 1, determinant(&args[0]))])
    }

    fn tangents(args: &[Matrix], _: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let derivative = args[0].cofactors().dot(&tangents[0]);
        vec![Matrix::from_element(1, 1, derivative)]
    }

    fn pullback<M: Algebra>(args: &[M], _: &[M], cotangents: &[M]) -> Vec<M> {
        let (rows, columns) = args[0].value().shape();
        let everywhere = cotangents[0].linear(|g| Matrix::from_element(rows, columns, g[0]));
        vec![args[0].cofactors().component_times(&everywhere)]
    }
}

struct LnAbsDeterminant;

/// `ln |det A|`, or `None` where a pivot of the LU factorisation is zero.
///
/// `A_bar = y_bar A⁻ᵀ`. Of a symmetric positive definite matrix, [`ln_det_and_solve`](fn@super::ln_det_and_solve) is cheaper.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::ln_abs_determinant;
/// use nalgebra::DMatrix;
///
/// let large = DMatrix::identity(300, 300) * 100.0;
/// assert!((ln_abs_determinant(&large).unwrap() - 300.0 * 100.0_f64.ln()).abs() < 1e-10);
/// assert_eq!(ln_abs_determinant(&DMatrix::zeros(2, 2)), None);
/// ```
#[primitive(
    frule = rules::frule::<LnAbsDeterminant>,
    rrule = rules::rrule::<LnAbsDeterminant>,
    rrule_frule = rules::rrule_frule::<LnAbsDeterminant>
)]
pub fn ln_abs_determinant(a: &DMatrix<f64>) -> Option<f64> {
    assert!(
        a.is_square(),
        "the matrix is {} by {}",
        a.nrows(),
        a.ncols()
    );
    let lu = a.clone().lu();
    let u = lu.u();
    let pivots = u.diagonal();
    let exists = pivots.iter().all(|pivot| *pivot != 0.0);
    exists.then(|| pivots.iter().map(|pivot| pivot.abs().ln()).sum())
}

impl Function for LnAbsDeterminant {
    type Output = Option<f64>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        Some(vec![Matrix::from_element(
            1,
            1,
            ln_abs_determinant(&args[0])?,
        )])
    }

    fn tangents(args: &[Matrix], _: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let derivative = (Algebra::inverse(&args[0]) * &tangents[0]).trace();
        vec![Matrix::from_element(1, 1, derivative)]
    }

    fn pullback<M: Algebra>(args: &[M], _: &[M], cotangents: &[M]) -> Vec<M> {
        let (rows, columns) = args[0].value().shape();
        let everywhere = cotangents[0].linear(|g| Matrix::from_element(rows, columns, g[0]));
        vec![args[0].inverse().transposed().component_times(&everywhere)]
    }
}

pub(super) struct Exp;

/// The matrix exponential.
///
/// Its derivative in a direction `E` is the block above the diagonal of the exponential of `[[A, E], [0, A]]`, and its transpose is that of `Aᵀ`
/// (N. J. Higham, Functions of Matrices, 2008, chapter 10).
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::prelude::*;
/// use nalgebra::{DMatrix, DVector};
///
/// /// The state of a linear system of differential equations after the time `t`.
/// #[differentiable]
/// fn state(a: &DMatrix<f64>, t: f64, #[constant] start: &DVector<f64>) -> f64 {
///     let propagator = chainrule::nalgebra::exp(&(a * t));
///     (propagator * start)[0]
/// }
///
/// // An oscillation: cos t.
/// let a = DMatrix::from_row_slice(2, 2, &[0.0, 1.0, -1.0, 0.0]);
/// let (_, t_bar) = state::gradient(&a, 0.5, &DVector::from_vec(vec![1.0, 0.0]));
/// assert!((t_bar + 0.5_f64.sin()).abs() < 1e-14);
/// ```
#[primitive(frule = rules::frule::<Exp>, rrule = rules::rrule::<Exp>, rrule_frule = rules::rrule_frule::<Exp>)]
pub fn exp(a: &DMatrix<f64>) -> DMatrix<f64> {
    assert!(
        a.is_square(),
        "the matrix is {} by {}",
        a.nrows(),
        a.ncols()
    );
    Algebra::exp(a)
}

impl Function for Exp {
    type Output = Matrix;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        Some(vec![exp(&args[0])])
    }

    fn tangents(args: &[Matrix], _: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        vec![exp_tangent(&args[0], &tangents[0])]
    }

    fn pullback<M: Algebra>(args: &[M], _: &[M], cotangents: &[M]) -> Vec<M> {
        vec![exp_tangent(&args[0].transposed(), &cotangents[0])]
    }
}

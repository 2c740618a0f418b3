//! Linear systems with several right-hand sides, with triangular matrices, and with more equations than unknowns.

use alloc::vec;
use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector};

use super::algebra::Algebra;
use super::qr;
use super::rules::{self, Function};
use crate::{differentiable, primitive};

type Matrix = DMatrix<f64>;

pub(super) struct Solution;
struct LowerSolution;
struct UpperSolution;

/// The solution `X` of `A X = B` for several right-hand sides, the columns of `B`, or `None` where a pivot of the LU factorisation is zero.
///
/// With `W = A⁻ᵀ X_bar` the cotangents are `B_bar = W` and `A_bar = -W Xᵀ`.
///
/// # Panics
/// If `A` isn't square, or `B` has another number of rows.
///
/// ```
/// use chainrule::nalgebra::solve_matrix;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 0.0, 4.0]);
/// let b = DMatrix::from_row_slice(2, 3, &[2.0, 4.0, 6.0, 4.0, 8.0, 12.0]);
/// assert_eq!(solve_matrix(&a, &b), Some(DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, 1.0, 2.0, 3.0])));
/// ```
#[primitive(
    frule = rules::frule_2::<Solution, DMatrix<f64>>,
    rrule = rules::rrule_2::<Solution, DMatrix<f64>>,
    rrule_frule = rules::rrule_frule_2::<Solution, DMatrix<f64>>
)]
pub fn solve_matrix(a: &DMatrix<f64>, b: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    a.clone().lu().solve(b)
}

/// The solution of `L x = b` with the lower triangle `L` of a square matrix, or `None` where an entry on the diagonal is zero.
///
/// Entries above the diagonal aren't read, and their cotangents are zero. `b_bar = w = L⁻ᵀ x_bar`, and `L_bar` is the lower triangle of `-w xᵀ`.
///
/// # Panics
/// If the matrix isn't square, or `b` has another number of rows.
///
/// ```
/// use chainrule::nalgebra::solve_lower_triangular;
/// use nalgebra::{DMatrix, DVector};
///
/// let l = DMatrix::from_row_slice(2, 2, &[2.0, f64::NAN, 1.0, 4.0]);
/// let x = solve_lower_triangular(&l, &DVector::from_vec(vec![2.0, 9.0]));
/// assert_eq!(x, Some(DVector::from_vec(vec![1.0, 2.0])));
/// ```
#[primitive(
    frule = rules::frule_2::<LowerSolution, DVector<f64>>,
    rrule = rules::rrule_2::<LowerSolution, DVector<f64>>,
    rrule_frule = rules::rrule_frule_2::<LowerSolution, DVector<f64>>
)]
pub fn solve_lower_triangular(l: &DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    l.solve_lower_triangular(b)
}

/// The solution of `U x = b` with the upper triangle `U` of a square matrix, or `None` where an entry on the diagonal is zero.
///
/// Entries below the diagonal aren't read, and their cotangents are zero. `b_bar = w = U⁻ᵀ x_bar`, and `U_bar` is the upper triangle of `-w xᵀ`.
///
/// # Panics
/// If the matrix isn't square, or `b` has another number of rows.
///
/// ```
/// use chainrule::nalgebra::solve_upper_triangular;
/// use nalgebra::{DMatrix, DVector};
///
/// let u = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 0.0, 4.0]);
/// let x = solve_upper_triangular(&u, &DVector::from_vec(vec![4.0, 8.0]));
/// assert_eq!(x, Some(DVector::from_vec(vec![1.0, 2.0])));
/// ```
#[primitive(
    frule = rules::frule_2::<UpperSolution, DVector<f64>>,
    rrule = rules::rrule_2::<UpperSolution, DVector<f64>>,
    rrule_frule = rules::rrule_frule_2::<UpperSolution, DVector<f64>>
)]
pub fn solve_upper_triangular(u: &DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    u.solve_upper_triangular(b)
}

/// The `x` for which `|A x - b|` is least, by a QR factorisation, or `None` where the columns of `A` depend on each other, or there are more of them
/// than rows.
///
/// The residual counts: where it isn't zero, so does the change of `A` across its columns (G. H. Golub, V. Pereyra, The differentiation of
/// pseudo-inverses and nonlinear least squares problems, 1973).
///
/// # Panics
/// If `b` has another number of rows than `A`.
///
/// ```
/// use chainrule::nalgebra::least_squares;
/// use nalgebra::{DMatrix, DVector};
///
/// // A line through three points.
/// let a = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 1.0, 2.0]);
/// let x = least_squares(&a, &DVector::from_vec(vec![1.0, 3.0, 5.0])).unwrap();
/// assert!((x - DVector::from_vec(vec![1.0, 2.0])).amax() < 1e-14);
/// ```
#[differentiable]
pub fn least_squares(a: &DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    let (q, r) = qr(a)?;
    let right_side = q.transpose() * b;
    solve_upper_triangular(&r, &right_side)
}

/// The part of a matrix that a function reads.
trait Reads {
    const LOWER: bool;
    const UPPER: bool;

    fn read<M: Algebra>(a: &M) -> M {
        match (Self::LOWER, Self::UPPER) {
            (true, false) => a.kept(|i, j| i >= j),
            (false, true) => a.kept(|i, j| i <= j),
            _ => a.clone(),
        }
    }
}

impl Reads for Solution {
    const LOWER: bool = true;
    const UPPER: bool = true;
}

impl Reads for LowerSolution {
    const LOWER: bool = true;
    const UPPER: bool = false;
}

impl Reads for UpperSolution {
    const LOWER: bool = false;
    const UPPER: bool = true;
}

macro_rules! solutions {
    ($($solution:ident -> $output:ty, |$a:ident, $b:ident| $value:expr;)*) => {$(
        impl Function for $solution {
            type Output = Option<$output>;

            fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
                let ($a, $b) = (&args[0], &args[1]);
                Some(vec![$value?])
            }

            fn tangents(args: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
                let right_side = &tangents[1] - Self::read(&tangents[0]) * &results[0];
                vec![Self::read(&args[0]).solution(&right_side)]
            }

            fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
                let w = Self::read(&args[0]).transposed().solution(&cotangents[0]);
                let whole = w.times(&results[0].transposed()).scaled(-1.0);
                vec![Self::read(&whole), w]
            }
        }
    )*};
}

solutions! {
    Solution -> Matrix, |a, b| a.clone().lu().solve(b);
    LowerSolution -> DVector<f64>, |a, b| a.solve_lower_triangular(b);
    UpperSolution -> DVector<f64>, |a, b| a.solve_upper_triangular(b);
}

pub(super) struct LowerSolutions;
pub(super) struct UpperSolutions;
pub(super) struct LowerTransposedSolutions;
pub(super) struct UpperTransposedSolutions;

impl Reads for LowerSolutions {
    const LOWER: bool = true;
    const UPPER: bool = false;
}

impl Reads for UpperSolutions {
    const LOWER: bool = false;
    const UPPER: bool = true;
}

solutions! {
    LowerSolutions -> Matrix, |a, b| a.solve_lower_triangular(b);
    UpperSolutions -> Matrix, |a, b| a.solve_upper_triangular(b);
}

/// Solutions with the transpose of a triangular matrix: `Aᵀ x = b`.
macro_rules! transposed_solutions {
    ($($solution:ident of $other:ident, |$a:ident, $b:ident| $value:expr;)*) => {$(
        impl Function for $solution {
            type Output = Option<Matrix>;

            fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
                let ($a, $b) = (&args[0], &args[1]);
                Some(vec![$value?])
            }

            fn tangents(args: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
                let right_side = &tangents[1] - $other::read(&tangents[0]).transpose() * &results[0];
                vec![$other::read(&args[0]).transpose().solution(&right_side)]
            }

            fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
                let w = $other::read(&args[0]).solution(&cotangents[0]);
                let whole = results[0].times(&w.transposed()).scaled(-1.0);
                vec![$other::read(&whole), w]
            }
        }
    )*};
}
transposed_solutions! {
    LowerTransposedSolutions of LowerSolutions, |a, b| a.tr_solve_lower_triangular(b);
    UpperTransposedSolutions of UpperSolutions, |a, b| a.tr_solve_upper_triangular(b);
}

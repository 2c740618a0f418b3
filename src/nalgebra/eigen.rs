//! Eigenvalues and eigenvectors of symmetric matrices.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector, SymmetricEigen};

use super::algebra::{Algebra, strong_mul};
use super::clusters::{Change, clusters, roundoff};
use super::rules::{self, At, At2, D, Function, Part as _};
use crate::{CoDual, Dual, primitive};

type Matrix = DMatrix<f64>;
type Vector = DVector<f64>;

/// Iterations after which a decomposition is given up, which only happens to matrices that aren't finite.
fn most(n: usize) -> usize {
    1000 * (n + 1)
}

pub(super) struct Eigen;

/// The eigenvalues of a symmetric matrix in ascending order, and eigenvectors of length one, as the columns of a matrix; `None` where an entry
/// isn't finite.
///
/// With `F[i, j] = 1/(λ[j] - λ[i])`, `λ_dot` is the diagonal of `Vᵀ A_dot V`, `V_dot = V (F ∘ Vᵀ A_dot V)` and
/// `A_bar = V (diag λ_bar + F ∘ Vᵀ V_bar) Vᵀ`. Vectors that belong to equal eigenvalues have no derivative, and it is NaN. Where eigenvalues are
/// nearly equal, digits are lost. For a function of the matrix take [`spectral_map`](fn@super::spectral_map), for eigenvalues alone
/// [`symmetric_eigenvalues`](fn@symmetric_eigenvalues): they have derivatives there.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::symmetric_eigen;
/// use nalgebra::{DMatrix, DVector};
///
/// let a = DMatrix::from_row_slice(2, 2, &[2.0, 0.0, 1.0, 2.0]);
/// let (values, vectors) = symmetric_eigen(&a).unwrap();
/// assert!((values - DVector::from_vec(vec![1.0, 3.0])).amax() < 1e-14);
/// assert!((vectors[(0, 1)] - vectors[(1, 1)]).abs() < 1e-14);
/// ```
#[primitive(frule = rules::frule::<Eigen>, rrule = rules::rrule::<Eigen>, rrule_frule = rules::rrule_frule::<Eigen>)]
pub fn symmetric_eigen(a: &DMatrix<f64>) -> Option<(DVector<f64>, DMatrix<f64>)> {
    let n = a.nrows();
    assert!(a.is_square(), "the matrix is {n} by {}", a.ncols());
    if n == 0 {
        return Some((DVector::zeros(0), a.clone()));
    }
    if !a.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let found = SymmetricEigen::try_new(a.symmetric(), f64::EPSILON, most(n))?;
    let (values, vectors) = (found.eigenvalues, found.eigenvectors);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
    let values = DVector::from_fn(n, |k, _| values[order[k]]);
    let vectors = Matrix::from_fn(n, n, |i, k| vectors[(i, order[k])]);
    Some((values, vectors))
}

impl Function for Eigen {
    type Output = Option<(DVector<f64>, Matrix)>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        let (values, vectors) = symmetric_eigen(&args[0])?;
        Some(vec![values.matrix(), vectors])
    }

    fn tangents(_: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let (values, v) = (&results[0], &results[1]);
        let middle = v.tr_mul(&tangents[0].symmetric()) * v;
        vec![
            middle.diagonal().matrix(),
            v * weights(values).weigh(&middle),
        ]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let (values, v) = (&results[0], &results[1]);
        let turned = weights(values).weigh(&v.transposed().times(&cotangents[1]));
        let middle = cotangents[0].as_diagonal().plus(&turned);
        let whole = v.times(&middle).times(&v.transposed());
        vec![whole.plus(&whole.transposed()).scaled(0.5).folded()]
    }
}

/// `1/(λ[j] - λ[i])` at `(i, j)`, NaN where they are equal, and zero on the diagonal.
fn weights<M: Algebra>(values: &M) -> M {
    let roundoff = roundoff(values.value().as_slice());
    let gaps = values.differences();
    gaps.reciprocal(roundoff).kept(|i, j| i != j)
}

/// The eigenvalues of a symmetric matrix in ascending order; `None` where an entry isn't finite.
///
/// `A_bar = V diag(λ_bar) Vᵀ`. Where eigenvalues are equal, a function of them that doesn't depend on their order has this derivative, and each eigenvalue
/// has a kink. The second derivative of such a function is right as well. If eigenvalues are equal up to eight digits, and not exactly, then second
/// derivatives have about eight digits; those of [`spectral_sum`](fn@super::spectral_sum) have all. The second derivative of a function
/// with a kink there is NaN.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::prelude::*;
/// use nalgebra::DMatrix;
///
/// #[differentiable]
/// fn smallest(a: &DMatrix<f64>) -> f64 {
///     chainrule::nalgebra::symmetric_eigenvalues(a).unwrap()[0]
/// }
///
/// let a = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, 2.0]);
/// assert_eq!(smallest::gradient(&a), DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, 0.0]));
/// ```
#[primitive(frule = values_frule, rrule = values_rrule, rrule_frule = values_rrule_frule)]
pub fn symmetric_eigenvalues(a: &DMatrix<f64>) -> Option<DVector<f64>> {
    Some(symmetric_eigen(a)?.0)
}

fn values_frule(a: Dual<&Matrix, &Matrix>) -> D<Option<Vector>> {
    match symmetric_eigen(a.0) {
        None => Dual(None, None),
        Some((values, v)) => {
            let direction = v.tr_mul(&a.1.symmetric()) * &v;
            Dual(Some(values), Some(direction.diagonal()))
        }
    }
}

#[allow(clippy::type_complexity)]
fn values_rrule(
    a: &Matrix,
) -> (
    Option<Vector>,
    impl FnOnce(Option<Vector>, At<'_, Matrix>) + use<>,
) {
    let (values, v) = symmetric_eigen(a).unzip();
    let pullback = move |bar: Option<Vector>, CoDual(_, a_bar): At<'_, Matrix>| {
        if let (Some(v), Some(bar)) = (v, bar) {
            let whole = &v * Matrix::from_diagonal(&bar) * v.transpose();
            *a_bar += whole.folded();
        }
    };
    (values, pullback)
}

#[allow(clippy::type_complexity)]
fn values_rrule_frule(
    a: Dual<&Matrix, &Matrix>,
) -> (
    D<Option<Vector>>,
    impl FnOnce(D<Option<Vector>>, At2<'_, Matrix>) + use<>,
) {
    let along = symmetric_eigen(a.0).map(|(values, v)| Along::new(values, v, a.1));
    let values = along.as_ref().map(|along| along.values.clone());
    let dot = along.as_ref().map(|along| along.direction.diagonal());
    let pullback = move |bar: D<Option<Vector>>, CoDual(_, a_bar): At2<'_, Matrix>| {
        if let (Some(along), Dual(Some(bar), Some(bar_dot))) = (along, bar) {
            let v = &along.v;
            let whole = |middle: Matrix| (v * middle * v.transpose()).folded();
            *a_bar.1 += whole(along.change(&bar, &bar_dot));
            *a_bar.0 += whole(Matrix::from_diagonal(&bar));
        }
    };
    (Dual(values, dot), pullback)
}

/// Eigenvalues and vectors that move: among the vectors of values that count as equal, the direction is diagonal.
struct Along {
    values: Vector,
    v: Matrix,
    /// The direction, in the basis of the vectors.
    direction: Matrix,
    runs: Vec<Range<usize>>,
}

impl Along {
    fn new(values: Vector, mut v: Matrix, a_dot: &Matrix) -> Along {
        let runs = clusters(values.as_slice());
        let a_dot = a_dot.symmetric();
        for run in runs.iter().filter(|run| run.len() > 1) {
            let among = v.columns(run.start, run.len()).into_owned();
            if let Some((_, turn)) = symmetric_eigen(&(among.tr_mul(&a_dot) * &among)) {
                v.columns_mut(run.start, run.len())
                    .copy_from(&(among * turn));
            }
        }
        let direction = v.tr_mul(&a_dot) * &v;
        Along {
            values,
            v,
            direction,
            runs,
        }
    }

    /// The derivative of the gradient, in the basis of the vectors.
    fn change(&self, bar: &Vector, bar_dot: &Vector) -> Matrix {
        let dot = self.direction.diagonal();
        let change = Change {
            values: self.values.as_slice(),
            dot: dot.as_slice(),
            bar: bar.as_slice(),
            bar_dot: bar_dot.as_slice(),
        };
        let moves = self.direction.amax() != 0.0;
        let mixed = |i: usize, j: usize| {
            if i == j {
                bar_dot[i]
            } else if self
                .runs
                .iter()
                .any(|run| run.contains(&i) && run.contains(&j))
            {
                if moves { change.of_equal(i, j) } else { 0.0 }
            } else {
                strong_mul(change.quotient(i, j), self.direction[(i, j)])
            }
        };
        Matrix::from_fn(bar.len(), bar.len(), mixed)
    }
}

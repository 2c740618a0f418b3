//! Eigenvalues of symmetric matrices, and singular values.

use alloc::vec;
use alloc::vec::Vec;

use ::nalgebra::{DMatrix, DVector, SVD, SymmetricEigen};

use super::algebra::Algebra;
use super::rules::{self, Function, Part as _};
use crate::{differentiable, primitive};

type Matrix = DMatrix<f64>;

/// Iterations after which a decomposition is given up, which only happens to matrices that aren't finite.
fn most(n: usize) -> usize {
    1000 * (n + 1)
}

/// What counts as equal, of values that are as inaccurate as the largest of them.
#[allow(clippy::cast_precision_loss)]
fn roundoff(values: &Matrix) -> f64 {
    4.0 * f64::EPSILON * values.len() as f64 * values.amax()
}

struct Eigen;

/// The eigenvalues of a symmetric matrix in ascending order, and eigenvectors of length one, as the columns of a matrix; `None` where an entry
/// isn't finite.
///
/// With `F[i, j] = 1/(λ[j] - λ[i])`, `λ_dot` is the diagonal of `Vᵀ A_dot V`, `V_dot = V (F ∘ Vᵀ A_dot V)` and
/// `A_bar = V (diag λ_bar + F ∘ Vᵀ V_bar) Vᵀ`. Vectors that belong to equal eigenvalues have no derivative of their own: the parts of
/// their derivatives in each other's direction are given as zero, which is right for what doesn't depend on the choice among them.
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

/// The eigenvalues of a symmetric matrix in ascending order; `None` where an entry isn't finite.
///
/// `A_bar = V diag(λ_bar) Vᵀ`. Where eigenvalues are equal, their sum has this derivative, and each has a kink.
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
#[differentiable]
pub fn symmetric_eigenvalues(a: &DMatrix<f64>) -> Option<DVector<f64>> {
    let (values, _) = symmetric_eigen(a)?;
    Some(values)
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
        let f = values.differences().reciprocal(roundoff(values));
        vec![middle.diagonal().matrix(), v * f.component_mul(&middle)]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let (values, v) = (&results[0], &results[1]);
        let f = values.differences().reciprocal(roundoff(values.value()));
        let turned = f.component_times(&v.transposed().times(&cotangents[1]));
        let middle = cotangents[0].as_diagonal().plus(&turned);
        let whole = v.times(&middle).times(&v.transposed());
        vec![whole.plus(&whole.transposed()).scaled(0.5).folded()]
    }
}

struct Singular;

/// `(U, s, V)` with `A = U diag(s) Vᵀ`: the singular values `s` in descending order, and the vectors that belong to them as columns of length one, as many
/// as `A` has rows or columns, whichever are fewer; `None` where an entry isn't finite.
///
/// The rules are those of J. Townsend, Differentiating the singular value decomposition (2016). Vectors that belong to equal singular values, or to
/// one that is zero, have no derivative of their own: the parts of their derivatives that the choice among them decides are given as zero,
/// which is right for what doesn't depend on it.
///
/// ```
/// use chainrule::nalgebra::svd;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 3, &[1.0, 0.5, 2.0, -1.0, 0.0, 1.0]);
/// let (u, s, v) = svd(&a).unwrap();
/// assert!((u * DMatrix::from_diagonal(&s) * v.transpose() - a).amax() < 1e-14);
/// ```
#[primitive(
    frule = rules::frule::<Singular>,
    rrule = rules::rrule::<Singular>,
    rrule_frule = rules::rrule_frule::<Singular>
)]
pub fn svd(a: &DMatrix<f64>) -> Option<(DMatrix<f64>, DVector<f64>, DMatrix<f64>)> {
    let n = a.nrows().min(a.ncols());
    if n == 0 {
        let [u, v] = [a.nrows(), a.ncols()].map(|rows| Matrix::zeros(rows, 0));
        return Some((u, DVector::zeros(0), v));
    }
    if !a.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let found = SVD::try_new(a.clone(), true, true, f64::EPSILON, most(n))?;
    Some((found.u?, found.singular_values, found.v_t?.transpose()))
}

/// The singular values in descending order; `None` where an entry isn't finite.
///
/// `A_bar = U diag(s_bar) Vᵀ`. Where singular values are equal, their sum has this derivative, and each has a kink; so has one that is zero.
///
/// ```
/// use chainrule::prelude::*;
/// use nalgebra::DMatrix;
///
/// /// The spectral norm.
/// #[differentiable]
/// fn norm(a: &DMatrix<f64>) -> f64 {
///     chainrule::nalgebra::singular_values(a).unwrap()[0]
/// }
///
/// let a = DMatrix::from_row_slice(2, 2, &[0.0, 3.0, 2.0, 0.0]);
/// let expected = DMatrix::from_row_slice(2, 2, &[0.0, 1.0, 0.0, 0.0]);
/// assert!((norm::gradient(&a) - expected).amax() < 1e-15);
/// ```
#[differentiable]
pub fn singular_values(a: &DMatrix<f64>) -> Option<DVector<f64>> {
    let (_, values, _) = svd(a)?;
    Some(values)
}

impl Function for Singular {
    type Output = Option<(Matrix, DVector<f64>, Matrix)>;

    fn value(args: &[Matrix]) -> Option<Vec<Matrix>> {
        let (u, s, v) = svd(&args[0])?;
        Some(vec![u, s.matrix(), v])
    }

    fn tangents(_: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix> {
        let [u, s, v] = results else {
            unreachable!("there are three factors")
        };
        let a_dot = &tangents[0];
        let (f, inverse) = weights(s);
        let diagonal = s.as_diagonal();
        let p = u.tr_mul(a_dot) * v;
        let turn = |p: &Matrix| f.component_mul(&(p * &diagonal + &diagonal * p.transpose()));
        let outside = |u: &Matrix, a: Matrix| &a - u * u.tr_mul(&a);
        vec![
            u * turn(&p) + outside(u, a_dot * v) * &inverse,
            p.diagonal().matrix(),
            v * turn(&p.transpose()) + outside(v, a_dot.tr_mul(u)) * &inverse,
        ]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let [u, s, v] = results else {
            unreachable!("there are three factors")
        };
        let [u_bar, s_bar, v_bar] = cotangents else {
            unreachable!("there are three factors")
        };
        let (f, inverse) = weights(s);
        let diagonal = s.as_diagonal();
        let turn = |u: &M, u_bar: &M| {
            let m = u.transposed().times(u_bar);
            f.component_times(&m.minus(&m.transposed()))
        };
        let outside = |u: &M, u_bar: &M| u_bar.minus(&u.times(&u.transposed().times(u_bar)));
        let middle = turn(u, u_bar).times(&diagonal);
        let middle = middle.plus(&diagonal.times(&turn(v, v_bar)));
        let middle = middle.plus(&s_bar.as_diagonal());
        let inside = u.times(&middle);
        let left = outside(u, u_bar).times(&inverse);
        let right = outside(v, v_bar).times(&inverse);
        let whole = inside.plus(&left).times(&v.transposed());
        vec![whole.plus(&u.times(&right.transposed()))]
    }
}

/// `1/(s[j]² - s[i]²)` at `(i, j)`, and the inverse of `diag(s)`.
fn weights<M: Algebra>(s: &M) -> (M, M) {
    let roundoff = roundoff(s.value());
    let squares = s.component_times(s).differences();
    let f = squares.reciprocal(roundoff * s.value().amax());
    (f, s.reciprocal(roundoff).as_diagonal())
}

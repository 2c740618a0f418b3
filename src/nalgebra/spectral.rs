//! Functions of symmetric matrices that are smooth where eigenvalues are equal.

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector};

use super::algebra::{Algebra as _, strong_mul};
use super::divided::{ScalarFunction, divided, divided_twice};
use super::eigen::symmetric_eigen;
use super::rules::{At, At2, D};
use crate::{CoDual, Dual, differentiable, primitive};

type Matrix = DMatrix<f64>;

/// `V diag(f(λ)) Vᵀ` of a symmetric matrix `A = V diag(λ) Vᵀ`; `None` where an entry of `A` or an `f(λ)` isn't finite.
///
/// It has first and second derivatives wherever `f` has, at equal and nearly equal eigenvalues, too: with the divided differences
/// `F[i, j] = (f(λ[j]) - f(λ[i]))/(λ[j] - λ[i])`, which are `f'` where eigenvalues are equal, `Y_dot = V (F ∘ Vᵀ A_dot V) Vᵀ`, and `A_bar` is the same of
/// the symmetric part of `Y_bar` (J. L. Daleckii, S. G. Krein, 1965; N. J. Higham, Functions of Matrices, 2008, chapter 3). Second
/// derivatives have divided differences of second order in their place. The function is constant: parameters of it are not differentiated.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::prelude::*;
/// use nalgebra::DMatrix;
///
/// /// An entry of the sine of a matrix.
/// #[differentiable]
/// fn entry(a: &DMatrix<f64>) -> f64 {
///     chainrule::nalgebra::spectral_map(a, &(f64::sin, f64::cos, |x: f64| -x.sin())).unwrap()[(0, 1)]
/// }
///
/// // At equal eigenvalues: cos 2, for the entry of the lower triangle, which represents the one above as well.
/// let gradient = entry::gradient(&(DMatrix::identity(2, 2) * 2.0));
/// assert!((gradient - DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 2.0_f64.cos(), 0.0])).amax() < 1e-15);
/// ```
#[primitive(frule = map_frule, rrule = map_rrule, rrule_frule = map_rrule_frule)]
pub fn spectral_map(a: &DMatrix<f64>, #[constant] f: &dyn ScalarFunction) -> Option<DMatrix<f64>> {
    Spectrum::of(a)?.map(f)
}

/// The sum of `f(λ)` over the eigenvalues of a symmetric matrix, the trace of [`spectral_map`](fn@spectral_map); `None` where an entry of `A` or an `f(λ)` isn't finite.
///
/// It has first and second derivatives wherever `f` has, at equal and nearly equal eigenvalues, too: `A_bar = y_bar V diag(f'(λ)) Vᵀ`. The function is
/// constant: parameters of it are not differentiated.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::prelude::*;
/// use nalgebra::DMatrix;
///
/// /// The distance of the unit matrix in the geometry of positive definite matrices, squared.
/// #[differentiable]
/// fn distance(a: &DMatrix<f64>) -> Option<f64> {
///     let square = (|x: f64| x.ln().powi(2), |x: f64| 2.0 * x.ln() / x, |x: f64| 2.0 * (1.0 - x.ln()) / (x * x));
///     chainrule::nalgebra::spectral_sum(a, &square)
/// }
///
/// #[differentiable]
/// fn objective(a: &DMatrix<f64>) -> f64 {
///     distance(a).unwrap_or(f64::INFINITY)
/// }
///
/// let shear = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 1.0, 0.0]);
/// let second = objective::hvp(&DMatrix::identity(2, 2), &shear);
/// assert!((second - shear * 4.0).amax() < 1e-14);
/// ```
#[primitive(frule = sum_frule, rrule = sum_rrule, rrule_frule = sum_rrule_frule)]
pub fn spectral_sum(a: &DMatrix<f64>, #[constant] f: &dyn ScalarFunction) -> Option<f64> {
    Spectrum::of(a)?.sum(f)
}

/// The square root of a symmetric matrix that is positive semidefinite; `None` where an eigenvalue is negative, or an entry isn't finite.
///
/// By [`spectral_map`](fn@spectral_map). Where an eigenvalue is zero there is no derivative.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::symmetric_sqrt;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[5.0, 0.0, 4.0, 5.0]);
/// let expected = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]);
/// assert!((symmetric_sqrt(&a).unwrap() - expected).amax() < 1e-14);
/// assert!(symmetric_sqrt(&-a).is_none());
/// ```
#[differentiable]
pub fn symmetric_sqrt(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    spectral_map(a, &Sqrt)
}

/// The logarithm of a symmetric matrix that is positive definite; `None` where an eigenvalue isn't positive, or an entry isn't finite.
///
/// By [`spectral_map`](fn@spectral_map).
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::{symmetric_exp, symmetric_ln};
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[5.0, 4.0, 4.0, 5.0]);
/// assert!((symmetric_exp(&symmetric_ln(&a).unwrap()).unwrap() - &a).amax() < 1e-13);
/// assert!(symmetric_ln(&-a).is_none());
/// ```
#[differentiable]
pub fn symmetric_ln(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    spectral_map(a, &Ln)
}

/// The exponential of a symmetric matrix; `None` where an entry isn't finite, or it overflows.
///
/// By [`spectral_map`](fn@spectral_map), which is cheaper than the [`exp`](fn@super::exp) of any matrix.
///
/// # Panics
/// If `A` isn't square.
///
/// ```
/// use chainrule::nalgebra::symmetric_exp;
/// use nalgebra::DMatrix;
///
/// let a = DMatrix::from_row_slice(2, 2, &[0.0, 0.0, 1.0, 0.0]);
/// let (c, s) = (1.0_f64.cosh(), 1.0_f64.sinh());
/// let expected = DMatrix::from_row_slice(2, 2, &[c, s, s, c]);
/// assert!((symmetric_exp(&a).unwrap() - expected).amax() < 1e-15);
/// ```
#[differentiable]
pub fn symmetric_exp(a: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    spectral_map(a, &Exp)
}

macro_rules! functions {
    ($($name:ident |$x:ident| $value:expr, $derivative:expr, $second:expr;)*) => {$(
        struct $name;

        impl ScalarFunction for $name {
            fn value(&self, $x: f64) -> f64 {
                $value
            }

            fn derivative(&self, $x: f64) -> f64 {
                $derivative
            }

            fn second_derivative(&self, $x: f64) -> f64 {
                $second
            }
        }
    )*};
}
functions! {
    Sqrt |x| x.sqrt(), 0.5 / x.sqrt(), -0.25 / (x * x.sqrt());
    Ln |x| x.ln(), 1.0 / x, -1.0 / (x * x);
    Exp |x| x.exp(), x.exp(), x.exp();
}

/// `V diag(λ) Vᵀ`
struct Spectrum {
    values: DVector<f64>,
    v: Matrix,
}

impl Spectrum {
    fn of(a: &Matrix) -> Option<Spectrum> {
        let (values, v) = symmetric_eigen(a)?;
        Some(Spectrum { values, v })
    }

    fn map(&self, f: &dyn ScalarFunction) -> Option<Matrix> {
        let y = self.values.map(|x| f.value(x));
        let exists = y.iter().all(|y| y.is_finite());
        exists.then(|| self.back(&Matrix::from_diagonal(&y)))
    }

    fn sum(&self, f: &dyn ScalarFunction) -> Option<f64> {
        let y = self.values.map(|x| f.value(x));
        let exists = y.iter().all(|y| y.is_finite());
        exists.then(|| y.sum())
    }

    /// The symmetric part of a matrix, in the basis of the eigenvectors.
    fn turned(&self, m: &Matrix) -> Matrix {
        self.v.tr_mul(&((m + m.transpose()) * 0.5)) * &self.v
    }

    /// The matrix with the given representation in the basis of the eigenvectors.
    fn back(&self, m: &Matrix) -> Matrix {
        &self.v * m * self.v.transpose()
    }

    /// `f[λ[i], λ[j]]`
    fn divided(&self, f: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> Matrix {
        of_pairs(self.values.len(), |i, j| {
            divided(&f, &slope, self.values[i], self.values[j]).value
        })
    }

    /// The first derivative of `f(A)`, in the basis of the eigenvectors: it is its own transpose.
    fn first(&self, f: &dyn ScalarFunction, direction: &Matrix) -> Matrix {
        let weights = self.divided(|x| f.value(x), |x| f.derivative(x));
        weights.zip_map(direction, strong_mul)
    }

    /// The second derivative of `f(A)` in two directions, in the basis of the eigenvectors: `Σ f[λ[i], λ[k], λ[j]] (x[i, k] y[k, j] + y[i, k] x[k, j])`
    /// over `k`.
    fn second(&self, f: &dyn ScalarFunction, x: &Matrix, y: &Matrix) -> Matrix {
        let (n, l) = (self.values.len(), &self.values);
        let confluent = Matrix::from_fn(n, n, |i, j| divided_twice(f, l[i], l[j]));
        // Of `a <= b <= c`, a mean of `f[a, b, b]` and `f[c, b, b]`, in which nothing cancels.
        let triple = |mut t: [usize; 3]| {
            t.sort_unstable();
            let [a, b, c] = t;
            let width = l[c] - l[a];
            if width == 0.0 {
                return confluent[(a, a)];
            }
            strong_mul(confluent[(a, b)], (l[b] - l[a]) / width)
                + strong_mul(confluent[(c, b)], (l[c] - l[b]) / width)
        };
        of_pairs(n, |i, j| {
            let term = |k| {
                let products = x[(i, k)] * y[(k, j)] + y[(i, k)] * x[(k, j)];
                strong_mul(triple([i, k, j]), products)
            };
            (0..n).map(term).sum()
        })
    }
}

/// A symmetric matrix by its lower triangle.
fn of_pairs(n: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix {
    let lower = |i, j| if i >= j { entry(i, j) } else { 0.0 };
    Matrix::from_fn(n, n, lower).symmetric()
}

fn map_frule(a: Dual<&Matrix, &Matrix>, f: &dyn ScalarFunction) -> D<Option<Matrix>> {
    let Some(spectrum) = Spectrum::of(a.0) else {
        return Dual(None, None);
    };
    let y = spectrum.map(f);
    let tangent = || spectrum.back(&spectrum.first(f, &spectrum.turned(&a.1.symmetric())));
    let y_dot = y.is_some().then(tangent);
    Dual(y, y_dot)
}

#[allow(clippy::type_complexity)]
fn map_rrule(
    a: &Matrix,
    f: &dyn ScalarFunction,
) -> (
    Option<Matrix>,
    impl FnOnce(Option<Matrix>, At<'_, Matrix>, &dyn ScalarFunction) + use<>,
) {
    let spectrum = Spectrum::of(a);
    let y = spectrum.as_ref().and_then(|spectrum| spectrum.map(f));
    let pullback =
        move |y_bar: Option<Matrix>, CoDual(_, a_bar): At<'_, Matrix>, f: &dyn ScalarFunction| {
            if let (Some(spectrum), Some(y_bar)) = (spectrum, y_bar) {
                let whole = spectrum.back(&spectrum.first(f, &spectrum.turned(&y_bar)));
                *a_bar += whole.folded();
            }
        };
    (y, pullback)
}

#[allow(clippy::type_complexity)]
fn map_rrule_frule(
    a: Dual<&Matrix, &Matrix>,
    f: &dyn ScalarFunction,
) -> (
    D<Option<Matrix>>,
    impl FnOnce(D<Option<Matrix>>, At2<'_, Matrix>, &dyn ScalarFunction) + use<>,
) {
    let pullback = move |y_bar: D<Option<Matrix>>,
                         CoDual(a, a_bar): At2<'_, Matrix>,
                         f: &dyn ScalarFunction| {
        let (Some(spectrum), Dual(Some(y_bar), Some(y_bar_dot))) = (Spectrum::of(a.0), y_bar)
        else {
            return;
        };
        let direction = spectrum.turned(&a.1.symmetric());
        let (y_bar, y_bar_dot) = (spectrum.turned(&y_bar), spectrum.turned(&y_bar_dot));
        let change = spectrum.first(f, &y_bar_dot) + spectrum.second(f, &direction, &y_bar);
        *a_bar.0 += spectrum.back(&spectrum.first(f, &y_bar)).folded();
        *a_bar.1 += spectrum.back(&change).folded();
    };
    (map_frule(a, f), pullback)
}

/// The gradient of the sum, and its derivative in a direction.
fn sum_gradient(spectrum: &Spectrum, f: &dyn ScalarFunction) -> Matrix {
    let slopes = spectrum.values.map(|x| f.derivative(x));
    spectrum.back(&Matrix::from_diagonal(&slopes))
}

fn sum_frule(a: Dual<&Matrix, &Matrix>, f: &dyn ScalarFunction) -> D<Option<f64>> {
    let Some(spectrum) = Spectrum::of(a.0) else {
        return Dual(None, None);
    };
    let y = spectrum.sum(f);
    let slopes = spectrum.values.map(|x| f.derivative(x));
    let direction = spectrum.turned(&a.1.symmetric()).diagonal();
    let y_dot = y.map(|_| slopes.zip_map(&direction, strong_mul).sum());
    Dual(y, y_dot)
}

#[allow(clippy::type_complexity)]
fn sum_rrule(
    a: &Matrix,
    f: &dyn ScalarFunction,
) -> (
    Option<f64>,
    impl FnOnce(Option<f64>, At<'_, Matrix>, &dyn ScalarFunction) + use<>,
) {
    let spectrum = Spectrum::of(a);
    let y = spectrum.as_ref().and_then(|spectrum| spectrum.sum(f));
    let pullback =
        move |y_bar: Option<f64>, CoDual(_, a_bar): At<'_, Matrix>, f: &dyn ScalarFunction| {
            if let (Some(spectrum), Some(y_bar)) = (spectrum, y_bar) {
                let whole = sum_gradient(&spectrum, f).map(|g| strong_mul(g, y_bar));
                *a_bar += whole.folded();
            }
        };
    (y, pullback)
}

#[allow(clippy::type_complexity)]
fn sum_rrule_frule(
    a: Dual<&Matrix, &Matrix>,
    f: &dyn ScalarFunction,
) -> (
    D<Option<f64>>,
    impl FnOnce(D<Option<f64>>, At2<'_, Matrix>, &dyn ScalarFunction) + use<>,
) {
    let pullback =
        move |y_bar: D<Option<f64>>, CoDual(a, a_bar): At2<'_, Matrix>, f: &dyn ScalarFunction| {
            let (Some(spectrum), Dual(Some(y_bar), Some(y_bar_dot))) = (Spectrum::of(a.0), y_bar)
            else {
                return;
            };
            let gradient = sum_gradient(&spectrum, f);
            let direction = spectrum.turned(&a.1.symmetric());
            let weights = spectrum.divided(|x| f.derivative(x), |x| f.second_derivative(x));
            let change = spectrum.back(&weights.zip_map(&direction, strong_mul));
            *a_bar.0 += gradient.map(|g| strong_mul(g, y_bar)).folded();
            *a_bar.1 += gradient.map(|g| strong_mul(g, y_bar_dot)).folded();
            *a_bar.1 += change.map(|g| strong_mul(g, y_bar)).folded();
        };
    (sum_frule(a, f), pullback)
}

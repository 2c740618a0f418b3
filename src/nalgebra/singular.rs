//! Singular values and vectors.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector};

use super::algebra::{Algebra, strong_mul};
use super::clusters::{Change, clusters, roundoff};
use super::divided::{ScalarFunction, divided};
use super::eigen::symmetric_eigen;
use super::jacobi;
use super::rules::{self, At, At2, D, Function, Part as _};
use crate::{CoDual, Dual, primitive};

type Matrix = DMatrix<f64>;
type Vector = DVector<f64>;

pub(super) struct Singular;

/// `(U, s, V)` with `A = U diag(s) Vᵀ`: the singular values `s` in descending order, and the vectors that belong to them as columns of length one, as many
/// as `A` has rows or columns, whichever are fewer; `None` where an entry isn't finite.
///
/// With `K = Uᵀ A_dot V`, `Uᵀ U_dot` and `Vᵀ V_dot` are `S ∘ D ± T ∘ E`, where `S` and `T` are the symmetric and the antisymmetric part of `K`,
/// `D[i, j] = 1/(s[j] - s[i])` and `E[i, j] = 1/(s[j] + s[i])` (J. Townsend, Differentiating the singular value decomposition, 2016). Vectors that
/// belong to equal singular values have no derivative, and it is NaN; neither have those of one that is zero, if `A` isn't square, and those of
/// two that are. For singular values alone take [`singular_values`](fn@singular_values), or [`singular_value_sum`](fn@singular_value_sum);
/// for `U Vᵀ`, [`polar`](fn@super::polar): they have derivatives where singular values are equal.
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
    jacobi::svd(a)
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
        let (a_dot, weights) = (&tangents[0], Weights::of(s));
        let k = u.tr_mul(a_dot) * v;
        let (even, odd) = parts(&k);
        let (even, odd) = (weights.gaps.weigh(&even), weights.sums.weigh(&odd));
        let left = across(u, &(a_dot * v)).map(|m| weights.alone.weigh_columns(&m));
        let right = across(v, &a_dot.tr_mul(u)).map(|m| weights.alone.weigh_columns(&m));
        let sum = |m: Matrix, rest: Option<Matrix>| rest.map_or(m.clone(), |rest| m + rest);
        vec![
            sum(u * (&even + &odd), left),
            k.diagonal().matrix(),
            sum(v * (even - odd), right),
        ]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let [u, s, v] = results else {
            unreachable!("there are three factors")
        };
        let [u_bar, s_bar, v_bar] = cotangents else {
            unreachable!("there are three factors")
        };
        let weights = Weights::of(s);
        let turned = |u: &M, u_bar: &M| parts(&u.transposed().times(u_bar)).1;
        let (left, right) = (turned(u, u_bar), turned(v, v_bar));
        let even = weights.gaps.weigh(&left.plus(&right));
        let odd = weights.sums.weigh(&left.minus(&right));
        let middle = s_bar.as_diagonal().plus(&even).plus(&odd);
        let mut whole = u.times(&middle).times(&v.transposed());
        if let Some(left) = across(u, u_bar) {
            let left = weights.alone.weigh_columns(&left);
            whole = whole.plus(&left.times(&v.transposed()));
        }
        if let Some(right) = across(v, v_bar) {
            let right = weights.alone.weigh_columns(&right);
            whole = whole.plus(&u.times(&right.transposed()));
        }
        vec![whole]
    }
}

/// The symmetric and the antisymmetric part.
pub(super) fn parts<M: Algebra>(m: &M) -> (M, M) {
    let half = m.scaled(0.5);
    (
        half.plus(&half.transposed()),
        half.minus(&half.transposed()),
    )
}

/// The part of a matrix that is orthogonal to the columns of `u`, if there is any.
pub(super) fn across<M: Algebra>(u: &M, m: &M) -> Option<M> {
    let exists = !u.value().is_square();
    exists.then(|| m.minus(&u.times(&u.transposed().times(m))))
}

/// Reciprocals, NaN where there are none.
struct Weights<M> {
    /// `1/(s[j] - s[i])`, and zero on the diagonal.
    gaps: M,
    /// `1/(s[j] + s[i])`
    sums: M,
    /// `1/s`
    alone: M,
}

impl<M: Algebra> Weights<M> {
    fn of(s: &M) -> Weights<M> {
        let roundoff = roundoff(s.value().as_slice());
        let gaps = s.differences().reciprocal(roundoff);
        Weights {
            gaps: gaps.kept(|i, j| i != j),
            sums: s.sums().reciprocal(roundoff),
            alone: s.reciprocal(roundoff),
        }
    }
}

/// The singular values in descending order; `None` where an entry isn't finite.
///
/// `A_bar = U diag(s_bar) Vᵀ`. Where singular values are equal, a function of them that doesn't depend on their order has this derivative, and each singular
/// value has a kink; so has one that is zero. The second derivative of such a function is right as well, with about eight digits if singular values are equal
/// up to eight digits, and not exactly. Second derivatives of a function with a kink are NaN; so are those at a singular value of zero, if
/// `A` isn't square, and at two of them. See [`singular_value_sum`](fn@singular_value_sum) for the sum of a smooth function.
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
#[primitive(frule = values_frule, rrule = values_rrule, rrule_frule = values_rrule_frule)]
pub fn singular_values(a: &DMatrix<f64>) -> Option<DVector<f64>> {
    Some(svd(a)?.1)
}

/// The sum of `f(s)` over the singular values; `None` where an entry of `A` or an `f(s)` isn't finite.
///
/// It has first and second derivatives wherever `f` has, at equal and nearly equal singular values, too: `A_bar = y_bar U diag(f'(s)) Vᵀ`. At a
/// singular value of zero it has them where `f(|x|)` has: `f'(0)` has to be zero. The function is constant: parameters of it are not differentiated.
///
/// ```
/// use chainrule::prelude::*;
/// use nalgebra::DMatrix;
///
/// /// The nuclear norm.
/// #[differentiable]
/// fn norm(a: &DMatrix<f64>) -> f64 {
///     chainrule::nalgebra::singular_value_sum(a, &(|s| s, |_| 1.0, |_| 0.0)).unwrap()
/// }
///
/// let gradient = norm::gradient(&(DMatrix::identity(3, 2) * 2.0));
/// assert!((gradient - DMatrix::identity(3, 2)).amax() < 1e-15);
/// ```
#[primitive(frule = sum_frule, rrule = sum_rrule, rrule_frule = sum_rrule_frule)]
pub fn singular_value_sum(a: &DMatrix<f64>, #[constant] f: &dyn ScalarFunction) -> Option<f64> {
    Factors::of(a)?.sum(f)
}

/// `U diag(s) Vᵀ`
struct Factors {
    u: Matrix,
    s: Vector,
    v: Matrix,
}

impl Factors {
    fn of(a: &Matrix) -> Option<Factors> {
        let (u, s, v) = svd(a)?;
        Some(Factors { u, s, v })
    }

    fn sum(&self, f: &dyn ScalarFunction) -> Option<f64> {
        let y = self.s.map(|s| f.value(s));
        let exists = y.iter().all(|y| y.is_finite());
        exists.then(|| y.sum())
    }

    fn slopes(&self, f: &dyn ScalarFunction) -> Vector {
        self.s.map(|s| f.derivative(s))
    }

    /// `Uᵀ m V`
    fn turned(&self, m: &Matrix) -> Matrix {
        self.u.tr_mul(m) * &self.v
    }

    fn back(&self, m: &Matrix) -> Matrix {
        &self.u * m * self.v.transpose()
    }

    fn gradient(&self, bar: &Vector) -> Matrix {
        self.back(&Matrix::from_diagonal(bar))
    }

    /// The derivative of `U diag(g) Vᵀ` in a direction, by the factors of the symmetric and of the antisymmetric part of `Uᵀ a_dot V`, and of the
    /// part that is orthogonal to the vectors.
    fn change(
        &self,
        a_dot: &Matrix,
        even: impl Fn(usize, usize, f64) -> f64,
        odd: impl Fn(usize, usize) -> f64,
        alone: impl Fn(usize) -> f64,
    ) -> Matrix {
        let n = self.s.len();
        let (symmetric, antisymmetric) = parts(&self.turned(a_dot));
        let middle = Matrix::from_fn(n, n, |i, j| {
            even(i, j, symmetric[(i, j)]) + strong_mul(odd(i, j), antisymmetric[(i, j)])
        });
        let alone = Matrix::from_fn(n, 1, |i, _| alone(i));
        let mut whole = self.back(&middle);
        if let Some(left) = across(&self.u, &(a_dot * &self.v)) {
            whole += alone.weigh_columns(&left) * self.v.transpose();
        }
        if let Some(right) = across(&self.v, &a_dot.tr_mul(&self.u)) {
            whole += &self.u * alone.weigh_columns(&right).transpose();
        }
        whole
    }
}

fn values_frule(a: Dual<&Matrix, &Matrix>) -> D<Option<Vector>> {
    match Factors::of(a.0) {
        None => Dual(None, None),
        Some(factors) => {
            let dot = factors.turned(a.1).diagonal();
            Dual(Some(factors.s), Some(dot))
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
    let factors = Factors::of(a);
    let values = factors.as_ref().map(|factors| factors.s.clone());
    let pullback = move |bar: Option<Vector>, CoDual(_, a_bar): At<'_, Matrix>| {
        if let (Some(factors), Some(bar)) = (factors, bar) {
            *a_bar += factors.gradient(&bar);
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
    let along = Factors::of(a.0).map(|factors| factors.along(a.1));
    let values = along.as_ref().map(|(factors, _)| factors.s.clone());
    let dot = along
        .as_ref()
        .map(|(factors, _)| factors.turned(a.1).diagonal());
    let pullback = move |bar: D<Option<Vector>>, CoDual(a, a_bar): At2<'_, Matrix>| {
        if let (Some((factors, runs)), Dual(Some(bar), Some(bar_dot))) = (along, bar) {
            *a_bar.0 += factors.gradient(&bar);
            *a_bar.1 += factors.values_change(&runs, a.1, &bar, &bar_dot);
        }
    };
    (Dual(values, dot), pullback)
}

impl Factors {
    /// Vectors among which, of equal singular values, the symmetric part of the direction is diagonal; and the runs of equal values.
    fn along(mut self, a_dot: &Matrix) -> (Factors, Vec<Range<usize>>) {
        let runs = clusters(self.s.as_slice());
        for run in runs.iter().filter(|run| run.len() > 1) {
            let [left, right] =
                [&self.u, &self.v].map(|m| m.columns(run.start, run.len()).into_owned());
            let (symmetric, _) = parts(&(left.tr_mul(a_dot) * &right));
            if let Some((_, turn)) = symmetric_eigen(&symmetric) {
                for (whole, part) in [(&mut self.u, left), (&mut self.v, right)] {
                    let mut columns = whole.columns_mut(run.start, run.len());
                    columns.copy_from(&(part * &turn));
                }
            }
        }
        (self, runs)
    }

    /// The derivative of the gradient of a function of the values.
    fn values_change(
        &self,
        runs: &[Range<usize>],
        a_dot: &Matrix,
        bar: &Vector,
        bar_dot: &Vector,
    ) -> Matrix {
        let dot = self.turned(a_dot).diagonal();
        let change = Change {
            values: self.s.as_slice(),
            dot: dot.as_slice(),
            bar: bar.as_slice(),
            bar_dot: bar_dot.as_slice(),
        };
        let (moves, weights) = (a_dot.amax() != 0.0, Weights::of(&self.s.clone().matrix()));
        let even = |i: usize, j: usize, direction: f64| {
            if i == j {
                bar_dot[i]
            } else if runs.iter().any(|run| run.contains(&i) && run.contains(&j)) {
                if moves { change.of_equal(i, j) } else { 0.0 }
            } else {
                strong_mul(change.quotient(i, j), direction)
            }
        };
        let odd = |i: usize, j: usize| (bar[i] + bar[j]) * weights.sums[(i, j)];
        self.change(a_dot, even, odd, |i| bar[i] * weights.alone[i])
    }

    /// The derivative of the gradient of the sum of `f(s)`.
    fn sum_change(&self, f: &dyn ScalarFunction, a_dot: &Matrix) -> Matrix {
        let s = &self.s;
        // The derivative of `f(|x|)`, and the second.
        let slope = |x: f64| {
            let there = f.derivative(x.abs());
            if x == 0.0 { 0.0 } else { there * x.signum() }
        };
        let second = |x: f64| f.second_derivative(x.abs());
        let has_kink = |s: f64| s == 0.0 && f.derivative(0.0) != 0.0;
        let between = |i: usize, j: usize, sign: f64| {
            if has_kink(s[i]) || has_kink(s[j]) {
                return f64::NAN;
            }
            divided(slope, second, s[i], sign * s[j]).value
        };
        let even = |i: usize, j: usize, direction: f64| strong_mul(between(i, j, 1.0), direction);
        let odd = |i: usize, j: usize| between(i, j, -1.0);
        let alone = |i: usize| {
            if has_kink(s[i]) {
                f64::NAN
            } else {
                divided(slope, second, s[i], 0.0).value
            }
        };
        self.change(a_dot, even, odd, alone)
    }
}

fn sum_frule(a: Dual<&Matrix, &Matrix>, f: &dyn ScalarFunction) -> D<Option<f64>> {
    let Some(factors) = Factors::of(a.0) else {
        return Dual(None, None);
    };
    let (y, slopes) = (factors.sum(f), factors.slopes(f));
    let direction = factors.turned(a.1).diagonal();
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
    let factors = Factors::of(a);
    let y = factors.as_ref().and_then(|factors| factors.sum(f));
    let pullback =
        move |y_bar: Option<f64>, CoDual(_, a_bar): At<'_, Matrix>, f: &dyn ScalarFunction| {
            if let (Some(factors), Some(y_bar)) = (factors, y_bar) {
                let gradient = factors.gradient(&factors.slopes(f));
                *a_bar += gradient.map(|g| strong_mul(g, y_bar));
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
    let pullback = move |y_bar: D<Option<f64>>,
                         CoDual(a, a_bar): At2<'_, Matrix>,
                         f: &dyn ScalarFunction| {
        let (Some(factors), Dual(Some(y_bar), Some(y_bar_dot))) = (Factors::of(a.0), y_bar) else {
            return;
        };
        let gradient = factors.gradient(&factors.slopes(f));
        let change = factors.sum_change(f, a.1);
        *a_bar.0 += gradient.map(|g| strong_mul(g, y_bar));
        *a_bar.1 += gradient.map(|g| strong_mul(g, y_bar_dot));
        *a_bar.1 += change.map(|g| strong_mul(g, y_bar));
    };
    (sum_frule(a, f), pullback)
}

//! Linear systems with one right-hand side, with rules of their own: they keep the factorisation, and are called most by programs.

use ad_runtime::libraries::nalgebra::library::{Cholesky, DMatrix, DVector, Dyn};

use crate::{CoDual, Dual, primitive};

type D<T> = Dual<T, T>;
/// The argument of a pullback for a reference, in first and in second order.
type At<'a, T> = CoDual<&'a T, &'a mut T>;
type At2<'a, T> = CoDual<D<&'a T>, D<&'a mut T>>;

/// The solution `x` of `A x = b`, or `None` where a pivot of the LU factorisation is zero.
///
/// With `w = A⁻ᵀ x_bar` the cotangents are `b_bar = w` and `A_bar = -w xᵀ`. A matrix that is nearly singular has a solution and derivatives,
/// which are as inaccurate as its condition says.
///
/// # Panics
/// If `A` isn't square, or `b` has another number of rows.
///
/// ```
/// use chainrule::nalgebra::solve;
/// use nalgebra::{DMatrix, DVector};
///
/// let a = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 0.0, 4.0]);
/// let b = DVector::from_vec(vec![4.0, 8.0]);
/// assert_eq!(solve(&a, &b), Some(DVector::from_vec(vec![1.0, 2.0])));
/// assert_eq!(solve(&DMatrix::zeros(2, 2), &b), None);
/// ```
#[primitive(frule = solve_frule, rrule = solve_rrule, rrule_frule = solve_rrule_frule)]
pub fn solve(a: &DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    a.clone().lu().solve(b)
}

fn solve_frule(
    a: Dual<&DMatrix<f64>, &DMatrix<f64>>,
    b: Dual<&DVector<f64>, &DVector<f64>>,
) -> D<Option<DVector<f64>>> {
    let lu = a.0.clone().lu();
    let x = lu.solve(b.0);
    let x_dot = x.as_ref().and_then(|x| lu.solve(&(b.1 - a.1 * x)));
    Dual(x, x_dot)
}

#[allow(clippy::type_complexity)]
fn solve_rrule(
    a: &DMatrix<f64>,
    b: &DVector<f64>,
) -> (
    Option<DVector<f64>>,
    impl FnOnce(Option<DVector<f64>>, At<'_, DMatrix<f64>>, At<'_, DVector<f64>>) + use<>,
) {
    let x = solve(a, b);
    let solution = x.clone();
    let pullback =
        move |x_bar: Option<DVector<f64>>, a: At<'_, DMatrix<f64>>, b: At<'_, DVector<f64>>| {
            let w = x_bar.and_then(|x_bar| a.0.transpose().lu().solve(&x_bar));
            if let (Some(x), Some(w)) = (solution, w) {
                *b.1 += &w;
                a.1.ger(-1.0, &w, &x, 1.0);
            }
        };
    (x, pullback)
}

#[allow(clippy::type_complexity)]
fn solve_rrule_frule(
    a: Dual<&DMatrix<f64>, &DMatrix<f64>>,
    b: Dual<&DVector<f64>, &DVector<f64>>,
) -> (
    D<Option<DVector<f64>>>,
    impl FnOnce(D<Option<DVector<f64>>>, At2<'_, DMatrix<f64>>, At2<'_, DVector<f64>>) + use<>,
) {
    let both = solve_frule(a, b);
    let solution = both.clone();
    let pullback = move |x_bar: D<Option<DVector<f64>>>,
                         CoDual(a, a_bar): At2<'_, DMatrix<f64>>,
                         CoDual(_, b_bar): At2<'_, DVector<f64>>| {
        let (Dual(Some(x), Some(x_dot)), Dual(Some(x_bar), Some(x_bar_dot))) = (solution, x_bar)
        else {
            return;
        };
        let lu = a.0.transpose().lu();
        let Some(w) = lu.solve(&x_bar) else { return };
        let Some(w_dot) = lu.solve(&(x_bar_dot - a.1.tr_mul(&w))) else {
            return;
        };
        *b_bar.0 += &w;
        *b_bar.1 += &w_dot;
        a_bar.0.ger(-1.0, &w, &x, 1.0);
        a_bar.1.ger(-1.0, &w_dot, &x, 1.0);
        a_bar.1.ger(-1.0, &w, &x_dot, 1.0);
    };
    (both, pullback)
}

/// `ln det A` and the solution `x` of `A x = b` by one Cholesky factorisation of the symmetric matrix `A`, or `None` where `A` isn't positive
/// definite.
///
/// It reads the lower triangle, as `nalgebra` does, and so the cotangent of `A` has a lower triangle only: there an entry represents
/// itself and the one above the diagonal. With `w = A⁻¹ x_bar` the cotangents are `b_bar = w` and, of the whole matrix,
/// `A_bar = ln_det_bar A⁻¹ - (w xᵀ + x wᵀ)/2`.
///
/// # Panics
/// If `A` isn't square, or `b` has another number of rows.
///
/// ```
/// use chainrule::nalgebra::ln_det_and_solve;
/// use nalgebra::{DMatrix, DVector};
///
/// let a = DMatrix::from_row_slice(2, 2, &[4.0, 0.0, 0.0, 1.0]);
/// let (ln_det, x) = ln_det_and_solve(&a, &DVector::from_vec(vec![8.0, 3.0])).unwrap();
/// assert_eq!((ln_det, x.as_slice()), (4.0_f64.ln(), &[2.0, 3.0][..]));
/// assert!(ln_det_and_solve(&-a, &x).is_none());
/// ```
#[primitive(frule = cholesky_frule, rrule = cholesky_rrule, rrule_frule = cholesky_rrule_frule)]
pub fn ln_det_and_solve(a: &DMatrix<f64>, b: &DVector<f64>) -> Option<(f64, DVector<f64>)> {
    factorized(a, b).map(|(_, value)| value)
}

type Solved = (f64, DVector<f64>);
type Factor = Cholesky<f64, Dyn>;

fn factorized(a: &DMatrix<f64>, b: &DVector<f64>) -> Option<(Factor, Solved)> {
    let factor = Cholesky::new(a.clone())?;
    let value = (factor.ln_determinant(), factor.solve(b));
    Some((factor, value))
}

/// The symmetric matrix with this lower triangle.
fn symmetric(lower: &DMatrix<f64>) -> DMatrix<f64> {
    let mut whole = lower.clone();
    whole.fill_upper_triangle_with_lower_triangle();
    whole
}

/// Adds the cotangent of a symmetric matrix to that of its lower triangle.
fn add_lower(a_bar: &mut DMatrix<f64>, whole: &DMatrix<f64>) {
    for j in 0..whole.ncols() {
        a_bar[(j, j)] += whole[(j, j)];
        for i in j + 1..whole.nrows() {
            a_bar[(i, j)] += whole[(i, j)] + whole[(j, i)];
        }
    }
}

fn tangent(
    factor: &Factor,
    x: &DVector<f64>,
    a_dot: &DMatrix<f64>,
    b_dot: &DVector<f64>,
) -> Solved {
    let a_dot = symmetric(a_dot);
    let x_dot = factor.solve(&(b_dot - &a_dot * x));
    (factor.solve(&a_dot).trace(), x_dot)
}

fn cholesky_frule(
    a: Dual<&DMatrix<f64>, &DMatrix<f64>>,
    b: Dual<&DVector<f64>, &DVector<f64>>,
) -> D<Option<Solved>> {
    match factorized(a.0, b.0) {
        None => Dual(None, None),
        Some((factor, y)) => {
            let y_dot = tangent(&factor, &y.1, a.1, b.1);
            Dual(Some(y), Some(y_dot))
        }
    }
}

#[allow(clippy::type_complexity)]
fn cholesky_rrule(
    a: &DMatrix<f64>,
    b: &DVector<f64>,
) -> (
    Option<Solved>,
    impl FnOnce(Option<Solved>, At<'_, DMatrix<f64>>, At<'_, DVector<f64>>) + use<>,
) {
    let kept = factorized(a, b);
    let y = kept.as_ref().map(|(_, y)| y.clone());
    let pullback =
        move |y_bar: Option<Solved>, a: At<'_, DMatrix<f64>>, b: At<'_, DVector<f64>>| {
            if let (Some((factor, (_, x))), Some((ln_det_bar, x_bar))) = (kept, y_bar) {
                let w = factor.solve(&x_bar);
                let mut whole = factor.inverse() * ln_det_bar;
                whole.ger(-1.0, &w, &x, 1.0);
                add_lower(a.1, &whole);
                *b.1 += w;
            }
        };
    (y, pullback)
}

#[allow(clippy::type_complexity)]
fn cholesky_rrule_frule(
    a: Dual<&DMatrix<f64>, &DMatrix<f64>>,
    b: Dual<&DVector<f64>, &DVector<f64>>,
) -> (
    D<Option<Solved>>,
    impl FnOnce(D<Option<Solved>>, At2<'_, DMatrix<f64>>, At2<'_, DVector<f64>>) + use<>,
) {
    let kept = factorized(a.0, b.0).map(|(factor, y)| {
        let y_dot = tangent(&factor, &y.1, a.1, b.1);
        (factor, y, y_dot)
    });
    let both = match &kept {
        Some((_, y, y_dot)) => Dual(Some(y.clone()), Some(y_dot.clone())),
        None => Dual(None, None),
    };
    let pullback = move |y_bar: D<Option<Solved>>,
                         CoDual(a, a_bar): At2<'_, DMatrix<f64>>,
                         CoDual(_, b_bar): At2<'_, DVector<f64>>| {
        let Some((factor, (_, x), (_, x_dot))) = kept else {
            return;
        };
        let Dual(Some((g, x_bar)), Some((g_dot, x_bar_dot))) = y_bar else {
            return;
        };
        let a_dot = symmetric(a.1);
        let w = factor.solve(&x_bar);
        let w_dot = factor.solve(&(x_bar_dot - &a_dot * &w));
        let inverse = factor.inverse();
        let mut whole = &inverse * g;
        whole.ger(-1.0, &w, &x, 1.0);
        let mut whole_dot = &inverse * g_dot - &inverse * a_dot * &inverse * g;
        whole_dot.ger(-1.0, &w_dot, &x, 1.0);
        whole_dot.ger(-1.0, &w, &x_dot, 1.0);
        add_lower(a_bar.0, &whole);
        add_lower(a_bar.1, &whole_dot);
        *b_bar.0 += w;
        *b_bar.1 += w_dot;
    };
    (both, pullback)
}

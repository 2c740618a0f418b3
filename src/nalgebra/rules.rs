//! From the formulas of a matrix function to its rules.
//!
//! In: a [`Function`]. Out: the three rules that `#[primitive]` asks for, for one and for two arguments.

use alloc::vec;
use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector};

use super::algebra::{Algebra, Pair};
use crate::{CoDual, Dual};

type Matrix = DMatrix<f64>;
pub(super) type D<T> = Dual<T, T>;
/// The argument of a pullback for a reference, in first and in second order.
pub(super) type At<'a, T> = CoDual<&'a T, &'a mut T>;
pub(super) type At2<'a, T> = CoDual<D<&'a T>, D<&'a mut T>>;

/// A function of matrices by its formulas. Columns and numbers are matrices, too.
pub(super) trait Function {
    /// The public type of its results.
    type Output: Results;

    /// The results, if there are any.
    fn value(args: &[Matrix]) -> Option<Vec<Matrix>>;
    /// Their tangents, by those of the arguments.
    fn tangents(args: &[Matrix], results: &[Matrix], tangents: &[Matrix]) -> Vec<Matrix>;
    /// The cotangents of the arguments, by those of the results.
    fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M>;
}

/// The results of a function, as matrices.
pub(super) trait Results: 'static {
    fn split(self) -> Option<Vec<Matrix>>;
    fn join(results: Option<Vec<Matrix>>) -> Self;
}

/// A matrix, a column or a number.
pub(super) trait Part: 'static {
    fn matrix(self) -> Matrix;
    fn part(matrix: Matrix) -> Self;
    fn add(&mut self, matrix: &Matrix);
}

impl Part for Matrix {
    fn matrix(self) -> Matrix {
        self
    }

    fn part(matrix: Matrix) -> Self {
        matrix
    }

    fn add(&mut self, matrix: &Matrix) {
        *self += matrix;
    }
}

impl Part for DVector<f64> {
    fn matrix(self) -> Matrix {
        Matrix::from_column_slice(self.len(), 1, self.as_slice())
    }

    fn part(matrix: Matrix) -> Self {
        matrix.column(0).into_owned()
    }

    fn add(&mut self, matrix: &Matrix) {
        *self += matrix.column(0);
    }
}

impl Part for f64 {
    fn matrix(self) -> Matrix {
        Matrix::from_element(1, 1, self)
    }

    fn part(matrix: Matrix) -> Self {
        matrix[0]
    }

    fn add(&mut self, matrix: &Matrix) {
        *self += matrix[0];
    }
}

/// One that there always is.
impl<P: Part> Results for P {
    fn split(self) -> Option<Vec<Matrix>> {
        Some(vec![self.matrix()])
    }

    fn join(results: Option<Vec<Matrix>>) -> Self {
        let only = results.and_then(|mut results| results.pop());
        P::part(only.expect("the function has a value everywhere"))
    }
}

/// One or several that there may be.
macro_rules! results {
    ($([$($part:ident)+])*) => {$(
        #[allow(unused_parens, non_snake_case)]
        impl<$($part: Part),+> Results for Option<($($part),+)> {
            fn split(self) -> Option<Vec<Matrix>> {
                self.map(|($($part),+)| vec![$($part.matrix()),+])
            }

            fn join(results: Option<Vec<Matrix>>) -> Self {
                let mut results = results?.into_iter();
                Some(($($part::part(results.next()?)),+))
            }
        }
    )*};
}
results! {
    [A]
    [A B]
    [A B C]
}

/// Values and tangents.
fn pairs<F: Function>(args: &[Pair]) -> Option<Vec<Pair>> {
    let [values, tangents]: [Vec<Matrix>; 2] = [
        args.iter().map(|arg| arg.value.clone()).collect(),
        args.iter().map(|arg| arg.tangent.clone()).collect(),
    ];
    let results = F::value(&values)?;
    let tangents = F::tangents(&values, &results, &tangents);
    let pairs = results.into_iter().zip(tangents);
    Some(
        pairs
            .map(|(value, tangent)| Pair { value, tangent })
            .collect(),
    )
}

fn joined<R: Results>(pairs: Option<Vec<Pair>>) -> D<R> {
    match pairs {
        None => Dual(R::join(None), R::join(None)),
        Some(pairs) => {
            let (values, tangents) = pairs.into_iter().map(|p| (p.value, p.tangent)).unzip();
            Dual(R::join(Some(values)), R::join(Some(tangents)))
        }
    }
}

fn split<R: Results>(results: D<R>) -> Option<Vec<Pair>> {
    let (values, tangents) = (results.0.split()?, results.1.split()?);
    let pairs = values.into_iter().zip(tangents);
    Some(
        pairs
            .map(|(value, tangent)| Pair { value, tangent })
            .collect(),
    )
}

fn pair<P: Part + Clone>(arg: Dual<&P, &P>) -> Pair {
    Pair {
        value: arg.0.clone().matrix(),
        tangent: arg.1.clone().matrix(),
    }
}

/// The forward rule of a function of one argument.
pub(super) fn frule<F: Function>(a: Dual<&Matrix, &Matrix>) -> D<F::Output> {
    joined(pairs::<F>(&[pair(a)]))
}

/// The reverse rule of a function of one argument.
pub(super) fn rrule<F: Function>(
    a: &Matrix,
) -> (F::Output, impl FnOnce(F::Output, At<'_, Matrix>) + use<F>) {
    let args = [a.clone()];
    let results = F::value(&args);
    let y = F::Output::join(results.clone());
    let pullback = move |y_bar: F::Output, CoDual(_, a_bar): At<'_, Matrix>| {
        if let (Some(results), Some(cotangents)) = (results, y_bar.split()) {
            a_bar.add(&F::pullback(&args, &results, &cotangents)[0]);
        }
    };
    (y, pullback)
}

/// The reverse rule of a function of one argument with tangents.
#[allow(clippy::type_complexity)]
pub(super) fn rrule_frule<F: Function>(
    a: Dual<&Matrix, &Matrix>,
) -> (
    D<F::Output>,
    impl FnOnce(D<F::Output>, At2<'_, Matrix>) + use<F>,
) {
    let args = [pair(a)];
    let results = pairs::<F>(&args);
    let y = joined(results.clone());
    let pullback = move |y_bar: D<F::Output>, CoDual(_, a_bar): At2<'_, Matrix>| {
        if let (Some(results), Some(cotangents)) = (results, split(y_bar)) {
            let whole = &F::pullback(&args, &results, &cotangents)[0];
            a_bar.0.add(&whole.value);
            a_bar.1.add(&whole.tangent);
        }
    };
    (y, pullback)
}

/// The forward rule of a function of a matrix and something else.
pub(super) fn frule_2<F: Function, B: Part + Clone>(
    a: Dual<&Matrix, &Matrix>,
    b: Dual<&B, &B>,
) -> D<F::Output> {
    joined(pairs::<F>(&[pair(a), pair(b)]))
}

/// The reverse rule of a function of a matrix and something else.
#[allow(clippy::type_complexity)]
pub(super) fn rrule_2<F: Function, B: Part + Clone>(
    a: &Matrix,
    b: &B,
) -> (
    F::Output,
    impl FnOnce(F::Output, At<'_, Matrix>, At<'_, B>) + use<F, B>,
) {
    let args = [a.clone(), b.clone().matrix()];
    let results = F::value(&args);
    let y = F::Output::join(results.clone());
    let pullback = move |y_bar: F::Output, a: At<'_, Matrix>, b: At<'_, B>| {
        if let (Some(results), Some(cotangents)) = (results, y_bar.split()) {
            let whole = F::pullback(&args, &results, &cotangents);
            a.1.add(&whole[0]);
            b.1.add(&whole[1]);
        }
    };
    (y, pullback)
}

/// The reverse rule of a function of a matrix and something else, with tangents.
#[allow(clippy::type_complexity)]
pub(super) fn rrule_frule_2<F: Function, B: Part + Clone>(
    a: Dual<&Matrix, &Matrix>,
    b: Dual<&B, &B>,
) -> (
    D<F::Output>,
    impl FnOnce(D<F::Output>, At2<'_, Matrix>, At2<'_, B>) + use<F, B>,
) {
    let args = [pair(a), pair(b)];
    let results = pairs::<F>(&args);
    let y = joined(results.clone());
    let pullback = move |y_bar: D<F::Output>,
                         CoDual(_, a_bar): At2<'_, Matrix>,
                         CoDual(_, b_bar): At2<'_, B>| {
        if let (Some(results), Some(cotangents)) = (results, split(y_bar)) {
            let whole = F::pullback(&args, &results, &cotangents);
            a_bar.0.add(&whole[0].value);
            a_bar.1.add(&whole[0].tangent);
            b_bar.0.add(&whole[1].value);
            b_bar.1.add(&whole[1].tangent);
        }
    };
    (y, pullback)
}

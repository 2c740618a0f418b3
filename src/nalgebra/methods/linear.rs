//! Methods that are linear: rows, columns, traces, copies.
//!
//! The tangent of the result is the method's value for the tangent of the matrix. A pullback adds the result of the adjoint to the matrix's shadow.

use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::Element;
use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector, SMatrix};

use super::{AnyMatrix, At, At2, D, Elem, add_at};
use crate::{__private::mode, Dual, Scalar};

/// Writes out the four rules of a method from its value and its adjoint.
macro_rules! linear {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $(<$(const $n:ident),*>)? ($($c:ident: $C:ty),*) -> $Y:ty;
        |$x:ident| $value:expr;
        |$y_bar:ident, $x_bar:ident| $adjoint:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes$(<$(const $n: usize),*>)?(&self) -> (mode::Ref<Self>, $(mode::Const<$C>),*) {
            (mode::by_ref(), $(linear!(@constant $c)),*)
        }

        /// The value and its tangent.
        #[inline]
        #[track_caller]
        fn $frule$(<$(const $n: usize),*>)?(&self, self_dot: &Self $(, $c: $C)*) -> D<$Y> {
            let value = |$x: &Self| -> $Y { $value };
            Dual(value(self), value(self_dot))
        }

        /// The value and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule$(<$(const $n: usize),*>)?(&self $(, $c: $C)*) -> ($Y, impl FnOnce($Y, At<'_, Self> $(, linear!(@nothing $C))*) -> ((), $(linear!(@nothing $C)),*) + use<Self $($(, $n)*)?>) {
            let $x = self;
            let y = $value;
            let pullback = move |$y_bar: $Y, x: At<'_, Self> $(, _: linear!(@nothing $C))*| {
                let $x_bar = x.1;
                $adjoint;
                ((), $(linear!(@unit $c)),*)
            };
            (y, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule$(<$(const $n: usize),*>)?(
            &self,
            self_dot: &Self
            $(, $c: $C)*
        ) -> (D<$Y>, impl FnOnce(D<$Y>, At2<'_, Self> $(, linear!(@nothing $C))*) -> ((), $(linear!(@nothing $C)),*) + use<Self $($(, $n)*)?>) {
            let y = self.$frule$(::<$($n),*>)?(self_dot $(, $c)*);
            let pullback = move |Dual(y_bar, y_bar_dot): D<$Y>, x: At2<'_, Self> $(, _: linear!(@nothing $C))*| {
                let adjoint = |$y_bar: $Y, $x_bar: &mut Self| { $adjoint; };
                adjoint(y_bar, x.1.0);
                adjoint(y_bar_dot, x.1.1);
                ((), $(linear!(@unit $c)),*)
            };
            (y, pullback)
        }
    )*};
    (@constant $c:ident) => { mode::constant() };
    (@nothing $C:ty) => { () };
    (@unit $c:ident) => { () };
}
pub(super) use linear;

/// The sum of the elements on the diagonal.
fn trace<X: AnyMatrix>(x: &X) -> Elem<X> {
    let mut sum = Elem::<X>::ZERO;
    for k in 0..x.size().0 {
        sum += x.elements()[x.position(k, k)];
    }
    sum
}

/// The number of elements as a float.
#[allow(clippy::cast_precision_loss, reason = "means divide by it")]
fn count<A: Scalar>(n: usize) -> A {
    A::from_f64(n as f64)
}

/// Adds `k` times an element of a row to each element of a column.
fn add_to_rows<X: AnyMatrix>(x_bar: &mut X, y_bar: &impl AnyMatrix<Elem = Elem<X>>, k: Elem<X>) {
    let (rows, _) = x_bar.size();
    for (at, x_bar) in x_bar.elements_mut().iter_mut().enumerate() {
        *x_bar += k * y_bar.elements()[at / rows];
    }
}

/// Adds `k` times an element of a column to each element of a row.
fn add_to_columns<X: AnyMatrix>(x_bar: &mut X, y_bar: &impl AnyMatrix<Elem = Elem<X>>, k: Elem<X>) {
    let (rows, _) = x_bar.size();
    for (at, x_bar) in x_bar.elements_mut().iter_mut().enumerate() {
        *x_bar += k * y_bar.elements()[at % rows];
    }
}

/// The rules of linear methods of all matrices.
pub trait LinearRules: AnyMatrix {
    linear! {
        /// `x.trace()`.
        [__trace_modes __trace_frule __trace_rrule __trace_rrule_frule] () -> Elem<Self>;
        |x| { assert_eq!(x.size().0, x.size().1, "the trace of a matrix that isn't square"); trace(x) };
        |y_bar, x_bar| for k in 0..x_bar.size().0 {
            let at = x_bar.position(k, k);
            x_bar.elements_mut()[at] += y_bar;
        };

        /// `x.mean()`, zero for no elements, as the library's.
        [__mean_modes __mean_frule __mean_rrule __mean_rrule_frule] () -> Elem<Self>;
        |x| {
            let n = x.elements().len();
            if n == 0 { Elem::<Self>::ZERO } else { x.total() / count(n) }
        };
        |y_bar, x_bar| {
            let each = y_bar / count(x_bar.elements().len().max(1));
            for x_bar in x_bar.elements_mut() {
                *x_bar += each;
            }
        };

        /// `x.row_sum()`: of each column, its sum.
        [__row_sum_modes __row_sum_frule __row_sum_rrule __row_sum_rrule_frule] () -> Self::Row;
        |x| x.row_sums();
        |y_bar, x_bar| add_to_rows(x_bar, &y_bar, Elem::<Self>::ONE);

        /// `x.row_mean()`: of each column, its mean.
        [__row_mean_modes __row_mean_frule __row_mean_rrule __row_mean_rrule_frule] () -> Self::Row;
        |x| x.row_means();
        |y_bar, x_bar| {
            let rows = count(x_bar.size().0.max(1));
            add_to_rows(x_bar, &y_bar, Elem::<Self>::ONE / rows);
        };

        /// `x.row_sum_tr()`: the same as a column.
        [__row_sum_tr_modes __row_sum_tr_frule __row_sum_tr_rrule __row_sum_tr_rrule_frule] () -> <Self::Row as AnyMatrix>::Turned;
        |x| x.row_sums().turned();
        |y_bar, x_bar| add_to_rows(x_bar, &y_bar, Elem::<Self>::ONE);

        /// `x.column_sum()`: of each row, its sum.
        [__column_sum_modes __column_sum_frule __column_sum_rrule __column_sum_rrule_frule] () -> Self::Column;
        |x| x.column_sums();
        |y_bar, x_bar| add_to_columns(x_bar, &y_bar, Elem::<Self>::ONE);

        /// `x.column_mean()`: of each row, its mean.
        [__column_mean_modes __column_mean_frule __column_mean_rrule __column_mean_rrule_frule] () -> Self::Column;
        |x| x.column_means();
        |y_bar, x_bar| {
            let columns = count(x_bar.size().1.max(1));
            add_to_columns(x_bar, &y_bar, Elem::<Self>::ONE / columns);
        };

        /// `x.row_iter()`, as a list of matrices.
        [__row_iter_modes __row_iter_frule __row_iter_rrule __row_iter_rrule_frule] () -> Vec<Self::Row>;
        |x| (0..x.size().0).map(|i| x.row_at(i)).collect();
        |y_bar, x_bar| {
            let (rows, _) = x_bar.size();
            for (i, y_bar) in y_bar.iter().enumerate() {
                add_at(x_bar.elements_mut(), y_bar.elements(), |j| i + j * rows);
            }
        };

        /// `x.column_iter()`, as a list of matrices.
        [__column_iter_modes __column_iter_frule __column_iter_rrule __column_iter_rrule_frule] () -> Vec<Self::Column>;
        |x| (0..x.size().1).map(|j| x.column_at(j)).collect();
        |y_bar, x_bar| {
            let (rows, _) = x_bar.size();
            for (j, y_bar) in y_bar.iter().enumerate() {
                add_at(x_bar.elements_mut(), y_bar.elements(), |i| i + j * rows);
            }
        };

        /// `x.row(i)`, as a matrix.
        [__row_modes __row_frule __row_rrule __row_rrule_frule] (i: usize) -> Self::Row;
        |x| x.row_at(i);
        |y_bar, x_bar| {
            let (rows, _) = x_bar.size();
            add_at(x_bar.elements_mut(), y_bar.elements(), |j| i + j * rows);
        };

        /// `x.column(j)`, as a matrix.
        [__column_modes __column_frule __column_rrule __column_rrule_frule] (j: usize) -> Self::Column;
        |x| x.column_at(j);
        |y_bar, x_bar| {
            let (rows, _) = x_bar.size();
            add_at(x_bar.elements_mut(), y_bar.elements(), |i| i + j * rows);
        };

        /// `x.as_slice()`, as a list.
        [__as_slice_modes __as_slice_frule __as_slice_rrule __as_slice_rrule_frule] () -> Vec<Elem<Self>>;
        |x| x.elements().to_vec();
        |y_bar, x_bar| add_at(x_bar.elements_mut(), &y_bar, |k| k);

        /// `x.clone_owned()`.
        [__clone_owned_modes __clone_owned_frule __clone_owned_rrule __clone_owned_rrule_frule] () -> Self;
        |x| x.clone();
        |y_bar, x_bar| x_bar.accumulate(&y_bar);
    }
}
impl<X: AnyMatrix> LinearRules for X {}

/// The rules of `x.into_owned()`, of the copy that replaces a view.
pub trait IntoOwnedRules: AnyMatrix {
    /// By value.
    #[inline(always)]
    fn __into_owned_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The matrix and its tangent.
    #[inline]
    fn __into_owned_frule(self, self_dot: Self) -> D<Self> {
        Dual(self, self_dot)
    }

    /// The matrix and its pullback.
    #[inline]
    fn __into_owned_rrule(self) -> (Self, impl FnOnce(Self, ()) -> (Self,) + use<Self>) {
        (self, |y_bar: Self, ()| (y_bar,))
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __into_owned_rrule_frule(
        self,
        self_dot: Self,
    ) -> (D<Self>, impl FnOnce(D<Self>, ()) -> (D<Self>,) + use<Self>) {
        (Dual(self, self_dot), |y_bar: D<Self>, ()| (y_bar,))
    }
}
impl<X: AnyMatrix> IntoOwnedRules for X {}

/// Matrices with a diagonal.
pub trait WithDiagonal: AnyMatrix {
    /// The type of the diagonal.
    type Diagonal: AnyMatrix<Elem = Self::Elem>;

    /// A copy of the diagonal.
    fn diagonal_of(&self) -> Self::Diagonal;
}
impl<A: Element> WithDiagonal for DMatrix<A> {
    type Diagonal = DVector<A>;

    #[inline]
    fn diagonal_of(&self) -> DVector<A> {
        self.diagonal()
    }
}
impl<A: Element, const N: usize> WithDiagonal for SMatrix<A, N, N> {
    type Diagonal = SMatrix<A, N, 1>;

    #[inline]
    fn diagonal_of(&self) -> SMatrix<A, N, 1> {
        SMatrix::from_fn(|k, _| self[(k, k)])
    }
}

/// The rules of `x.diagonal()`.
pub trait DiagonalRules: WithDiagonal {
    linear! {
        /// `x.diagonal()`.
        [__diagonal_modes __diagonal_frule __diagonal_rrule __diagonal_rrule_frule] () -> Self::Diagonal;
        |x| x.diagonal_of();
        |y_bar, x_bar| {
            let (rows, _) = x_bar.size();
            add_at(x_bar.elements_mut(), y_bar.elements(), |k| k + k * rows);
        };
    }
}
impl<X: WithDiagonal> DiagonalRules for X {}

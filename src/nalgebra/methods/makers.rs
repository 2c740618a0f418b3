//! Functions that make matrices: `DMatrix::from_row_slice(n, m, x)`, `Vector3::new(x, y, z)`. They are called by path.
//!
//! All of them copy numbers to elements, so that the pullback adds the elements of a cotangent to those of the numbers.

use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{
    Const, DMatrix, DVector, Dyn, Quaternion, RowDVector, SMatrix, Unit,
};
use ad_runtime::libraries::nalgebra::{Columns, Element, Rows};

use super::plain::QuaternionRules as _;
use super::products::ProductRules as _;
use super::{AnyMatrix, At, At2, D, Elem};
use crate::{__private::mode, CoDual, Differentiable, Dual, NoTangent, Scalar, Tangent};

/// Types of matrices.
pub trait Made: AnyMatrix {
    /// A matrix by its elements. A type of fixed size takes no notice of the size that it gets.
    fn make(size: (usize, usize), f: impl FnMut(usize, usize) -> Elem<Self>) -> Self;
}
impl<A: Element> Made for DMatrix<A> {
    #[inline]
    fn make((rows, columns): (usize, usize), f: impl FnMut(usize, usize) -> A) -> Self {
        DMatrix::from_fn(rows, columns, f)
    }
}
impl<A: Element, const C: usize> Made for Rows<A, C> {
    #[inline]
    fn make((rows, _): (usize, usize), f: impl FnMut(usize, usize) -> A) -> Self {
        Rows::from_fn_generic(Dyn(rows), Const, f)
    }
}
impl<A: Element, const R: usize> Made for Columns<A, R> {
    #[inline]
    fn make((_, columns): (usize, usize), f: impl FnMut(usize, usize) -> A) -> Self {
        Columns::from_fn_generic(Const, Dyn(columns), f)
    }
}
impl<A: Element, const R: usize, const C: usize> Made for SMatrix<A, R, C> {
    #[inline]
    fn make(_: (usize, usize), f: impl FnMut(usize, usize) -> A) -> Self {
        SMatrix::from_fn(f)
    }
}

/// Where the elements of a slice go.
#[derive(Clone, Copy)]
enum Order {
    Rows,
    Columns,
}

impl Order {
    /// The position in the slice of an element of a matrix of this size.
    fn at(self, (rows, columns): (usize, usize), i: usize, j: usize) -> usize {
        match self {
            Order::Rows => i * columns + j,
            Order::Columns => i + j * rows,
        }
    }

    #[track_caller]
    fn make<X: Made>(self, size: (usize, usize), x: &[Elem<X>]) -> X {
        let n = size.0 * size.1;
        assert_eq!(
            n,
            x.len(),
            "a matrix with {n} elements by {} numbers",
            x.len()
        );
        X::make(size, |i, j| x[self.at(size, i, j)])
    }

    /// Adds the elements of a cotangent to those of a slice's shadow.
    fn add<X: AnyMatrix>(self, x_bar: &mut [Elem<X>], y_bar: &X) {
        let (rows, columns) = y_bar.size();
        for j in 0..columns {
            for i in 0..rows {
                x_bar[self.at((rows, columns), i, j)] += y_bar.elements()[i + j * rows];
            }
        }
    }

    /// The elements of a cotangent, in the order of a slice.
    fn list<X: AnyMatrix>(self, y_bar: &X) -> Vec<Elem<X>> {
        let mut list = alloc::vec![Elem::<X>::ZERO; y_bar.elements().len()];
        self.add(&mut list, y_bar);
        list
    }
}

/// As many as a matrix has elements: an iterator may have more.
#[track_caller]
fn first_of<A>(x: &[A], n: usize) -> &[A] {
    assert!(
        x.len() >= n,
        "Matrix init. from iterator: iterator too short."
    );
    &x[..n]
}

#[track_caller]
fn of_columns<X: Made>(x: &[X::Column]) -> X {
    assert!(!x.is_empty(), "At least one column must be given.");
    let rows = x[0].elements().len();
    assert!(
        x.iter().all(|x| x.elements().len() == rows),
        "The columns provided must all have the same dimension."
    );
    let y = X::make((rows, x.len()), |i, j| {
        x.get(j).map_or(Elem::<X>::ZERO, |x| x.elements()[i])
    });
    assert_eq!(
        y.size(),
        (rows, x.len()),
        "a matrix by columns of another size"
    );
    y
}

#[track_caller]
fn of_rows<X: Made>(x: &[X::Row]) -> X {
    assert!(!x.is_empty(), "At least one row must be given.");
    let columns = x[0].elements().len();
    assert!(
        x.iter().all(|x| x.elements().len() == columns),
        "The rows provided must all have the same dimension."
    );
    let y = X::make((x.len(), columns), |i, j| {
        x.get(i).map_or(Elem::<X>::ZERO, |x| x.elements()[j])
    });
    assert_eq!(
        y.size(),
        (x.len(), columns),
        "a matrix by rows of another size"
    );
    y
}

/// Makers that take constants and a reference: the value, and the terms that the adjoint adds.
macro_rules! of_reference {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*) <$X:ty>;
        |$x:ident| $value:expr;
        |$y_bar:ident, $x_bar:ident| $adjoint:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes() -> ($(mode::Const<$C>,)* mode::Ref<$X>,) {
            ($(of_reference!(@constant $c),)* mode::by_ref(),)
        }

        /// The matrix, and its tangent.
        #[inline]
        #[track_caller]
        fn $frule($($c: $C,)* x: Dual<&$X, &$X>) -> D<Self> {
            let value = |$x: &$X| -> Self { $value };
            Dual(value(x.0), value(x.1))
        }

        /// The matrix, and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule($($c: $C,)* $x: &$X) -> (Self, impl FnOnce(Self, $(of_reference!(@nothing $C),)* At<'_, $X>) -> ($(of_reference!(@nothing $C),)* (),) + use<Self, A>) {
            let pullback = |$y_bar: Self, $(_: of_reference!(@nothing $C),)* x: At<'_, $X>| {
                let $x_bar = x.1;
                $adjoint;
                ($(of_reference!(@unit $c),)* (),)
            };
            ($value, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            $($c: $C,)*
            x: Dual<&$X, &$X>,
        ) -> (D<Self>, impl FnOnce(D<Self>, $(of_reference!(@nothing $C),)* At2<'_, $X>) -> ($(of_reference!(@nothing $C),)* (),) + use<Self, A>) {
            let pullback = |y_bar: D<Self>, $(_: of_reference!(@nothing $C),)* x: At2<'_, $X>| {
                let adjoint = |$y_bar: Self, $x_bar: &mut $X| { $adjoint; };
                adjoint(y_bar.0, x.1.0);
                adjoint(y_bar.1, x.1.1);
                ($(of_reference!(@unit $c),)* (),)
            };
            (Self::$frule($($c,)* x), pullback)
        }
    )*};
    (@constant $c:ident) => { mode::constant() };
    (@nothing $C:ty) => { () };
    (@unit $c:ident) => { () };
}

/// Makers that take constants and a value: the value, and its cotangent.
macro_rules! of_value {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*) <$X:ty>;
        |$x:ident| $value:expr;
        |$y_bar:ident| $adjoint:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes() -> ($(mode::Const<$C>,)* mode::Owned<$X>,) {
            ($(of_reference!(@constant $c),)* mode::owned(),)
        }

        /// The matrix, and its tangent.
        #[inline]
        #[track_caller]
        fn $frule($($c: $C,)* x: D<$X>) -> D<Self> {
            let value = |$x: $X| -> Self { $value };
            Dual(value(x.0), value(x.1))
        }

        /// The matrix, and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule($($c: $C,)* $x: $X) -> (Self, impl FnOnce(Self, $(of_reference!(@nothing $C),)* ()) -> ($(of_reference!(@nothing $C),)* $X,) + use<Self, A>) {
            let pullback = |$y_bar: Self, $(_: of_reference!(@nothing $C),)* ()| ($(of_reference!(@unit $c),)* $adjoint,);
            ($value, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            $($c: $C,)*
            x: D<$X>,
        ) -> (D<Self>, impl FnOnce(D<Self>, $(of_reference!(@nothing $C),)* ()) -> ($(of_reference!(@nothing $C),)* D<$X>,) + use<Self, A>) {
            let pullback = |y_bar: D<Self>, $(_: of_reference!(@nothing $C),)* ()| {
                let adjoint = |$y_bar: Self| $adjoint;
                ($(of_reference!(@unit $c),)* Dual(adjoint(y_bar.0), adjoint(y_bar.1)),)
            };
            (Self::$frule($($c,)* x), pullback)
        }
    )*};
}

/// `from_fn`, after constants that are sizes.
macro_rules! of_function {
    ($(#[$doc:meta])* ($($c:ident),*) $size:expr) => {
        $(#[$doc])*
        #[inline(always)]
        fn __from_fn_path_modes() -> ($(of_function!(@const $c),)* mode::Function,) {
            ($(of_function!(@new $c),)* mode::Function,)
        }

        /// The matrix, and its tangent.
        #[inline]
        fn __from_fn_path_frule(
            $($c: mode::Size<Self>,)*
            f: &mut impl FnMut((Dual<usize, NoTangent>, Dual<usize, NoTangent>)) -> D<A>,
        ) -> D<Self> {
            $(let $c = $c.0;)*
            let mut dots = Vec::new();
            let value = Self::make($size, |i, j| {
                let Dual(y, y_dot) = f((Dual(i, NoTangent), Dual(j, NoTangent)));
                dots.push(y_dot);
                y
            });
            let mut tangent = value.clone();
            tangent.elements_mut().copy_from_slice(&dots);
            Dual(value, tangent)
        }

        /// The matrix, and its pullback.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn __from_fn_rrule<P>(
            $($c: mode::Size<Self>,)*
            f: &mut dyn FnMut((usize, usize)) -> (A, P),
        ) -> (
            Self,
            impl FnOnce(
                Self,
                $(of_function!(@nothing $c),)*
                &mut dyn FnMut(P, A, ((), ())) -> (NoTangent, NoTangent),
            ) -> ($(of_function!(@nothing $c),)* (),)
            + use<Self, A, P>,
        ) {
            $(let $c = $c.0;)*
            let mut residuals = Vec::new();
            let value = Self::make($size, |i, j| {
                let (y, residual) = f((i, j));
                residuals.push(residual);
                y
            });
            let pullback = |y_bar: Self,
                            $(_: of_function!(@nothing $c),)*
                            pull: &mut dyn FnMut(P, A, ((), ())) -> (NoTangent, NoTangent)| {
                for (residual, y_bar) in residuals.into_iter().zip(y_bar.elements()).rev() {
                    pull(residual, *y_bar, ((), ()));
                }
                ($(of_reference!(@unit $c),)* (),)
            };
            (value, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn __from_fn_path_rrule_frule<P>(
            $($c: mode::Size<Self>,)*
            f: &mut dyn FnMut((Dual<usize, NoTangent>, Dual<usize, NoTangent>)) -> (D<A>, P),
        ) -> (
            D<Self>,
            impl FnOnce(
                D<Self>,
                $(of_function!(@nothing $c),)*
                &mut dyn FnMut(P, D<A>, ((), ())) -> (Dual<NoTangent, NoTangent>, Dual<NoTangent, NoTangent>),
            ) -> ($(of_function!(@nothing $c),)* (),)
            + use<Self, A, P>,
        ) {
            let mut residuals = Vec::new();
            let mut called = |i: Dual<usize, NoTangent>, j: Dual<usize, NoTangent>| {
                let (y, residual) = f((i, j));
                residuals.push(residual);
                y
            };
            let value = Self::__from_fn_path_frule($($c,)* &mut |(i, j)| called(i, j));
            let pullback = |y_bar: D<Self>,
                            $(_: of_function!(@nothing $c),)*
                            pull: &mut dyn FnMut(P, D<A>, ((), ())) -> (Dual<NoTangent, NoTangent>, Dual<NoTangent, NoTangent>)| {
                let y_bar = y_bar.0.elements().iter().zip(y_bar.1.elements());
                for (residual, y_bar) in residuals.into_iter().zip(y_bar).rev() {
                    pull(residual, Dual(*y_bar.0, *y_bar.1), ((), ()));
                }
                ($(of_reference!(@unit $c),)* (),)
            };
            (value, pullback)
        }
    };
    (@const $c:ident) => { mode::SizeOf<Self> };
    (@new $c:ident) => { mode::size_of() };
    (@nothing $c:ident) => { () };
}

/// Makers of constants, by a size that only rustc can tell is one.
macro_rules! of_sizes {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident),*);
        $value:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes() -> ($(of_sizes!(@mode $c),)*) {
            ($(of_sizes!(@new $c),)*)
        }

        /// The matrix, and zeros.
        #[inline]
        fn $frule($($c: mode::Size<Self>),*) -> D<Self> {
            $(let $c = $c.0;)*
            let value: Self = $value;
            let zero = value.zero_tangent();
            Dual(value, zero)
        }

        /// The matrix, and a pullback that does nothing.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule($($c: mode::Size<Self>),*) -> (Self, impl FnOnce(Self, $(of_reference!(@nothing $c)),*) -> ($(of_reference!(@nothing $c),)*) + use<Self, A>) {
            $(let $c = $c.0;)*
            ($value, |_: Self, $(_: of_reference!(@nothing $c)),*| ($(of_reference!(@unit $c),)*))
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule($($c: mode::Size<Self>),*) -> (D<Self>, impl FnOnce(D<Self>, $(of_reference!(@nothing $c)),*) -> ($(of_reference!(@nothing $c),)*) + use<Self, A>) {
            (Self::$frule($($c),*), |_: D<Self>, $(_: of_reference!(@nothing $c)),*| ($(of_reference!(@unit $c),)*))
        }
    )*};
    (@mode $c:ident) => { mode::SizeOf<Self> };
    (@new $c:ident) => { mode::size_of() };
}

/// The rules of functions that make matrices of any size.
pub trait DynamicMakerRules<A: Element>: Made + AnyMatrix<Elem = A> {
    of_reference! {
        /// `DMatrix::from_row_slice(rows, columns, x)`.
        [__from_row_slice_path_modes __from_row_slice_path_frule __from_row_slice_rrule __from_row_slice_path_rrule_frule]
        (rows: usize, columns: usize) <[A]>;
        |x| Order::Rows.make((rows, columns), x);
        |y_bar, x_bar| Order::Rows.add(x_bar, &y_bar);

        /// `DMatrix::from_column_slice(rows, columns, x)`.
        [__from_column_slice_path_modes __from_column_slice_path_frule __from_column_slice_rrule __from_column_slice_path_rrule_frule]
        (rows: usize, columns: usize) <[A]>;
        |x| Order::Columns.make((rows, columns), x);
        |y_bar, x_bar| Order::Columns.add(x_bar, &y_bar);

        /// `DMatrix::from_diagonal(&x)`.
        [__from_diagonal_path_modes __from_diagonal_path_frule __from_diagonal_rrule __from_diagonal_path_rrule_frule]
        () <DVector<A>>;
        |x| Self::make((x.len(), x.len()), |i, j| if i == j { x[i] } else { A::ZERO });
        |y_bar, x_bar| for k in 0..x_bar.len() {
            x_bar[k] += y_bar.elements()[y_bar.position(k, k)];
        };

        /// `from_columns(&[x, y])`.
        [__from_columns_path_modes __from_columns_path_frule __from_columns_rrule __from_columns_path_rrule_frule]
        () <[Self::Column]>;
        |x| of_columns(x);
        |y_bar, x_bar| for (j, x_bar) in x_bar.iter_mut().enumerate() {
            x_bar.accumulate(&y_bar.column_at(j));
        };

        /// `from_rows(&[x, y])`.
        [__from_rows_path_modes __from_rows_path_frule __from_rows_rrule __from_rows_path_rrule_frule]
        () <[Self::Row]>;
        |x| of_rows(x);
        |y_bar, x_bar| for (i, x_bar) in x_bar.iter_mut().enumerate() {
            x_bar.accumulate(&y_bar.row_at(i));
        };
    }

    of_sizes! {
        /// `DMatrix::zeros(rows, columns)`.
        [__zeros_path_modes __zeros_path_frule __zeros_rrule __zeros_path_rrule_frule] (rows, columns);
        Self::make((rows, columns), |_, _| A::ZERO);

        /// `DMatrix::identity(rows, columns)`.
        [__identity_path_modes __identity_path_frule __identity_rrule __identity_path_rrule_frule] (rows, columns);
        Self::make((rows, columns), |i, j| if i == j { A::ONE } else { A::ZERO });
    }

    of_value! {
        /// `DMatrix::from_vec(rows, columns, x)`.
        [__from_vec_path_modes __from_vec_path_frule __from_vec_rrule __from_vec_path_rrule_frule]
        (rows: usize, columns: usize) <Vec<A>>;
        |x| Order::Columns.make((rows, columns), &x);
        |y_bar| Order::Columns.list(&y_bar);

        /// `from_iterator`, of items that are collected to a list before.
        [__from_iterator_path_modes __from_iterator_path_frule __from_iterator_rrule __from_iterator_path_rrule_frule]
        (rows: usize, columns: usize) <Vec<A>>;
        |x| Order::Columns.make((rows, columns), first_of(&x, rows * columns));
        |y_bar| Order::Columns.list(&y_bar);

        /// `DMatrix::from_element(rows, columns, x)`.
        [__from_element_path_modes __from_element_path_frule __from_element_rrule __from_element_path_rrule_frule]
        (rows: usize, columns: usize) <A>;
        |x| Self::make((rows, columns), |_, _| x);
        |y_bar| y_bar.total();
    }

    of_function! {
        /// `DMatrix::from_fn(rows, columns, f)`.
        (rows, columns) (rows, columns)
    }
}
impl<A: Element> DynamicMakerRules<A> for DMatrix<A> {}

/// The rules of functions that make vectors of any length.
pub trait VectorMakerRules<A: Element>: Made + AnyMatrix<Elem = A> {
    of_reference! {
        /// `DVector::from_row_slice(x)`.
        [__from_row_slice_path_modes __from_row_slice_path_frule __from_row_slice_rrule __from_row_slice_path_rrule_frule]
        () <[A]>;
        |x| Self::make((x.len(), x.len()), |i, j| x[i + j]);
        |y_bar, x_bar| Order::Rows.add(x_bar, &y_bar);

        /// `DVector::from_column_slice(x)`.
        [__from_column_slice_path_modes __from_column_slice_path_frule __from_column_slice_rrule __from_column_slice_path_rrule_frule]
        () <[A]>;
        |x| Self::make((x.len(), x.len()), |i, j| x[i + j]);
        |y_bar, x_bar| Order::Rows.add(x_bar, &y_bar);
    }

    of_value! {
        /// `DVector::from_vec(x)`.
        [__from_vec_path_modes __from_vec_path_frule __from_vec_rrule __from_vec_path_rrule_frule] () <Vec<A>>;
        |x| Self::make((x.len(), x.len()), |i, j| x[i + j]);
        |y_bar| Order::Rows.list(&y_bar);

        /// `from_iterator`, of items that are collected to a list before.
        [__from_iterator_path_modes __from_iterator_path_frule __from_iterator_rrule __from_iterator_path_rrule_frule]
        (n: usize) <Vec<A>>;
        |x| Self::make((n, n), |i, j| first_of(&x, n)[i + j]);
        |y_bar| Order::Rows.list(&y_bar);

        /// `DVector::from_element(n, x)`.
        [__from_element_path_modes __from_element_path_frule __from_element_rrule __from_element_path_rrule_frule]
        (n: usize) <A>;
        |x| Self::make((n, n), |_, _| x);
        |y_bar| y_bar.total();
    }

    of_sizes! {
        /// `DVector::zeros(n)`.
        [__zeros_path_modes __zeros_path_frule __zeros_rrule __zeros_path_rrule_frule] (n);
        Self::make((n, n), |_, _| A::ZERO);
    }

    of_function! {
        /// `DVector::from_fn(n, f)`.
        (n) (n, n)
    }
}
impl<A: Element> VectorMakerRules<A> for DVector<A> {}
impl<A: Element> VectorMakerRules<A> for RowDVector<A> {}

/// The size of a type of fixed size.
pub trait Fixed: Made {
    /// The number of rows, and that of columns.
    const SIZE: (usize, usize);
}
impl<A: Element, const R: usize, const C: usize> Fixed for SMatrix<A, R, C> {
    const SIZE: (usize, usize) = (R, C);
}

/// The rules of functions that make matrices of fixed size.
pub trait FixedMakerRules<A: Element>: Fixed + AnyMatrix<Elem = A> {
    of_reference! {
        /// `SMatrix::from_row_slice(x)`.
        [__from_row_slice_path_modes __from_row_slice_path_frule __from_row_slice_rrule __from_row_slice_path_rrule_frule]
        () <[A]>;
        |x| Order::Rows.make(Self::SIZE, x);
        |y_bar, x_bar| Order::Rows.add(x_bar, &y_bar);

        /// `SMatrix::from_column_slice(x)`.
        [__from_column_slice_path_modes __from_column_slice_path_frule __from_column_slice_rrule __from_column_slice_path_rrule_frule]
        () <[A]>;
        |x| Order::Columns.make(Self::SIZE, x);
        |y_bar, x_bar| Order::Columns.add(x_bar, &y_bar);

        /// `SMatrix::from_diagonal(&x)`.
        [__from_diagonal_path_modes __from_diagonal_path_frule __from_diagonal_rrule __from_diagonal_path_rrule_frule]
        () <Self::Column>;
        |x| Self::make(Self::SIZE, |i, j| if i == j { x.elements()[i] } else { A::ZERO });
        |y_bar, x_bar| for (k, x_bar) in x_bar.elements_mut().iter_mut().enumerate() {
            *x_bar += y_bar.elements()[y_bar.position(k, k)];
        };

        /// `from_columns(&[x, y])`.
        [__from_columns_path_modes __from_columns_path_frule __from_columns_rrule __from_columns_path_rrule_frule]
        () <[Self::Column]>;
        |x| of_columns(x);
        |y_bar, x_bar| for (j, x_bar) in x_bar.iter_mut().enumerate() {
            x_bar.accumulate(&y_bar.column_at(j));
        };

        /// `from_rows(&[x, y])`.
        [__from_rows_path_modes __from_rows_path_frule __from_rows_rrule __from_rows_path_rrule_frule]
        () <[Self::Row]>;
        |x| of_rows(x);
        |y_bar, x_bar| for (i, x_bar) in x_bar.iter_mut().enumerate() {
            x_bar.accumulate(&y_bar.row_at(i));
        };
    }

    of_value! {
        /// `SMatrix::from_vec(x)`.
        [__from_vec_path_modes __from_vec_path_frule __from_vec_rrule __from_vec_path_rrule_frule] () <Vec<A>>;
        |x| Order::Columns.make(Self::SIZE, &x);
        |y_bar| Order::Columns.list(&y_bar);

        /// `from_iterator`, of items that are collected to a list before.
        [__from_iterator_path_modes __from_iterator_path_frule __from_iterator_rrule __from_iterator_path_rrule_frule]
        () <Vec<A>>;
        |x| Order::Columns.make(Self::SIZE, first_of(&x, Self::SIZE.0 * Self::SIZE.1));
        |y_bar| Order::Columns.list(&y_bar);

        /// `SMatrix::from_element(x)`.
        [__from_element_path_modes __from_element_path_frule __from_element_rrule __from_element_path_rrule_frule] () <A>;
        |x| Self::make(Self::SIZE, |_, _| x);
        |y_bar| y_bar.total();
    }

    of_function! {
        /// `SMatrix::from_fn(f)`.
        () Self::SIZE
    }
}
impl<A: Element, const R: usize, const C: usize> FixedMakerRules<A> for SMatrix<A, R, C> {}

/// The positions of the elements, row by row.
#[inline(always)]
fn row_by_row((rows, columns): (usize, usize)) -> impl FnMut() -> usize {
    let mut k = 0;
    move || {
        let at = k / columns + k % columns * rows;
        k += 1;
        at
    }
}

/// The rules of `new`, which takes the elements row by row: a trait for each number of elements.
macro_rules! new {
    ($($rules:ident [$($x:ident)*] for $([$R:literal $C:literal])*;)*) => {$(
        /// The rules of `new`.
        pub trait $rules: Fixed {
            /// By value.
            #[inline(always)]
            fn __new_path_modes() -> ($(new!(@type $x mode::Owned<Elem<Self>>),)*) {
                ($(new!(@value $x mode::owned()),)*)
            }

            /// The matrix, and its tangent.
            #[inline]
            #[allow(clippy::too_many_arguments)]
            fn __new_path_frule($($x: D<Elem<Self>>),*) -> D<Self> {
                let make = |x: &[Elem<Self>]| Order::Rows.make(Self::SIZE, x);
                Dual(make(&[$($x.0),*]), make(&[$($x.1),*]))
            }

            /// The matrix, and its pullback.
            #[inline]
            #[allow(clippy::type_complexity, clippy::too_many_arguments)]
            fn __new_rrule($($x: Elem<Self>),*) -> (
                Self,
                impl FnOnce(Self, $(new!(@type $x ())),*) -> ($(new!(@type $x Elem<Self>),)*) + use<Self>,
            ) {
                let pullback = |y_bar: Self, $(new!(@pattern $x): ()),*| {
                    let mut next = row_by_row(Self::SIZE);
                    ($(new!(@value $x y_bar.elements()[next()]),)*)
                };
                (Order::Rows.make(Self::SIZE, &[$($x),*]), pullback)
            }

            /// The forward transform of the same.
            #[inline]
            #[allow(clippy::type_complexity, clippy::too_many_arguments)]
            fn __new_path_rrule_frule($($x: D<Elem<Self>>),*) -> (
                D<Self>,
                impl FnOnce(D<Self>, $(new!(@type $x ())),*) -> ($(new!(@type $x D<Elem<Self>>),)*) + use<Self>,
            ) {
                let pullback = |y_bar: D<Self>, $(new!(@pattern $x): ()),*| {
                    let mut next = row_by_row(Self::SIZE);
                    ($(new!(@value $x {
                        let at = next();
                        Dual(y_bar.0.elements()[at], y_bar.1.elements()[at])
                    }),)*)
                };
                (Self::__new_path_frule($($x),*), pullback)
            }
        }
        $(impl<A: Element> $rules for SMatrix<A, $R, $C> {})*
    )*};
    (@type $x:ident $T:ty) => { $T };
    (@value $x:ident $e:expr) => { $e };
    (@pattern $x:ident) => { _ };
}
new! {
    New1Rules [a] for [1 1];
    New2Rules [a b] for [2 1] [1 2];
    New3Rules [a b c] for [3 1] [1 3];
    New4Rules [a b c d] for [4 1] [1 4] [2 2];
    New5Rules [a b c d e] for [5 1] [1 5];
    New6Rules [a b c d e f] for [6 1] [1 6] [2 3] [3 2];
    New8Rules [a b c d e f g h] for [2 4] [4 2];
    New9Rules [a b c d e f g h i] for [3 3];
    New10Rules [a b c d e f g h i j] for [2 5] [5 2];
    New12Rules [a b c d e f g h i j k l] for [3 4] [4 3] [2 6] [6 2];
    New15Rules [a b c d e f g h i j k l m n o] for [3 5] [5 3];
    New16Rules [a b c d e f g h i j k l m n o p] for [4 4];
}

/// Vectors and quaternions, which can be normalized.
#[allow(clippy::type_complexity)]
pub trait Normal: Tangent + Differentiable<Tangent = Self, OwnedTangent = Self> + Clone {
    /// The forward rule of `normalize`.
    fn normal_frule(&self, dot: &Self) -> D<Self>;
    /// The reverse rule of `normalize`.
    fn normal_rrule(&self) -> (Self, impl FnOnce(Self, At<'_, Self>) -> ((),) + use<Self>);
    /// The forward transform of the same.
    fn normal_rrule_frule(
        &self,
        dot: &Self,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>) -> ((),) + use<Self>,
    );
}
macro_rules! normal {
    ($([$($n:ident)*] $t:ty;)*) => {$(
        #[allow(refining_impl_trait, clippy::type_complexity)]
        impl<A: Element $(, const $n: usize)*> Normal for $t {
            #[inline]
            fn normal_frule(&self, dot: &Self) -> D<Self> {
                self.__normalize_frule(dot)
            }

            #[inline]
            fn normal_rrule(&self) -> (Self, impl FnOnce(Self, At<'_, Self>) -> ((),) + use<A $(, $n)*>) {
                self.__normalize_rrule()
            }

            #[inline]
            fn normal_rrule_frule(
                &self,
                dot: &Self,
            ) -> (D<Self>, impl FnOnce(D<Self>, At2<'_, Self>) -> ((),) + use<A $(, $n)*>) {
                self.__normalize_rrule_frule(dot)
            }
        }
    )*};
}
normal! {
    [R C] SMatrix<A, R, C>;
    [] Quaternion<A>;
}

/// The rules of `Unit::new_normalize(x)` and of `Unit::new_unchecked(x)`, for vectors.
#[allow(clippy::type_complexity)]
pub trait UnitMakerRules<X: Normal>: Sized {
    /// Without a check.
    fn of(x: X) -> Self;
    /// The vector.
    fn inner(&self) -> &X;

    /// By value.
    #[inline(always)]
    fn __new_normalize_path_modes() -> (mode::Owned<X>,) {
        (mode::owned(),)
    }

    /// The unit vector, and its tangent.
    #[inline]
    fn __new_normalize_path_frule(x: D<X>) -> D<Self> {
        let Dual(y, y_dot) = x.0.normal_frule(&x.1);
        Dual(Self::of(y), Self::of(y_dot))
    }

    /// The unit vector, and its pullback.
    #[inline]
    fn __new_normalize_rrule(x: X) -> (Self, impl FnOnce(Self, ()) -> (X,) + use<Self, X>) {
        let (y, pullback) = x.normal_rrule();
        let pullback = move |y_bar: Self, ()| {
            let mut x_bar = x.zero_tangent();
            pullback(y_bar.inner().clone(), CoDual(&x, &mut x_bar));
            (x_bar,)
        };
        (Self::of(y), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    fn __new_normalize_path_rrule_frule(
        x: D<X>,
    ) -> (D<Self>, impl FnOnce(D<Self>, ()) -> (D<X>,) + use<Self, X>) {
        let (y, pullback) = x.0.normal_rrule_frule(&x.1);
        let pullback = move |y_bar: D<Self>, ()| {
            let (mut x_bar, mut x_bar_dot) = (x.0.zero_tangent(), x.0.zero_tangent());
            let at = CoDual(Dual(&x.0, &x.1), Dual(&mut x_bar, &mut x_bar_dot));
            pullback(Dual(y_bar.0.inner().clone(), y_bar.1.inner().clone()), at);
            (Dual(x_bar, x_bar_dot),)
        };
        (Dual(Self::of(y.0), Self::of(y.1)), pullback)
    }

    /// By value.
    #[inline(always)]
    fn __new_unchecked_path_modes() -> (mode::Owned<X>,) {
        (mode::owned(),)
    }

    /// The same vector, and its tangent.
    #[inline]
    fn __new_unchecked_path_frule(x: D<X>) -> D<Self> {
        Dual(Self::of(x.0), Self::of(x.1))
    }

    /// The same vector, and its pullback.
    #[inline]
    fn __new_unchecked_rrule(x: X) -> (Self, impl FnOnce(Self, ()) -> (X,) + use<Self, X>) {
        (Self::of(x), |y_bar: Self, ()| (y_bar.inner().clone(),))
    }

    /// The forward transform of the same.
    #[inline]
    fn __new_unchecked_path_rrule_frule(
        x: D<X>,
    ) -> (D<Self>, impl FnOnce(D<Self>, ()) -> (D<X>,) + use<Self, X>) {
        (Self::__new_unchecked_path_frule(x), |y_bar: D<Self>, ()| {
            (Dual(y_bar.0.inner().clone(), y_bar.1.inner().clone()),)
        })
    }

    /// `x.into_inner()`.
    #[inline(always)]
    fn __into_inner_modes(&self) -> (mode::Owned<Self>,)
    where
        Self: Clone + crate::Differentiable<Tangent = Self, OwnedTangent = Self>,
    {
        (mode::owned(),)
    }

    /// The vector, and its tangent.
    #[inline]
    fn __into_inner_frule(self, self_dot: Self) -> D<X> {
        Dual(self.inner().clone(), self_dot.inner().clone())
    }

    /// The vector, and its pullback.
    #[inline]
    fn __into_inner_rrule(self) -> (X, impl FnOnce(X, ()) -> (Self,) + use<Self, X>) {
        (self.inner().clone(), |y_bar: X, ()| (Self::of(y_bar),))
    }

    /// The forward transform of the same.
    #[inline]
    fn __into_inner_rrule_frule(
        self,
        self_dot: Self,
    ) -> (D<X>, impl FnOnce(D<X>, ()) -> (D<Self>,) + use<Self, X>) {
        (self.__into_inner_frule(self_dot), |y_bar: D<X>, ()| {
            (Dual(Self::of(y_bar.0), Self::of(y_bar.1)),)
        })
    }
}
impl<X: Normal> UnitMakerRules<X> for Unit<X> {
    #[inline]
    fn of(x: X) -> Self {
        Unit::new_unchecked(x)
    }

    #[inline]
    fn inner(&self) -> &X {
        self.as_ref()
    }
}

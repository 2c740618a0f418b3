//! Functions that make matrices: `Mat::zeros(n, m)`, `Col::from_fn(n, |i| ..)`. They are called by path.

use alloc::vec::Vec;

use ::faer::{Col, Mat, Row};

use super::{AnyMatrix, D, Elem, Element};
use crate::{Dual, NoTangent, mode};

/// An index, with its tangent.
type Index = Dual<usize, NoTangent>;

/// Types of matrices.
pub trait Made: AnyMatrix {
    /// A matrix by its elements, by the library's `from_fn`. A row or a column takes no notice of the size that it hasn't.
    fn make(size: (usize, usize), f: impl FnMut(usize, usize) -> Elem<Self>) -> Self;
}
impl<A: Element> Made for Mat<A> {
    #[inline]
    fn make((rows, columns): (usize, usize), f: impl FnMut(usize, usize) -> A) -> Self {
        Mat::from_fn(rows, columns, f)
    }
}
impl<A: Element> Made for Col<A> {
    #[inline]
    fn make((rows, _): (usize, usize), mut f: impl FnMut(usize, usize) -> A) -> Self {
        Col::from_fn(rows, |i| f(i, 0))
    }
}
impl<A: Element> Made for Row<A> {
    #[inline]
    fn make((_, columns): (usize, usize), mut f: impl FnMut(usize, usize) -> A) -> Self {
        Row::from_fn(columns, |j| f(0, j))
    }
}

/// The tangents of elements, which were listed in the order in which `from_fn` asks for them.
fn tangents<X: Made>(size: (usize, usize), dots: Vec<Elem<X>>) -> X {
    let mut dots = dots.into_iter();
    X::make(size, |_, _| match dots.next() {
        Some(dot) => dot,
        None => unreachable!("one for each element"),
    })
}

/// `from_fn`, with arguments that are sizes, of a function of the indices that the type has.
macro_rules! of_function {
    ($(#[$doc:meta])* ($($c:ident),*) $size:expr; |$i:ident, $j:ident| ($($at:ident,)*);) => {
        $(#[$doc])*
        #[inline(always)]
        fn __from_fn_path_modes() -> ($(of_function!(@const $c),)* mode::Function,) {
            ($(of_function!(@new $c),)* mode::Function,)
        }

        /// The matrix, and its tangent.
        #[inline]
        fn __from_fn_path_frule(
            $($c: mode::Size<Self>,)*
            f: &mut impl FnMut(($(of_function!(@index $at),)*)) -> D<A>,
        ) -> D<Self> {
            $(let $c = $c.0;)*
            let mut dots = Vec::new();
            #[allow(unused_variables)]
            let value = Self::make($size, |$i, $j| {
                let Dual(y, y_dot) = f(($(Dual($at, NoTangent),)*));
                dots.push(y_dot);
                y
            });
            Dual(value, tangents($size, dots))
        }

        /// The matrix, and its pullback.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn __from_fn_rrule<P>(
            $($c: mode::Size<Self>,)*
            f: &mut dyn FnMut(($(of_function!(@number $at),)*)) -> (A, P),
        ) -> (
            Self,
            impl FnOnce(
                Self,
                $(of_function!(@nothing $c),)*
                &mut dyn FnMut(P, A, ($(of_function!(@nothing $at),)*)) -> ($(of_function!(@none $at),)*),
            ) -> ($(of_function!(@nothing $c),)* (),)
            + use<Self, A, P>,
        ) {
            $(let $c = $c.0;)*
            let mut residuals = Vec::new();
            let value = Self::make($size, |$i, $j| {
                let (y, residual) = f(($($at,)*));
                residuals.push(($i, $j, residual));
                y
            });
            let pullback = |y_bar: Self,
                            $(_: of_function!(@nothing $c),)*
                            pull: &mut dyn FnMut(P, A, ($(of_function!(@nothing $at),)*)) -> ($(of_function!(@none $at),)*)| {
                for (i, j, residual) in residuals.into_iter().rev() {
                    pull(residual, y_bar.mat()[(i, j)], ($(of_function!(@unit $at),)*));
                }
                ($(of_function!(@unit $c),)* (),)
            };
            (value, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn __from_fn_path_rrule_frule<P>(
            $($c: mode::Size<Self>,)*
            f: &mut dyn FnMut(($(of_function!(@index $at),)*)) -> (D<A>, P),
        ) -> (
            D<Self>,
            impl FnOnce(
                D<Self>,
                $(of_function!(@nothing $c),)*
                &mut dyn FnMut(P, D<A>, ($(of_function!(@nothing $at),)*)) -> ($(of_function!(@nones $at),)*),
            ) -> ($(of_function!(@nothing $c),)* (),)
            + use<Self, A, P>,
        ) {
            $(let $c = $c.0;)*
            let (mut residuals, mut dots) = (Vec::new(), Vec::new());
            let value = Self::make($size, |$i, $j| {
                let (Dual(y, y_dot), residual) = f(($(Dual($at, NoTangent),)*));
                dots.push(y_dot);
                residuals.push(($i, $j, residual));
                y
            });
            let y = Dual(value, tangents($size, dots));
            let pullback = |y_bar: D<Self>,
                            $(_: of_function!(@nothing $c),)*
                            pull: &mut dyn FnMut(P, D<A>, ($(of_function!(@nothing $at),)*)) -> ($(of_function!(@nones $at),)*)| {
                for (i, j, residual) in residuals.into_iter().rev() {
                    let bar = Dual(y_bar.0.mat()[(i, j)], y_bar.1.mat()[(i, j)]);
                    pull(residual, bar, ($(of_function!(@unit $at),)*));
                }
                ($(of_function!(@unit $c),)* (),)
            };
            (y, pullback)
        }
    };
    (@const $c:ident) => { mode::SizeOf<Self> };
    (@new $c:ident) => { mode::size_of() };
    (@nothing $c:ident) => { () };
    (@unit $c:ident) => { () };
    (@index $at:ident) => { Index };
    (@number $at:ident) => { usize };
    (@none $at:ident) => { NoTangent };
    (@nones $at:ident) => { Dual<NoTangent, NoTangent> };
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
        fn $modes() -> ($(of_function!(@const $c),)*) {
            ($(of_function!(@new $c),)*)
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
        fn $rrule($($c: mode::Size<Self>),*) -> (Self, impl FnOnce(Self, $(of_function!(@nothing $c)),*) -> ($(of_function!(@nothing $c),)*) + use<Self, A>) {
            $(let $c = $c.0;)*
            ($value, |_: Self, $(_: of_function!(@nothing $c)),*| ($(of_function!(@unit $c),)*))
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule($($c: mode::Size<Self>),*) -> (D<Self>, impl FnOnce(D<Self>, $(of_function!(@nothing $c)),*) -> ($(of_function!(@nothing $c),)*) + use<Self, A>) {
            (Self::$frule($($c),*), |_: D<Self>, $(_: of_function!(@nothing $c)),*| ($(of_function!(@unit $c),)*))
        }
    )*};
}

/// `full`, with arguments that are sizes and a number.
macro_rules! full {
    ($(#[$doc:meta])* ($($c:ident),*) $size:expr;) => {
        $(#[$doc])*
        #[inline(always)]
        fn __full_path_modes() -> ($(of_function!(@const $c),)* mode::Owned<A>,) {
            ($(of_function!(@new $c),)* mode::owned(),)
        }

        /// The matrix, and its tangent.
        #[inline]
        fn __full_path_frule($($c: mode::Size<Self>,)* x: D<A>) -> D<Self> {
            $(let $c = $c.0;)*
            Dual(Self::make($size, |_, _| x.0), Self::make($size, |_, _| x.1))
        }

        /// The matrix, and its pullback.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn __full_rrule(
            $($c: mode::Size<Self>,)*
            x: A,
        ) -> (Self, impl FnOnce(Self, $(of_function!(@nothing $c),)* ()) -> ($(of_function!(@nothing $c),)* A,) + use<Self, A>) {
            $(let $c = $c.0;)*
            let pullback = |y_bar: Self, $(_: of_function!(@nothing $c),)* ()| {
                ($(of_function!(@unit $c),)* y_bar.mat().sum(),)
            };
            (Self::make($size, |_, _| x), pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn __full_path_rrule_frule(
            $($c: mode::Size<Self>,)*
            x: D<A>,
        ) -> (D<Self>, impl FnOnce(D<Self>, $(of_function!(@nothing $c),)* ()) -> ($(of_function!(@nothing $c),)* D<A>,) + use<Self, A>) {
            let pullback = |y_bar: D<Self>, $(_: of_function!(@nothing $c),)* ()| {
                ($(of_function!(@unit $c),)* Dual(y_bar.0.mat().sum(), y_bar.1.mat().sum()),)
            };
            (Self::__full_path_frule($($c,)* x), pullback)
        }
    };
}

/// The rules of functions that make matrices.
pub trait MatMakerRules<A: Element>: Made + AnyMatrix<Elem = A> {
    of_sizes! {
        /// `Mat::zeros(rows, columns)`.
        [__zeros_path_modes __zeros_path_frule __zeros_rrule __zeros_path_rrule_frule] (rows, columns);
        Self::make((rows, columns), |_, _| A::ZERO);

        /// `Mat::ones(rows, columns)`.
        [__ones_path_modes __ones_path_frule __ones_rrule __ones_path_rrule_frule] (rows, columns);
        Self::make((rows, columns), |_, _| A::ONE);

        /// `Mat::identity(rows, columns)`.
        [__identity_path_modes __identity_path_frule __identity_rrule __identity_path_rrule_frule] (rows, columns);
        Self::make((rows, columns), |i, j| if i == j { A::ONE } else { A::ZERO });
    }

    full! {
        /// `Mat::full(rows, columns, x)`.
        (rows, columns) (rows, columns);
    }

    of_function! {
        /// `Mat::from_fn(rows, columns, f)`.
        (rows, columns) (rows, columns); |i, j| (i, j,);
    }
}
impl<A: Element> MatMakerRules<A> for Mat<A> {}

/// The rules of functions that make columns, and those that make rows.
macro_rules! lines {
    ($($(#[$doc:meta])* $rules:ident $t:ident, |$n:ident| $size:expr; |$i:ident, $j:ident| $at:ident;)*) => {$(
        $(#[$doc])*
        pub trait $rules<A: Element>: Made + AnyMatrix<Elem = A> {
            of_sizes! {
                /// `zeros(n)`.
                [__zeros_path_modes __zeros_path_frule __zeros_rrule __zeros_path_rrule_frule] ($n);
                Self::make($size, |_, _| A::ZERO);

                /// `ones(n)`.
                [__ones_path_modes __ones_path_frule __ones_rrule __ones_path_rrule_frule] ($n);
                Self::make($size, |_, _| A::ONE);
            }

            full! {
                /// `full(n, x)`.
                ($n) $size;
            }

            of_function! {
                /// `from_fn(n, f)`.
                ($n) $size; |$i, $j| ($at,);
            }
        }
        impl<A: Element> $rules<A> for $t<A> {}
    )*};
}
lines! {
    /// The rules of functions that make columns.
    ColMakerRules Col, |n| (n, 1); |i, j| i;

    /// The rules of functions that make rows.
    RowMakerRules Row, |n| (1, n); |i, j| j;
}

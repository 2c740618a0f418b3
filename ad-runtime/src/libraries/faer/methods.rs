//! Methods of matrices: sums, norms, determinants, transposes, copies.

use ::faer::{Col, Mat, Row};

use super::{AnyMatrix, At, At2, D, Elem, Element, Turned, inner};
use crate::{Dual, Scalar, mode};

/// A method `&self -> number`: its value, its tangent, and the terms that its pullback adds in first and in second order.
macro_rules! numbers {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident]
        |$x:ident| $value:expr;
        |$x_dot:ident, $y:ident| $tangent:expr;
        |$y_bar:ident, $x_bar:ident| $pull:expr;
        |$y_bar_dot:ident, $x_bar_dot:ident| $pull_dot:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>,) {
            (mode::by_ref(),)
        }

        /// The value and its tangent.
        #[inline]
        #[track_caller]
        #[allow(unused_variables)]
        fn $frule(&self, $x_dot: &Self) -> D<Elem<Self>> {
            let $x = self;
            let $y = $value;
            Dual($y, $tangent)
        }

        /// The value and its pullback.
        #[inline]
        #[track_caller]
        #[allow(unused_variables)]
        fn $rrule(&self) -> (Elem<Self>, impl FnOnce(Elem<Self>, At<'_, Self>) -> ((),) + use<Self>) {
            let $x = self;
            let $y = $value;
            let pullback = move |$y_bar: Elem<Self>, crate::CoDual($x, $x_bar): At<'_, Self>| {
                $pull;
                ((),)
            };
            ($y, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(unused_variables, clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            self_dot: &Self,
        ) -> (D<Elem<Self>>, impl FnOnce(D<Elem<Self>>, At2<'_, Self>) -> ((),) + use<Self>) {
            let value = self.$frule(self_dot);
            let $y = value.0;
            let pullback = move |Dual($y_bar, $y_bar_dot): D<Elem<Self>>, at: At2<'_, Self>| {
                let crate::CoDual(Dual($x, $x_dot), Dual($x_bar, $x_bar_dot)) = at;
                $pull;
                $pull_dot;
                ((),)
            };
            (value, pullback)
        }
    )*};
}

pub(super) use numbers;

/// A method that is linear: its tangent is its value for the tangent of the matrix, and a pullback adds the result of the adjoint.
macro_rules! linear {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*) -> $Y:ty;
        |$x:ident| $value:expr;
        |$y_bar:ident, $x_bar:ident| $adjoint:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>, $(mode::Const<$C>),*) {
            (mode::by_ref(), $(linear!(@constant $c)),*)
        }

        /// The value and its tangent.
        #[inline]
        #[track_caller]
        fn $frule(&self, self_dot: &Self $(, $c: $C)*) -> D<$Y> {
            let value = |$x: &Self| -> $Y { $value };
            Dual(value(self), value(self_dot))
        }

        /// The value and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule(&self $(, $c: $C)*) -> ($Y, impl FnOnce($Y, At<'_, Self> $(, linear!(@nothing $C))*) -> ((), $(linear!(@nothing $C)),*) + use<Self>) {
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
        fn $rrule_frule(
            &self,
            self_dot: &Self
            $(, $c: $C)*
        ) -> (D<$Y>, impl FnOnce(D<$Y>, At2<'_, Self> $(, linear!(@nothing $C))*) -> ((), $(linear!(@nothing $C)),*) + use<Self>) {
            let y = self.$frule(self_dot $(, $c)*);
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

/// `k / y`, and zero for the norm of zeros, where there is no derivative: the choice of the subgradient that is the shortest.
fn over_norm<A: Scalar>(k: A, y: A) -> A {
    if y == A::ZERO { A::ZERO } else { k / y }
}

/// The library's kernels that return a number.
pub trait Kernels: AnyMatrix {
    /// The library's `sum`.
    fn total(&self) -> Elem<Self>;
    /// The library's `norm_l2`.
    fn length(&self) -> Elem<Self>;
    /// The library's `squared_norm_l2`.
    fn length_squared(&self) -> Elem<Self>;
}
macro_rules! kernels {
    ($($t:ident)*) => {$(
        impl<A: Element> Kernels for $t<A> {
            #[inline]
            fn total(&self) -> A {
                self.sum()
            }

            #[inline]
            fn length(&self) -> A {
                self.norm_l2()
            }

            #[inline]
            fn length_squared(&self) -> A {
                self.squared_norm_l2()
            }
        }
    )*};
}
kernels! { Mat Turned Col Row }

/// The rules of methods that return a number.
pub trait NumberRules: Kernels {
    numbers! {
        /// `x.sum()`.
        [__sum_modes __sum_frule __sum_rrule __sum_rrule_frule]
        |x| x.total();
        |x_dot, y| x_dot.total();
        |y_bar, x_bar| x_bar.add_number(y_bar);
        |y_bar_dot, x_bar_dot| x_bar_dot.add_number(y_bar_dot);

        /// `x.squared_norm_l2()`.
        [__squared_norm_l2_modes __squared_norm_l2_frule __squared_norm_l2_rrule __squared_norm_l2_rrule_frule]
        |x| x.length_squared();
        |x_dot, y| { let half = inner(x.mat(), x_dot.mat()); half + half };
        |y_bar, x_bar| x_bar.add_times(y_bar + y_bar, x.mat());
        |y_bar_dot, x_bar_dot| {
            x_bar_dot.add_times(y_bar_dot + y_bar_dot, x.mat());
            x_bar_dot.add_times(y_bar + y_bar, x_dot.mat());
        };

        /// `x.norm_l2()`, whose derivative at zero counts as zero.
        [__norm_l2_modes __norm_l2_frule __norm_l2_rrule __norm_l2_rrule_frule]
        |x| x.length();
        |x_dot, y| over_norm(inner(x.mat(), x_dot.mat()), y);
        |y_bar, x_bar| x_bar.add_times(over_norm(y_bar, y), x.mat());
        |y_bar_dot, x_bar_dot| {
            let (k, y_dot) = (over_norm(y_bar, y), over_norm(inner(x.mat(), x_dot.mat()), y));
            x_bar_dot.add_times(over_norm(y_bar_dot - k * y_dot, y), x.mat());
            x_bar_dot.add_times(k, x_dot.mat());
        };
    }
}
impl<X: Kernels> NumberRules for X {}

/// The rules of methods that return a copy.
pub trait LinearRules: AnyMatrix {
    linear! {
        /// `x.cloned()`.
        [__cloned_modes __cloned_frule __cloned_rrule __cloned_rrule_frule] () -> Self;
        |x| x.clone();
        |y_bar, x_bar| x_bar.accumulate(&y_bar);

        /// `x.as_ref()`, as a copy.
        [__as_ref_modes __as_ref_frule __as_ref_rrule __as_ref_rrule_frule] () -> Self;
        |x| x.clone();
        |y_bar, x_bar| x_bar.accumulate(&y_bar);
    }
}
impl<X: AnyMatrix> LinearRules for X {}

/// Types whose rows and columns can be exchanged.
pub trait Transposes: AnyMatrix {
    /// What stands for the view that the library returns.
    type Transpose: AnyMatrix<Elem = Self::Elem>;

    /// The library's `transpose`.
    fn transposed(&self) -> Self::Transpose;
}
impl<A: Element> Transposes for Mat<A> {
    type Transpose = Turned<A>;

    #[inline]
    fn transposed(&self) -> Turned<A> {
        Turned(self.clone())
    }
}
impl<A: Element> Transposes for Col<A> {
    type Transpose = Row<A>;

    #[inline]
    fn transposed(&self) -> Row<A> {
        self.transpose().cloned()
    }
}
impl<A: Element> Transposes for Row<A> {
    type Transpose = Col<A>;

    #[inline]
    fn transposed(&self) -> Col<A> {
        self.transpose().cloned()
    }
}

/// The rules of `x.transpose()`.
pub trait TransposeRules: Transposes {
    linear! {
        /// `x.transpose()`.
        [__transpose_modes __transpose_frule __transpose_rrule __transpose_rrule_frule] () -> Self::Transpose;
        |x| x.transposed();
        |y_bar, x_bar| x_bar.add_mat(y_bar.mat().transpose());

        /// `x.adjoint()`, which is the transpose of a matrix of floats.
        [__adjoint_modes __adjoint_frule __adjoint_rrule __adjoint_rrule_frule] () -> Self::Transpose;
        |x| x.transposed();
        |y_bar, x_bar| x_bar.add_mat(y_bar.mat().transpose());
    }
}
impl<X: Transposes> TransposeRules for X {}

/// Matrices with rows and columns.
pub trait Lines: AnyMatrix {
    /// A copy of a row.
    fn row_at(&self, i: usize) -> Row<Self::Elem>;
    /// A copy of a column.
    fn col_at(&self, j: usize) -> Col<Self::Elem>;
}
impl<A: Element> Lines for Mat<A> {
    #[inline]
    #[track_caller]
    fn row_at(&self, i: usize) -> Row<A> {
        self.row(i).cloned()
    }

    #[inline]
    #[track_caller]
    fn col_at(&self, j: usize) -> Col<A> {
        self.col(j).cloned()
    }
}

/// The rules of methods of matrices.
pub trait MatRules: Lines {
    linear! {
        /// `x.col(j)`, as a copy.
        [__col_modes __col_frule __col_rrule __col_rrule_frule] (j: usize) -> Col<Self::Elem>;
        |x| x.col_at(j);
        |y_bar, x_bar| ::faer::zip!(x_bar.mat_mut().col_mut(j), &y_bar)
            .for_each(|::faer::unzip!(x, y)| *x += *y);
    }
}
impl<X: Lines> MatRules for X {}

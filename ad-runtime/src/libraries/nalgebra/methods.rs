//! Methods of matrices: sums, norms, inner products and transposes.

use ::nalgebra::{DMatrix, SMatrix};

use super::{Columns, Element, Rows, each_type};
use crate::{CoDual, Differentiable, Dual, Scalar, Tangent, mode};

/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;
/// The argument of a pullback for a matrix behind a reference.
type At<'a, X> = CoDual<&'a X, &'a mut X>;
/// The same in second order.
type At2<'a, X> = CoDual<Dual<&'a X, &'a X>, Dual<&'a mut X, &'a mut X>>;

/// A matrix of floats that owns its elements.
pub trait AnyMatrix: Tangent + Differentiable<Tangent = Self, OwnedTangent = Self> + Clone {
    /// `f32` or `f64`.
    type Elem: Element;

    /// The elements, column by column.
    fn elements(&self) -> &[Self::Elem];

    /// The elements, to be written.
    fn elements_mut(&mut self) -> &mut [Self::Elem];

    /// The library's `sum`.
    fn total(&self) -> Self::Elem;

    /// The library's `dot`.
    fn product(&self, other: &Self) -> Self::Elem;

    /// The library's `norm`.
    fn length(&self) -> Self::Elem;

    /// The library's `norm_squared`.
    fn length_squared(&self) -> Self::Elem;
}
macro_rules! any_matrix {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<A: Element, $($generics)*> AnyMatrix for $t {
            type Elem = A;

            #[inline]
            fn elements(&self) -> &[A] {
                self.as_slice()
            }

            #[inline]
            fn elements_mut(&mut self) -> &mut [A] {
                self.as_mut_slice()
            }

            #[inline]
            fn total(&self) -> A {
                self.sum()
            }

            #[inline]
            #[track_caller]
            fn product(&self, other: &Self) -> A {
                self.dot(other)
            }

            #[inline]
            fn length(&self) -> A {
                self.norm()
            }

            #[inline]
            fn length_squared(&self) -> A {
                self.norm_squared()
            }
        }
    )*};
}
each_type!(any_matrix);

/// The float type of a matrix.
type Elem<X> = <X as AnyMatrix>::Elem;

/// `x_bar += k x`.
fn add_scaled<X: AnyMatrix>(x_bar: &mut X, k: Elem<X>, x: &X) {
    for (x_bar, x) in x_bar.elements_mut().iter_mut().zip(x.elements()) {
        *x_bar += k * *x;
    }
}

/// `x_bar += k`.
fn add_number<X: AnyMatrix>(x_bar: &mut X, k: Elem<X>) {
    for x_bar in x_bar.elements_mut() {
        *x_bar += k;
    }
}

/// `k / y`, and zero for the norm of zeros, where there is no derivative: the choice of the subgradient that is the shortest.
fn over_norm<A: Scalar>(k: A, y: A) -> A {
    if y == A::ZERO { A::ZERO } else { k / y }
}

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
        #[allow(unused_variables)]
        fn $frule(&self, $x_dot: &Self) -> D<Elem<Self>> {
            let $x = self;
            let $y = $value;
            Dual($y, $tangent)
        }

        /// The value and its pullback.
        #[inline]
        #[allow(unused_variables)]
        fn $rrule(&self) -> (Elem<Self>, impl FnOnce(Elem<Self>, At<'_, Self>) -> ((),) + use<Self>) {
            let $x = self;
            let $y = $value;
            let pullback = move |$y_bar: Elem<Self>, CoDual($x, $x_bar): At<'_, Self>| {
                $pull;
                ((),)
            };
            ($y, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(unused_variables)]
        fn $rrule_frule(
            &self,
            self_dot: &Self,
        ) -> (D<Elem<Self>>, impl FnOnce(D<Elem<Self>>, At2<'_, Self>) -> ((),) + use<Self>) {
            let value = self.$frule(self_dot);
            let $y = value.0;
            let pullback = move |Dual($y_bar, $y_bar_dot): D<Elem<Self>>, at: At2<'_, Self>| {
                let CoDual(Dual($x, $x_dot), Dual($x_bar, $x_bar_dot)) = at;
                $pull;
                $pull_dot;
                ((),)
            };
            (value, pullback)
        }
    )*};
}

/// The rules of methods of all matrices.
pub trait NalgebraRules: AnyMatrix {
    numbers! {
        /// `x.sum()`.
        [__sum_modes __sum_frule __sum_rrule __sum_rrule_frule]
        |x| x.total();
        |x_dot, y| x_dot.total();
        |y_bar, x_bar| add_number(x_bar, y_bar);
        |y_bar_dot, x_bar_dot| add_number(x_bar_dot, y_bar_dot);

        /// `x.norm_squared()`.
        [__norm_squared_modes __norm_squared_frule __norm_squared_rrule __norm_squared_rrule_frule]
        |x| x.length_squared();
        |x_dot, y| { let half = x.product(x_dot); half + half };
        |y_bar, x_bar| add_scaled(x_bar, y_bar + y_bar, x);
        |y_bar_dot, x_bar_dot| {
            add_scaled(x_bar_dot, y_bar_dot + y_bar_dot, x);
            add_scaled(x_bar_dot, y_bar + y_bar, x_dot);
        };

        /// `x.norm()`, whose derivative at zero counts as zero.
        [__norm_modes __norm_frule __norm_rrule __norm_rrule_frule]
        |x| x.length();
        |x_dot, y| over_norm(x.product(x_dot), y);
        |y_bar, x_bar| add_scaled(x_bar, over_norm(y_bar, y), x);
        |y_bar_dot, x_bar_dot| {
            let (k, y_dot) = (over_norm(y_bar, y), over_norm(x.product(x_dot), y));
            add_scaled(x_bar_dot, over_norm(y_bar_dot - k * y_dot, y), x);
            add_scaled(x_bar_dot, k, x_dot);
        };

        /// `x.magnitude_squared()`.
        [__magnitude_squared_modes __magnitude_squared_frule __magnitude_squared_rrule __magnitude_squared_rrule_frule]
        |x| x.length_squared();
        |x_dot, y| { let half = x.product(x_dot); half + half };
        |y_bar, x_bar| add_scaled(x_bar, y_bar + y_bar, x);
        |y_bar_dot, x_bar_dot| {
            add_scaled(x_bar_dot, y_bar_dot + y_bar_dot, x);
            add_scaled(x_bar_dot, y_bar + y_bar, x_dot);
        };

        /// `x.magnitude()`, whose derivative at zero counts as zero.
        [__magnitude_modes __magnitude_frule __magnitude_rrule __magnitude_rrule_frule]
        |x| x.length();
        |x_dot, y| over_norm(x.product(x_dot), y);
        |y_bar, x_bar| add_scaled(x_bar, over_norm(y_bar, y), x);
        |y_bar_dot, x_bar_dot| {
            let (k, y_dot) = (over_norm(y_bar, y), over_norm(x.product(x_dot), y));
            add_scaled(x_bar_dot, over_norm(y_bar_dot - k * y_dot, y), x);
            add_scaled(x_bar_dot, k, x_dot);
        };
    }

    /// `x.dot(&z)`.
    #[inline(always)]
    fn __dot_modes(&self) -> (mode::Ref<Self>, mode::Ref<Self>) {
        (mode::by_ref(), mode::by_ref())
    }

    /// The value and its tangent.
    #[inline]
    #[track_caller]
    fn __dot_frule(&self, self_dot: &Self, z: Dual<&Self, &Self>) -> D<Elem<Self>> {
        let y_dot = self_dot.product(z.0) + self.product(z.1);
        Dual(self.product(z.0), y_dot)
    }

    /// The value and its pullback.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __dot_rrule(
        &self,
        z: &Self,
    ) -> (
        Elem<Self>,
        impl FnOnce(Elem<Self>, At<'_, Self>, At<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        let pullback = |y_bar: Elem<Self>, x: At<'_, Self>, z: At<'_, Self>| {
            add_scaled(x.1, y_bar, z.0);
            add_scaled(z.1, y_bar, x.0);
            ((), ())
        };
        (self.product(z), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __dot_rrule_frule(
        &self,
        self_dot: &Self,
        z: Dual<&Self, &Self>,
    ) -> (
        D<Elem<Self>>,
        impl FnOnce(D<Elem<Self>>, At2<'_, Self>, At2<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        let pullback =
            |Dual(y_bar, y_bar_dot): D<Elem<Self>>, x: At2<'_, Self>, z: At2<'_, Self>| {
                add_scaled(x.1.0, y_bar, z.0.0);
                add_scaled(z.1.0, y_bar, x.0.0);
                add_scaled(x.1.1, y_bar_dot, z.0.0);
                add_scaled(x.1.1, y_bar, z.0.1);
                add_scaled(z.1.1, y_bar_dot, x.0.0);
                add_scaled(z.1.1, y_bar, x.0.1);
                ((), ())
            };
        (self.__dot_frule(self_dot, z), pullback)
    }
}
impl<X: AnyMatrix> NalgebraRules for X {}

/// The rules of `x.transpose()`.
pub trait TransposeRules: AnyMatrix {
    /// The type of the transpose.
    type Transpose: TransposeRules<Transpose = Self>;

    /// The library's `transpose`.
    fn transposed(&self) -> Self::Transpose;

    /// By reference.
    #[inline(always)]
    fn __transpose_modes(&self) -> (mode::Ref<Self>,) {
        (mode::by_ref(),)
    }

    /// The value and its tangent.
    #[inline]
    fn __transpose_frule(&self, self_dot: &Self) -> D<Self::Transpose> {
        Dual(self.transposed(), self_dot.transposed())
    }

    /// The value and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __transpose_rrule(
        &self,
    ) -> (
        Self::Transpose,
        impl FnOnce(Self::Transpose, At<'_, Self>) -> ((),) + use<Self>,
    ) {
        let pullback = |y_bar: Self::Transpose, x: At<'_, Self>| {
            x.1.accumulate(&y_bar.transposed());
            ((),)
        };
        (self.transposed(), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __transpose_rrule_frule(
        &self,
        self_dot: &Self,
    ) -> (
        D<Self::Transpose>,
        impl FnOnce(D<Self::Transpose>, At2<'_, Self>) -> ((),) + use<Self>,
    ) {
        let pullback = |y_bar: D<Self::Transpose>, x: At2<'_, Self>| {
            x.1.0.accumulate(&y_bar.0.transposed());
            x.1.1.accumulate(&y_bar.1.transposed());
            ((),)
        };
        (self.__transpose_frule(self_dot), pullback)
    }
}
macro_rules! transposes {
    ($([$($generics:tt)*] $t:ty => $transpose:ty;)*) => {$(
        impl<A: Element, $($generics)*> TransposeRules for $t {
            type Transpose = $transpose;

            #[inline]
            fn transposed(&self) -> $transpose {
                self.transpose()
            }
        }
    )*};
}
transposes! {
    [] DMatrix<A> => DMatrix<A>;
    [const C: usize] Rows<A, C> => Columns<A, C>;
    [const R: usize] Columns<A, R> => Rows<A, R>;
    [const R: usize, const C: usize] SMatrix<A, R, C> => SMatrix<A, C, R>;
}

//! `a.transpose()`, in rules: the matrix as it stands in memory, read with rows and columns exchanged.

use ::faer::{Mat, MatMut, MatRef};

use super::{AnyMatrix, At, At2, D, Element};
use crate::{Dual, Tangent, mode};

/// Stands for the view that `transpose` returns, which is read row by row in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Turned<A>(
    /// The matrix that was turned.
    pub Mat<A>,
);

impl<A: Element> AnyMatrix for Turned<A> {
    type Elem = A;

    #[inline]
    fn mat(&self) -> MatRef<'_, A> {
        self.0.transpose()
    }

    #[inline]
    fn mat_mut(&mut self) -> MatMut<'_, A> {
        self.0.transpose_mut()
    }

    #[inline]
    #[track_caller]
    fn product(a: MatRef<'_, A>, b: MatRef<'_, A>) -> Self {
        Turned(b.transpose() * a.transpose())
    }

    #[inline]
    fn copied(of: MatRef<'_, A>) -> Self {
        Turned(of.transpose().cloned())
    }
}

// The methods themselves: generated code infers their result types.
impl<A: Element> Turned<A> {
    /// The number of rows.
    #[inline]
    pub fn nrows(&self) -> usize {
        self.0.ncols()
    }

    /// The number of columns.
    #[inline]
    pub fn ncols(&self) -> usize {
        self.0.nrows()
    }

    /// The number of rows and that of columns.
    #[inline]
    pub fn shape(&self) -> (usize, usize) {
        (self.nrows(), self.ncols())
    }

    /// The library's `sum`.
    #[inline]
    pub fn sum(&self) -> A {
        self.0.transpose().sum()
    }

    /// The library's `norm_l2`.
    #[inline]
    pub fn norm_l2(&self) -> A {
        self.0.transpose().norm_l2()
    }

    /// The library's `squared_norm_l2`.
    #[inline]
    pub fn squared_norm_l2(&self) -> A {
        self.0.transpose().squared_norm_l2()
    }

    /// A copy in the order of matrices.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "it is the library's name")]
    pub fn to_owned(&self) -> Mat<A> {
        self.0.transpose().to_owned()
    }

    /// A copy in the order of matrices.
    #[inline]
    pub fn cloned(&self) -> Mat<A> {
        self.0.transpose().cloned()
    }
}

/// Methods that return a copy in the order of matrices.
macro_rules! owned {
    ($($(#[$doc:meta])* [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $method:ident;)*) => {
        impl<A: Element> Turned<A> {$(
            $(#[$doc])*
            #[inline(always)]
            pub fn $modes(&self) -> (mode::Ref<Self>,) {
                (mode::by_ref(),)
            }

            /// The copy and its tangent.
            #[inline]
            pub fn $frule(&self, self_dot: &Self) -> D<Mat<A>> {
                Dual(self.$method(), self_dot.$method())
            }

            /// The copy and its pullback.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn $rrule(&self) -> (Mat<A>, impl FnOnce(Mat<A>, At<'_, Self>) -> ((),) + use<A>) {
                let pullback = |y_bar: Mat<A>, x: At<'_, Self>| {
                    x.1.add_mat(y_bar.as_ref());
                    ((),)
                };
                (self.$method(), pullback)
            }

            /// The forward transform of the same.
            #[inline]
            #[allow(clippy::type_complexity)]
            pub fn $rrule_frule(
                &self,
                self_dot: &Self,
            ) -> (D<Mat<A>>, impl FnOnce(D<Mat<A>>, At2<'_, Self>) -> ((),) + use<A>) {
                let pullback = |y_bar: D<Mat<A>>, x: At2<'_, Self>| {
                    x.1.0.add_mat(y_bar.0.as_ref());
                    x.1.1.add_mat(y_bar.1.as_ref());
                    ((),)
                };
                (self.$frule(self_dot), pullback)
            }
        )*}
    };
}
owned! {
    /// `x.to_owned()`.
    [__to_owned_modes __to_owned_frule __to_owned_rrule __to_owned_rrule_frule] to_owned;

    /// `x.cloned()`.
    [__cloned_modes __cloned_frule __cloned_rrule __cloned_rrule_frule] cloned;
}

impl<A: Element> Turned<A> {
    /// `x.transpose()`: the matrix that was turned.
    #[inline(always)]
    pub fn __transpose_modes(&self) -> (mode::Ref<Self>,) {
        (mode::by_ref(),)
    }

    /// The matrix and its tangent.
    #[inline]
    pub fn __transpose_frule(&self, self_dot: &Self) -> D<Mat<A>> {
        Dual(self.0.clone(), self_dot.0.clone())
    }

    /// The matrix and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn __transpose_rrule(
        &self,
    ) -> (Mat<A>, impl FnOnce(Mat<A>, At<'_, Self>) -> ((),) + use<A>) {
        let pullback = |y_bar: Mat<A>, x: At<'_, Self>| {
            x.1.0.accumulate(&y_bar);
            ((),)
        };
        (self.0.clone(), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    pub fn __transpose_rrule_frule(
        &self,
        self_dot: &Self,
    ) -> (
        D<Mat<A>>,
        impl FnOnce(D<Mat<A>>, At2<'_, Self>) -> ((),) + use<A>,
    ) {
        let pullback = |y_bar: D<Mat<A>>, x: At2<'_, Self>| {
            x.1.0.0.accumulate(&y_bar.0);
            x.1.1.0.accumulate(&y_bar.1);
            ((),)
        };
        (self.__transpose_frule(self_dot), pullback)
    }
}

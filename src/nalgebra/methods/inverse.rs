//! `x.determinant()` and `x.try_inverse()`, by the rules of the functions of this crate.

use ::nalgebra::{DMatrix, SMatrix};

use super::{AnyMatrix, At, At2, D};
use crate::nalgebra::functions::{Determinant, Inverse};
use crate::nalgebra::rules;
use crate::{__private::mode, CoDual, Dual};

/// Square matrices of `f64`.
pub trait Square: AnyMatrix<Elem = f64> {
    /// As a matrix of any size.
    fn dynamic(&self) -> DMatrix<f64>;
    /// From one.
    fn of(matrix: &DMatrix<f64>) -> Self;
}
impl Square for DMatrix<f64> {
    fn dynamic(&self) -> DMatrix<f64> {
        self.clone()
    }

    fn of(matrix: &DMatrix<f64>) -> Self {
        matrix.clone()
    }
}
impl<const N: usize> Square for SMatrix<f64, N, N> {
    fn dynamic(&self) -> DMatrix<f64> {
        DMatrix::from_column_slice(N, N, self.as_slice())
    }

    fn of(matrix: &DMatrix<f64>) -> Self {
        SMatrix::from_column_slice(matrix.as_slice())
    }
}

/// The rules of determinants and inverses.
pub trait InverseRules: Square {
    /// `x.determinant()`.
    #[inline(always)]
    fn __determinant_modes(&self) -> (mode::Ref<Self>,) {
        (mode::by_ref(),)
    }

    /// The value and its tangent.
    fn __determinant_frule(&self, self_dot: &Self) -> D<f64> {
        rules::frule::<Determinant>(Dual(&self.dynamic(), &self_dot.dynamic()))
    }

    /// The value and its pullback.
    fn __determinant_rrule(&self) -> (f64, impl FnOnce(f64, At<'_, Self>) -> ((),) + use<Self>) {
        let (y, pullback) = rules::rrule::<Determinant>(&self.dynamic());
        let pullback = |y_bar: f64, x: At<'_, Self>| {
            let (x, mut bar) = (CoDual(x.0.dynamic(), x.1), zeros(x.0));
            pullback(y_bar, CoDual(&x.0, &mut bar));
            x.1.accumulate(&Self::of(&bar));
            ((),)
        };
        (y, pullback)
    }

    /// The forward transform of the same.
    #[allow(clippy::type_complexity)]
    fn __determinant_rrule_frule(
        &self,
        self_dot: &Self,
    ) -> (
        D<f64>,
        impl FnOnce(D<f64>, At2<'_, Self>) -> ((),) + use<Self>,
    ) {
        let at = Dual(&self.dynamic(), &self_dot.dynamic());
        let (y, pullback) = rules::rrule_frule::<Determinant>(at);
        let pullback = |y_bar: D<f64>, x: At2<'_, Self>| {
            let (value, tangent) = (x.0.0.dynamic(), x.0.1.dynamic());
            let (mut bar, mut bar_dot) = (zeros(x.0.0), zeros(x.0.0));
            let shadow = Dual(&mut bar, &mut bar_dot);
            pullback(y_bar, CoDual(Dual(&value, &tangent), shadow));
            x.1.0.accumulate(&Self::of(&bar));
            x.1.1.accumulate(&Self::of(&bar_dot));
            ((),)
        };
        (y, pullback)
    }

    /// `x.try_inverse()`, by value.
    #[inline(always)]
    fn __try_inverse_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The value and its tangent.
    fn __try_inverse_frule(self, self_dot: Self) -> D<Option<Self>> {
        of_both(rules::frule::<Inverse>(Dual(
            &self.dynamic(),
            &self_dot.dynamic(),
        )))
    }

    /// The value and its pullback.
    #[allow(clippy::type_complexity)]
    fn __try_inverse_rrule(
        self,
    ) -> (
        Option<Self>,
        impl FnOnce(Option<Self>, ()) -> (Self,) + use<Self>,
    ) {
        let x = self.dynamic();
        let (y, pullback) = rules::rrule::<Inverse>(&x);
        let pullback = move |y_bar: Option<Self>, ()| {
            let mut bar = zeros(&self);
            let y_bar = y_bar.map(|y_bar| y_bar.dynamic());
            pullback(y_bar, CoDual(&x, &mut bar));
            (Self::of(&bar),)
        };
        (y.map(|y| Self::of(&y)), pullback)
    }

    /// The forward transform of the same.
    #[allow(clippy::type_complexity)]
    fn __try_inverse_rrule_frule(
        self,
        self_dot: Self,
    ) -> (
        D<Option<Self>>,
        impl FnOnce(D<Option<Self>>, ()) -> (D<Self>,) + use<Self>,
    ) {
        let (x, x_dot) = (self.dynamic(), self_dot.dynamic());
        let (y, pullback) = rules::rrule_frule::<Inverse>(Dual(&x, &x_dot));
        let pullback = move |y_bar: D<Option<Self>>, ()| {
            let (mut bar, mut bar_dot) = (zeros(&self), zeros(&self));
            let dynamic = |y_bar: Option<Self>| y_bar.map(|y_bar| y_bar.dynamic());
            let y_bar = Dual(dynamic(y_bar.0), dynamic(y_bar.1));
            let shadow = Dual(&mut bar, &mut bar_dot);
            pullback(y_bar, CoDual(Dual(&x, &x_dot), shadow));
            (Dual(Self::of(&bar), Self::of(&bar_dot)),)
        };
        (of_both(y), pullback)
    }
}
impl<X: Square> InverseRules for X {}

fn zeros<X: Square>(x: &X) -> DMatrix<f64> {
    DMatrix::zeros(x.size().0, x.size().1)
}

fn of_both<X: Square>(y: D<Option<DMatrix<f64>>>) -> D<Option<X>> {
    let of = |y: Option<DMatrix<f64>>| y.map(|y| X::of(&y));
    Dual(of(y.0), of(y.1))
}

//! `Option`: `zip` and `flatten`, which return an `Option` of another type.

use super::IsOption;
use crate::{Differentiable, Dual, Tan, mode};

type Inner<X> = <X as IsOption>::Inner;
type Bar<X> = Tan<Inner<X>>;
type OptBar<X> = Option<Bar<X>>;
type Pair<X, U> = (Inner<X>, U);
type PairBar<X, U> = (Bar<X>, Tan<U>);

/// The cotangents of the two: those of a pair where there is one, else those that the pair had no part in.
fn apart<A, B>(pair: Option<(A, B)>, zeros: (Option<A>, Option<B>)) -> (Option<A>, Option<B>) {
    match pair {
        Some((a, b)) => (Some(a), Some(b)),
        None => zeros,
    }
}

/// The rules of `x.zip(other)`.
pub trait OptionZipRules: IsOption {
    /// Both are by value.
    #[inline(always)]
    fn __zip_modes<U: Differentiable>(&self) -> (mode::Owned<Self>, mode::Owned<Option<U>>) {
        (mode::owned(), mode::owned())
    }

    /// The pair and its tangent.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __zip_frule<U: Differentiable>(
        self,
        self_dot: OptBar<Self>,
        Dual(other, other_dot): Dual<Option<U>, Option<Tan<U>>>,
    ) -> Dual<Option<Pair<Self, U>>, Option<PairBar<Self, U>>> {
        Dual(self.own().zip(other), self_dot.zip(other_dot))
    }

    /// Each gets its part of the cotangent.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __zip_rrule<U: Differentiable>(
        self,
        other: Option<U>,
    ) -> (
        Option<Pair<Self, U>>,
        impl FnOnce(Option<PairBar<Self, U>>, (), ()) -> (OptBar<Self>, Option<Tan<U>>) + use<Self, U>,
    ) {
        let zeros = (self.zero_tangent(), other.zero_tangent());
        (self.own().zip(other), move |y_bar, (), ()| {
            apart(y_bar, zeros)
        })
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __zip_rrule_frule<U: Differentiable>(
        self,
        self_dot: OptBar<Self>,
        other: Dual<Option<U>, Option<Tan<U>>>,
    ) -> (
        Dual<Option<Pair<Self, U>>, Option<PairBar<Self, U>>>,
        impl FnOnce(
            Dual<Option<PairBar<Self, U>>, Option<PairBar<Self, U>>>,
            (),
            (),
        ) -> (
            Dual<OptBar<Self>, OptBar<Self>>,
            Dual<Option<Tan<U>>, Option<Tan<U>>>,
        ) + use<Self, U>,
    ) {
        let zeros = (self.zero_tangent(), other.0.zero_tangent());
        let pullback = move |Dual(y_bar, y_bar_dot), (), ()| {
            let (a, b) = apart(y_bar, zeros.clone());
            let (a_dot, b_dot) = apart(y_bar_dot, zeros);
            (Dual(a, a_dot), Dual(b, b_dot))
        };
        (self.__zip_frule(self_dot, other), pullback)
    }
}
impl<T: Differentiable> OptionZipRules for Option<T> {}

/// The rules of `x.flatten()`.
pub trait OptionFlattenRules<T: Differentiable>: IsOption<Inner = Option<T>> {
    /// It is by value.
    #[inline(always)]
    fn __flatten_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The payload, and its tangent.
    #[inline(always)]
    fn __flatten_frule(self, self_dot: Option<Option<Tan<T>>>) -> Dual<Option<T>, Option<Tan<T>>> {
        Dual(self.own().flatten(), self_dot.flatten())
    }

    /// The cotangent has the shape of the value: an outer `Some` stays one.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __flatten_rrule(
        self,
    ) -> (
        Option<T>,
        impl FnOnce(Option<Tan<T>>, ()) -> (Option<Option<Tan<T>>>,) + use<T, Self>,
    ) {
        let x = self.own();
        let outer = x.is_some();
        (x.flatten(), move |y_bar, ()| (outer.then_some(y_bar),))
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __flatten_rrule_frule(
        self,
        self_dot: Option<Option<Tan<T>>>,
    ) -> (
        Dual<Option<T>, Option<Tan<T>>>,
        impl FnOnce(
            Dual<Option<Tan<T>>, Option<Tan<T>>>,
            (),
        ) -> (Dual<Option<Option<Tan<T>>>, Option<Option<Tan<T>>>>,)
        + use<T, Self>,
    ) {
        let outer = self_dot.is_some();
        let pullback = move |Dual(y_bar, y_bar_dot), ()| {
            let around = |bar| outer.then_some(bar);
            (Dual(around(y_bar), around(y_bar_dot)),)
        };
        (self.__flatten_frule(self_dot), pullback)
    }
}
impl<T: Differentiable> OptionFlattenRules<T> for Option<Option<T>> {}

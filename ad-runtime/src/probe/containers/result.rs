//! `Result`: `unwrap`, `expect`, `unwrap_or` and `ok`; and `expect` of `Option`. An error has no tangent.

use core::fmt::Debug;

use super::option::IsOption;
use crate::{Differentiable, Dual, NoTangent, Tan, mode};

/// A `Result` of something differentiable.
pub trait IsResult:
    Differentiable<Tangent = OkBar<Self::Inner>, OwnedTangent = OkBar<Self::Inner>> + Sized
{
    /// The type of what is inside.
    type Inner: Differentiable;

    /// The type of errors.
    type Error;

    /// The `Result` itself.
    fn own(self) -> Result<Self::Inner, Self::Error>;
}

impl<T: Differentiable, E> IsResult for Result<T, E> {
    type Inner = T;
    type Error = E;

    #[inline(always)]
    fn own(self) -> Result<T, E> {
        self
    }
}

type OkBar<T> = Result<Tan<T>, NoTangent>;
type Inner<X> = <X as IsResult>::Inner;
type Bar<X> = Tan<Inner<X>>;
type ResBar<X> = OkBar<Inner<X>>;

const SHAPE: &str = "a tangent of the same variant";

/// The rules of methods of `Result` that give what is inside.
#[allow(clippy::type_complexity)]
pub trait ResultRules: IsResult {
    /// `x.unwrap()`.
    #[inline(always)]
    fn __unwrap_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The value and its tangent.
    #[inline(always)]
    #[track_caller]
    fn __unwrap_frule(self, self_dot: ResBar<Self>) -> Dual<Inner<Self>, Bar<Self>>
    where
        Self::Error: Debug,
    {
        Dual(self.own().unwrap(), self_dot.expect(SHAPE))
    }

    /// The value and its pullback.
    #[inline(always)]
    #[track_caller]
    fn __unwrap_rrule(
        self,
    ) -> (
        Inner<Self>,
        impl FnOnce(Bar<Self>, ()) -> (ResBar<Self>,) + use<Self>,
    )
    where
        Self::Error: Debug,
    {
        (self.own().unwrap(), |y_bar, ()| (Ok(y_bar),))
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[track_caller]
    fn __unwrap_rrule_frule(
        self,
        self_dot: ResBar<Self>,
    ) -> (
        Dual<Inner<Self>, Bar<Self>>,
        impl FnOnce(Dual<Bar<Self>, Bar<Self>>, ()) -> (Dual<ResBar<Self>, ResBar<Self>>,) + use<Self>,
    )
    where
        Self::Error: Debug,
    {
        (
            Dual(self.own().unwrap(), self_dot.expect(SHAPE)),
            |Dual(y_bar, y_bar_dot), ()| (Dual(Ok(y_bar), Ok(y_bar_dot)),),
        )
    }

    /// `x.expect(message)`.
    #[inline(always)]
    fn __expect_modes(&self) -> (mode::Owned<Self>, mode::ConstRef<str>) {
        (mode::owned(), mode::constant_ref())
    }

    /// The value and its tangent.
    #[inline(always)]
    #[track_caller]
    fn __expect_frule(self, self_dot: ResBar<Self>, message: &str) -> Dual<Inner<Self>, Bar<Self>>
    where
        Self::Error: Debug,
    {
        Dual(self.own().expect(message), self_dot.expect(SHAPE))
    }

    /// The value and its pullback.
    #[inline(always)]
    #[track_caller]
    fn __expect_rrule(
        self,
        message: &str,
    ) -> (
        Inner<Self>,
        impl FnOnce(Bar<Self>, (), &str) -> (ResBar<Self>, ()) + use<Self>,
    )
    where
        Self::Error: Debug,
    {
        (self.own().expect(message), |y_bar, (), _: &str| {
            (Ok(y_bar), ())
        })
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[track_caller]
    fn __expect_rrule_frule(
        self,
        self_dot: ResBar<Self>,
        message: &str,
    ) -> (
        Dual<Inner<Self>, Bar<Self>>,
        impl FnOnce(Dual<Bar<Self>, Bar<Self>>, (), &str) -> (Dual<ResBar<Self>, ResBar<Self>>, ())
        + use<Self>,
    )
    where
        Self::Error: Debug,
    {
        (
            Dual(self.own().expect(message), self_dot.expect(SHAPE)),
            |Dual(y_bar, y_bar_dot), (), _: &str| (Dual(Ok(y_bar), Ok(y_bar_dot)), ()),
        )
    }

    /// `x.unwrap_or(other)`.
    #[inline(always)]
    fn __unwrap_or_modes(&self) -> (mode::Owned<Self>, mode::Owned<Inner<Self>>) {
        (mode::owned(), mode::owned())
    }

    /// The value and its tangent.
    #[inline(always)]
    fn __unwrap_or_frule(
        self,
        self_dot: ResBar<Self>,
        Dual(other, other_dot): Dual<Inner<Self>, Bar<Self>>,
    ) -> Dual<Inner<Self>, Bar<Self>> {
        Dual(self.own().unwrap_or(other), self_dot.unwrap_or(other_dot))
    }

    /// The cotangent goes to the one that was given.
    #[inline(always)]
    fn __unwrap_or_rrule(
        self,
        other: Inner<Self>,
    ) -> (
        Inner<Self>,
        impl FnOnce(Bar<Self>, (), ()) -> (ResBar<Self>, Bar<Self>) + use<Self>,
    ) {
        let x = self.own();
        let zero = x.is_ok().then(|| other.zero_tangent());
        let pullback = move |y_bar, (), ()| match zero {
            Some(zero) => (Ok(y_bar), zero),
            None => (Err(NoTangent), y_bar),
        };
        (x.unwrap_or(other), pullback)
    }

    /// The forward transform of the same.
    #[inline(always)]
    fn __unwrap_or_rrule_frule(
        self,
        self_dot: ResBar<Self>,
        Dual(other, other_dot): Dual<Inner<Self>, Bar<Self>>,
    ) -> (
        Dual<Inner<Self>, Bar<Self>>,
        impl FnOnce(
            Dual<Bar<Self>, Bar<Self>>,
            (),
            (),
        ) -> (Dual<ResBar<Self>, ResBar<Self>>, Dual<Bar<Self>, Bar<Self>>)
        + use<Self>,
    ) {
        let x = self.own();
        let zero = x.is_ok().then(|| other.zero_tangent());
        let pullback = move |Dual(y_bar, y_bar_dot), (), ()| match zero {
            Some(zero) => (Dual(Ok(y_bar), Ok(y_bar_dot)), Dual(zero.clone(), zero)),
            None => (Dual(Err(NoTangent), Err(NoTangent)), Dual(y_bar, y_bar_dot)),
        };
        (
            Dual(x.unwrap_or(other), self_dot.unwrap_or(other_dot)),
            pullback,
        )
    }

    /// `x.ok()`.
    #[inline(always)]
    fn __ok_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The value and its tangent.
    #[inline(always)]
    fn __ok_frule(self, self_dot: ResBar<Self>) -> Dual<Option<Inner<Self>>, Option<Bar<Self>>> {
        Dual(self.own().ok(), self_dot.ok())
    }

    /// The value and its pullback.
    #[inline(always)]
    fn __ok_rrule(
        self,
    ) -> (
        Option<Inner<Self>>,
        impl FnOnce(Option<Bar<Self>>, ()) -> (ResBar<Self>,) + use<Self>,
    ) {
        (self.own().ok(), |y_bar: Option<_>, ()| {
            (y_bar.ok_or(NoTangent),)
        })
    }

    /// The forward transform of the same.
    #[inline(always)]
    fn __ok_rrule_frule(
        self,
        self_dot: ResBar<Self>,
    ) -> (
        Dual<Option<Inner<Self>>, Option<Bar<Self>>>,
        impl FnOnce(
            Dual<Option<Bar<Self>>, Option<Bar<Self>>>,
            (),
        ) -> (Dual<ResBar<Self>, ResBar<Self>>,)
        + use<Self>,
    ) {
        (
            Dual(self.own().ok(), self_dot.ok()),
            |Dual(y_bar, y_bar_dot): Dual<Option<_>, Option<_>>, ()| {
                (Dual(y_bar.ok_or(NoTangent), y_bar_dot.ok_or(NoTangent)),)
            },
        )
    }
}

impl<X: IsResult> ResultRules for X {}

type Some<X> = <X as IsOption>::Inner;
type SomeBar<X> = Tan<Some<X>>;

/// The rule of `expect` of an `Option`.
#[allow(clippy::type_complexity)]
pub trait OptionExpectRules: IsOption {
    /// `x.expect(message)`.
    #[inline(always)]
    fn __expect_modes(&self) -> (mode::Owned<Self>, mode::ConstRef<str>) {
        (mode::owned(), mode::constant_ref())
    }

    /// The value and its tangent.
    #[inline(always)]
    #[track_caller]
    fn __expect_frule(
        self,
        self_dot: Option<SomeBar<Self>>,
        message: &str,
    ) -> Dual<Some<Self>, SomeBar<Self>> {
        Dual(self.own().expect(message), self_dot.expect(SHAPE))
    }

    /// The value and its pullback.
    #[inline(always)]
    #[track_caller]
    fn __expect_rrule(
        self,
        message: &str,
    ) -> (
        Some<Self>,
        impl FnOnce(SomeBar<Self>, (), &str) -> (Option<SomeBar<Self>>, ()) + use<Self>,
    ) {
        (self.own().expect(message), |y_bar, (), _: &str| {
            (Option::Some(y_bar), ())
        })
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[track_caller]
    fn __expect_rrule_frule(
        self,
        self_dot: Option<SomeBar<Self>>,
        message: &str,
    ) -> (
        Dual<Some<Self>, SomeBar<Self>>,
        impl FnOnce(
            Dual<SomeBar<Self>, SomeBar<Self>>,
            (),
            &str,
        ) -> (Dual<Option<SomeBar<Self>>, Option<SomeBar<Self>>>, ())
        + use<Self>,
    ) {
        (
            Dual(self.own().expect(message), self_dot.expect(SHAPE)),
            |Dual(y_bar, y_bar_dot), (), _: &str| {
                (Dual(Option::Some(y_bar), Option::Some(y_bar_dot)), ())
            },
        )
    }
}

impl<X: IsOption> OptionExpectRules for X {}

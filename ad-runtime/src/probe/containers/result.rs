//! `Result`: `unwrap`, `expect`, `unwrap_or`, `unwrap_or_default` and `ok`. An error has no tangent.

use core::fmt::Debug;

use super::unwraps::{SHAPE, defaults, unwraps};
use crate::{Differentiable, Dual, NoTangent, Tan, mode};

/// A `Result` of something differentiable.
pub trait IsResult:
    Differentiable<Tangent = OkBar<Self::Inner>, OwnedTangent = OkBar<Self::Inner>> + Sized
{
    /// The type of the payload.
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

/// The rules of methods of `Result` that return the payload.
#[allow(clippy::type_complexity)]
pub trait ResultRules: IsResult {
    unwraps!(ResBar<Self>, Ok, Err(NoTangent), is_ok, where Self::Error: Debug);

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

/// The rules of methods of `Result` that need a value to fall back to.
pub trait ResultDefaultRules: IsResult<Inner: Default> {
    defaults!(ResBar<Self>, Ok, Err(NoTangent), is_ok);
}
impl<T: Differentiable + Default, E> ResultDefaultRules for Result<T, E> {}

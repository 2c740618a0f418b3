//! `Option`: `unwrap`, `expect`, `unwrap_or`, `unwrap_or_default`, `ok_or`, `or`, `xor`, `take` and `replace`.

use super::unwraps::{SHAPE, defaults, unwraps};
use super::{At, At2};
use crate::{CoDual, Differentiable, Dual, NoTangent, Tan, mode};

/// An `Option` of something differentiable.
pub trait IsOption:
    Differentiable<Tangent = Option<Tan<Self::Inner>>, OwnedTangent = Option<Tan<Self::Inner>>> + Sized
{
    /// The type of the payload.
    type Inner: Differentiable;

    /// The `Option` itself.
    fn own(self) -> Option<Self::Inner>;

    /// The `Option` itself, borrowed.
    fn own_mut(&mut self) -> &mut Option<Self::Inner>;
}
impl<T: Differentiable> IsOption for Option<T> {
    type Inner = T;

    #[inline(always)]
    fn own(self) -> Option<T> {
        self
    }

    #[inline(always)]
    fn own_mut(&mut self) -> &mut Option<T> {
        self
    }
}

type Inner<X> = <X as IsOption>::Inner;
type Bar<X> = Tan<Inner<X>>;
type OptBar<X> = Option<Bar<X>>;

/// The rules of methods of `Option` that return the payload.
pub trait OptionRules: IsOption {
    unwraps!(OptBar<Self>, Some, None, is_some);

    /// `x.ok_or(error)`, whose error has no tangent.
    #[inline(always)]
    fn __ok_or_modes<E>(&self) -> (mode::Owned<Self>, mode::Const<E>) {
        (mode::owned(), mode::constant())
    }

    /// The value and its tangent.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __ok_or_frule<E>(
        self,
        self_dot: OptBar<Self>,
        error: E,
    ) -> Dual<Result<Inner<Self>, E>, Result<Bar<Self>, NoTangent>> {
        Dual(self.own().ok_or(error), self_dot.ok_or(NoTangent))
    }

    /// The value and its pullback.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __ok_or_rrule<E>(
        self,
        error: E,
    ) -> (
        Result<Inner<Self>, E>,
        impl FnOnce(Result<Bar<Self>, NoTangent>, (), ()) -> (OptBar<Self>, ()) + use<Self, E>,
    ) {
        (
            self.own().ok_or(error),
            |y_bar: Result<_, NoTangent>, (), ()| (y_bar.ok(), ()),
        )
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __ok_or_rrule_frule<E>(
        self,
        self_dot: OptBar<Self>,
        error: E,
    ) -> (
        Dual<Result<Inner<Self>, E>, Result<Bar<Self>, NoTangent>>,
        impl FnOnce(
            Dual<Result<Bar<Self>, NoTangent>, Result<Bar<Self>, NoTangent>>,
            (),
            (),
        ) -> (Dual<OptBar<Self>, OptBar<Self>>, ())
        + use<Self, E>,
    ) {
        let pullback =
            |Dual(y_bar, y_bar_dot): Dual<Result<_, NoTangent>, Result<_, NoTangent>>, (), ()| {
                (Dual(y_bar.ok(), y_bar_dot.ok()), ())
            };
        (self.__ok_or_frule(self_dot, error), pullback)
    }
}
impl<T: Differentiable> OptionRules for Option<T> {}

/// The rules of methods of `Option` that need a value to fall back to.
pub trait OptionDefaultRules: IsOption<Inner: Default> {
    defaults!(OptBar<Self>, Some, None, is_some);
}
impl<T: Differentiable + Default> OptionDefaultRules for Option<T> {}

/// The two `Option`s of `or` and `xor`: which one is the result, if any.
#[derive(Clone, Copy)]
enum Given {
    First,
    Second,
    Neither,
}

/// Methods of two `Option`s of which one is the result.
macro_rules! chooses {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $method:ident
        |$a:ident, $b:ident| $given:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Owned<Self>, mode::Owned<Option<Inner<Self>>>) {
            (mode::owned(), mode::owned())
        }

        /// The value and its tangent.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $frule(
            self,
            self_dot: OptBar<Self>,
            Dual(other, other_dot): Dual<Option<Inner<Self>>, OptBar<Self>>,
        ) -> Dual<Option<Inner<Self>>, OptBar<Self>> {
            Dual(self.own().$method(other), self_dot.$method(other_dot))
        }

        /// The cotangent goes to the one that was given.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            self,
            other: Option<Inner<Self>>,
        ) -> (Option<Inner<Self>>, impl FnOnce(OptBar<Self>, (), ()) -> (OptBar<Self>, OptBar<Self>) + use<Self>) {
            let zeros = (self.zero_tangent(), other.zero_tangent());
            let x = self.own();
            let given = { let ($a, $b) = (x.is_some(), other.is_some()); $given };
            (x.$method(other), move |y_bar, (), ()| give(given, y_bar, zeros))
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            self,
            self_dot: OptBar<Self>,
            Dual(other, other_dot): Dual<Option<Inner<Self>>, OptBar<Self>>,
        ) -> (
            Dual<Option<Inner<Self>>, OptBar<Self>>,
            impl FnOnce(Dual<OptBar<Self>, OptBar<Self>>, (), ()) -> (Dual<OptBar<Self>, OptBar<Self>>, Dual<OptBar<Self>, OptBar<Self>>) + use<Self>,
        ) {
            let zeros = (self.zero_tangent(), other.zero_tangent());
            let x = self.own();
            let given = { let ($a, $b) = (x.is_some(), other.is_some()); $given };
            let pullback = move |Dual(y_bar, y_bar_dot), (), ()| {
                let (a, b) = give(given, y_bar, zeros.clone());
                let (a_dot, b_dot) = give(given, y_bar_dot, zeros);
                (Dual(a, a_dot), Dual(b, b_dot))
            };
            (Dual(x.$method(other), self_dot.$method(other_dot)), pullback)
        }
    )*};
}

/// The cotangents of the two.
fn give<S>(given: Given, y_bar: S, zeros: (S, S)) -> (S, S) {
    match given {
        Given::First => (y_bar, zeros.1),
        Given::Second => (zeros.0, y_bar),
        Given::Neither => zeros,
    }
}

/// The rules of methods that choose one of two `Option`s.
pub trait OptionChoiceRules: IsOption {
    chooses! {
        /// `x.or(other)`.
        [__or_modes __or_frule __or_rrule __or_rrule_frule] or
        |a, b| if a { Given::First } else if b { Given::Second } else { Given::Neither };

        /// `x.xor(other)`.
        [__xor_modes __xor_frule __xor_rrule __xor_rrule_frule] xor
        |a, b| match (a, b) {
            (true, false) => Given::First,
            (false, true) => Given::Second,
            _ => Given::Neither,
        };
    }
}
impl<T: Differentiable> OptionChoiceRules for Option<T> {}

/// The rules of methods that put something else in an `Option`: one copy of the old payload is to be put back.
pub trait OptionCloneRules: IsOption<Inner: Clone> {
    /// `x.take()`.
    #[inline(always)]
    fn __take_modes(&self) -> (mode::Mut<Self>,) {
        (mode::by_mut(),)
    }

    /// Takes the tangent, too.
    #[inline(always)]
    fn __take_frule(
        &mut self,
        self_dot: &mut OptBar<Self>,
    ) -> Dual<Option<Inner<Self>>, OptBar<Self>> {
        Dual(self.own_mut().take(), self_dot.take())
    }

    /// The pullback puts it back.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __take_rrule(
        &mut self,
    ) -> (
        Option<Inner<Self>>,
        impl FnOnce(OptBar<Self>, At<'_, Self>) -> ((),) + use<Self>,
    ) {
        let old = self.own_mut().clone();
        let pullback = move |y_bar, CoDual(x, x_bar): At<'_, Self>| {
            *x_bar = y_bar;
            *x.own_mut() = old;
            ((),)
        };
        (self.own_mut().take(), pullback)
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __take_rrule_frule(
        &mut self,
        self_dot: &mut OptBar<Self>,
    ) -> (
        Dual<Option<Inner<Self>>, OptBar<Self>>,
        impl FnOnce(Dual<OptBar<Self>, OptBar<Self>>, At2<'_, Self>) -> ((),) + use<Self>,
    ) {
        let old = (self.own_mut().clone(), self_dot.clone());
        let pullback = move |Dual(y_bar, y_bar_dot), CoDual(x, x_bar): At2<'_, Self>| {
            (*x_bar.0, *x_bar.1) = (y_bar, y_bar_dot);
            (*x.0.own_mut(), *x.1) = old;
            ((),)
        };
        (self.__take_frule(self_dot), pullback)
    }

    /// `x.replace(new)`.
    #[inline(always)]
    fn __replace_modes(&self) -> (mode::Mut<Self>, mode::Owned<Inner<Self>>) {
        (mode::by_mut(), mode::owned())
    }

    /// Replaces the tangent, too.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __replace_frule(
        &mut self,
        self_dot: &mut OptBar<Self>,
        Dual(new, new_dot): Dual<Inner<Self>, Bar<Self>>,
    ) -> Dual<Option<Inner<Self>>, OptBar<Self>> {
        Dual(self.own_mut().replace(new), self_dot.replace(new_dot))
    }

    /// The pullback restores the old content, and returns the cotangent of the new.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __replace_rrule(
        &mut self,
        new: Inner<Self>,
    ) -> (
        Option<Inner<Self>>,
        impl FnOnce(OptBar<Self>, At<'_, Self>, ()) -> ((), Bar<Self>) + use<Self>,
    ) {
        let old = self.own_mut().clone();
        let zero = new.zero_tangent();
        let pullback = move |y_bar, CoDual(x, x_bar): At<'_, Self>, ()| {
            *x.own_mut() = old;
            ((), core::mem::replace(x_bar, y_bar).unwrap_or(zero))
        };
        (self.own_mut().replace(new), pullback)
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __replace_rrule_frule(
        &mut self,
        self_dot: &mut OptBar<Self>,
        new: Dual<Inner<Self>, Bar<Self>>,
    ) -> (
        Dual<Option<Inner<Self>>, OptBar<Self>>,
        impl FnOnce(
            Dual<OptBar<Self>, OptBar<Self>>,
            At2<'_, Self>,
            (),
        ) -> ((), Dual<Bar<Self>, Bar<Self>>)
        + use<Self>,
    ) {
        let old = (self.own_mut().clone(), self_dot.clone());
        let zero = new.0.zero_tangent();
        let pullback = move |Dual(y_bar, y_bar_dot), CoDual(x, x_bar): At2<'_, Self>, ()| {
            (*x.0.own_mut(), *x.1) = old;
            let new_bar = core::mem::replace(x_bar.0, y_bar).unwrap_or(zero.clone());
            let new_bar_dot = core::mem::replace(x_bar.1, y_bar_dot).unwrap_or(zero);
            ((), Dual(new_bar, new_bar_dot))
        };
        (self.__replace_frule(self_dot, new), pullback)
    }
}
impl<T: Differentiable + Clone> OptionCloneRules for Option<T> {}

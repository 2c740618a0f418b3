//! `as` between types that only rustc can resolve, and the assertion that a value has no tangent.

use crate::{Differentiable, Dual, NoTangent, Tan};

/// A cotangent and its tangent.
type Bar<T> = Dual<Tan<T>, Tan<T>>;

/// The rules of `x as To`.
///
/// Between floats the tangent is cast likewise. Integers, `bool` and `char` have none. A float as an integer is left
/// out: it would lose the derivative silently.
#[diagnostic::on_unimplemented(
    message = "a differentiated `{Self}` can't be cast to `{To}`",
    note = "a cast to an integer has no derivative; write `stop_gradient(x) as {To}` if it shall count as a constant"
)]
pub trait CastRules<To: Differentiable>: Differentiable + Sized {
    /// The cast itself.
    fn cast(x: Self) -> To;

    /// The result and its tangent.
    fn cast_frule(x: Dual<Self, Tan<Self>>) -> Dual<To, Tan<To>>;

    /// The result and its pullback: from the result's cotangent to the operand's.
    fn cast_rrule(x: Self) -> (To, impl FnOnce(Tan<To>) -> Tan<Self> + use<Self, To>);

    /// The forward transform of [`cast_rrule`](Self::cast_rrule).
    #[allow(clippy::type_complexity)]
    fn cast_rrule_frule(
        x: Dual<Self, Tan<Self>>,
    ) -> (
        Dual<To, Tan<To>>,
        impl FnOnce(Bar<To>) -> Bar<Self> + use<Self, To>,
    );
}

macro_rules! between_floats {
    ($($t:ty => $($to:ty)*;)*) => {$($(
        #[allow(clippy::cast_possible_truncation, clippy::cast_lossless, clippy::unnecessary_cast, trivial_numeric_casts)]
        impl CastRules<$to> for $t {
            #[inline(always)]
            fn cast(x: $t) -> $to {
                x as $to
            }

            #[inline(always)]
            fn cast_frule(Dual(x, x_dot): Dual<$t, $t>) -> Dual<$to, $to> {
                Dual(x as $to, x_dot as $to)
            }

            #[inline(always)]
            fn cast_rrule(x: $t) -> ($to, impl FnOnce($to) -> $t + use<>) {
                (x as $to, |y_bar| y_bar as $t)
            }

            #[inline(always)]
            fn cast_rrule_frule(
                Dual(x, x_dot): Dual<$t, $t>,
            ) -> (Dual<$to, $to>, impl FnOnce(Dual<$to, $to>) -> Dual<$t, $t> + use<>) {
                (Dual(x as $to, x_dot as $to), |Dual(y_bar, y_bar_dot)| Dual(y_bar as $t, y_bar_dot as $t))
            }
        }
    )*)*};
}
between_floats! {
    f32 => f32 f64;
    f64 => f32 f64;
}

macro_rules! from_inactive {
    ($([$($t:ty)*] => $to:tt;)*) => {$($(
        from_inactive!(@one $t => $to);
    )*)*};
    (@one $t:ty => [$($to:ty)*]) => {$(
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            clippy::cast_lossless,
            clippy::unnecessary_cast,
            trivial_numeric_casts,
            reason = "the user has written this cast"
        )]
        impl CastRules<$to> for $t {
            #[inline(always)]
            fn cast(x: $t) -> $to {
                x as $to
            }

            #[inline(always)]
            fn cast_frule(Dual(x, NoTangent): Dual<$t, NoTangent>) -> Dual<$to, Tan<$to>> {
                let y = x as $to;
                Dual(y, y.zero_tangent())
            }

            #[inline(always)]
            fn cast_rrule(x: $t) -> ($to, impl FnOnce(Tan<$to>) -> NoTangent + use<>) {
                (x as $to, |_| NoTangent)
            }

            #[inline(always)]
            fn cast_rrule_frule(
                Dual(x, NoTangent): Dual<$t, NoTangent>,
            ) -> (Dual<$to, Tan<$to>>, impl FnOnce(Bar<$to>) -> Dual<NoTangent, NoTangent> + use<>) {
                let y = x as $to;
                (Dual(y, y.zero_tangent()), |_| Dual(NoTangent, NoTangent))
            }
        }
    )*};
}
from_inactive! {
    [u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize] =>
        [f32 f64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize];
    [bool char] => [u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize];
    [u8] => [char];
}

/// Tangents without entries, whatever the value: `NoTangent`, and tuples, arrays, `Vec`s of it.
#[diagnostic::on_unimplemented(
    message = "a differentiated value is used where its derivative would be lost",
    label = "its tangent has type `{Self}`",
    note = "wrap it in `stop_gradient` if it shall count as a constant; what shall be differentiated can't go into something `#[constant]`"
)]
pub trait InactiveTangent {}
// rustc would list these types in the message.
macro_rules! inactive {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> InactiveTangent for $t {}
    )*};
}
inactive! {
    [T: InactiveTangent + ?Sized] &T;
    [T: InactiveTangent + ?Sized] &mut T;
    [] NoTangent;
    [T: InactiveTangent] [T];
    [T: InactiveTangent, const N: usize] [T; N];
    [T: InactiveTangent] alloc::vec::Vec<T>;
    [T: InactiveTangent] alloc::collections::VecDeque<T>;
    [T: InactiveTangent] Option<T>;
    [T: InactiveTangent] Result<T, NoTangent>;
    [T: InactiveTangent] alloc::boxed::Box<T>;
    [T: InactiveTangent] core::ops::Range<T>;
}
macro_rules! tuples {
    ($($($T:ident)*;)*) => {inactive! { $([$($T: InactiveTangent),*] ($($T,)*);)* }};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

/// Asserts at compile time that the type of `x` has no tangent, so that nothing is lost where it is taken for a constant.
#[inline(always)]
pub fn inactive_value<T: Differentiable<Tangent: InactiveTangent> + ?Sized>(_x: &T) {}

//! The operators of primitives on references, and with assignment: the same as on values.

use super::{Assigning, BinaryRules, LeftByRef, RightByRef, UnaryRules};
use crate::{Dual, Tan};

/// A value of a primitive and its tangent, or a cotangent and its.
type D<T> = Dual<T, Tan<T>>;
type Bar<T> = Dual<Tan<T>, Tan<T>>;

macro_rules! marked {
    ($($marker:ident)*: $types:tt) => {$( marked!(@each $marker $types); )*};
    (@each $marker:ident [$($t:ty)*]) => {$(
        impl<Op> BinaryRules<$marker<Op>, $t> for $t
        where
            $t: BinaryRules<Op, $t>,
        {
            type Output = <$t as BinaryRules<Op, $t>>::Output;

            #[inline(always)]
            #[track_caller]
            fn primal(a: $t, b: $t) -> Self::Output {
                <$t as BinaryRules<Op, $t>>::primal(a, b)
            }

            #[inline(always)]
            #[track_caller]
            fn frule(a: D<$t>, b: D<$t>) -> D<Self::Output> {
                <$t as BinaryRules<Op, $t>>::frule(a, b)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule(
                a: $t,
                b: $t,
            ) -> (Self::Output, impl FnOnce(Tan<Self::Output>) -> (Tan<$t>, Tan<$t>) + use<Op>) {
                <$t as BinaryRules<Op, $t>>::rrule(a, b)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule_frule(
                a: D<$t>,
                b: D<$t>,
            ) -> (D<Self::Output>, impl FnOnce(Bar<Self::Output>) -> (Bar<$t>, Bar<$t>) + use<Op>) {
                <$t as BinaryRules<Op, $t>>::rrule_frule(a, b)
            }
        }
    )*};
}
marked!(LeftByRef RightByRef Assigning: [f32 f64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize]);

macro_rules! negated {
    ($($t:ty)*) => {$(
        impl<Op> UnaryRules<LeftByRef<Op>> for $t
        where
            $t: UnaryRules<Op>,
        {
            type Output = <$t as UnaryRules<Op>>::Output;

            #[inline(always)]
            #[track_caller]
            fn primal(a: $t) -> Self::Output {
                <$t as UnaryRules<Op>>::primal(a)
            }

            #[inline(always)]
            #[track_caller]
            fn frule(a: D<$t>) -> D<Self::Output> {
                <$t as UnaryRules<Op>>::frule(a)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule(a: $t) -> (Self::Output, impl FnOnce(Tan<Self::Output>) -> Tan<$t> + use<Op>) {
                <$t as UnaryRules<Op>>::rrule(a)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule_frule(
                a: D<$t>,
            ) -> (D<Self::Output>, impl FnOnce(Bar<Self::Output>) -> Bar<$t> + use<Op>) {
                <$t as UnaryRules<Op>>::rrule_frule(a)
            }
        }
    )*};
}
negated!(f32 f64 i8 i16 i32 i64 i128 isize);

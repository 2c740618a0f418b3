//! The operators of integers: no tangents, so nothing but the primal is left. Overflow and division by zero panic as there.

use super::{AddOp, BinaryRules, DivOp, MulOp, NegOp, RemOp, SubOp, UnaryRules, by_reference};
use crate::{Dual, NoTangent};

/// What rules of operators on integers take and return.
type Inactive<T> = Dual<T, NoTangent>;
/// A cotangent and its tangent.
type NoBar = Dual<NoTangent, NoTangent>;
const NO_BAR: NoBar = Dual(NoTangent, NoTangent);

macro_rules! binary {
    ($t:ty: $($op:ident $sign:tt),*) => {$(
        impl BinaryRules<$op, $t> for $t {
            type Output = $t;

            #[inline(always)]
            #[track_caller]
            fn primal(a: $t, b: $t) -> $t {
                a $sign b
            }

            #[inline(always)]
            #[track_caller]
            fn frule(Dual(a, _): Inactive<$t>, Dual(b, _): Inactive<$t>) -> Inactive<$t> {
                Dual(a $sign b, NoTangent)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule(a: $t, b: $t) -> ($t, impl FnOnce(NoTangent) -> (NoTangent, NoTangent) + use<>) {
                (a $sign b, |_| (NoTangent, NoTangent))
            }

            #[inline(always)]
            #[track_caller]
            fn rrule_frule(
                Dual(a, _): Inactive<$t>,
                Dual(b, _): Inactive<$t>,
            ) -> (Inactive<$t>, impl FnOnce(NoBar) -> (NoBar, NoBar) + use<>) {
                (Dual(a $sign b, NoTangent), |_| (NO_BAR, NO_BAR))
            }
        }
    )*};
}

macro_rules! integer {
    ($($t:ty)*) => {$(
        binary!($t: AddOp +, SubOp -, MulOp *, DivOp /, RemOp %);
        by_reference!($t, NoTangent: AddOp SubOp MulOp DivOp RemOp);
    )*};
}
integer!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! signed {
    ($($t:ty)*) => {$(
        impl UnaryRules<NegOp> for $t {
            type Output = $t;

            #[inline(always)]
            #[track_caller]
            fn primal(a: $t) -> $t {
                -a
            }

            #[inline(always)]
            #[track_caller]
            fn frule(Dual(a, _): Inactive<$t>) -> Inactive<$t> {
                Dual(-a, NoTangent)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule(a: $t) -> ($t, impl FnOnce(NoTangent) -> NoTangent + use<>) {
                (-a, |_| NoTangent)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule_frule(Dual(a, _): Inactive<$t>) -> (Inactive<$t>, impl FnOnce(NoBar) -> NoBar + use<>) {
                (Dual(-a, NoTangent), |_| NO_BAR)
            }
        }
        by_reference!(@neg $t, NoTangent);
    )*};
}
signed!(i8 i16 i32 i64 i128 isize);

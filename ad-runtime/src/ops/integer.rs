//! The operators of integers and of `bool`: no tangents, so nothing but the primal is left. Overflow and division by zero panic as there.

use core::ops::{Shl, Shr};

use super::{
    AddOp, BinaryRules, BitAndOp, BitOrOp, BitXorOp, DivOp, MulOp, NegOp, NotOp, RemOp, ShlOp,
    ShrOp, SubOp, UnaryRules, Varies, by_reference,
};
use crate::{Differentiable, Dual, NoTangent};

/// Operands and results of the rules of operators on integers.
type Inactive<T> = Dual<T, NoTangent>;
/// A cotangent and its tangent.
type NoBar = Dual<NoTangent, NoTangent>;
const NO_BAR: NoBar = Dual(NoTangent, NoTangent);

macro_rules! binary {
    ($t:ty: $($op:ident $sign:tt),*) => {$(
        #[diagnostic::do_not_recommend]
        impl BinaryRules<$op, $t> for $t {
            type Output = $t;
            type Operands = (Varies, Varies);

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

binary!(bool: BitAndOp &, BitOrOp |, BitXorOp ^);
by_reference!(bool, NoTangent: BitAndOp BitOrOp BitXorOp);

/// By an integer of any type, or a reference to one.
macro_rules! shift {
    ($t:ty: $($op:ident $trait:ident $sign:tt),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<R> BinaryRules<$op, R> for $t
        where
            $t: $trait<R, Output = $t>,
            R: Differentiable<OwnedTangent = NoTangent>,
        {
            type Output = $t;
            type Operands = (Varies, Varies);

            #[inline(always)]
            #[track_caller]
            fn primal(a: $t, b: R) -> $t {
                a $sign b
            }

            #[inline(always)]
            #[track_caller]
            fn frule(Dual(a, _): Inactive<$t>, Dual(b, _): Inactive<R>) -> Inactive<$t> {
                Dual(a $sign b, NoTangent)
            }

            #[inline(always)]
            #[track_caller]
            #[allow(refining_impl_trait)]
            fn rrule(a: $t, b: R) -> ($t, impl FnOnce(NoTangent) -> (NoTangent, NoTangent) + use<R>) {
                (a $sign b, |_| (NoTangent, NoTangent))
            }

            #[inline(always)]
            #[track_caller]
            #[allow(refining_impl_trait)]
            fn rrule_frule(
                Dual(a, _): Inactive<$t>,
                Dual(b, _): Inactive<R>,
            ) -> (Inactive<$t>, impl FnOnce(NoBar) -> (NoBar, NoBar) + use<R>) {
                (Dual(a $sign b, NoTangent), |_| (NO_BAR, NO_BAR))
            }
        }
    )*};
}

macro_rules! integer {
    ($($t:ty)*) => {$(
        binary!($t: AddOp +, SubOp -, MulOp *, DivOp /, RemOp %, BitAndOp &, BitOrOp |, BitXorOp ^);
        by_reference!($t, NoTangent: AddOp SubOp MulOp DivOp RemOp BitAndOp BitOrOp BitXorOp);
        shift!($t: ShlOp Shl <<, ShrOp Shr >>);
    )*};
}
integer!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! unary {
    ($op:ident $sign:tt: $($t:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl UnaryRules<$op> for $t {
            type Output = $t;

            #[inline(always)]
            #[track_caller]
            fn primal(a: $t) -> $t {
                $sign a
            }

            #[inline(always)]
            #[track_caller]
            fn frule(Dual(a, _): Inactive<$t>) -> Inactive<$t> {
                Dual($sign a, NoTangent)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule(a: $t) -> ($t, impl FnOnce(NoTangent) -> NoTangent + use<>) {
                ($sign a, |_| NoTangent)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule_frule(Dual(a, _): Inactive<$t>) -> (Inactive<$t>, impl FnOnce(NoBar) -> NoBar + use<>) {
                (Dual($sign a, NoTangent), |_| NO_BAR)
            }
        }
        by_reference!(@unary $op $t, NoTangent);
    )*};
}
unary!(NegOp -: i8 i16 i32 i64 i128 isize);
unary!(NotOp !: bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

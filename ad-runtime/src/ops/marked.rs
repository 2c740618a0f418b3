//! The operators of primitives on references, and with assignment: the same as on values.

use super::{Assigning, BinaryRules, LeftByRef, RightByRef, UnaryRules, Varies};
use crate::{Dual, Tan};

/// A value of a primitive and its tangent, or a cotangent and its.
type D<T> = Dual<T, Tan<T>>;
type Bar<T> = Dual<Tan<T>, Tan<T>>;

/// The result of an operator on values.
type Out<T, Op> = <T as BinaryRules<Op, T>>::Output;

/// The result of an operator on one value.
type Neg<T, Op> = <T as UnaryRules<Op>>::Output;

macro_rules! marked {
    ($($marker:ident: $forms:tt $types:tt;)*) => {$( marked!(@forms $marker $forms $types); )*};
    (@forms $marker:ident [$($form:ident)*] $types:tt) => {$( marked!(@each $marker $form $types); )*};
    (@each $marker:ident $form:ident [$($t:ty)*]) => {$( marked!(@$form $marker $t); )*};
    (@values $marker:ident $t:ty) => { marked!(@impl $marker $t, [], $t, $t, |a, b| (a, b)); };
    (@right $marker:ident $t:ty) => { marked!(@impl $marker $t, ['b,], $t, &'b $t, |a, b| (a, *b)); };
    (@left $marker:ident $t:ty) => { marked!(@impl $marker $t, ['a,], &'a $t, $t, |a, b| (*a, b)); };
    (@both $marker:ident $t:ty) => { marked!(@impl $marker $t, ['a, 'b,], &'a $t, &'b $t, |a, b| (*a, *b)); };
    (@impl $marker:ident $t:ty, [$($lifetime:lifetime,)*], $left:ty, $right:ty, |$a:ident, $b:ident| $values:expr) => {
        // A pullback holds on to no operand, so callers may use theirs between the two halves.
        #[allow(refining_impl_trait)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)* Op> BinaryRules<$marker<Op>, $right> for $left
        where
            $t: BinaryRules<Op, $t>,
        {
            type Output = Out<$t, Op>;
            type Operands = (Varies, Varies);

            #[inline(always)]
            #[track_caller]
            fn primal($a: $left, $b: $right) -> Out<$t, Op> {
                let (a, b) = $values;
                <$t as BinaryRules<Op, $t>>::primal(a, b)
            }

            #[inline(always)]
            #[track_caller]
            fn frule(a: Dual<$left, Tan<$t>>, b: Dual<$right, Tan<$t>>) -> D<Out<$t, Op>> {
                let (Dual($a, a_dot), Dual($b, b_dot)) = (a, b);
                let (a, b) = $values;
                <$t as BinaryRules<Op, $t>>::frule(Dual(a, a_dot), Dual(b, b_dot))
            }

            #[inline(always)]
            #[track_caller]
            fn rrule(
                $a: $left,
                $b: $right,
            ) -> (Out<$t, Op>, impl FnOnce(Tan<Out<$t, Op>>) -> (Tan<$t>, Tan<$t>) + use<Op>) {
                let (a, b) = $values;
                <$t as BinaryRules<Op, $t>>::rrule(a, b)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule_frule(
                a: Dual<$left, Tan<$t>>,
                b: Dual<$right, Tan<$t>>,
            ) -> (D<Out<$t, Op>>, impl FnOnce(Bar<Out<$t, Op>>) -> (Bar<$t>, Bar<$t>) + use<Op>) {
                let (Dual($a, a_dot), Dual($b, b_dot)) = (a, b);
                let (a, b) = $values;
                <$t as BinaryRules<Op, $t>>::rrule_frule(Dual(a, a_dot), Dual(b, b_dot))
            }
        }
    };
}
// Only rustc may be able to resolve the type of the operand that isn't marked. A marked one is a reference, too, where it is
// bound by a pattern for a borrowed value of unknown type.
marked! {
    LeftByRef: [values left right both] [f32 f64 bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize];
    RightByRef: [values left right both] [f32 f64 bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize];
    Assigning: [values right] [f32 f64 bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize];
}

macro_rules! negated {
    ($($t:ty)*) => {$(
        negated!(@impl $t, [], $t, |a| a);
        negated!(@impl $t, ['a,], &'a $t, |a| *a);
    )*};
    (@impl $t:ty, [$($lifetime:lifetime,)*], $operand:ty, |$a:ident| $value:expr) => {
        // A pullback holds on to no operand.
        #[allow(refining_impl_trait)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)* Op> UnaryRules<LeftByRef<Op>> for $operand
        where
            $t: UnaryRules<Op>,
        {
            type Output = Neg<$t, Op>;

            #[inline(always)]
            #[track_caller]
            fn primal($a: $operand) -> Neg<$t, Op> {
                <$t as UnaryRules<Op>>::primal($value)
            }

            #[inline(always)]
            #[track_caller]
            fn frule(a: Dual<$operand, Tan<$t>>) -> D<Neg<$t, Op>> {
                let Dual($a, a_dot) = a;
                <$t as UnaryRules<Op>>::frule(Dual($value, a_dot))
            }

            #[inline(always)]
            #[track_caller]
            fn rrule(
                $a: $operand,
            ) -> (Neg<$t, Op>, impl FnOnce(Tan<Neg<$t, Op>>) -> Tan<$t> + use<Op>) {
                <$t as UnaryRules<Op>>::rrule($value)
            }

            #[inline(always)]
            #[track_caller]
            fn rrule_frule(
                a: Dual<$operand, Tan<$t>>,
            ) -> (D<Neg<$t, Op>>, impl FnOnce(Bar<Neg<$t, Op>>) -> Bar<$t> + use<Op>) {
                let Dual($a, a_dot) = a;
                <$t as UnaryRules<Op>>::rrule_frule(Dual($value, a_dot))
            }
        }
    };
}
negated!(f32 f64 bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

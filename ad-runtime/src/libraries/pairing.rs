//! Operators of the types of other crates.
//!
//! An operator on two types is a [`Pairing`]; all of its forms, on values and on references, have the same rules. The types are their own tangents.

use crate::{Differentiable, Dual, Tangent};

/// A value and its tangent, or a cotangent and its.
pub(super) type D<T> = Dual<T, T>;

/// A type that is its own tangent.
pub trait Own: Tangent + Differentiable<Tangent = Self, OwnedTangent = Self> + Clone {}
impl<T: Tangent + Differentiable<Tangent = T, OwnedTangent = T> + Clone> Own for T {}

/// An operator on an `L` and an `R`.
pub trait Pairing<L: Own, R: Own> {
    /// The type of the result.
    type Output: Own;

    /// Its value.
    fn primal(a: &L, b: &R) -> Self::Output;

    /// The tangent of the value.
    fn tangent(a: D<&L>, b: D<&R>) -> Self::Output;

    /// The cotangents of the operands.
    fn pull(y_bar: &Self::Output, a: &L, b: &R) -> (L, R);

    /// The tangents of the cotangents.
    fn pull_tangent(y_bar: D<&Self::Output>, a: D<&L>, b: D<&R>) -> (L, R);
}

/// The rules for operands of types `L` and `R`, which stand there by value or by reference; a pullback has values.
macro_rules! operands {
    ($([$($lifetime:lifetime)*] [$($generics:tt)*] [$($captured:ident)*] $L:ty as $left:ty, |$a:ident| $a_keep:expr; $R:ty as $right:ty, |$b:ident| $b_keep:expr;)*) => {$(
        #[allow(refining_impl_trait, clippy::type_complexity)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)* $($generics)* Op: Form> BinaryRules<Op, $right> for $left
        where
            Op::Plain: Pairing<$L, $R>,
        {
            type Output = <Op::Plain as Pairing<$L, $R>>::Output;
            type Operands = (crate::ops::Varies, crate::ops::Varies);

            #[inline]
            #[track_caller]
            fn primal($a: $left, $b: $right) -> Self::Output {
                <Op::Plain as Pairing<$L, $R>>::primal(&$a, &$b)
            }

            #[inline]
            #[track_caller]
            fn frule(Dual($a, a_dot): Dual<$left, $L>, Dual($b, b_dot): Dual<$right, $R>) -> D<Self::Output> {
                let y_dot = <Op::Plain as Pairing<$L, $R>>::tangent(Dual(&$a, &a_dot), Dual(&$b, &b_dot));
                Dual(<Op::Plain as Pairing<$L, $R>>::primal(&$a, &$b), y_dot)
            }

            #[inline]
            #[track_caller]
            fn rrule(
                $a: $left,
                $b: $right,
            ) -> (
                <Op::Plain as Pairing<$L, $R>>::Output,
                impl FnOnce(<Op::Plain as Pairing<$L, $R>>::Output) -> ($L, $R) + use<$($captured,)* Op>,
            ) {
                let y = <Op::Plain as Pairing<$L, $R>>::primal(&$a, &$b);
                let (a, b): ($L, $R) = ($a_keep, $b_keep);
                (y, move |y_bar| <Op::Plain as Pairing<$L, $R>>::pull(&y_bar, &a, &b))
            }

            #[inline]
            #[track_caller]
            fn rrule_frule(
                Dual($a, a_dot): Dual<$left, $L>,
                Dual($b, b_dot): Dual<$right, $R>,
            ) -> (
                D<<Op::Plain as Pairing<$L, $R>>::Output>,
                impl FnOnce(D<<Op::Plain as Pairing<$L, $R>>::Output>) -> (D<$L>, D<$R>) + use<$($captured,)* Op>,
            ) {
                let (a, b): ($L, $R) = ($a_keep, $b_keep);
                let y_dot = <Op::Plain as Pairing<$L, $R>>::tangent(Dual(&a, &a_dot), Dual(&b, &b_dot));
                let y = Dual(<Op::Plain as Pairing<$L, $R>>::primal(&a, &b), y_dot);
                let pullback = move |y_bar: D<<Op::Plain as Pairing<$L, $R>>::Output>| {
                    let (a_bar, b_bar) = <Op::Plain as Pairing<$L, $R>>::pull(&y_bar.0, &a, &b);
                    let bars = Dual(&y_bar.0, &y_bar.1);
                    let (a_bar_dot, b_bar_dot) =
                        <Op::Plain as Pairing<$L, $R>>::pull_tangent(bars, Dual(&a, &a_dot), Dual(&b, &b_dot));
                    (Dual(a_bar, a_bar_dot), Dual(b_bar, b_bar_dot))
                };
                (y, pullback)
            }
        }
    )*};
}

pub(super) use operands;

/// The same for both operands by value and by reference.
macro_rules! pairs {
    ($([$($generics:tt)*] [$($captured:ident)*] $L:ty, $R:ty;)*) => {$( operands! {
        [] [$($generics)*] [$($captured)*] $L as $L, |a| a; $R as $R, |b| b;
        ['a] [$($generics)*] [$($captured)*] $L as &'a $L, |a| a.clone(); $R as $R, |b| b;
        ['b] [$($generics)*] [$($captured)*] $L as $L, |a| a; $R as &'b $R, |b| b.clone();
        ['a 'b] [$($generics)*] [$($captured)*] $L as &'a $L, |a| a.clone(); $R as &'b $R, |b| b.clone();
    } )*};
}
pub(super) use pairs;

// y = -x; x_bar = -y_bar.
macro_rules! negated {
    ($([$($generics:tt)*] [$($captured:ident)*] $t:ty;)*) => {$(
        negated! { @by [] [$($generics)*] [$($captured)*] $t, NegOp, $t }
        negated! { @by [] [$($generics)*] [$($captured)*] $t, LeftByRef<NegOp>, $t }
        negated! { @by ['a] [$($generics)*] [$($captured)*] $t, NegOp, &'a $t }
    )*};
    (@by [$($lifetime:lifetime)?] [$($generics:tt)*] [$($captured:ident)*] $T:ty, $op:ty, $t:ty) => {
        #[allow(refining_impl_trait)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)? $($generics)*> UnaryRules<$op> for $t {
            type Output = $T;

            #[inline]
            fn primal(x: $t) -> $T {
                -x
            }

            #[inline]
            fn frule(Dual(x, x_dot): Dual<$t, $T>) -> D<$T> {
                Dual(-x, -x_dot)
            }

            #[inline]
            fn rrule(x: $t) -> ($T, impl FnOnce($T) -> $T + use<$($captured),*>) {
                (-x, |y_bar: $T| -y_bar)
            }

            #[inline]
            fn rrule_frule(Dual(x, x_dot): Dual<$t, $T>) -> (D<$T>, impl FnOnce(D<$T>) -> D<$T> + use<$($captured),*>) {
                (Dual(-x, -x_dot), |Dual(y_bar, y_bar_dot): D<$T>| Dual(-y_bar, -y_bar_dot))
            }
        }
    };
}
pub(super) use negated;

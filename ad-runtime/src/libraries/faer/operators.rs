//! Sums, differences and products of matrices, and products and quotients with numbers.
//!
//! See [`pairing`](crate::libraries::pairing). `Y = A B`: `A_bar = Y_bar Bᵀ`, `B_bar = Aᵀ Y_bar`, by the library's products.

use ::faer::{Col, Mat, Row, Scale};

use super::{AnyMatrix, Element, ScaleTangent, Turned, inner};
use crate::libraries::forms::Form;
use crate::libraries::pairing::{D, Pairing, negated, operands, pairs};
use crate::ops::{AddOp, BinaryRules, DivOp, LeftByRef, MulOp, NegOp, SubOp, UnaryRules};
use crate::scalar::{strong_div, strong_mul};
use crate::{Dual, Tangent};

fn sum<T: Tangent>(mut a: T, b: &T) -> T {
    a.accumulate(b);
    a
}

/// `+` and `-`, which are linear in both operands at once.
macro_rules! linear {
    ($($left:ident, $right:ident => $out:ident, |$a:ident, $b:ident| $sum:expr, $difference:expr;)*) => {$(
        linear! { @op AddOp $left $right $out, |$a, $b| $sum, |bar| bar }
        linear! { @op SubOp $left $right $out, |$a, $b| $difference, |bar| bar.mapped(|x| -x) }
    )*};
    (@op $op:ident $left:ident $right:ident $out:ident, |$a:ident, $b:ident| $value:expr, |$bar:ident| $right_bar:expr) => {
        impl<A: Element> Pairing<$left<A>, $right<A>> for $op {
            type Output = $out<A>;

            #[inline]
            #[track_caller]
            fn primal($a: &$left<A>, $b: &$right<A>) -> $out<A> {
                $value
            }

            #[inline]
            fn tangent(a: D<&$left<A>>, b: D<&$right<A>>) -> $out<A> {
                <Self as Pairing<$left<A>, $right<A>>>::primal(a.1, b.1)
            }

            #[inline]
            fn pull(y_bar: &$out<A>, _: &$left<A>, _: &$right<A>) -> ($left<A>, $right<A>) {
                let $bar = $right::<A>::copied(y_bar.mat());
                ($left::<A>::copied(y_bar.mat()), $right_bar)
            }

            #[inline]
            fn pull_tangent(
                y_bar: D<&$out<A>>,
                a: D<&$left<A>>,
                b: D<&$right<A>>,
            ) -> ($left<A>, $right<A>) {
                <Self as Pairing<$left<A>, $right<A>>>::pull(y_bar.1, a.0, b.0)
            }
        }
    };
}
linear! {
    Mat, Mat => Mat, |a, b| a + b, a - b;
    Mat, Turned => Mat, |a, b| a + b.mat(), a - b.mat();
    Turned, Mat => Mat, |a, b| a.mat() + b, a.mat() - b;
    Turned, Turned => Mat, |a, b| a.mat() + b.mat(), a.mat() - b.mat();
    Col, Col => Col, |a, b| a + b, a - b;
    Row, Row => Row, |a, b| a + b, a - b;
}

/// Products of matrices.
macro_rules! products {
    ($($left:ident, $right:ident => $out:ident, |$a:ident, $b:ident| $value:expr;)*) => {$(
        impl<A: Element> Pairing<$left<A>, $right<A>> for MulOp {
            type Output = $out<A>;

            #[inline]
            #[track_caller]
            fn primal($a: &$left<A>, $b: &$right<A>) -> $out<A> {
                $value
            }

            #[inline]
            fn tangent(a: D<&$left<A>>, b: D<&$right<A>>) -> $out<A> {
                sum(Self::primal(a.1, b.0), &Self::primal(a.0, b.1))
            }

            #[inline]
            fn pull(y_bar: &$out<A>, a: &$left<A>, b: &$right<A>) -> ($left<A>, $right<A>) {
                let y_bar = y_bar.mat();
                (
                    AnyMatrix::product(y_bar, b.mat().transpose()),
                    AnyMatrix::product(a.mat().transpose(), y_bar),
                )
            }

            #[inline]
            fn pull_tangent(
                y_bar: D<&$out<A>>,
                a: D<&$left<A>>,
                b: D<&$right<A>>,
            ) -> ($left<A>, $right<A>) {
                let along: ($left<A>, $right<A>) = Self::pull(y_bar.1, a.0, b.0);
                let across: ($left<A>, $right<A>) = Self::pull(y_bar.0, a.1, b.1);
                (sum(along.0, &across.0), sum(along.1, &across.1))
            }
        }
    )*};
}
products! {
    Mat, Mat => Mat, |a, b| a * b;
    Mat, Turned => Mat, |a, b| a * b.mat();
    Turned, Mat => Mat, |a, b| a.mat() * b;
    Turned, Turned => Mat, |a, b| a.mat() * b.mat();
    Mat, Col => Col, |a, b| a * b;
    Turned, Col => Col, |a, b| a.mat() * b;
    Row, Mat => Row, |a, b| a * b;
    Row, Turned => Row, |a, b| a * b.mat();
    Col, Row => Mat, |a, b| a * b;
}

// y = a b, a number; a_bar = y_bar bᵀ, b_bar = aᵀ y_bar.
impl<A: Element> Pairing<Row<A>, Col<A>> for MulOp {
    type Output = A;

    #[inline]
    #[track_caller]
    fn primal(a: &Row<A>, b: &Col<A>) -> A {
        a * b
    }

    #[inline]
    fn tangent(a: D<&Row<A>>, b: D<&Col<A>>) -> A {
        a.1 * b.0 + a.0 * b.1
    }

    #[inline]
    fn pull(y_bar: &A, a: &Row<A>, b: &Col<A>) -> (Row<A>, Col<A>) {
        let scale = Scale(*y_bar);
        (b.transpose() * scale, a.transpose() * scale)
    }

    #[inline]
    fn pull_tangent(y_bar: D<&A>, a: D<&Row<A>>, b: D<&Col<A>>) -> (Row<A>, Col<A>) {
        let along: (Row<A>, Col<A>) = Self::pull(y_bar.1, a.0, b.0);
        let across: (Row<A>, Col<A>) = Self::pull(y_bar.0, a.1, b.1);
        (sum(along.0, &across.0), sum(along.1, &across.1))
    }
}

pairs! {
    [A: Element,] [A] Mat<A>, Mat<A>;
    [A: Element,] [A] Mat<A>, Turned<A>;
    [A: Element,] [A] Turned<A>, Mat<A>;
    [A: Element,] [A] Turned<A>, Turned<A>;
    [A: Element,] [A] Mat<A>, Col<A>;
    [A: Element,] [A] Turned<A>, Col<A>;
    [A: Element,] [A] Row<A>, Mat<A>;
    [A: Element,] [A] Row<A>, Turned<A>;
    [A: Element,] [A] Col<A>, Col<A>;
    [A: Element,] [A] Row<A>, Row<A>;
    [A: Element,] [A] Col<A>, Row<A>;
    [A: Element,] [A] Row<A>, Col<A>;
}

macro_rules! with_numbers {
    ($($t:ident => $out:ident, |$x:ident| $operand:expr;)*) => {$(
        with_numbers! { @by f32, $t => $out, |$x| $operand }
        with_numbers! { @by f64, $t => $out, |$x| $operand }
        operands! {
            [] [] [] $t<f64> as $t<f64>, |a| a; f64 as f64, |k| k;
            ['a] [] [] $t<f64> as &'a $t<f64>, |a| a.clone(); f64 as f64, |k| k;
            [] [] [] f64 as f64, |k| k; $t<f64> as $t<f64>, |a| a;
            ['a] [] [] f64 as f64, |k| k; $t<f64> as &'a $t<f64>, |a| a.clone();
        }
    )*};
    (@by $A:ident, $t:ident => $out:ident, |$x:ident| $operand:expr) => {
        // Y = A k; A_bar = Y_bar k, k_bar = Y_bar · A.
        impl Pairing<$t<$A>, $A> for MulOp {
            type Output = $out<$A>;

            #[inline]
            fn primal($x: &$t<$A>, k: &$A) -> $out<$A> {
                $operand * Scale(*k)
            }

            #[inline]
            fn tangent(a: D<&$t<$A>>, k: D<&$A>) -> $out<$A> {
                let along = <Self as Pairing<$t<$A>, $A>>::primal(a.1, k.0);
                sum(along, &<Self as Pairing<$t<$A>, $A>>::primal(a.0, k.1))
            }

            #[inline]
            fn pull(y_bar: &$out<$A>, a: &$t<$A>, k: &$A) -> ($t<$A>, $A) {
                let a_bar = $t::<$A>::copied(y_bar.mat()).mapped(|x| x * *k);
                (a_bar, inner(y_bar.mat(), a.mat()))
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$out<$A>>, a: D<&$t<$A>>, k: D<&$A>) -> ($t<$A>, $A) {
                let along: ($t<$A>, $A) = <Self as Pairing<$t<$A>, $A>>::pull(y_bar.1, a.0, k.0);
                let across: ($t<$A>, $A) = <Self as Pairing<$t<$A>, $A>>::pull(y_bar.0, a.1, k.1);
                (sum(along.0, &across.0), along.1 + across.1)
            }
        }

        // Y = k A.
        impl Pairing<$A, $t<$A>> for MulOp {
            type Output = $out<$A>;

            #[inline]
            fn primal(k: &$A, $x: &$t<$A>) -> $out<$A> {
                Scale(*k) * $operand
            }

            #[inline]
            fn tangent(k: D<&$A>, a: D<&$t<$A>>) -> $out<$A> {
                <Self as Pairing<$t<$A>, $A>>::tangent(a, k)
            }

            #[inline]
            fn pull(y_bar: &$out<$A>, k: &$A, a: &$t<$A>) -> ($A, $t<$A>) {
                let (a_bar, k_bar) = <Self as Pairing<$t<$A>, $A>>::pull(y_bar, a, k);
                (k_bar, a_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$out<$A>>, k: D<&$A>, a: D<&$t<$A>>) -> ($A, $t<$A>) {
                let (a_bar, k_bar) = <Self as Pairing<$t<$A>, $A>>::pull_tangent(y_bar, a, k);
                (k_bar, a_bar)
            }
        }

        // Y = A / k; A_bar = Y_bar / k, k_bar = -A_bar · Y. Zero cotangents stay zero, whatever the divisor.
        impl Pairing<$t<$A>, $A> for DivOp {
            type Output = $out<$A>;

            #[inline]
            fn primal($x: &$t<$A>, k: &$A) -> $out<$A> {
                $operand / Scale(*k)
            }

            #[inline]
            fn tangent(a: D<&$t<$A>>, k: D<&$A>) -> $out<$A> {
                let y = Self::primal(a.0, k.0);
                let a_dot = $out::<$A>::copied(a.1.mat());
                a_dot.zipped(&y, |a_dot, y| strong_div(a_dot - strong_mul(*k.1, y), *k.0))
            }

            #[inline]
            fn pull(y_bar: &$out<$A>, a: &$t<$A>, k: &$A) -> ($t<$A>, $A) {
                let a_bar = $t::<$A>::copied(y_bar.mat()).mapped(|y_bar| strong_div(y_bar, *k));
                let mut k_bar = 0.0;
                ::faer::zip!(a_bar.mat(), a.mat())
                    .for_each(|::faer::unzip!(a_bar, a)| k_bar -= strong_mul(*a_bar, *a / *k));
                (a_bar, k_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$out<$A>>, a: D<&$t<$A>>, k: D<&$A>) -> ($t<$A>, $A) {
                let (y, y_dot) = (Self::primal(a.0, k.0), Self::tangent(a, k));
                let mut a_bar_dot = $t::<$A>::copied(y_bar.1.mat());
                let mut k_bar_dot = 0.0;
                ::faer::zip!(a_bar_dot.mat_mut(), y_bar.0.mat(), y.mat(), y_dot.mat()).for_each(
                    |::faer::unzip!(bar_dot, y_bar, y, y_dot)| {
                        let a_bar = strong_div(*y_bar, *k.0);
                        *bar_dot = strong_div(*bar_dot - strong_mul(*k.1, a_bar), *k.0);
                        k_bar_dot -= strong_mul(*bar_dot, *y) + strong_mul(a_bar, *y_dot);
                    },
                );
                (a_bar_dot, k_bar_dot)
            }
        }

        scales! { [] $A, $t<$A> as $t<$A>, |a, k| a }
        scales! { ['a] $A, $t<$A> as &'a $t<$A>, |a, k| a.clone() }
    };
}

/// The rules for a matrix, by value or by reference, and a `Scale`: those for the number in it.
macro_rules! scales {
    ([$($lifetime:lifetime)?] $A:ident, $t:ty as $matrix:ty, |$a:ident, $k:ident| $keep:expr) => {
        scales! {
            @for [$($lifetime)?] |$a: $matrix, $k: Scale<$A>| [$t, $A] [$t, ScaleTangent<$A>];
            [&$a, &$k.0] [$keep, $k.0] [$a, $k.0] [$a, ScaleTangent($k)]
        }
        scales! {
            @for [$($lifetime)?] |$k: Scale<$A>, $a: $matrix| [$A, $t] [ScaleTangent<$A>, $t];
            [&$k.0, &$a] [$k.0, $keep] [$k.0, $a] [ScaleTangent($k), $a]
        }
    };
    // The operands, the types whose rules these are, and the tangents' types; then, of both: the operand as that type, to be borrowed and to be kept, the
    // tangent as that type, and the tangent of a cotangent of that type.
    (
        @for [$($lifetime:lifetime)?] |$l:ident: $left:ty, $r:ident: $right:ty| [$L:ty, $R:ty] [$l_dot:ty, $r_dot:ty];
        [$l_ref:expr, $r_ref:expr] [$l_kept:expr, $r_kept:expr] [$l_number:expr, $r_number:expr] [$l_bar:expr, $r_bar:expr]
    ) => {
        #[allow(refining_impl_trait, clippy::type_complexity)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)? Op: Form> BinaryRules<Op, $right> for $left
        where
            Op::Plain: Pairing<$L, $R>,
        {
            type Output = <Op::Plain as Pairing<$L, $R>>::Output;
            type Operands = (crate::ops::Varies, crate::ops::Varies);

            #[inline]
            #[track_caller]
            fn primal($l: $left, $r: $right) -> Self::Output {
                <Op::Plain as Pairing<$L, $R>>::primal($l_ref, $r_ref)
            }

            #[inline]
            #[track_caller]
            fn frule(x: Dual<$left, $l_dot>, y: Dual<$right, $r_dot>) -> D<Self::Output> {
                let ($l, $r) = (x.1, y.1);
                let (x_dot, y_dot): ($L, $R) = ($l_number, $r_number);
                let ($l, $r) = (x.0, y.0);
                let dot = <Op::Plain as Pairing<$L, $R>>::tangent(Dual($l_ref, &x_dot), Dual($r_ref, &y_dot));
                Dual(<Op::Plain as Pairing<$L, $R>>::primal($l_ref, $r_ref), dot)
            }

            #[inline]
            #[track_caller]
            fn rrule(
                $l: $left,
                $r: $right,
            ) -> (
                <Op::Plain as Pairing<$L, $R>>::Output,
                impl FnOnce(<Op::Plain as Pairing<$L, $R>>::Output) -> ($l_dot, $r_dot) + use<Op>,
            ) {
                let value = <Op::Plain as Pairing<$L, $R>>::primal($l_ref, $r_ref);
                let (x, y): ($L, $R) = ($l_kept, $r_kept);
                (value, move |bar| {
                    let ($l, $r) = <Op::Plain as Pairing<$L, $R>>::pull(&bar, &x, &y);
                    ($l_bar, $r_bar)
                })
            }

            #[inline]
            #[track_caller]
            fn rrule_frule(
                x: Dual<$left, $l_dot>,
                y: Dual<$right, $r_dot>,
            ) -> (
                D<<Op::Plain as Pairing<$L, $R>>::Output>,
                impl FnOnce(D<<Op::Plain as Pairing<$L, $R>>::Output>) -> (D<$l_dot>, D<$r_dot>) + use<Op>,
            ) {
                let ($l, $r) = (x.1, y.1);
                let (x_dot, y_dot): ($L, $R) = ($l_number, $r_number);
                let ($l, $r) = (x.0, y.0);
                let (x, y): ($L, $R) = ($l_kept, $r_kept);
                let dot = <Op::Plain as Pairing<$L, $R>>::tangent(Dual(&x, &x_dot), Dual(&y, &y_dot));
                let value = Dual(<Op::Plain as Pairing<$L, $R>>::primal(&x, &y), dot);
                let pullback = move |bar: D<<Op::Plain as Pairing<$L, $R>>::Output>| {
                    let ($l, $r) = <Op::Plain as Pairing<$L, $R>>::pull(&bar.0, &x, &y);
                    let bars = ($l_bar, $r_bar);
                    let ($l, $r) = <Op::Plain as Pairing<$L, $R>>::pull_tangent(
                        Dual(&bar.0, &bar.1),
                        Dual(&x, &x_dot),
                        Dual(&y, &y_dot),
                    );
                    let dots = ($l_bar, $r_bar);
                    (Dual(bars.0, dots.0), Dual(bars.1, dots.1))
                };
                (value, pullback)
            }
        }
    };
}
with_numbers! {
    Mat => Mat, |x| x;
    Turned => Mat, |x| x.mat();
    Col => Col, |x| x;
    Row => Row, |x| x;
}

negated! {
    [A: Element] [A] Mat<A>;
    [A: Element] [A] Col<A>;
    [A: Element] [A] Row<A>;
}

//! Views as operands: constant code makes them, and what is active may stand on the other side of the operator, as in `load.transpose() * u`.
//!
//! The value is the library's own for the view, whose order in memory decides about the last bits. The derivatives are those of a copy.

use ::faer::{Col, ColRef, Mat, MatRef, Row, RowRef, Scale};

use super::{AnyMatrix, D, Element, Turned};
use crate::libraries::forms::Form;
use crate::libraries::pairing::Pairing;
use crate::ops::{AddOp, BinaryRules, DivOp, MulOp, SubOp};
use crate::{Components, Differentiable, Dual, ShapeMismatch};

/// An operator of the library.
pub trait Operator<L, R> {
    /// The type of the result.
    type Output;

    /// The result.
    fn apply(left: L, right: R) -> Self::Output;
}

macro_rules! library {
    ($($op:ident as $Trait:ident::$method:ident;)*) => {$(
        impl<L: core::ops::$Trait<R>, R> Operator<L, R> for $op {
            type Output = L::Output;

            #[inline]
            #[track_caller]
            fn apply(left: L, right: R) -> L::Output {
                core::ops::$Trait::$method(left, right)
            }
        }
    )*};
}
library! {
    AddOp as Add::add;
    SubOp as Sub::sub;
    MulOp as Mul::mul;
    DivOp as Div::div;
}

/// Operators on a value and a view. Of each operand: the type with its rules; its own type; an operand of the library's, which borrows it; an owned copy.
macro_rules! operators {
    (
        [$($lifetime:lifetime)*] [$($A:ident)?]
        $L:ty, $left:ty, |$a:ident| $left_raw:ty = $a_raw:expr, $a_copy:expr;
        $R:ty, $right:ty, |$b:ident| $right_raw:ty = $b_raw:expr, $b_copy:expr
    ) => {
        #[allow(refining_impl_trait, clippy::type_complexity)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)* $($A: Element,)? Op: Form> BinaryRules<Op, $right> for $left
        where
            Op::Plain: Pairing<$L, $R>
                + for<'x> Operator<$left_raw, $right_raw, Output = <Op::Plain as Pairing<$L, $R>>::Output>,
        {
            type Output = <Op::Plain as Pairing<$L, $R>>::Output;
            type Operands = (crate::ops::Varies, crate::ops::Varies);

            #[inline]
            #[track_caller]
            fn primal($a: $left, $b: $right) -> Self::Output {
                <Op::Plain as Operator<_, _>>::apply($a_raw, $b_raw)
            }

            #[inline]
            #[track_caller]
            fn frule(Dual($a, a_dot): Dual<$left, $L>, Dual($b, b_dot): Dual<$right, $R>) -> D<Self::Output> {
                let y = <Op::Plain as Operator<_, _>>::apply($a_raw, $b_raw);
                let (a, b): ($L, $R) = ($a_copy, $b_copy);
                Dual(y, <Op::Plain as Pairing<$L, $R>>::tangent(Dual(&a, &a_dot), Dual(&b, &b_dot)))
            }

            #[inline]
            #[track_caller]
            fn rrule(
                $a: $left,
                $b: $right,
            ) -> (
                <Op::Plain as Pairing<$L, $R>>::Output,
                impl FnOnce(<Op::Plain as Pairing<$L, $R>>::Output) -> ($L, $R) + use<$($A,)? Op>,
            ) {
                let y = <Op::Plain as Operator<_, _>>::apply($a_raw, $b_raw);
                let (a, b): ($L, $R) = ($a_copy, $b_copy);
                (y, move |y_bar| <Op::Plain as Pairing<$L, $R>>::pull(&y_bar, &a, &b))
            }

            #[inline]
            #[track_caller]
            fn rrule_frule(
                Dual($a, a_dot): Dual<$left, $L>,
                Dual($b, b_dot): Dual<$right, $R>,
            ) -> (
                D<<Op::Plain as Pairing<$L, $R>>::Output>,
                impl FnOnce(D<<Op::Plain as Pairing<$L, $R>>::Output>) -> (D<$L>, D<$R>) + use<$($A,)? Op>,
            ) {
                let y = <Op::Plain as Operator<_, _>>::apply($a_raw, $b_raw);
                let (a, b): ($L, $R) = ($a_copy, $b_copy);
                let y_dot = <Op::Plain as Pairing<$L, $R>>::tangent(Dual(&a, &a_dot), Dual(&b, &b_dot));
                let pullback = move |y_bar: D<<Op::Plain as Pairing<$L, $R>>::Output>| {
                    let (a_bar, b_bar) = <Op::Plain as Pairing<$L, $R>>::pull(&y_bar.0, &a, &b);
                    let (a_bar_dot, b_bar_dot) = <Op::Plain as Pairing<$L, $R>>::pull_tangent(
                        Dual(&y_bar.0, &y_bar.1),
                        Dual(&a, &a_dot),
                        Dual(&b, &b_dot),
                    );
                    (Dual(a_bar, a_bar_dot), Dual(b_bar, b_bar_dot))
                };
                (Dual(y, y_dot), pullback)
            }
        }
    };
}

/// Views, the matrices with their rules, and the types that stand to their right and to their left.
macro_rules! views {
    ($($view:ident as $owned:ident, |$x:ident| $copy:expr, [$($right:ident)*] [$($left:ident)*];)*) => {$(
        impl<A: Element> Differentiable for $view<'_, A> {
            type Tangent = $owned<A>;
            type OwnedTangent = $owned<A>;

            #[inline]
            fn zero_tangent(&self) -> $owned<A> {
                let $x = self;
                $copy.zero_tangent()
            }

            fn matches_shape(&self, tangent: &$owned<A>) -> Result<(), ShapeMismatch> {
                let $x = self;
                $copy.matches_shape(tangent)
            }

            fn add_scaled_tangent(&mut self, _: f64, _: &$owned<A>) {
                panic!("a view has no elements of its own: move the matrix behind it");
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                let $x = self;
                $copy.visit_components(components);
            }
        }

        $(views! { @left $view as $owned, |$x| $copy; $right })*
        $(views! { @right $left; $view as $owned, |$x| $copy })*
        operators! {
            ['a] [] $owned<f64>, $view<'a, f64>, |$x| $view<'a, f64> = $x, $copy;
            f64, f64, |k| Scale<f64> = Scale(k), k
        }
        operators! {
            ['a] [] f64, f64, |k| Scale<f64> = Scale(k), k;
            $owned<f64>, $view<'a, f64>, |$x| $view<'a, f64> = $x, $copy
        }
    )*};
    (@left $view:ident as $owned:ident, |$x:ident| $copy:expr; Turned) => {
        operators! {
            ['a] [A] $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy;
            Turned<A>, Turned<A>, |y| MatRef<'x, A> = y.mat(), y
        }
        operators! {
            ['a 'b] [A] $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy;
            Turned<A>, &'b Turned<A>, |y| MatRef<'x, A> = y.mat(), y.clone()
        }
    };
    (@left $view:ident as $owned:ident, |$x:ident| $copy:expr; $t:ident) => {
        operators! {
            ['a] [A] $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy;
            $t<A>, $t<A>, |y| &'x $t<A> = &y, y
        }
        operators! {
            ['a 'b] [A] $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy;
            $t<A>, &'b $t<A>, |y| &'x $t<A> = y, y.clone()
        }
    };
    (@right Turned; $view:ident as $owned:ident, |$x:ident| $copy:expr) => {
        operators! {
            ['a] [A] Turned<A>, Turned<A>, |y| MatRef<'x, A> = y.mat(), y;
            $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy
        }
        operators! {
            ['a 'b] [A] Turned<A>, &'b Turned<A>, |y| MatRef<'x, A> = y.mat(), y.clone();
            $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy
        }
    };
    (@right $t:ident; $view:ident as $owned:ident, |$x:ident| $copy:expr) => {
        operators! {
            ['a] [A] $t<A>, $t<A>, |y| &'x $t<A> = &y, y;
            $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy
        }
        operators! {
            ['a 'b] [A] $t<A>, &'b $t<A>, |y| &'x $t<A> = y, y.clone();
            $owned<A>, $view<'a, A>, |$x| $view<'a, A> = $x, $copy
        }
    };
}
views! {
    MatRef as Turned, |x| Turned::copied(x.as_dyn_stride()), [Mat Turned Col] [Mat Turned Row];
    ColRef as Col, |x| x.cloned(), [Col Row] [Mat Turned Col Row];
    RowRef as Row, |x| x.cloned(), [Mat Turned Row Col] [Row Col];
}

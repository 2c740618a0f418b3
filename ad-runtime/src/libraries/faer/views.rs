//! Views as operands: constant code makes them, and what is active may stand on the other side of the operator, as in `load.transpose() * u`.
//!
//! They have the rules of a matrix that is copied from them, in the order in memory that the view of a transpose has.

use ::faer::{Col, ColRef, Mat, MatRef, Row, RowRef};

use super::{AnyMatrix, D, Element, Turned};
use crate::libraries::forms::Form;
use crate::libraries::pairing::Pairing;
use crate::ops::BinaryRules;
use crate::{Components, Differentiable, Dual, ShapeMismatch};

/// Operators on a value and a view: those on the value and a matrix that is copied from the view.
macro_rules! operators {
    ([$($lifetime:lifetime)*] [$($A:ident)?] $L:ty, $left:ty as $l:ty, |$a:ident| $a_copy:expr; $R:ty, $right:ty as $r:ty, |$b:ident| $b_copy:expr) => {
        #[allow(refining_impl_trait, clippy::type_complexity)]
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)* $($A: Element,)? Op: Form> BinaryRules<Op, $right> for $left
        where
            Op::Plain: Pairing<$L, $R>,
        {
            type Output = <Op::Plain as Pairing<$L, $R>>::Output;
            type Operands = (crate::ops::Varies, crate::ops::Varies);

            #[inline]
            #[track_caller]
            fn primal($a: $left, $b: $right) -> Self::Output {
                <$l as BinaryRules<Op, $r>>::primal($a_copy, $b_copy)
            }

            #[inline]
            #[track_caller]
            fn frule(Dual($a, a_dot): Dual<$left, $L>, Dual($b, b_dot): Dual<$right, $R>) -> D<Self::Output> {
                <$l as BinaryRules<Op, $r>>::frule(Dual($a_copy, a_dot), Dual($b_copy, b_dot))
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
                <$l as BinaryRules<Op, $r>>::rrule($a_copy, $b_copy)
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
                <$l as BinaryRules<Op, $r>>::rrule_frule(Dual($a_copy, a_dot), Dual($b_copy, b_dot))
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
        operators! { ['a] [] $owned<f64>, $view<'a, f64> as $owned<f64>, |$x| $copy; f64, f64 as f64, |k| k }
        operators! { ['a] [] f64, f64 as f64, |k| k; $owned<f64>, $view<'a, f64> as $owned<f64>, |$x| $copy }
    )*};
    (@left $view:ident as $owned:ident, |$x:ident| $copy:expr; $t:ident) => {
        operators! { ['a] [A] $owned<A>, $view<'a, A> as $owned<A>, |$x| $copy; $t<A>, $t<A> as $t<A>, |y| y }
        operators! { ['a 'b] [A] $owned<A>, $view<'a, A> as $owned<A>, |$x| $copy; $t<A>, &'b $t<A> as &'b $t<A>, |y| y }
    };
    (@right $t:ident; $view:ident as $owned:ident, |$x:ident| $copy:expr) => {
        operators! { ['a] [A] $t<A>, $t<A> as $t<A>, |y| y; $owned<A>, $view<'a, A> as $owned<A>, |$x| $copy }
        operators! { ['a 'b] [A] $t<A>, &'b $t<A> as &'b $t<A>, |y| y; $owned<A>, $view<'a, A> as $owned<A>, |$x| $copy }
    };
}
views! {
    MatRef as Turned, |x| Turned::copied(x.as_dyn_stride()), [Mat Turned Col] [Mat Turned Row];
    ColRef as Col, |x| x.cloned(), [Col Row] [Mat Turned Col Row];
    RowRef as Row, |x| x.cloned(), [Mat Turned Row Col] [Row Col];
}

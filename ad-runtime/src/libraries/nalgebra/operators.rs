//! Sums, differences and products of matrices, and products and quotients with numbers.
//!
//! See [`pairing`](crate::libraries::pairing).

use ::nalgebra::{DMatrix, SMatrix};

use super::{Columns, Element, Rows, each_type};
use crate::libraries::forms::Form;
use crate::libraries::pairing::{D, Pairing, negated, operands, pairs};
use crate::ops::{AddOp, BinaryRules, DivOp, LeftByRef, MulOp, NegOp, SubOp, UnaryRules};
use crate::scalar::{strong_div, strong_mul};
use crate::{Dual, Tangent};

fn sum<T: Tangent>(mut a: T, b: &T) -> T {
    a.accumulate(b);
    a
}

/// Operators that are linear in both operands at once: `+` and `-`.
macro_rules! linear {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        linear! { @op AddOp, [$($generics)*] $t, |a, b| a + b, |y_bar| (y_bar.clone(), y_bar.clone()) }
        linear! { @op SubOp, [$($generics)*] $t, |a, b| a - b, |y_bar| (y_bar.clone(), -y_bar) }
    )*};
    (@op $op:ident, [$($generics:tt)*] $t:ty, |$a:ident, $b:ident| $value:expr, |$y_bar:ident| $pull:expr) => {
        impl<A: Element, $($generics)*> Pairing<$t, $t> for $op {
            type Output = $t;

            #[inline]
            #[track_caller]
            fn primal($a: &$t, $b: &$t) -> $t {
                $value
            }

            #[inline]
            fn tangent(a: D<&$t>, b: D<&$t>) -> $t {
                let ($a, $b) = (a.1, b.1);
                $value
            }

            #[inline]
            fn pull($y_bar: &$t, _: &$t, _: &$t) -> ($t, $t) {
                $pull
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$t>, _: D<&$t>, _: D<&$t>) -> ($t, $t) {
                let $y_bar = y_bar.1;
                $pull
            }
        }
    };
}
each_type!(linear);

/// Operators that are linear in each operand: products. Their pullback is bilinear as well.
macro_rules! bilinear {
    ($(
        [$($generics:tt)*] $left:ty, $right:ty => $out:ty;
        |$a:ident, $b:ident| $value:expr;
        |$y_bar:ident| $left_bar:expr, $right_bar:expr;
    )*) => {$(
        impl<$($generics)*> Pairing<$left, $right> for MulOp {
            type Output = $out;

            #[inline]
            #[track_caller]
            fn primal($a: &$left, $b: &$right) -> $out {
                $value
            }

            #[inline]
            fn tangent(a: D<&$left>, b: D<&$right>) -> $out {
                sum(Self::primal(a.1, b.0), &Self::primal(a.0, b.1))
            }

            #[inline]
            fn pull($y_bar: &$out, $a: &$left, $b: &$right) -> ($left, $right) {
                ($left_bar, $right_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$out>, a: D<&$left>, b: D<&$right>) -> ($left, $right) {
                let along: ($left, $right) = Self::pull(y_bar.1, a.0, b.0);
                let across: ($left, $right) = Self::pull(y_bar.0, a.1, b.1);
                (sum(along.0, &across.0), sum(along.1, &across.1))
            }
        }
    )*};
}

/// Matrices that are the product of two others.
pub trait Product<A, L, R>: Sized {
    /// The library's `gemm`: `alpha a b + beta self`.
    #[must_use]
    fn multiplied(&self, alpha: A, a: &L, b: &R, beta: A) -> Self;

    /// The cotangents of the factors of a product.
    fn pull_product(y_bar: &Self, a: &L, b: &R) -> (L, R);
}

/// The product of two matrices, each of whose sizes is fixed or not: `Y = A B`, `A_bar = Y_bar Bᵀ`, `B_bar = Aᵀ Y_bar`.
macro_rules! products {
    ($([$($generics:tt)*] $left:ty, $right:ty => $out:ty;)*) => {
        bilinear! {$(
            [A: Element, $($generics)*] $left, $right => $out;
            |a, b| a * b;
            |y_bar| like(a, |bar| bar.gemm(A::ONE, y_bar, &b.transpose(), A::ZERO)), like(b, |bar| {
                // The library's product of large matrices is faster than that with a transpose.
                if y_bar.ncols() > 4 && a.nrows() > 4 {
                    bar.gemm(A::ONE, &a.transpose(), y_bar, A::ZERO);
                } else {
                    bar.gemm_tr(A::ONE, a, y_bar, A::ZERO);
                }
            });
        )*}
        $(
            impl<A: Element, $($generics)*> Product<A, $left, $right> for $out {
                #[track_caller]
                fn multiplied(&self, alpha: A, a: &$left, b: &$right, beta: A) -> Self {
                    like(self, |y| y.gemm(alpha, a, b, beta))
                }

                fn pull_product(y_bar: &Self, a: &$left, b: &$right) -> ($left, $right) {
                    <MulOp as Pairing<$left, $right>>::pull(y_bar, a, b)
                }
            }
        )*
    };
}
products! {
    [] DMatrix<A>, DMatrix<A> => DMatrix<A>;
    [const C: usize] DMatrix<A>, Rows<A, C> => Rows<A, C>;
    [const J: usize] DMatrix<A>, Columns<A, J> => DMatrix<A>;
    [const J: usize, const C: usize] DMatrix<A>, SMatrix<A, J, C> => Rows<A, C>;
    [const K: usize] Rows<A, K>, DMatrix<A> => DMatrix<A>;
    [const K: usize, const C: usize] Rows<A, K>, Rows<A, C> => Rows<A, C>;
    [const K: usize] Rows<A, K>, Columns<A, K> => DMatrix<A>;
    [const K: usize, const C: usize] Rows<A, K>, SMatrix<A, K, C> => Rows<A, C>;
    [const R: usize] Columns<A, R>, DMatrix<A> => Columns<A, R>;
    [const R: usize, const C: usize] Columns<A, R>, Rows<A, C> => SMatrix<A, R, C>;
    [const R: usize, const J: usize] Columns<A, R>, Columns<A, J> => Columns<A, R>;
    [const R: usize, const J: usize, const C: usize] Columns<A, R>, SMatrix<A, J, C> => SMatrix<A, R, C>;
    [const R: usize, const K: usize] SMatrix<A, R, K>, DMatrix<A> => Columns<A, R>;
    [const R: usize, const K: usize, const C: usize] SMatrix<A, R, K>, Rows<A, C> => SMatrix<A, R, C>;
    [const R: usize, const K: usize] SMatrix<A, R, K>, Columns<A, K> => Columns<A, R>;
    [const R: usize, const K: usize, const C: usize] SMatrix<A, R, K>, SMatrix<A, K, C> => SMatrix<A, R, C>;
}
pairs! {
    [A: Element,] [A] DMatrix<A>, DMatrix<A>;
    [A: Element, const C: usize,] [A C] DMatrix<A>, Rows<A, C>;
    [A: Element, const J: usize,] [A J] DMatrix<A>, Columns<A, J>;
    [A: Element, const J: usize, const C: usize,] [A J C] DMatrix<A>, SMatrix<A, J, C>;
    [A: Element, const K: usize,] [A K] Rows<A, K>, DMatrix<A>;
    [A: Element, const K: usize, const C: usize,] [A K C] Rows<A, K>, Rows<A, C>;
    [A: Element, const K: usize, const J: usize,] [A K J] Rows<A, K>, Columns<A, J>;
    [A: Element, const K: usize, const J: usize, const C: usize,] [A K J C] Rows<A, K>, SMatrix<A, J, C>;
    [A: Element, const R: usize,] [A R] Columns<A, R>, DMatrix<A>;
    [A: Element, const R: usize, const C: usize,] [A R C] Columns<A, R>, Rows<A, C>;
    [A: Element, const R: usize, const J: usize,] [A R J] Columns<A, R>, Columns<A, J>;
    [A: Element, const R: usize, const J: usize, const C: usize,] [A R J C] Columns<A, R>, SMatrix<A, J, C>;
    [A: Element, const R: usize, const K: usize,] [A R K] SMatrix<A, R, K>, DMatrix<A>;
    [A: Element, const R: usize, const K: usize, const C: usize,] [A R K C] SMatrix<A, R, K>, Rows<A, C>;
    [A: Element, const R: usize, const K: usize, const J: usize,] [A R K J] SMatrix<A, R, K>, Columns<A, J>;
    [A: Element, const R: usize, const K: usize, const J: usize, const C: usize,] [A R K J C] SMatrix<A, R, K>, SMatrix<A, J, C>;
}

/// A matrix of the same size, which is written.
fn like<T: Clone>(of: &T, write: impl FnOnce(&mut T)) -> T {
    let mut new = of.clone();
    write(&mut new);
    new
}

macro_rules! with_numbers {
    ($([$($generics:tt)*] [$($captured:ident)*] $t:ty;)*) => {$(
        with_numbers! { @by f32, [$($generics)*] [$($captured)*] $t }
        with_numbers! { @by f64, [$($generics)*] [$($captured)*] $t }
    )*};
    (@by $A:ident, [$($generics:tt)*] [$($captured:ident)*] $t:ty) => { const _: () = {
        type A = $A;
        // Y = A s; A_bar = Y_bar s, s_bar = Y_bar · A.
        bilinear! {
            [$($generics)*] $t, $A => $t;
            |a, b| a * *b;
            |y_bar| y_bar * *b, y_bar.dot(a);

            [$($generics)*] $A, $t => $t;
            |a, b| b * *a;
            |y_bar| y_bar.dot(b), y_bar * *a;
        }

        // Y = A / s; A_bar = Y_bar / s, s_bar = -A_bar · Y. Zero cotangents stay zero, whatever the divisor.
        impl<$($generics)*> Pairing<$t, $A> for DivOp {
            type Output = $t;

            #[inline]
            fn primal(a: &$t, b: &$A) -> $t {
                a / *b
            }

            #[inline]
            fn tangent(a: D<&$t>, b: D<&$A>) -> $t {
                let y = a.0 / *b.0;
                let top = a.1.zip_map(&y, |a_dot, y| a_dot - strong_mul(*b.1, y));
                top.map(|top| strong_div(top, *b.0))
            }

            #[inline]
            fn pull(y_bar: &$t, a: &$t, b: &$A) -> ($t, $A) {
                let a_bar = y_bar.map(|y_bar| strong_div(y_bar, *b));
                let b_bar = -a_bar.iter().zip(a).map(|(a_bar, a)| strong_mul(*a_bar, *a / *b)).sum::<$A>();
                (a_bar, b_bar)
            }

            #[inline]
            fn pull_tangent(y_bar: D<&$t>, a: D<&$t>, b: D<&$A>) -> ($t, $A) {
                let (y, y_dot) = (a.0 / *b.0, <Self as Pairing<$t, $A>>::tangent(a, b));
                let a_bar = y_bar.0.map(|y_bar| strong_div(y_bar, *b.0));
                let a_bar_dot = <Self as Pairing<$t, $A>>::tangent(y_bar, b);
                let along = a_bar_dot.iter().zip(&y).map(|(a_bar_dot, y)| strong_mul(*a_bar_dot, *y)).sum::<$A>();
                let across = a_bar.iter().zip(&y_dot).map(|(a_bar, y_dot)| strong_mul(*a_bar, *y_dot)).sum::<$A>();
                (a_bar_dot, -(along + across))
            }
        }

        operands! {
            [] [$($generics)*] [$($captured)*] $t as $t, |a| a; $A as $A, |b| b;
            ['a] [$($generics)*] [$($captured)*] $t as &'a $t, |a| a.clone(); $A as $A, |b| b;
            [] [$($generics)*] [$($captured)*] $A as $A, |a| a; $t as $t, |b| b;
            ['b] [$($generics)*] [$($captured)*] $A as $A, |a| a; $t as &'b $t, |b| b.clone();
        }
    }; };
}
with_numbers! {
    [] [] DMatrix<A>;
    [const C: usize,] [C] Rows<A, C>;
    [const R: usize,] [R] Columns<A, R>;
    [const R: usize, const C: usize,] [R C] SMatrix<A, R, C>;
}

negated! {
    [A: Element] [A] DMatrix<A>;
    [A: Element, const C: usize] [A C] Rows<A, C>;
    [A: Element, const R: usize] [A R] Columns<A, R>;
    [A: Element, const R: usize, const C: usize] [A R C] SMatrix<A, R, C>;
}

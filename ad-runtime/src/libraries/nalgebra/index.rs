//! `m[(i, j)]`, `v[i]`: the tangent has an element where the matrix has it.

use ::nalgebra::{Const, OPoint, Quaternion, Rotation, SMatrix, Unit};

use super::{Element, each_type};
use crate::index::{PlainIndex, PlainPart};
use crate::probe::List;

macro_rules! indexed {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        indexed! { @by usize, [$($generics)*] $t }
        indexed! { @by (usize, usize), [$($generics)*] $t }
    )*};
    (@by $index:ty, [$($generics:tt)*] $t:ty) => {
        impl<A: Element, $($generics)*> PlainIndex<$index> for $t {}

        impl<A: Element, $($generics)*> PlainPart<$index> for $t {
            type Part = A;

            #[inline(always)]
            #[track_caller]
            fn plain(&self, index: $index) -> &A {
                &self[index]
            }

            #[inline(always)]
            #[track_caller]
            fn plain_mut(&mut self, index: $index) -> &mut A {
                &mut self[index]
            }
        }
    };
}
each_type!(indexed);

/// `x.map(f).sum()` is read as a chain where `x` is the result of a call: the loop runs over the elements, in the order of the library.
macro_rules! listed {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        impl<A: Element, $($generics)*> List for $t {}
    )*};
}
each_type!(listed);

/// `p[i]` of types of geometry.
macro_rules! geometry {
    ($([$($generics:tt)*] $t:ty, $index:ty; |$x:ident, $k:ident| $plain:expr, $plain_mut:expr;)*) => {$(
        impl<A: Element, $($generics)*> PlainIndex<$index> for $t {}

        impl<A: Element, $($generics)*> PlainPart<$index> for $t {
            type Part = A;

            #[inline(always)]
            #[track_caller]
            fn plain(&self, $k: $index) -> &A {
                let $x = self;
                $plain
            }

            #[inline(always)]
            #[track_caller]
            fn plain_mut(&mut self, $k: $index) -> &mut A {
                let $x = self;
                $plain_mut
            }
        }
    )*};
}
geometry! {
    [const N: usize] OPoint<A, Const<N>>, usize; |x, k| &x[k], &mut x[k];
    [] Quaternion<A>, usize; |x, k| &x[k], &mut x[k];
    [const N: usize] Rotation<A, N>, (usize, usize); |x, k| &x.matrix()[k], &mut x.matrix_mut_unchecked()[k];
    [const R: usize, const C: usize] Unit<SMatrix<A, R, C>>, usize; |x, k| &x.as_ref()[k], &mut x.as_mut_unchecked()[k];
}

//! `m[(i, j)]`, `v[i]`: the tangent has an element where the matrix has it.

use super::{Element, each_type};
use crate::index::{PlainIndex, PlainPart};

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

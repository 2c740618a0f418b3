//! `m[(i, j)]`, `v[i]`: the tangent has an element where the matrix has it.

use ::faer::{Col, Mat, Row};

use super::{Element, Turned};
use crate::index::{PlainIndex, PlainPart};

macro_rules! indexed {
    ($($t:ident $index:ty, |$x:ident, $at:ident| $element:expr, $element_mut:expr;)*) => {$(
        impl<A: Element> PlainIndex<$index> for $t<A> {}

        impl<A: Element> PlainPart<$index> for $t<A> {
            type Part = A;

            #[inline(always)]
            #[track_caller]
            fn plain(&self, $at: $index) -> &A {
                let $x = self;
                $element
            }

            #[inline(always)]
            #[track_caller]
            fn plain_mut(&mut self, $at: $index) -> &mut A {
                let $x = self;
                $element_mut
            }
        }
    )*};
}
indexed! {
    Mat (usize, usize), |x, at| &x[at], &mut x[at];
    Turned (usize, usize), |x, at| &x.0[(at.1, at.0)], &mut x.0[(at.1, at.0)];
    Col usize, |x, at| &x[at], &mut x[at];
    Row usize, |x, at| &x[at], &mut x[at];
}

impl<A: Element> core::ops::Index<(usize, usize)> for Turned<A> {
    type Output = A;

    #[inline(always)]
    #[track_caller]
    fn index(&self, at: (usize, usize)) -> &A {
        &self.0[(at.1, at.0)]
    }
}

impl<A: Element> core::ops::IndexMut<(usize, usize)> for Turned<A> {
    #[inline(always)]
    #[track_caller]
    fn index_mut(&mut self, at: (usize, usize)) -> &mut A {
        &mut self.0[(at.1, at.0)]
    }
}

//! `a[i]`, `a[[i, j]]`, `a[(i, j)]`: the tangent has an element where the array has it.

use ::ndarray::{Array, ArrayBase, ArrayRef, Data, Dimension, NdIndex};

use crate::index::{PlainIndex, PlainPart};

impl<S: Data, D: Dimension, I: NdIndex<D>> PlainIndex<I> for ArrayBase<S, D> {}

impl<T, D: Dimension, I: NdIndex<D>> PlainIndex<I> for ArrayRef<T, D> {}

macro_rules! parts {
    ($($t:ident)*) => {$(
        impl<T, D: Dimension, I: NdIndex<D>> PlainPart<I> for $t<T, D> {
            type Part = T;

            #[inline(always)]
            #[track_caller]
            fn plain(&self, index: I) -> &T {
                &self[index]
            }

            #[inline(always)]
            #[track_caller]
            fn plain_mut(&mut self, index: I) -> &mut T {
                &mut self[index]
            }
        }
    )*};
}
parts! { Array ArrayRef }

//! Parts of matrices: rows, columns and blocks, of any size and of fixed sizes, and vectors with fewer or more elements.
//!
//! The method returns a view, its rule a copy, see the module above.

use ad_runtime::libraries::nalgebra::library::{DMatrix, SMatrix};
use ad_runtime::libraries::nalgebra::{Columns, Element, Rows};

use super::linear::linear;
use super::makers::Made;
use super::{AnyMatrix, At, At2, D, Elem, add_at};
use crate::{__private::mode, Dual, Scalar as _};

/// The types of the parts of a matrix.
pub trait WithParts: AnyMatrix {
    /// Any number of its rows.
    type Tall: Made + AnyMatrix<Elem = Self::Elem>;
    /// Any number of its columns.
    type Wide: Made + AnyMatrix<Elem = Self::Elem>;
    /// `N` of its rows.
    type OfRows<const N: usize>: Made + AnyMatrix<Elem = Self::Elem>;
    /// `N` of its columns.
    type OfColumns<const N: usize>: Made + AnyMatrix<Elem = Self::Elem>;
    /// Any block.
    type Any: Made + AnyMatrix<Elem = Self::Elem>;
    /// A block of a fixed size.
    type Block<const R: usize, const C: usize>: Made + AnyMatrix<Elem = Self::Elem>;
}
macro_rules! with_parts {
    ($([$($generics:tt)*] $t:ty: $tall:ty, $wide:ty, $of_rows:ty, $of_columns:ty;)*) => {$(
        impl<A: Element, $($generics)*> WithParts for $t {
            type Tall = $tall;
            type Wide = $wide;
            type OfRows<const N: usize> = $of_rows;
            type OfColumns<const N: usize> = $of_columns;
            type Any = DMatrix<A>;
            type Block<const I: usize, const J: usize> = SMatrix<A, I, J>;
        }
    )*};
}
with_parts! {
    [] DMatrix<A>: DMatrix<A>, DMatrix<A>, Columns<A, N>, Rows<A, N>;
    [const C: usize] Rows<A, C>: Rows<A, C>, DMatrix<A>, SMatrix<A, N, C>, Rows<A, N>;
    [const R: usize] Columns<A, R>: DMatrix<A>, Columns<A, R>, Columns<A, N>, SMatrix<A, R, N>;
    [const R: usize, const C: usize] SMatrix<A, R, C>: Rows<A, C>, Columns<A, R>, SMatrix<A, N, C>, SMatrix<A, R, N>;
}

/// A copy of a part that begins at `first`.
#[track_caller]
pub(super) fn part<X: AnyMatrix, Y: Made + AnyMatrix<Elem = Elem<X>>>(
    x: &X,
    first: (usize, usize),
    n: (usize, usize),
) -> Y {
    let (rows, columns) = x.size();
    assert!(
        first.0 + n.0 <= rows && first.1 + n.1 <= columns,
        "Matrix slicing out of bounds."
    );
    Y::make(n, |i, j| x.elements()[x.position(first.0 + i, first.1 + j)])
}

/// Adds to the elements of a part.
pub(super) fn add_part<X: AnyMatrix>(
    x_bar: &mut X,
    y_bar: &impl AnyMatrix<Elem = Elem<X>>,
    first: (usize, usize),
) {
    let ((rows, _), (part_rows, _)) = (x_bar.size(), y_bar.size());
    let position = |k: usize| {
        let (i, j) = (k % part_rows, k / part_rows);
        first.0 + i + (first.1 + j) * rows
    };
    add_at(x_bar.elements_mut(), y_bar.elements(), position);
}

/// The rules of methods that return parts.
pub trait ViewRules: WithParts {
    linear! {
        /// `x.rows(first, n)`, as a matrix.
        [__rows_modes __rows_frule __rows_rrule __rows_rrule_frule] (first: usize, n: usize) -> Self::Tall;
        |x| part(x, (first, 0), (n, x.size().1));
        |y_bar, x_bar| add_part(x_bar, &y_bar, (first, 0));

        /// `x.columns(first, n)`, as a matrix.
        [__columns_modes __columns_frule __columns_rrule __columns_rrule_frule] (first: usize, n: usize) -> Self::Wide;
        |x| part(x, (0, first), (x.size().0, n));
        |y_bar, x_bar| add_part(x_bar, &y_bar, (0, first));

        /// `x.view(first, n)`, as a matrix.
        [__view_modes __view_frule __view_rrule __view_rrule_frule] (first: (usize, usize), n: (usize, usize)) -> Self::Any;
        |x| part(x, first, n);
        |y_bar, x_bar| add_part(x_bar, &y_bar, first);

        /// `x.fixed_rows::<N>(first)`, as a matrix.
        [__fixed_rows_modes __fixed_rows_frule __fixed_rows_rrule __fixed_rows_rrule_frule] <const N> (first: usize) -> Self::OfRows<N>;
        |x| part(x, (first, 0), (N, x.size().1));
        |y_bar, x_bar| add_part(x_bar, &y_bar, (first, 0));

        /// `x.fixed_columns::<N>(first)`, as a matrix.
        [__fixed_columns_modes __fixed_columns_frule __fixed_columns_rrule __fixed_columns_rrule_frule] <const N> (first: usize) -> Self::OfColumns<N>;
        |x| part(x, (0, first), (x.size().0, N));
        |y_bar, x_bar| add_part(x_bar, &y_bar, (0, first));

        /// `x.fixed_view::<R, C>(i, j)`, as a matrix.
        [__fixed_view_modes __fixed_view_frule __fixed_view_rrule __fixed_view_rrule_frule] <const R, const C> (i: usize, j: usize) -> Self::Block<R, C>;
        |x| part(x, (i, j), (R, C));
        |y_bar, x_bar| add_part(x_bar, &y_bar, (i, j));
    }
}
impl<X: WithParts> ViewRules for X {}

/// A vector of some elements.
fn swizzled<X: AnyMatrix, const N: usize>(x: &X, from: [usize; N]) -> SMatrix<Elem<X>, N, 1> {
    SMatrix::from_fn(|k, _| x.elements()[from[k]])
}

/// Adds to some elements.
fn add_swizzled<X: AnyMatrix, const N: usize>(
    x_bar: &mut X,
    y_bar: &SMatrix<Elem<X>, N, 1>,
    from: [usize; N],
) {
    add_at(x_bar.elements_mut(), y_bar.as_slice(), |k| from[k]);
}

/// Methods that pick elements of a vector.
macro_rules! swizzles {
    ($($rules:ident for $($n:literal)*: $([$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $from:expr, $len:literal;)*)*) => {$(
        /// The rules of `x.xy()` and the like.
        pub trait $rules: AnyMatrix {
            linear! {$(
                /// Elements of a vector.
                [$modes $frule $rrule $rrule_frule] () -> SMatrix<Elem<Self>, $len, 1>;
                |x| swizzled(x, $from);
                |y_bar, x_bar| add_swizzled(x_bar, &y_bar, $from);
            )*}
        }
        $(impl<A: Element> $rules for SMatrix<A, $n, 1> {})*
    )*};
}
swizzles! {
    PlaneRules for 2 3 4:
    [__xy_modes __xy_frule __xy_rrule __xy_rrule_frule] [0, 1], 2;
    [__yx_modes __yx_frule __yx_rrule __yx_rrule_frule] [1, 0], 2;
    SpaceRules for 3 4:
    [__xz_modes __xz_frule __xz_rrule __xz_rrule_frule] [0, 2], 2;
    [__yz_modes __yz_frule __yz_rrule __yz_rrule_frule] [1, 2], 2;
    [__zx_modes __zx_frule __zx_rrule __zx_rrule_frule] [2, 0], 2;
    [__zy_modes __zy_frule __zy_rrule __zy_rrule_frule] [2, 1], 2;
    [__xyz_modes __xyz_frule __xyz_rrule __xyz_rrule_frule] [0, 1, 2], 3;
    [__zyx_modes __zyx_frule __zyx_rrule __zyx_rrule_frule] [2, 1, 0], 3;
}

/// `x.push(element)`: a trait for each length, since that of the result is one more.
macro_rules! push {
    ($($rules:ident $n:literal $more:literal;)*) => {$(
        /// The rules of `push` and `to_homogeneous`.
        #[allow(clippy::type_complexity)]
        pub trait $rules: AnyMatrix {
            linear! {
                /// `x.to_homogeneous()`: zero at the end.
                [__to_homogeneous_modes __to_homogeneous_frule __to_homogeneous_rrule __to_homogeneous_rrule_frule] () -> SMatrix<Elem<Self>, $more, 1>;
                |x| SMatrix::from_fn(|k, _| x.elements().get(k).copied().unwrap_or(Elem::<Self>::ZERO));
                |y_bar, x_bar| add_at(x_bar.elements_mut(), &y_bar.as_slice()[..$n], |k| k);
            }

            /// By reference, and by value.
            #[inline(always)]
            fn __push_modes(&self) -> (mode::Ref<Self>, mode::Owned<Elem<Self>>) {
                (mode::by_ref(), mode::owned())
            }

            /// The vector and its tangent.
            #[inline]
            fn __push_frule(&self, self_dot: &Self, last: D<Elem<Self>>) -> D<SMatrix<Elem<Self>, $more, 1>> {
                let push = |x: &Self, last| SMatrix::from_fn(|k, _| x.elements().get(k).copied().unwrap_or(last));
                Dual(push(self, last.0), push(self_dot, last.1))
            }

            /// The vector and its pullback.
            #[inline]
            fn __push_rrule(&self, last: Elem<Self>) -> (
                SMatrix<Elem<Self>, $more, 1>,
                impl FnOnce(SMatrix<Elem<Self>, $more, 1>, At<'_, Self>, ()) -> ((), Elem<Self>) + use<Self>,
            ) {
                let y = SMatrix::from_fn(|k, _| self.elements().get(k).copied().unwrap_or(last));
                (y, |y_bar: SMatrix<Elem<Self>, $more, 1>, x: At<'_, Self>, ()| {
                    add_at(x.1.elements_mut(), &y_bar.as_slice()[..$n], |k| k);
                    ((), y_bar[$n])
                })
            }

            /// The forward transform of the same.
            #[inline]
            fn __push_rrule_frule(&self, self_dot: &Self, last: D<Elem<Self>>) -> (
                D<SMatrix<Elem<Self>, $more, 1>>,
                impl FnOnce(D<SMatrix<Elem<Self>, $more, 1>>, At2<'_, Self>, ()) -> ((), D<Elem<Self>>) + use<Self>,
            ) {
                (self.__push_frule(self_dot, last), |y_bar: D<SMatrix<Elem<Self>, $more, 1>>, x: At2<'_, Self>, ()| {
                    add_at(x.1.0.elements_mut(), &y_bar.0.as_slice()[..$n], |k| k);
                    add_at(x.1.1.elements_mut(), &y_bar.1.as_slice()[..$n], |k| k);
                    ((), Dual(y_bar.0[$n], y_bar.1[$n]))
                })
            }
        }
        impl<A: Element> $rules for SMatrix<A, $n, 1> {}
    )*};
}
push! {
    Push1Rules 1 2;
    Push2Rules 2 3;
    Push3Rules 3 4;
    Push4Rules 4 5;
    Push5Rules 5 6;
}

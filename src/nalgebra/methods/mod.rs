//! Rules of methods of matrices, and of functions that make matrices.
//!
//! Generated code finds them by method resolution, as it finds the methods that `#[differentiable]` makes of a user's own method. Rules of methods that
//! return a view (`row`, `column`, `rows`) return a matrix instead, a copy: a pullback may not hold references, and code that reads a view can read a
//! matrix as well.

#![allow(
    clippy::inline_always,
    reason = "modes are nothing but types, and cost nothing if they are inlined"
)]

mod bodies;
mod decomposed;
mod factored;
mod linear;
mod makers;
mod mapped;
mod numbers;
mod plain;
mod products;
mod statistics;
mod updates;
mod views;

/// The traits with rules.
pub mod rules {
    pub use super::decomposed::{DecompositionRules as _, QrRules as _};
    pub use super::factored::{
        DeterminantRules as _, ExpRules as _, FactorRules as _, InverseRules as _, LuRules as _,
        TriangularRules as _,
    };
    pub use super::linear::{DiagonalRules as _, IntoOwnedRules as _, LinearRules as _};
    pub use super::makers::{
        DynamicMakerRules as _, FixedMakerRules as _, New1Rules as _, New2Rules as _,
        New3Rules as _, New4Rules as _, New5Rules as _, New6Rules as _, New8Rules as _,
        New9Rules as _, New10Rules as _, New12Rules as _, New15Rules as _, New16Rules as _,
        UnitMakerRules as _, VectorMakerRules as _,
    };
    pub use super::mapped::MapRules as _;
    pub use super::plain::{
        CrossMatrixRules as _, Isometry2Rules as _, Isometry3Rules as _, Point2Rules as _,
        Point3Rules as _, QuaternionRules as _, Rotation2Rules as _, Rotation3Rules as _,
        Translation2Rules as _, Translation3Rules as _, UnitComplexRules as _,
        UnitQuaternionRules as _,
    };
    pub use super::products::{
        ChosenRules as _, CrossRules as _, KroneckerRules as _, ProductRules as _, TrDotRules as _,
        TrMulRules as _,
    };
    pub use super::statistics::{LerpRules as _, StatisticsRules as _};
    pub use super::updates::{
        GemmRules as _, GemvRules as _, LineWrittenRules as _, PutRules as _, UpdateRules as _,
    };
    pub use super::views::{
        PlaneRules as _, Push1Rules as _, Push2Rules as _, Push3Rules as _, Push4Rules as _,
        Push5Rules as _, SpaceRules as _, ViewRules as _,
    };
}

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector, RowDVector, SMatrix};
use ad_runtime::libraries::nalgebra::{Columns, Element, Rows};

use crate::{CoDual, Differentiable, Dual, Tangent};

/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;
/// The argument of a pullback for a matrix behind a reference.
type At<'a, X> = CoDual<&'a X, &'a mut X>;
/// The same in second order.
type At2<'a, X> = CoDual<Dual<&'a X, &'a X>, Dual<&'a mut X, &'a mut X>>;
/// The float type of a matrix.
type Elem<X> = <X as AnyMatrix>::Elem;

/// A matrix of floats that owns its elements.
pub trait AnyMatrix: Tangent + Differentiable<Tangent = Self, OwnedTangent = Self> + Clone {
    /// `f32` or `f64`.
    type Elem: Element;
    /// The type of a row.
    type Row: AnyMatrix<Elem = Self::Elem>;
    /// The type of a column.
    type Column: AnyMatrix<Elem = Self::Elem>;
    /// The type of the transpose.
    type Turned: AnyMatrix<Elem = Self::Elem>;

    /// The elements, column by column.
    fn elements(&self) -> &[Self::Elem];
    /// The elements, to be written.
    fn elements_mut(&mut self) -> &mut [Self::Elem];
    /// The number of rows, and that of columns.
    fn size(&self) -> (usize, usize);
    /// A copy of a row.
    fn row_at(&self, i: usize) -> Self::Row;
    /// A copy of a column.
    fn column_at(&self, j: usize) -> Self::Column;

    /// The library's `transpose`.
    fn turned(&self) -> Self::Turned;
    /// The library's `row_sum`.
    fn row_sums(&self) -> Self::Row;
    /// The library's `row_mean`.
    fn row_means(&self) -> Self::Row;
    /// The library's `column_sum`.
    fn column_sums(&self) -> Self::Column;
    /// The library's `column_mean`.
    fn column_means(&self) -> Self::Column;
    /// The library's `sum`.
    fn total(&self) -> Self::Elem;
    /// The library's `norm`.
    fn length(&self) -> Self::Elem;

    /// The position of an element among all.
    fn position(&self, i: usize, j: usize) -> usize {
        i + j * self.size().0
    }

    /// The same function of each pair of elements.
    #[must_use]
    fn zip(&self, other: &Self, f: impl Fn(Self::Elem, Self::Elem) -> Self::Elem) -> Self {
        let mut y = self.clone();
        for (y, other) in y.elements_mut().iter_mut().zip(other.elements()) {
            *y = f(*y, *other);
        }
        y
    }

    /// The matrix times a number.
    #[must_use]
    fn times_number(&self, k: Self::Elem) -> Self {
        let mut y = self.clone();
        for y in y.elements_mut() {
            *y *= k;
        }
        y
    }
}

macro_rules! any_matrix {
    ($([$($generics:tt)*] $t:ty, $row:ty, $column:ty, $turned:ty;)*) => {$(
        impl<A: Element, $($generics)*> AnyMatrix for $t {
            type Elem = A;
            type Row = $row;
            type Column = $column;
            type Turned = $turned;

            #[inline]
            fn elements(&self) -> &[A] {
                self.as_slice()
            }

            #[inline]
            fn elements_mut(&mut self) -> &mut [A] {
                self.as_mut_slice()
            }

            #[inline]
            fn size(&self) -> (usize, usize) {
                self.shape()
            }

            #[inline]
            fn total(&self) -> A {
                self.sum()
            }

            #[inline]
            fn length(&self) -> A {
                self.norm()
            }

            #[inline]
            fn turned(&self) -> $turned {
                self.transpose()
            }

            #[inline]
            fn row_sums(&self) -> $row {
                self.row_sum()
            }

            #[inline]
            fn row_means(&self) -> $row {
                self.row_mean()
            }

            #[inline]
            fn column_sums(&self) -> $column {
                self.column_sum()
            }

            #[inline]
            fn column_means(&self) -> $column {
                self.column_mean()
            }

            #[inline]
            #[track_caller]
            fn row_at(&self, i: usize) -> $row {
                self.row(i).into_owned()
            }

            #[inline]
            #[track_caller]
            fn column_at(&self, j: usize) -> $column {
                self.column(j).into_owned()
            }
        }
    )*};
}
any_matrix! {
    [] DMatrix<A>, RowDVector<A>, DVector<A>, DMatrix<A>;
    [const C: usize] Rows<A, C>, SMatrix<A, 1, C>, DVector<A>, Columns<A, C>;
    [const R: usize] Columns<A, R>, RowDVector<A>, SMatrix<A, R, 1>, Rows<A, R>;
    [const R: usize, const C: usize] SMatrix<A, R, C>, SMatrix<A, 1, C>, SMatrix<A, R, 1>, SMatrix<A, C, R>;
}

/// `x_bar[k] += y_bar[k]`, for positions of the one and of the other.
fn add_at<A: Element>(x_bar: &mut [A], y_bar: &[A], position: impl Fn(usize) -> usize) {
    for (k, y_bar) in y_bar.iter().enumerate() {
        x_bar[position(k)] += *y_bar;
    }
}

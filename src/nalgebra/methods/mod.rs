//! Rules of methods of matrices, and of functions that make matrices.
//!
//! Generated code finds them by method resolution, as it finds what `#[differentiable]` makes of a user's own method. Rules of methods that give a view
//! (`row`, `column`, `rows`) give a matrix instead, a copy: a pullback may not hold references, and what reads a view reads a matrix as well.

#![allow(
    clippy::inline_always,
    reason = "modes are nothing but types, and cost nothing if they are inlined"
)]

mod factored;
mod linear;
mod makers;
mod mapped;
mod products;

/// The traits with rules.
pub mod rules {
    pub use super::factored::{
        CholeskyRules as _, DeterminantRules as _, FactorRules as _, InverseRules as _,
        LuRules as _,
    };
    pub use super::linear::{
        DiagonalRules as _, IntoOwnedRules as _, LinearRules as _, PartRules as _,
    };
    pub use super::makers::{
        DynamicMakerRules as _, FixedMakerRules as _, New1Rules as _, New2Rules as _,
        New3Rules as _, New4Rules as _, New5Rules as _, New6Rules as _, New8Rules as _,
        New9Rules as _, New10Rules as _, New12Rules as _, New15Rules as _, New16Rules as _,
        VectorMakerRules as _,
    };
    pub use super::mapped::MapRules as _;
    pub use super::products::{
        ChosenRules as _, CrossRules as _, ProductRules as _, TrMulRules as _,
    };
}

use ::nalgebra::{DMatrix, DVector, RowDVector, SMatrix};
use ad_runtime::libraries::nalgebra::Element;

use crate::{CoDual, Differentiable, Dual, Tangent};

/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;
/// What a pullback takes for a matrix behind a reference.
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
    ($([$($generics:tt)*] $t:ty, $row:ty, $column:ty;)*) => {$(
        impl<A: Element, $($generics)*> AnyMatrix for $t {
            type Elem = A;
            type Row = $row;
            type Column = $column;

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
    [] DMatrix<A>, RowDVector<A>, DVector<A>;
    [] DVector<A>, SMatrix<A, 1, 1>, DVector<A>;
    [] RowDVector<A>, RowDVector<A>, SMatrix<A, 1, 1>;
    [const R: usize, const C: usize] SMatrix<A, R, C>, SMatrix<A, 1, C>, SMatrix<A, R, 1>;
}

/// `x_bar[k] += y_bar[k]`, for positions of the one and of the other.
fn add_at<A: Element>(x_bar: &mut [A], y_bar: &[A], position: impl Fn(usize) -> usize) {
    for (k, y_bar) in y_bar.iter().enumerate() {
        x_bar[position(k)] += *y_bar;
    }
}

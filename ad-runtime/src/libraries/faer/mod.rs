//! `faer`: the tangent of a matrix is a matrix of the same type, for `Mat`, `Col` and `Row`.
//!
//! A rule returns an owned matrix where the library returns a view: a pullback may not hold references, and code that reads a view can read a
//! matrix as well. `a.transpose()` is a [`Turned`], which has the order in memory that the view has, so that products have the same bits. The
//! cotangents of products and of solutions are made by the library's own kernels.

mod determinant;
mod factored;
mod formula;
mod index;
mod makers;
mod methods;
mod operators;
mod spectra;
mod turned;
mod types;
mod views;

pub use determinant::DeterminantRules;
pub use factored::{FactorRules, Factored};
pub use makers::{ColMakerRules, MatMakerRules, RowMakerRules};
pub use methods::{LinearRules, MatRules, NumberRules, TransposeRules};
pub use spectra::SpectrumRules;
pub use turned::Turned;
pub use types::ScaleTangent;

use ::faer::traits::RealField;
use ::faer::{Col, Mat, MatMut, MatRef, Row};

use super::pairing::Own;
use crate::{CoDual, Dual, Real};

/// `f32` and `f64`.
pub trait Element: Real + RealField {}
impl Element for f32 {}
impl Element for f64 {}

/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;
/// The argument of a pullback for a matrix behind a reference.
type At<'a, X> = CoDual<&'a X, &'a mut X>;
/// The same in second order.
type At2<'a, X> = CoDual<Dual<&'a X, &'a X>, Dual<&'a mut X, &'a mut X>>;
/// The float type of a matrix.
type Elem<X> = <X as AnyMatrix>::Elem;

/// A matrix, a column or a row of floats that owns its elements.
pub trait AnyMatrix: Own {
    /// `f32` or `f64`.
    type Elem: Element;

    /// All elements.
    fn mat(&self) -> MatRef<'_, Self::Elem>;

    /// All elements, to be written.
    fn mat_mut(&mut self) -> MatMut<'_, Self::Elem>;

    /// The product of two matrices that has this type's shape.
    fn product(a: MatRef<'_, Self::Elem>, b: MatRef<'_, Self::Elem>) -> Self;

    /// A copy of a matrix that has this type's shape.
    fn copied(of: MatRef<'_, Self::Elem>) -> Self;

    /// `self += k x`
    #[inline]
    fn add_times(&mut self, k: Self::Elem, x: MatRef<'_, Self::Elem>) {
        ::faer::zip!(self.mat_mut(), x).for_each(|::faer::unzip!(y, x)| *y += k * *x);
    }

    /// `self += x`
    #[inline]
    fn add_mat(&mut self, x: MatRef<'_, Self::Elem>) {
        ::faer::zip!(self.mat_mut(), x).for_each(|::faer::unzip!(y, x)| *y += *x);
    }

    /// `self += k`, for each element.
    #[inline]
    fn add_number(&mut self, k: Self::Elem) {
        ::faer::zip!(self.mat_mut()).for_each(|::faer::unzip!(y)| *y += k);
    }

    /// A function of each pair of elements.
    #[must_use]
    #[inline]
    fn zipped(&self, x: &Self, f: impl Fn(Self::Elem, Self::Elem) -> Self::Elem) -> Self {
        let mut y = self.clone();
        ::faer::zip!(y.mat_mut(), x.mat()).for_each(|::faer::unzip!(y, x)| *y = f(*y, *x));
        y
    }

    /// A function of each element.
    #[must_use]
    #[inline]
    fn mapped(&self, f: impl Fn(Self::Elem) -> Self::Elem) -> Self {
        let mut y = self.clone();
        ::faer::zip!(y.mat_mut()).for_each(|::faer::unzip!(y)| *y = f(*y));
        y
    }
}

/// The sum of the products of elements, by the library's products of columns.
fn inner<A: Element>(x: MatRef<'_, A>, y: MatRef<'_, A>) -> A {
    let mut sum = A::ZERO;
    for j in 0..x.ncols() {
        sum += x.col(j).transpose() * y.col(j);
    }
    sum
}

impl<A: Element> AnyMatrix for Mat<A> {
    type Elem = A;

    #[inline]
    fn mat(&self) -> MatRef<'_, A> {
        self.as_ref()
    }

    #[inline]
    fn mat_mut(&mut self) -> MatMut<'_, A> {
        self.as_mut()
    }

    #[inline]
    #[track_caller]
    fn product(a: MatRef<'_, A>, b: MatRef<'_, A>) -> Self {
        a * b
    }

    #[inline]
    fn copied(of: MatRef<'_, A>) -> Self {
        of.cloned()
    }
}

impl<A: Element> AnyMatrix for Col<A> {
    type Elem = A;

    #[inline]
    fn mat(&self) -> MatRef<'_, A> {
        self.as_mat().as_dyn_stride()
    }

    #[inline]
    fn mat_mut(&mut self) -> MatMut<'_, A> {
        self.as_mat_mut().as_dyn_stride_mut()
    }

    #[inline]
    #[track_caller]
    fn product(a: MatRef<'_, A>, b: MatRef<'_, A>) -> Self {
        a * b.col(0)
    }

    #[inline]
    fn copied(of: MatRef<'_, A>) -> Self {
        of.col(0).cloned()
    }
}

impl<A: Element> AnyMatrix for Row<A> {
    type Elem = A;

    #[inline]
    fn mat(&self) -> MatRef<'_, A> {
        self.as_mat().as_dyn_stride()
    }

    #[inline]
    fn mat_mut(&mut self) -> MatMut<'_, A> {
        self.as_mat_mut().as_dyn_stride_mut()
    }

    #[inline]
    #[track_caller]
    fn product(a: MatRef<'_, A>, b: MatRef<'_, A>) -> Self {
        a.row(0) * b
    }

    #[inline]
    fn copied(of: MatRef<'_, A>) -> Self {
        of.row(0).cloned()
    }
}

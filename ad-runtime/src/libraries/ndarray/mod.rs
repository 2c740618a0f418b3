//! `ndarray`: the tangent of an array or of a view is an array of the same shape, `Array2<f64>` for an `ArrayView2<'_, f64>`.
//!
//! A view of an array that the macro knows to be one is a place, whose shadow is the same view of the shadow (`views`). Of any other receiver, the
//! rules of methods that return a view (`t`, `row`, `slice_axis`, ...) return an array instead, a copy: a pullback may not hold references, and
//! code that reads a view can read an array as well. Rules take an array by its type behind a reference, `ArrayRef`, so that their modes don't
//! depend on the borrow of a view. The rules of products run on the library's own kernels.

pub mod calls;
mod consumed;
mod dot;
mod functions;
mod index;
mod makers;
mod mapped;
mod methods;
mod moments;
mod operators;
mod types;
mod updates;
pub(crate) mod views;

pub use dot::ArrayDotRules;
pub use functions::{ArrayFunctionRules, NumberFunctionRules};
pub use makers::{ArrayMakerRules, MatrixMakerRules, VectorMakerRules};
pub use mapped::ArrayMapRules;
pub use methods::{ArrayRules, MatrixRules, ShapeRules, VectorRules};
pub use moments::MomentRules;
pub(crate) use types::Storage;
pub use updates::{ArrayUpdateRules, ArrayUpdates};
pub use views::{ArrayViews, MatrixViews};

/// Arrays behind parameters that are views, and these views.
#[doc(hidden)]
pub mod by_value {
    pub use ::ndarray::{
        ArrayRef, ArrayRef0, ArrayRef1, ArrayRef2, ArrayRef3, ArrayRef4, ArrayRef5, ArrayRef6,
        ArrayRefD, ArrayView, ArrayView0, ArrayView1, ArrayView2, ArrayView3, ArrayView4,
        ArrayView5, ArrayView6, ArrayViewD,
    };

    /// The view that a function takes.
    #[inline(always)]
    pub fn view<A, D: ::ndarray::Dimension>(behind: &ArrayRef<A, D>) -> ArrayView<'_, A, D> {
        behind.view()
    }
}

/// Arrays behind parameters that are references to views.
#[doc(hidden)]
pub use by_value as by_reference;

use ::ndarray::{
    Array, ArrayBase, ArrayRef, Axis, Data, Dimension, LinalgScalar, RemoveAxis, ScalarOperand,
};

use crate::{CoDual, Dual, Real};

/// `f32` and `f64`, whose arrays can be multiplied.
pub trait Element: Real + LinalgScalar + ScalarOperand {
    /// The library's `var`.
    fn var_of<D: Dimension>(x: &ArrayRef<Self, D>, ddof: Self) -> Self;

    /// The library's `std`.
    fn std_of<D: Dimension>(x: &ArrayRef<Self, D>, ddof: Self) -> Self;

    /// The library's `var_axis`.
    fn var_along<D: RemoveAxis>(
        x: &ArrayRef<Self, D>,
        axis: Axis,
        ddof: Self,
    ) -> Array<Self, D::Smaller>;

    /// The library's `std_axis`.
    fn std_along<D: RemoveAxis>(
        x: &ArrayRef<Self, D>,
        axis: Axis,
        ddof: Self,
    ) -> Array<Self, D::Smaller>;
}

macro_rules! element {
    ($($float:ty)*) => {$(
        impl Element for $float {
            #[inline]
            fn var_of<D: Dimension>(x: &ArrayRef<Self, D>, ddof: Self) -> Self {
                x.var(ddof)
            }

            #[inline]
            fn std_of<D: Dimension>(x: &ArrayRef<Self, D>, ddof: Self) -> Self {
                x.std(ddof)
            }

            #[inline]
            fn var_along<D: RemoveAxis>(x: &ArrayRef<Self, D>, axis: Axis, ddof: Self) -> Array<Self, D::Smaller> {
                x.var_axis(axis, ddof)
            }

            #[inline]
            fn std_along<D: RemoveAxis>(x: &ArrayRef<Self, D>, axis: Axis, ddof: Self) -> Array<Self, D::Smaller> {
                x.std_axis(axis, ddof)
            }
        }
    )*};
}
element! { f32 f64 }

/// An array of floats: owned, a view, or the type of both behind a reference.
pub trait AnyArray {
    /// `f32` or `f64`.
    type Elem: Element;
    /// The kind of shape.
    type Dim: Dimension;

    /// The type of all arrays behind a reference.
    fn array(&self) -> &ArrayRef<Self::Elem, Self::Dim>;
}

impl<A: Element, S: Data<Elem = A>, D: Dimension> AnyArray for ArrayBase<S, D> {
    type Elem = A;
    type Dim = D;

    #[inline(always)]
    fn array(&self) -> &ArrayRef<A, D> {
        self
    }
}

impl<A: Element, D: Dimension> AnyArray for ArrayRef<A, D> {
    type Elem = A;
    type Dim = D;

    #[inline(always)]
    fn array(&self) -> &ArrayRef<A, D> {
        self
    }
}

/// The float type of an array.
type Elem<X> = <X as AnyArray>::Elem;
/// The kind of shape of an array.
type Dim<X> = <X as AnyArray>::Dim;
/// An array behind a reference. Rules of methods take it, so that their modes have no lifetime of a view.
type Behind<X> = ArrayRef<Elem<X>, Dim<X>>;
/// The tangent of an array.
type Tangents<X> = Array<Elem<X>, Dim<X>>;
/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;
/// The argument of a pullback for an array behind a reference.
type At<'a, X> = CoDual<&'a Behind<X>, &'a mut Behind<X>>;
/// The same in second order.
type At2<'a, X> =
    CoDual<Dual<&'a Behind<X>, &'a Behind<X>>, Dual<&'a mut Behind<X>, &'a mut Behind<X>>>;
/// The pullback's argument for an array behind `&mut`.
type AtMut<'a, X> = CoDual<&'a mut Behind<X>, &'a mut Behind<X>>;
/// The same in second order.
type AtMut2<'a, X> =
    CoDual<Dual<&'a mut Behind<X>, &'a mut Behind<X>>, Dual<&'a mut Behind<X>, &'a mut Behind<X>>>;

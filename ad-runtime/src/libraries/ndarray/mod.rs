//! `ndarray`: the tangent of an array or of a view is an array of the same shape, `Array2<f64>` for an `ArrayView2<'_, f64>`.
//!
//! Rules of methods that give a view (`t`, `row`, `slice_axis`, ...) give an array instead, a copy: a pullback may not hold references, and
//! what reads a view reads an array as well. The rules of products run on the library's own kernels.

mod dot;
mod functions;
mod index;
mod makers;
mod mapped;
mod methods;
mod operators;
mod types;

pub use dot::ArrayDotRules;
pub use functions::ArrayFunctionRules;
pub use makers::{ArrayMakerRules, MatrixMakerRules, VectorMakerRules};
pub use mapped::ArrayMapRules;
pub use methods::{ArrayRules, MatrixRules};
pub(crate) use types::Storage;

use ::ndarray::{Array, ArrayBase, ArrayRef, Dimension, LinalgScalar, ScalarOperand};

use crate::{CoDual, Differentiable, Dual, Real};

/// `f32` and `f64`, whose arrays can be multiplied.
pub trait Element: Real + LinalgScalar + ScalarOperand {}
impl<A: Real + LinalgScalar + ScalarOperand> Element for A {}

/// An array of floats, owned or a view.
pub trait AnyArray:
    Differentiable<Tangent = Array<Self::Elem, Self::Dim>, OwnedTangent = Array<Self::Elem, Self::Dim>>
{
    /// `f32` or `f64`.
    type Elem: Element;
    /// The kind of shape.
    type Dim: Dimension;

    /// What all arrays are behind a reference.
    fn array(&self) -> &ArrayRef<Self::Elem, Self::Dim>;
}

impl<A: Element, S: Storage<Elem = A>, D: Dimension> AnyArray for ArrayBase<S, D> {
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
/// The tangent of an array.
type Tangents<X> = Array<Elem<X>, Dim<X>>;
/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;
/// What a pullback takes for an array behind a reference.
type At<'a, X> = CoDual<&'a X, &'a mut Tangents<X>>;
/// The same in second order.
type At2<'a, X> =
    CoDual<Dual<&'a X, &'a Tangents<X>>, Dual<&'a mut Tangents<X>, &'a mut Tangents<X>>>;

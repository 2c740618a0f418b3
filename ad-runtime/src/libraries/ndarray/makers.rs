//! Functions that make arrays: `Array1::zeros(n)`, `Array2::from_shape_vec((n, m), values)`. They are called by path.

use alloc::vec::Vec;

use ::ndarray::{
    Array, Array1, Array2, ArrayRef1, Dimension, Ix1, Ix2, ShapeBuilder, ShapeError, StrideShape,
};

use super::methods::add;
use super::{At, At2, D, Element};
use crate::{Dual, NoTangent, mode};

/// Functions that make arrays from a shape alone: the tangent is zero.
macro_rules! of_shapes {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $method:ident
        [$($generics:tt)*] ($shape:ident: $Shape:ty);
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes $($generics)* () -> (mode::Const<$Shape>,) {
            (mode::constant(),)
        }

        /// The array, and zeros.
        #[inline]
        fn $frule $($generics)* ($shape: $Shape) -> D<Array<Self::Elem, Self::Dim>> {
            let made = Array::<Self::Elem, Self::Dim>::$method($shape);
            let zeros = Array::zeros(made.raw_dim());
            Dual(made, zeros)
        }

        /// The array. Nothing depends on it.
        #[inline]
        fn $rrule $($generics)* (
            $shape: $Shape,
        ) -> (Array<Self::Elem, Self::Dim>, impl FnOnce(Array<Self::Elem, Self::Dim>, ()) -> ((),)) {
            (Array::<Self::Elem, Self::Dim>::$method($shape), |_: Array<_, _>, ()| ((),))
        }

        /// The forward transform of the same.
        #[inline]
        fn $rrule_frule $($generics)* (
            $shape: $Shape,
        ) -> (
            D<Array<Self::Elem, Self::Dim>>,
            impl FnOnce(D<Array<Self::Elem, Self::Dim>>, ()) -> ((),),
        ) {
            (Self::$frule($shape), |_: D<Array<_, _>>, ()| ((),))
        }
    )*};
}

/// The types of arrays, which have functions that make them.
pub trait Made {
    /// `f32` or `f64`.
    type Elem: Element;
    /// The kind of shape.
    type Dim: Dimension;
}
impl<A: Element, E: Dimension> Made for Array<A, E> {
    type Elem = A;
    type Dim = E;
}

/// The rules of functions that make arrays.
pub trait ArrayMakerRules: Made {
    of_shapes! {
        /// `Array::zeros(shape)`.
        [__zeros_path_modes __zeros_path_frule __zeros_rrule __zeros_path_rrule_frule] zeros
        [<Sh: ShapeBuilder<Dim = Self::Dim>>] (shape: Sh);

        /// `Array::ones(shape)`.
        [__ones_path_modes __ones_path_frule __ones_rrule __ones_path_rrule_frule] ones
        [<Sh: ShapeBuilder<Dim = Self::Dim>>] (shape: Sh);
    }

    /// `Array::from_elem(shape, x)`.
    #[inline(always)]
    fn __from_elem_path_modes<Sh: ShapeBuilder<Dim = Self::Dim>>()
    -> (mode::Const<Sh>, mode::Owned<Self::Elem>) {
        (mode::constant(), mode::owned())
    }

    /// The array, and its tangent.
    #[inline]
    fn __from_elem_path_frule<Sh: ShapeBuilder<Dim = Self::Dim>>(
        shape: Sh,
        x: D<Self::Elem>,
    ) -> D<Array<Self::Elem, Self::Dim>> {
        let made = Array::from_elem(shape, x.0);
        let dot = Array::from_elem(made.raw_dim(), x.1);
        Dual(made, dot)
    }

    /// The array, and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_elem_rrule<Sh: ShapeBuilder<Dim = Self::Dim>>(
        shape: Sh,
        x: Self::Elem,
    ) -> (
        Array<Self::Elem, Self::Dim>,
        impl FnOnce(Array<Self::Elem, Self::Dim>, (), ()) -> ((), Self::Elem),
    ) {
        let pullback = |y_bar: Array<Self::Elem, Self::Dim>, (), ()| ((), y_bar.sum());
        (Array::from_elem(shape, x), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_elem_path_rrule_frule<Sh: ShapeBuilder<Dim = Self::Dim>>(
        shape: Sh,
        x: D<Self::Elem>,
    ) -> (
        D<Array<Self::Elem, Self::Dim>>,
        impl FnOnce(D<Array<Self::Elem, Self::Dim>>, (), ()) -> ((), D<Self::Elem>),
    ) {
        let pullback = |y_bar: D<Array<Self::Elem, Self::Dim>>, (), ()| {
            ((), Dual(y_bar.0.sum(), y_bar.1.sum()))
        };
        (Self::__from_elem_path_frule(shape, x), pullback)
    }

    /// `Array::from_shape_vec(shape, elements)`, for which the elements come in the order of memory.
    #[inline(always)]
    fn __from_shape_vec_path_modes<Sh: Into<StrideShape<Self::Dim>>>()
    -> (mode::Const<Sh>, mode::Owned<Vec<Self::Elem>>) {
        (mode::constant(), mode::owned())
    }

    /// The array, and its tangent.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_shape_vec_path_frule<Sh: Into<StrideShape<Self::Dim>>>(
        shape: Sh,
        Dual(x, x_dot): D<Vec<Self::Elem>>,
    ) -> Dual<
        Result<Array<Self::Elem, Self::Dim>, ShapeError>,
        Result<Array<Self::Elem, Self::Dim>, NoTangent>,
    > {
        let shape = shape.into();
        let made = Array::from_shape_vec(shape.clone(), x);
        let dot = Array::from_shape_vec(shape, x_dot);
        Dual(made, dot.map_err(|_| NoTangent))
    }

    /// The array, and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_shape_vec_rrule<Sh: Into<StrideShape<Self::Dim>>>(
        shape: Sh,
        x: Vec<Self::Elem>,
    ) -> (
        Result<Array<Self::Elem, Self::Dim>, ShapeError>,
        impl FnOnce(Result<Array<Self::Elem, Self::Dim>, NoTangent>, (), ()) -> ((), Vec<Self::Elem>),
    ) {
        let (shape, n) = (shape.into(), x.len());
        let made = Array::from_shape_vec(shape.clone(), x);
        (made, move |y_bar: Result<_, NoTangent>, (), ()| {
            ((), elements(y_bar, shape, n))
        })
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_shape_vec_path_rrule_frule<Sh: Into<StrideShape<Self::Dim>>>(
        shape: Sh,
        x: D<Vec<Self::Elem>>,
    ) -> (
        Dual<
            Result<Array<Self::Elem, Self::Dim>, ShapeError>,
            Result<Array<Self::Elem, Self::Dim>, NoTangent>,
        >,
        impl FnOnce(
            D<Result<Array<Self::Elem, Self::Dim>, NoTangent>>,
            (),
            (),
        ) -> ((), D<Vec<Self::Elem>>),
    ) {
        let (shape, n) = (shape.into(), x.0.len());
        let made = Self::__from_shape_vec_path_frule(shape.clone(), x);
        (made, move |y_bar: D<Result<_, NoTangent>>, (), ()| {
            let x_bar = elements(y_bar.0, shape.clone(), n);
            ((), Dual(x_bar, elements(y_bar.1, shape, n)))
        })
    }
}
impl<X: Made> ArrayMakerRules for X {}

/// The elements of a cotangent in the order of memory that `shape` says.
fn elements<A: Element, E: Dimension>(
    y_bar: Result<Array<A, E>, NoTangent>,
    shape: StrideShape<E>,
    n: usize,
) -> Vec<A> {
    let zeros = alloc::vec![A::ZERO; n];
    match (y_bar, Array::from_shape_vec(shape, zeros.clone())) {
        (Ok(y_bar), Ok(mut ordered)) => {
            ordered.assign(&y_bar);
            ordered.into_raw_vec_and_offset().0
        }
        _ => zeros,
    }
}

/// The rules of functions that make vectors.
pub trait VectorMakerRules: Made<Dim = Ix1> {
    /// `Array1::from_vec(elements)`.
    #[inline(always)]
    fn __from_vec_path_modes() -> (mode::Owned<Vec<Self::Elem>>,) {
        (mode::owned(),)
    }

    /// The array, and its tangent.
    #[inline]
    fn __from_vec_path_frule(x: D<Vec<Self::Elem>>) -> D<Array1<Self::Elem>> {
        Dual(Array1::from_vec(x.0), Array1::from_vec(x.1))
    }

    /// The array, and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_vec_rrule(
        x: Vec<Self::Elem>,
    ) -> (
        Array1<Self::Elem>,
        impl FnOnce(Array1<Self::Elem>, ()) -> (Vec<Self::Elem>,),
    ) {
        let pullback = |y_bar: Array1<Self::Elem>, ()| (y_bar.to_vec(),);
        (Array1::from_vec(x), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_vec_path_rrule_frule(
        x: D<Vec<Self::Elem>>,
    ) -> (
        D<Array1<Self::Elem>>,
        impl FnOnce(D<Array1<Self::Elem>>, ()) -> (D<Vec<Self::Elem>>,),
    ) {
        let pullback =
            |y_bar: D<Array1<Self::Elem>>, ()| (Dual(y_bar.0.to_vec(), y_bar.1.to_vec()),);
        (Self::__from_vec_path_frule(x), pullback)
    }
}
impl<X: Made<Dim = Ix1>> VectorMakerRules for X {}

/// The rules of functions that make matrices.
pub trait MatrixMakerRules: Made<Dim = Ix2> {
    of_shapes! {
        /// `Array2::eye(n)`.
        [__eye_path_modes __eye_path_frule __eye_rrule __eye_path_rrule_frule] eye
        [] (n: usize);
    }

    /// `Array2::from_diag(&v)`.
    #[inline(always)]
    fn __from_diag_path_modes() -> (mode::Ref<ArrayRef1<Self::Elem>>,) {
        (mode::by_ref(),)
    }

    /// The array, and its tangent.
    #[inline]
    fn __from_diag_path_frule(
        x: Dual<&ArrayRef1<Self::Elem>, &ArrayRef1<Self::Elem>>,
    ) -> D<Array2<Self::Elem>> {
        Dual(
            Array2::from_diag(&x.0.view()),
            Array2::from_diag(&x.1.view()),
        )
    }

    /// The array, and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_diag_rrule(
        x: &ArrayRef1<Self::Elem>,
    ) -> (
        Array2<Self::Elem>,
        impl FnOnce(Array2<Self::Elem>, At<'_, ArrayRef1<Self::Elem>>) -> ((),) + use<Self>,
    ) {
        let pullback = |y_bar: Array2<Self::Elem>, x: At<'_, ArrayRef1<Self::Elem>>| {
            add(x.1, &y_bar.diag());
            ((),)
        };
        (Array2::from_diag(&x.view()), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __from_diag_path_rrule_frule(
        x: Dual<&ArrayRef1<Self::Elem>, &ArrayRef1<Self::Elem>>,
    ) -> (
        D<Array2<Self::Elem>>,
        impl FnOnce(D<Array2<Self::Elem>>, At2<'_, ArrayRef1<Self::Elem>>) -> ((),) + use<Self>,
    ) {
        let pullback = |y_bar: D<Array2<Self::Elem>>, x: At2<'_, ArrayRef1<Self::Elem>>| {
            add(x.1.0, &y_bar.0.diag());
            add(x.1.1, &y_bar.1.diag());
            ((),)
        };
        (Self::__from_diag_path_frule(x), pullback)
    }
}
impl<X: Made<Dim = Ix2>> MatrixMakerRules for X {}

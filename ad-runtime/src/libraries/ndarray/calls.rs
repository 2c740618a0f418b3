//! Functions of the library that are called by their names: `arr1(&[x, y])`, `concatenate(axis, &[a, b])`, `general_mat_mul(..)`. Each is a module
//! with the function itself and its rules, which generated code calls in its place.

#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::type_complexity,
    clippy::inline_always,
    reason = "the rules of a function have one form"
)]

use alloc::vec::Vec;

use ::ndarray::{
    Array, Array1, Array2, Array3, ArrayRef, ArrayView, Axis, Dimension, RemoveAxis, ShapeError,
    Slice,
};

use super::methods::add;
use super::{D, Element};
use crate::{CoDual, Dual, NoTangent};

/// Linear functions of one list.
macro_rules! of_lists {
    ($($(#[$doc:meta])* $name:ident [$($generics:tt)*] [$($captured:tt)*] ($Arg:ty) -> $Y:ty;
        |$x:ident| $value:expr; |$y_bar:ident, $x_bar:ident| $adjoint:expr;)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::*;
            use crate::mode;

            #[inline]
            pub fn call<A: Element, $($generics)*>($x: &$Arg) -> $Y {
                $value
            }

            #[inline(always)]
            pub fn __modes<A: Element, $($generics)*>() -> (mode::Ref<$Arg>,) {
                (mode::by_ref(),)
            }

            #[inline]
            pub fn __frule<A: Element, $($generics)*>(x: Dual<&$Arg, &$Arg>) -> D<$Y> {
                Dual(call(x.0), call(x.1))
            }

            #[inline]
            pub fn __rrule<A: Element, $($generics)*>(
                x: &$Arg,
            ) -> ($Y, impl FnOnce($Y, CoDual<&$Arg, &mut $Arg>) -> ((),) + use<A, $($captured)*>) {
                (call(x), |$y_bar: $Y, CoDual(_, $x_bar): CoDual<&$Arg, &mut $Arg>| { $adjoint; ((),) })
            }

            #[inline]
            pub fn __rrule_frule<A: Element, $($generics)*>(
                x: Dual<&$Arg, &$Arg>,
            ) -> (
                D<$Y>,
                impl FnOnce(D<$Y>, CoDual<Dual<&$Arg, &$Arg>, Dual<&mut $Arg, &mut $Arg>>) -> ((),) + use<A, $($captured)*>,
            ) {
                (
                    __frule(x),
                    |y_bar: D<$Y>, CoDual(_, bars): CoDual<Dual<&$Arg, &$Arg>, Dual<&mut $Arg, &mut $Arg>>| {
                        for ($y_bar, $x_bar) in [(y_bar.0, bars.0), (y_bar.1, bars.1)] {
                            $adjoint;
                        }
                        ((),)
                    },
                )
            }
        }
    )*};
}

of_lists! {
    /// `arr1(&[..])`.
    arr1 [] [] ([A]) -> Array1<A>;
    |x| ::ndarray::arr1(x);
    |y_bar, x_bar| for (x_bar, y_bar) in x_bar.iter_mut().zip(&y_bar) { *x_bar += *y_bar; };

    /// `arr2(&[[..]])`.
    arr2 [const N: usize] [N] ([[A; N]]) -> Array2<A>;
    |x| ::ndarray::arr2(x);
    |y_bar, x_bar| for (x_bar, y_bar) in x_bar.iter_mut().flatten().zip(&y_bar) { *x_bar += *y_bar; };

    /// `arr3(&[[[..]]])`.
    arr3 [const N: usize, const M: usize] [N, M] ([[[A; M]; N]]) -> Array3<A>;
    |x| ::ndarray::arr3(x);
    |y_bar, x_bar| for (x_bar, y_bar) in x_bar.iter_mut().flatten().flatten().zip(&y_bar) { *x_bar += *y_bar; };
}

/// Functions that put arrays together along an axis.
macro_rules! joined {
    ($($(#[$doc:meta])* $name:ident $Out:ident; |$axis:ident, $k:ident, $before:ident, $n:ident, $y_bar:ident| $part:expr;)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::*;
            use crate::mode;

            type Made<A, X, E> = Result<Array<A, $Out<X>>, E>;

            pub fn call<A: Element, X: RemoveAxis>(axis: Axis, arrays: &[Array<A, X>]) -> Made<A, X, ShapeError>
            where
                $Out<X>: RemoveAxis,
            {
                let views: Vec<ArrayView<'_, A, X>> = arrays.iter().map(|array| array.view()).collect();
                ::ndarray::$name(axis, &views)
            }

            #[inline(always)]
            pub fn __modes<A: Element, X: RemoveAxis>() -> (mode::Const<Axis>, mode::Ref<[Array<A, X>]>) {
                (mode::constant(), mode::by_ref())
            }

            pub fn __frule<A: Element, X: RemoveAxis>(
                axis: Axis,
                arrays: Dual<&[Array<A, X>], &[Array<A, X>]>,
            ) -> Dual<Made<A, X, ShapeError>, Made<A, X, NoTangent>>
            where
                $Out<X>: RemoveAxis,
            {
                Dual(call(axis, arrays.0), call(axis, arrays.1).map_err(|_| NoTangent))
            }

            fn pull<A: Element, X: RemoveAxis>(axis: Axis, y_bar: Made<A, X, NoTangent>, arrays: &mut [Array<A, X>])
            where
                $Out<X>: RemoveAxis,
            {
                let Ok($y_bar) = y_bar else { return };
                let ($axis, mut $before) = (axis, 0);
                for ($k, bar) in arrays.iter_mut().enumerate() {
                    let _ = $k;
                    let $n = bar.shape().get(axis.index()).copied().unwrap_or(0);
                    add(bar, &$part);
                    $before += $n;
                }
                let _ = $before;
            }

            pub fn __rrule<A: Element, X: RemoveAxis>(
                axis: Axis,
                arrays: &[Array<A, X>],
            ) -> (
                Made<A, X, ShapeError>,
                impl FnOnce(Made<A, X, NoTangent>, (), CoDual<&[Array<A, X>], &mut [Array<A, X>]>) -> ((), ()) + use<A, X>,
            )
            where
                $Out<X>: RemoveAxis,
            {
                let pullback = move |y_bar: Made<A, X, NoTangent>, (), bars: CoDual<&[Array<A, X>], &mut [Array<A, X>]>| {
                    pull(axis, y_bar, bars.1);
                    ((), ())
                };
                (call(axis, arrays), pullback)
            }

            pub fn __rrule_frule<A: Element, X: RemoveAxis>(
                axis: Axis,
                arrays: Dual<&[Array<A, X>], &[Array<A, X>]>,
            ) -> (
                Dual<Made<A, X, ShapeError>, Made<A, X, NoTangent>>,
                impl FnOnce(
                    D<Made<A, X, NoTangent>>,
                    (),
                    CoDual<Dual<&[Array<A, X>], &[Array<A, X>]>, Dual<&mut [Array<A, X>], &mut [Array<A, X>]>>,
                ) -> ((), ())
                + use<A, X>,
            )
            where
                $Out<X>: RemoveAxis,
            {
                let pullback = move |y_bar: D<Made<A, X, NoTangent>>,
                                     (),
                                     bars: CoDual<
                    Dual<&[Array<A, X>], &[Array<A, X>]>,
                    Dual<&mut [Array<A, X>], &mut [Array<A, X>]>,
                >| {
                    pull(axis, y_bar.0, bars.1.0);
                    pull(axis, y_bar.1, bars.1.1);
                    ((), ())
                };
                (__frule(axis, arrays), pullback)
            }
        }
    )*};
}

type Larger<X> = <X as Dimension>::Larger;
type Same<X> = X;

joined! {
    /// `stack(axis, &[a, b])`, of arrays.
    stack Larger; |axis, k, before, n, y_bar| match y_bar.index_axis(axis, k).into_dimensionality::<X>() {
        Ok(part) => part.to_owned(),
        Err(_) => unreachable!("the numbers of axes agree"),
    };

    /// `concatenate(axis, &[a, b])`, of arrays.
    concatenate Same; |axis, k, before, n, y_bar| y_bar.slice_axis(axis, Slice::from(before..before + n));
}

/// An array of the shape and the order in memory of another, of elements in logical order.
pub mod like {
    use super::*;
    use crate::{Differentiable, Tan, mode};

    /// What a pullback gets for the array of which only the shape matters.
    type Shape<'a, A, X> = CoDual<&'a ArrayRef<A, X>, &'a mut ArrayRef<Tan<A>, X>>;
    /// The same in second order.
    type Shape2<'a, A, X> = CoDual<
        Dual<&'a ArrayRef<A, X>, &'a ArrayRef<Tan<A>, X>>,
        Dual<&'a mut ArrayRef<Tan<A>, X>, &'a mut ArrayRef<Tan<A>, X>>,
    >;

    #[track_caller]
    pub fn call<A, B: Clone, X: Dimension>(
        array: &ArrayRef<A, X>,
        elements: Vec<B>,
    ) -> Array<B, X> {
        let made = match Array::from_shape_vec(array.raw_dim(), elements) {
            Ok(made) => made,
            Err(_) => panic!("as many elements as there were"),
        };
        if array.is_standard_layout() {
            return made;
        }
        // The library's own methods keep the order in memory.
        let mut order = array.map(|_| None);
        order.zip_mut_with(&made, |to, from| *to = Some(from.clone()));
        order.map(|element| match element {
            Some(element) => element.clone(),
            None => unreachable!("each has been set"),
        })
    }

    #[inline(always)]
    pub fn __modes<A: Differentiable, B: Element, X: Dimension>()
    -> (mode::Ref<ArrayRef<A, X>>, mode::Owned<Vec<B>>) {
        (mode::by_ref(), mode::owned())
    }

    pub fn __frule<A: Differentiable, B: Element, X: Dimension>(
        array: Dual<&ArrayRef<A, X>, &ArrayRef<Tan<A>, X>>,
        elements: D<Vec<B>>,
    ) -> D<Array<B, X>> {
        Dual(call(array.0, elements.0), call(array.0, elements.1))
    }

    fn listed<B: Element, X: Dimension>(y_bar: Array<B, X>) -> Vec<B> {
        if y_bar.is_standard_layout() {
            let n = y_bar.len();
            let (all, offset) = y_bar.into_raw_vec_and_offset();
            if offset.unwrap_or(0) == 0 && all.len() == n {
                return all;
            }
            return all[offset.unwrap_or(0)..offset.unwrap_or(0) + n].to_vec();
        }
        y_bar.iter().copied().collect()
    }

    pub fn __rrule<A: Differentiable, B: Element, X: Dimension>(
        array: &ArrayRef<A, X>,
        elements: Vec<B>,
    ) -> (
        Array<B, X>,
        impl FnOnce(Array<B, X>, Shape<'_, A, X>, ()) -> ((), Vec<B>) + use<A, B, X>,
    ) {
        (
            call(array, elements),
            |y_bar: Array<B, X>, _: Shape<'_, A, X>, ()| ((), listed(y_bar)),
        )
    }

    pub fn __rrule_frule<A: Differentiable, B: Element, X: Dimension>(
        array: Dual<&ArrayRef<A, X>, &ArrayRef<Tan<A>, X>>,
        elements: D<Vec<B>>,
    ) -> (
        D<Array<B, X>>,
        impl FnOnce(D<Array<B, X>>, Shape2<'_, A, X>, ()) -> ((), D<Vec<B>>) + use<A, B, X>,
    ) {
        (
            __frule(array, elements),
            |y_bar: D<Array<B, X>>, _: Shape2<'_, A, X>, ()| {
                ((), Dual(listed(y_bar.0), listed(y_bar.1)))
            },
        )
    }
}

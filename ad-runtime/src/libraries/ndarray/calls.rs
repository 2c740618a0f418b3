//! Functions of the library that are called by their names: `arr1(&[x, y])`, `concatenate(axis, &[a, b])`, `general_mat_mul(..)`. Each is a module
//! with the function itself and its rules, which generated code calls in its place.

#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::type_complexity,
    clippy::wildcard_imports,
    clippy::inline_always,
    reason = "the rules of a function have one form"
)]

use alloc::vec::Vec;

use ::ndarray::{
    Array, Array1, Array2, Array3, ArrayRef, ArrayView, Axis, Dimension, Ix1, Ix2, RemoveAxis,
    ShapeError, Slice, Zip,
};

use super::dot::Product;
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

    /// A pullback's argument for an array of which only the shape matters.
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
        let Ok(made) = Array::from_shape_vec(array.raw_dim(), elements) else {
            panic!("as many elements as there were")
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

/// `c = alpha a b + beta c` by the library's kernel.
macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $E:ty;)*) => {$(
        $(#[$doc])*
        pub mod $name {
            use super::*;
            use crate::mode;

            type Matrix<A> = ArrayRef<A, Ix2>;
            type Other<A> = ArrayRef<A, $E>;
            type Bar<'a, T> = CoDual<&'a T, &'a mut T>;
            type Bar2<'a, T> = CoDual<Dual<&'a T, &'a T>, Dual<&'a mut T, &'a mut T>>;
            type BarMut<'a, T> = CoDual<&'a mut T, &'a mut T>;
            type BarMut2<'a, T> = CoDual<Dual<&'a mut T, &'a mut T>, Dual<&'a mut T, &'a mut T>>;
            type Modes<A> = (
                mode::Owned<A>,
                mode::Ref<Matrix<A>>,
                mode::Ref<Other<A>>,
                mode::Owned<A>,
                mode::Mut<Other<A>>,
            );

            #[inline]
            #[track_caller]
            pub fn call<A: Element>(alpha: A, a: &Matrix<A>, b: &Other<A>, beta: A, c: &mut Other<A>) {
                ::ndarray::linalg::$name(alpha, a, b, beta, c);
            }

            #[inline(always)]
            pub fn __modes<A: Element>() -> Modes<A> {
                (mode::owned(), mode::by_ref(), mode::by_ref(), mode::owned(), mode::by_mut())
            }

            fn inner<A: Element>(x: &Other<A>, y: &Other<A>) -> A {
                let mut sum = A::ZERO;
                for (x, y) in x.iter().zip(y) {
                    sum += *x * *y;
                }
                sum
            }

            #[track_caller]
            pub fn __frule<A: Element>(
                alpha: D<A>,
                a: Dual<&Matrix<A>, &Matrix<A>>,
                b: Dual<&Other<A>, &Other<A>>,
                beta: D<A>,
                c: Dual<&mut Other<A>, &mut Other<A>>,
            ) -> Dual<(), NoTangent> {
                let Dual(c, c_dot) = c;
                // The product itself, only where the factor varies.
                call(alpha.0, a.1, b.0, beta.0, c_dot);
                call(alpha.0, a.0, b.1, A::ONE, c_dot);
                if alpha.1 != A::ZERO {
                    call(alpha.1, a.0, b.0, A::ONE, c_dot);
                }
                if beta.1 != A::ZERO {
                    c_dot.scaled_add(beta.1, c);
                }
                call(alpha.0, a.0, b.0, beta.0, c);
                Dual((), NoTangent)
            }

            fn product<A: Element>(a: &Matrix<A>, b: &Other<A>) -> Array<A, $E> {
                a.dot(b)
            }

            #[track_caller]
            fn pull<A: Element>(
                alpha: A,
                (a, a_bar): (&Matrix<A>, &mut Matrix<A>),
                (b, b_bar): (&Other<A>, &mut Other<A>),
                c_bar: &Other<A>,
            ) {
                let scaled = c_bar.map(|bar| *bar * alpha);
                <Ix2 as Product<$E>>::pull_left(&scaled, b, a_bar);
                <Ix2 as Product<$E>>::pull_right(&scaled, a, b_bar);
            }

            #[track_caller]
            pub fn __rrule<A: Element>(
                alpha: A,
                a: &Matrix<A>,
                b: &Other<A>,
                beta: A,
                c: &mut Other<A>,
            ) -> (
                (),
                impl FnOnce(
                    NoTangent,
                    (),
                    Bar<'_, Matrix<A>>,
                    Bar<'_, Other<A>>,
                    (),
                    BarMut<'_, Other<A>>,
                ) -> (A, (), (), A, ())
                + use<A>,
            ) {
                let old = c.to_owned();
                call(alpha, a, b, beta, c);
                let pullback = move |_: NoTangent,
                                     (),
                                     a: Bar<'_, Matrix<A>>,
                                     b: Bar<'_, Other<A>>,
                                     (),
                                     c: BarMut<'_, Other<A>>| {
                    let CoDual(c, c_bar) = c;
                    let alpha_bar = inner(c_bar, &product(a.0, b.0));
                    let beta_bar = inner(c_bar, &old);
                    pull(alpha, (a.0, a.1), (b.0, b.1), c_bar);
                    c_bar.map_inplace(|bar| *bar *= beta);
                    c.assign(&old);
                    (alpha_bar, (), (), beta_bar, ())
                };
                ((), pullback)
            }

            #[track_caller]
            pub fn __rrule_frule<A: Element>(
                alpha: D<A>,
                a: Dual<&Matrix<A>, &Matrix<A>>,
                b: Dual<&Other<A>, &Other<A>>,
                beta: D<A>,
                c: Dual<&mut Other<A>, &mut Other<A>>,
            ) -> (
                Dual<(), NoTangent>,
                impl FnOnce(
                    Dual<NoTangent, NoTangent>,
                    (),
                    Bar2<'_, Matrix<A>>,
                    Bar2<'_, Other<A>>,
                    (),
                    BarMut2<'_, Other<A>>,
                ) -> (D<A>, (), (), D<A>, ())
                + use<A>,
            ) {
                let Dual(c, c_dot) = c;
                let (old, old_dot) = (c.to_owned(), c_dot.to_owned());
                let y = __frule(alpha, a, b, beta, Dual(c, c_dot));
                let pullback = move |_: Dual<NoTangent, NoTangent>,
                                     (),
                                     a: Bar2<'_, Matrix<A>>,
                                     b: Bar2<'_, Other<A>>,
                                     (),
                                     c: BarMut2<'_, Other<A>>| {
                    let CoDual(Dual(a, a_dot), Dual(a_bar, a_bar_dot)) = a;
                    let CoDual(Dual(b, b_dot), Dual(b_bar, b_bar_dot)) = b;
                    let CoDual(Dual(c, c_dot), Dual(c_bar, c_bar_dot)) = c;
                    let ab = product(a, b);
                    let ab_dot = product(a_dot, b) + product(a, b_dot);
                    let alpha_bar = Dual(
                        inner(c_bar, &ab),
                        inner(c_bar_dot, &ab) + inner(c_bar, &ab_dot),
                    );
                    let beta_bar = Dual(
                        inner(c_bar, &old),
                        inner(c_bar_dot, &old) + inner(c_bar, &old_dot),
                    );
                    pull(alpha.0, (a, a_bar), (b, b_bar), c_bar);
                    // The tangent of alpha c_bar, and that of the other factor.
                    let scaled = Zip::from(&*c_bar)
                        .and(&*c_bar_dot)
                        .map_collect(|bar, dot| *dot * alpha.0 + *bar * alpha.1);
                    <Ix2 as Product<$E>>::pull_left(&scaled, b, a_bar_dot);
                    <Ix2 as Product<$E>>::pull_right(&scaled, a, b_bar_dot);
                    let scaled = c_bar.map(|bar| *bar * alpha.0);
                    <Ix2 as Product<$E>>::pull_left(&scaled, b_dot, a_bar_dot);
                    <Ix2 as Product<$E>>::pull_right(&scaled, a_dot, b_bar_dot);
                    Zip::from(c_bar)
                        .and(c_bar_dot)
                        .for_each(|bar, dot| {
                            *dot = *dot * beta.0 + *bar * beta.1;
                            *bar *= beta.0;
                        });
                    c.assign(&old);
                    c_dot.assign(&old_dot);
                    (alpha_bar, (), (), beta_bar, ())
                };
                (y, pullback)
            }
        }
    )*};
}

kernels! {
    /// `general_mat_mul(alpha, a, b, beta, c)`.
    general_mat_mul Ix2;

    /// `general_mat_vec_mul(alpha, a, x, beta, y)`.
    general_mat_vec_mul Ix1;
}

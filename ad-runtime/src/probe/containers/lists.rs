//! `Vec`s and `VecDeque`s with other lists: `extend_from_slice`, `append`, `resize`.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{At, At2, Shared, Shared2};
use crate::{CoDual, Differentiable, Dual, NoTangent, Tan, Tangent, mode};

type Unit = Dual<(), NoTangent>;
type NoTangent2 = Dual<NoTangent, NoTangent>;

/// Adds the elements from `n` on to `to`.
#[inline(always)]
fn cut_off_into<S: crate::TangentValue>(n: usize, from: &[S], to: &mut [S]) {
    to.accumulate(&from[n..]);
}

/// Adds the sum of the added elements' cotangents to `total`.
#[inline(always)]
fn sum_of<T: Differentiable>(bars: impl Iterator<Item = Tan<T>>, total: &mut Tan<T>) {
    for bar in bars {
        total.accumulate(&bar);
    }
}

/// The rules of one kind of list, whose elements are accessed as a slice.
macro_rules! list_rules {
    ($(#[$doc:meta])* $Rules:ident $List:ident $all:path) => {
        $(#[$doc])*
        pub trait $Rules<T: Differentiable + Clone>: Differentiable<Tangent = $List<Tan<T>>> {
            /// `v.extend_from_slice(x)`.
            #[inline(always)]
            fn __extend_from_slice_modes(&self) -> (mode::Mut<Self>, mode::Ref<[T]>) {
                (mode::by_mut(), mode::by_ref())
            }

            /// Appends the tangents, too.
            fn __extend_from_slice_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                x: Dual<&[T], &[Tan<T>]>,
            ) -> Unit;

            /// `x_bar += ` the end of `v_bar`, which is cut off.
            #[allow(clippy::type_complexity)]
            fn __extend_from_slice_rrule(
                &mut self,
                x: &[T],
            ) -> (
                (),
                impl FnOnce(NoTangent, At<'_, Self>, Shared<'_, [T]>) -> ((), ()) + use<T, Self>,
            );

            /// The forward transform of the same.
            #[allow(clippy::type_complexity)]
            fn __extend_from_slice_rrule_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                x: Dual<&[T], &[Tan<T>]>,
            ) -> (
                Unit,
                impl FnOnce(NoTangent2, At2<'_, Self>, Shared2<'_, [T]>) -> ((), ()) + use<T, Self>,
            );

            /// `v.append(&mut w)`.
            #[inline(always)]
            fn __append_modes(&self) -> (mode::Mut<Self>, mode::Mut<$List<T>>) {
                (mode::by_mut(), mode::by_mut())
            }

            /// Moves the tangents, too.
            fn __append_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                w: Dual<&mut $List<T>, &mut $List<Tan<T>>>,
            ) -> Unit;

            /// Moves the elements back, and their cotangents.
            #[allow(clippy::type_complexity)]
            fn __append_rrule(
                &mut self,
                w: &mut $List<T>,
            ) -> (
                (),
                impl FnOnce(NoTangent, At<'_, Self>, At<'_, $List<T>>) -> ((), ()) + use<T, Self>,
            );

            /// The forward transform of the same.
            #[allow(clippy::type_complexity)]
            fn __append_rrule_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                w: Dual<&mut $List<T>, &mut $List<Tan<T>>>,
            ) -> (
                Unit,
                impl FnOnce(NoTangent2, At2<'_, Self>, At2<'_, $List<T>>) -> ((), ()) + use<T, Self>,
            );

            /// `v.resize(n, x)`.
            #[inline(always)]
            #[allow(clippy::type_complexity)]
            fn __resize_modes(&self) -> (mode::Mut<Self>, mode::Const<usize>, mode::Owned<T>) {
                (mode::by_mut(), mode::constant(), mode::owned())
            }

            /// Resizes the tangents, too.
            fn __resize_frule(&mut self, self_dot: &mut $List<Tan<T>>, n: usize, x: Dual<T, Tan<T>>) -> Unit;

            /// `x_bar +=` the sum of the cotangents of added elements; dropped ones are put back with the cotangent zero.
            #[allow(clippy::type_complexity)]
            fn __resize_rrule(
                &mut self,
                n: usize,
                x: T,
            ) -> (
                (),
                impl FnOnce(NoTangent, At<'_, Self>, (), ()) -> ((), (), Tan<T>) + use<T, Self>,
            );

            /// The forward transform of the same.
            #[allow(clippy::type_complexity)]
            fn __resize_rrule_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                n: usize,
                x: Dual<T, Tan<T>>,
            ) -> (
                Unit,
                impl FnOnce(NoTangent2, At2<'_, Self>, (), ()) -> ((), (), Dual<Tan<T>, Tan<T>>) + use<T, Self>,
            );
        }

        impl<T: Differentiable + Clone> $Rules<T> for $List<T> {
            #[inline(always)]
            fn __extend_from_slice_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                Dual(x, x_dot): Dual<&[T], &[Tan<T>]>,
            ) -> Unit {
                self.extend(x.iter().cloned());
                self_dot.extend(x_dot.iter().cloned());
                Dual((), NoTangent)
            }

            #[inline(always)]
            fn __extend_from_slice_rrule(
                &mut self,
                x: &[T],
            ) -> (
                (),
                impl FnOnce(NoTangent, At<'_, Self>, Shared<'_, [T]>) -> ((), ()) + use<T>,
            ) {
                let n = self.len();
                self.extend(x.iter().cloned());
                let pullback = move |_: NoTangent,
                                     CoDual(v, v_bar): At<'_, Self>,
                                     CoDual(_, x_bar): Shared<'_, [T]>| {
                    cut_off_into(n, $all(v_bar), x_bar);
                    v_bar.truncate(n);
                    v.truncate(n);
                    ((), ())
                };
                ((), pullback)
            }

            #[inline(always)]
            fn __extend_from_slice_rrule_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                x: Dual<&[T], &[Tan<T>]>,
            ) -> (
                Unit,
                impl FnOnce(NoTangent2, At2<'_, Self>, Shared2<'_, [T]>) -> ((), ()) + use<T>,
            ) {
                let n = self.len();
                let pullback = move |_: NoTangent2,
                                     CoDual(v, v_bar): At2<'_, Self>,
                                     CoDual(_, x_bar): Shared2<'_, [T]>| {
                    cut_off_into(n, $all(v_bar.0), x_bar.0);
                    v_bar.0.truncate(n);
                    cut_off_into(n, $all(v_bar.1), x_bar.1);
                    v_bar.1.truncate(n);
                    v.0.truncate(n);
                    v.1.truncate(n);
                    ((), ())
                };
                (self.__extend_from_slice_frule(self_dot, x), pullback)
            }

            #[inline(always)]
            fn __append_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                Dual(w, w_dot): Dual<&mut $List<T>, &mut $List<Tan<T>>>,
            ) -> Unit {
                self.append(w);
                self_dot.append(w_dot);
                Dual((), NoTangent)
            }

            #[inline(always)]
            fn __append_rrule(
                &mut self,
                w: &mut $List<T>,
            ) -> (
                (),
                impl FnOnce(NoTangent, At<'_, Self>, At<'_, $List<T>>) -> ((), ()) + use<T>,
            ) {
                let n = self.len();
                self.append(w);
                let pullback = move |_: NoTangent,
                                     CoDual(v, v_bar): At<'_, Self>,
                                     CoDual(w, w_bar): At<'_, $List<T>>| {
                    w_bar.extend(v_bar.drain(n..));
                    w.extend(v.drain(n..));
                    ((), ())
                };
                ((), pullback)
            }

            #[inline(always)]
            fn __append_rrule_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                w: Dual<&mut $List<T>, &mut $List<Tan<T>>>,
            ) -> (
                Unit,
                impl FnOnce(NoTangent2, At2<'_, Self>, At2<'_, $List<T>>) -> ((), ()) + use<T>,
            ) {
                let n = self.len();
                let pullback = move |_: NoTangent2,
                                     CoDual(v, v_bar): At2<'_, Self>,
                                     CoDual(w, w_bar): At2<'_, $List<T>>| {
                    w_bar.0.extend(v_bar.0.drain(n..));
                    w_bar.1.extend(v_bar.1.drain(n..));
                    w.1.extend(v.1.drain(n..));
                    w.0.extend(v.0.drain(n..));
                    ((), ())
                };
                (self.__append_frule(self_dot, w), pullback)
            }

            #[inline(always)]
            fn __resize_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                n: usize,
                Dual(x, x_dot): Dual<T, Tan<T>>,
            ) -> Unit {
                self.resize(n, x);
                self_dot.resize(n, x_dot);
                Dual((), NoTangent)
            }

            #[inline(always)]
            fn __resize_rrule(
                &mut self,
                n: usize,
                x: T,
            ) -> (
                (),
                impl FnOnce(NoTangent, At<'_, Self>, (), ()) -> ((), (), Tan<T>) + use<T>,
            ) {
                let (before, mut x_bar) = (self.len(), x.zero_tangent());
                let dropped: Vec<T> = self.drain(n.min(before)..).collect();
                self.resize(n, x);
                let pullback = move |_: NoTangent, CoDual(v, v_bar): At<'_, Self>, (): (), (): ()| {
                    sum_of::<T>(v_bar.drain(before.min(n)..), &mut x_bar);
                    v_bar.extend(T::__zero_tangents(&dropped));
                    v.truncate(before);
                    v.extend(dropped);
                    ((), (), x_bar)
                };
                ((), pullback)
            }

            #[inline(always)]
            fn __resize_rrule_frule(
                &mut self,
                self_dot: &mut $List<Tan<T>>,
                n: usize,
                x: Dual<T, Tan<T>>,
            ) -> (
                Unit,
                impl FnOnce(NoTangent2, At2<'_, Self>, (), ()) -> ((), (), Dual<Tan<T>, Tan<T>>) + use<T>,
            ) {
                let (before, zero) = (self.len(), x.0.zero_tangent());
                let least = before.min(n);
                let dropped: Vec<T> = self.drain(least..).collect();
                let dropped_dot: Vec<Tan<T>> = self_dot.drain(least..).collect();
                let pullback = move |_: NoTangent2, CoDual(v, v_bar): At2<'_, Self>, (): (), (): ()| {
                    let mut x_bar = Dual(zero.clone(), zero);
                    sum_of::<T>(v_bar.0.drain(least..), &mut x_bar.0);
                    sum_of::<T>(v_bar.1.drain(least..), &mut x_bar.1);
                    v_bar.0.extend(T::__zero_tangents(&dropped));
                    v_bar.1.extend(T::__zero_tangents(&dropped));
                    v.0.truncate(before);
                    v.1.truncate(before);
                    v.0.extend(dropped);
                    v.1.extend(dropped_dot);
                    ((), (), x_bar)
                };
                (self.__resize_frule(self_dot, n, x), pullback)
            }
        }
    };
}
list_rules! {
    /// A `Vec` whose elements can be cloned.
    ListRules Vec Vec::as_slice
}
list_rules! {
    /// A `VecDeque` whose elements can be cloned.
    DequeListRules VecDeque contiguous
}

/// The elements of a `VecDeque` as a slice.
fn contiguous<T>(list: &mut VecDeque<T>) -> &[T] {
    list.make_contiguous()
}

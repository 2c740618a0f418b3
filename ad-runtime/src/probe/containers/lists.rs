//! `Vec`s with other lists: `extend_from_slice`, `append`, `resize`.

use alloc::vec::Vec;

use super::{At, At2, Shared, Shared2};
use crate::{CoDual, Differentiable, Dual, NoTangent, Tan, Tangent, mode};

type Tans<T> = Vec<Tan<T>>;
type Unit = Dual<(), NoTangent>;
type NoTangent2 = Dual<NoTangent, NoTangent>;

/// A `Vec` whose elements can be cloned.
pub trait ListRules<T: Differentiable + Clone>: Differentiable<Tangent = Tans<T>> {
    /// `v.extend_from_slice(x)`.
    #[inline(always)]
    fn __extend_from_slice_modes(&self) -> (mode::Mut<Self>, mode::Ref<[T]>) {
        (mode::by_mut(), mode::by_ref())
    }

    /// Appends the tangents, too.
    fn __extend_from_slice_frule(
        &mut self,
        self_dot: &mut Tans<T>,
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
        self_dot: &mut Tans<T>,
        x: Dual<&[T], &[Tan<T>]>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, Shared2<'_, [T]>) -> ((), ()) + use<T, Self>,
    );

    /// `v.append(&mut w)`.
    #[inline(always)]
    fn __append_modes(&self) -> (mode::Mut<Self>, mode::Mut<Vec<T>>) {
        (mode::by_mut(), mode::by_mut())
    }

    /// Moves the tangents, too.
    fn __append_frule(
        &mut self,
        self_dot: &mut Tans<T>,
        w: Dual<&mut Vec<T>, &mut Tans<T>>,
    ) -> Unit;

    /// Moves the elements back, and their cotangents.
    #[allow(clippy::type_complexity)]
    fn __append_rrule(
        &mut self,
        w: &mut Vec<T>,
    ) -> (
        (),
        impl FnOnce(NoTangent, At<'_, Self>, At<'_, Vec<T>>) -> ((), ()) + use<T, Self>,
    );

    /// The forward transform of the same.
    #[allow(clippy::type_complexity)]
    fn __append_rrule_frule(
        &mut self,
        self_dot: &mut Tans<T>,
        w: Dual<&mut Vec<T>, &mut Tans<T>>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, At2<'_, Vec<T>>) -> ((), ()) + use<T, Self>,
    );

    /// `v.resize(n, x)`.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __resize_modes(&self) -> (mode::Mut<Self>, mode::Const<usize>, mode::Owned<T>) {
        (mode::by_mut(), mode::constant(), mode::owned())
    }

    /// Resizes the tangents, too.
    fn __resize_frule(&mut self, self_dot: &mut Tans<T>, n: usize, x: Dual<T, Tan<T>>) -> Unit;

    /// `x_bar +=` the sum of what was added; what was dropped is put back with the cotangent zero.
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
        self_dot: &mut Tans<T>,
        n: usize,
        x: Dual<T, Tan<T>>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, (), ()) -> ((), (), Dual<Tan<T>, Tan<T>>) + use<T, Self>,
    );
}

/// Cuts off what stands from `n` on, and adds it to `to`.
#[inline(always)]
fn cut_off_into<S: crate::TangentValue>(from: &mut Vec<S>, n: usize, to: &mut [S]) {
    to.accumulate(&from[n..]);
    from.truncate(n);
}

/// Cuts off what stands from `n` on, and adds its sum to `total`.
#[inline(always)]
fn sum_from<T: Differentiable>(from: &mut Tans<T>, n: usize, total: &mut Tan<T>) {
    for bar in from.drain(n..) {
        total.accumulate(&bar);
    }
}

impl<T: Differentiable + Clone> ListRules<T> for Vec<T> {
    #[inline(always)]
    fn __extend_from_slice_frule(
        &mut self,
        self_dot: &mut Tans<T>,
        Dual(x, x_dot): Dual<&[T], &[Tan<T>]>,
    ) -> Unit {
        self.extend_from_slice(x);
        self_dot.extend_from_slice(x_dot);
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
        self.extend_from_slice(x);
        let pullback = move |_: NoTangent,
                             CoDual(v, v_bar): At<'_, Self>,
                             CoDual(_, x_bar): Shared<'_, [T]>| {
            cut_off_into(v_bar, n, x_bar);
            v.truncate(n);
            ((), ())
        };
        ((), pullback)
    }

    #[inline(always)]
    fn __extend_from_slice_rrule_frule(
        &mut self,
        self_dot: &mut Tans<T>,
        x: Dual<&[T], &[Tan<T>]>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, Shared2<'_, [T]>) -> ((), ()) + use<T>,
    ) {
        let n = self.len();
        let pullback = move |_: NoTangent2,
                             CoDual(v, v_bar): At2<'_, Self>,
                             CoDual(_, x_bar): Shared2<'_, [T]>| {
            cut_off_into(v_bar.0, n, x_bar.0);
            cut_off_into(v_bar.1, n, x_bar.1);
            v.0.truncate(n);
            v.1.truncate(n);
            ((), ())
        };
        (self.__extend_from_slice_frule(self_dot, x), pullback)
    }

    #[inline(always)]
    fn __append_frule(
        &mut self,
        self_dot: &mut Tans<T>,
        Dual(w, w_dot): Dual<&mut Vec<T>, &mut Tans<T>>,
    ) -> Unit {
        self.append(w);
        self_dot.append(w_dot);
        Dual((), NoTangent)
    }

    #[inline(always)]
    fn __append_rrule(
        &mut self,
        w: &mut Vec<T>,
    ) -> (
        (),
        impl FnOnce(NoTangent, At<'_, Self>, At<'_, Vec<T>>) -> ((), ()) + use<T>,
    ) {
        let n = self.len();
        self.append(w);
        let pullback = move |_: NoTangent,
                             CoDual(v, v_bar): At<'_, Self>,
                             CoDual(w, w_bar): At<'_, Vec<T>>| {
            w_bar.extend(v_bar.drain(n..));
            w.extend(v.drain(n..));
            ((), ())
        };
        ((), pullback)
    }

    #[inline(always)]
    fn __append_rrule_frule(
        &mut self,
        self_dot: &mut Tans<T>,
        w: Dual<&mut Vec<T>, &mut Tans<T>>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, At2<'_, Vec<T>>) -> ((), ()) + use<T>,
    ) {
        let n = self.len();
        let pullback = move |_: NoTangent2,
                             CoDual(v, v_bar): At2<'_, Self>,
                             CoDual(w, w_bar): At2<'_, Vec<T>>| {
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
        self_dot: &mut Tans<T>,
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
            sum_from::<T>(v_bar, before.min(n), &mut x_bar);
            v_bar.append(&mut T::__zero_tangents(&dropped));
            v.truncate(before);
            v.extend(dropped);
            ((), (), x_bar)
        };
        ((), pullback)
    }

    #[inline(always)]
    fn __resize_rrule_frule(
        &mut self,
        self_dot: &mut Tans<T>,
        n: usize,
        x: Dual<T, Tan<T>>,
    ) -> (
        Unit,
        impl FnOnce(NoTangent2, At2<'_, Self>, (), ()) -> ((), (), Dual<Tan<T>, Tan<T>>) + use<T>,
    ) {
        let (before, zero) = (self.len(), x.0.zero_tangent());
        let least = before.min(n);
        let dropped: Vec<T> = self.drain(least..).collect();
        let dropped_dot: Tans<T> = self_dot.drain(least..).collect();
        let pullback = move |_: NoTangent2, CoDual(v, v_bar): At2<'_, Self>, (): (), (): ()| {
            let mut x_bar = Dual(zero.clone(), zero);
            sum_from::<T>(v_bar.0, least, &mut x_bar.0);
            sum_from::<T>(v_bar.1, least, &mut x_bar.1);
            v_bar.0.append(&mut T::__zero_tangents(&dropped));
            v_bar.1.append(&mut T::__zero_tangents(&dropped));
            v.0.truncate(before);
            v.1.truncate(before);
            v.0.extend(dropped);
            v.1.extend(dropped_dot);
            ((), (), x_bar)
        };
        (self.__resize_frule(self_dot, n, x), pullback)
    }
}

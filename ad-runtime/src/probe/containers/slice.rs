//! Slices, arrays, `Vec` and `VecDeque`: `swap`, `reverse`, `rotate_left`, `rotate_right`, `copy_within`, and the permutation of a sort.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{At, At2};
use crate::{CoDual, Differentiable, Dual, NoTangent, Tan, Tangent, mode};

type Unit = Dual<(), NoTangent>;

/// A type that is a slice inside, as is its tangent.
pub trait Elements: Differentiable {
    /// The elements' type.
    type Element: Differentiable;

    /// All elements.
    fn slice(&mut self) -> &mut [Self::Element];

    /// Their tangents.
    fn tangents(tangent: &mut Self::Tangent) -> &mut [Tan<Self::Element>];
}

macro_rules! elements {
    ($([$($n:tt)*] $container:ty;)*) => {$(
        impl<T: Differentiable, $($n)*> Elements for $container {
            type Element = T;

            #[inline(always)]
            fn slice(&mut self) -> &mut [T] {
                self
            }

            #[inline(always)]
            fn tangents(tangent: &mut Self::Tangent) -> &mut [Tan<T>] {
                tangent
            }
        }
    )*};
}
elements! {
    [] [T];
    [] Vec<T>;
    [const N: usize] [T; N];
}

impl<T: Differentiable> Elements for VecDeque<T> {
    type Element = T;

    #[inline(always)]
    fn slice(&mut self) -> &mut [T] {
        self.make_contiguous()
    }

    #[inline(always)]
    fn tangents(tangent: &mut VecDeque<Tan<T>>) -> &mut [Tan<T>] {
        tangent.make_contiguous()
    }
}

/// The order in which a stable sort leaves the elements.
pub fn order_by<E>(x: &[E], mut compare: impl FnMut(&E, &E) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|i, j| compare(&x[*i], &x[*j]));
    order
}

/// The order in which a stable sort by a key leaves the elements.
pub fn order_by_key<E, K: Ord>(x: &[E], mut key: impl FnMut(&E) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by_key(|i| key(&x[*i]));
    order
}

/// Puts the element that stood at `order[k]` at `k`.
fn permute<E>(x: &mut [E], order: &[usize]) {
    let mut seen = alloc::vec![false; order.len()];
    for start in 0..order.len() {
        let mut k = start;
        while !core::mem::replace(&mut seen[k], true) && order[k] != start {
            x.swap(k, order[k]);
            k = order[k];
        }
    }
}

/// Takes [`permute`] back.
fn permute_back<E>(x: &mut [E], order: &[usize]) {
    let mut inverse = alloc::vec![0; order.len()];
    for (k, from) in order.iter().enumerate() {
        inverse[*from] = k;
    }
    permute(x, &inverse);
}

/// Methods that change the order of elements.
macro_rules! permutes {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*)
        apply |$x:ident| $apply:expr, undo $undo:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)*) {
            (mode::by_mut(), $(mode::constant::<$C>(),)*)
        }

        /// The same with the tangents.
        #[inline(always)]
        fn $frule(&mut self, self_dot: &mut Self::Tangent, $($c: $C,)*) -> Unit {
            let $x = self.slice();
            $apply;
            let $x = Self::tangents(self_dot);
            $apply;
            Dual((), NoTangent)
        }

        /// The pullback changes it back.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            $($c: $C,)*
        ) -> ((), impl FnOnce(NoTangent, At<'_, Self>, $(permutes!(@unit $c),)*) -> ((), $(permutes!(@unit $c),)*) + use<Self>) {
            let $x = self.slice();
            $apply;
            ((), move |_, CoDual(x, bar), $(permutes!(@wild $c),)*| {
                let $x = Self::tangents(bar);
                $undo;
                let $x = x.slice();
                $undo;
                ((), $({ let _ = $c; },)*)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Self::Tangent,
            $($c: $C,)*
        ) -> (
            Unit,
            impl FnOnce(Dual<NoTangent, NoTangent>, At2<'_, Self>, $(permutes!(@unit $c),)*) -> ((), $(permutes!(@unit $c),)*) + use<Self>,
        ) {
            let $x = self.slice();
            $apply;
            let $x = Self::tangents(self_dot);
            $apply;
            (Dual((), NoTangent), move |_, CoDual(Dual(x, x_dot), Dual(bar, bar_dot)), $(permutes!(@wild $c),)*| {
                let $x = Self::tangents(bar);
                $undo;
                let $x = Self::tangents(bar_dot);
                $undo;
                let $x = Self::tangents(x_dot);
                $undo;
                let $x = x.slice();
                $undo;
                ((), $({ let _ = $c; },)*)
            })
        }
    )*};
    (@unit $c:ident) => { () };
    (@wild $c:ident) => { () };
}

/// The rules of methods of slices that change the order of the elements.
pub trait SliceRules: Elements {
    permutes! {
        /// `x.swap(i, j)`.
        [__swap_modes __swap_frule __swap_rrule __swap_rrule_frule] (i: usize, j: usize)
        apply |x| x.swap(i, j), undo x.swap(i, j);

        /// `x.reverse()`.
        [__reverse_modes __reverse_frule __reverse_rrule __reverse_rrule_frule] ()
        apply |x| x.reverse(), undo x.reverse();

        /// `x.rotate_left(k)`.
        [__rotate_left_modes __rotate_left_frule __rotate_left_rrule __rotate_left_rrule_frule] (k: usize)
        apply |x| x.rotate_left(k), undo x.rotate_right(k);

        /// `x.rotate_right(k)`.
        [__rotate_right_modes __rotate_right_frule __rotate_right_rrule __rotate_right_rrule_frule] (k: usize)
        apply |x| x.rotate_right(k), undo x.rotate_left(k);

        /// `x.permute_by(order)`: the permutation of a sort, once its order is known.
        [__permute_by_modes __permute_by_frule __permute_by_rrule __permute_by_rrule_frule] (order: Vec<usize>)
        apply |x| permute(x, &order), undo permute_back(x, &order);
    }

    /// Puts the element that stood at `order[k]` at `k`.
    #[inline(always)]
    fn permute_by(&mut self, order: Vec<usize>) {
        permute(self.slice(), &order);
    }
}
impl<S: Elements + ?Sized> SliceRules for S {}

/// The rules of methods of slices that copy elements.
pub trait SliceCloneRules: Elements<Element: Copy> {
    /// `x.copy_within(from, to)`, whose range has both ends.
    #[inline(always)]
    fn copy_range(&mut self, from: core::ops::Range<usize>, to: usize) {
        self.slice().copy_within(from, to);
    }

    /// It is by `&mut`, and its positions are constant.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __copy_range_modes(
        &self,
    ) -> (
        mode::Mut<Self>,
        mode::Const<core::ops::Range<usize>>,
        mode::Const<usize>,
    ) {
        (mode::by_mut(), mode::constant(), mode::constant())
    }

    /// Copies the tangents, too.
    #[inline(always)]
    fn __copy_range_frule(
        &mut self,
        self_dot: &mut Self::Tangent,
        from: core::ops::Range<usize>,
        to: usize,
    ) -> Unit {
        copy_within(Self::tangents(self_dot), from.clone(), to);
        self.slice().copy_within(from, to);
        Dual((), NoTangent)
    }

    /// The overwritten elements are restored, with the cotangent zero; the cotangent of the copy is added to the original's.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __copy_range_rrule(
        &mut self,
        from: core::ops::Range<usize>,
        to: usize,
    ) -> (
        (),
        impl FnOnce(NoTangent, At<'_, Self>, (), ()) -> ((), (), ()) + use<Self>,
    ) {
        let x = self.slice();
        let old = x[to..to + from.len()].to_vec();
        x.copy_within(from.clone(), to);
        let pullback = move |_: NoTangent, CoDual(x, bar): At<'_, Self>, (): (), (): ()| {
            add_back(Self::tangents(bar), from, to);
            x.slice()[to..to + old.len()].copy_from_slice(&old);
            ((), (), ())
        };
        ((), pullback)
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __copy_range_rrule_frule(
        &mut self,
        self_dot: &mut Self::Tangent,
        from: core::ops::Range<usize>,
        to: usize,
    ) -> (
        Unit,
        impl FnOnce(Dual<NoTangent, NoTangent>, At2<'_, Self>, (), ()) -> ((), (), ()) + use<Self>,
    ) {
        let end = to + from.len();
        let old = self.slice()[to..end].to_vec();
        let old_dot = Self::tangents(self_dot)[to..end].to_vec();
        let y = self.__copy_range_frule(self_dot, from.clone(), to);
        let pullback =
            move |_: Dual<NoTangent, NoTangent>, CoDual(x, bar): At2<'_, Self>, (): (), (): ()| {
                add_back(Self::tangents(bar.0), from.clone(), to);
                add_back(Self::tangents(bar.1), from, to);
                x.0.slice()[to..end].copy_from_slice(&old);
                Self::tangents(x.1)[to..end].clone_from_slice(&old_dot);
                ((), (), ())
            };
        (y, pullback)
    }
}
impl<S: Elements<Element: Copy> + ?Sized> SliceCloneRules for S {}

/// `x.copy_within(from, to)` of elements that may not be `Copy`.
fn copy_within<E: Clone>(x: &mut [E], from: core::ops::Range<usize>, to: usize) {
    let copy = x[from].to_vec();
    x[to..to + copy.len()].clone_from_slice(&copy);
}

/// The transpose of [`copy_within`].
fn add_back<E: crate::TangentValue>(bar: &mut [E], from: core::ops::Range<usize>, to: usize) {
    let mut copy = Vec::with_capacity(from.len());
    for target in &mut bar[to..to + from.len()] {
        copy.push(target.clone());
        target.set_zero();
    }
    bar[from].accumulate(&copy);
}

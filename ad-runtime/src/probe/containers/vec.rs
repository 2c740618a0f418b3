//! `Vec`: `push`, `insert`, `pop`, `remove`, `swap_remove`, `split_off`, `truncate`, `clear`.

use alloc::vec::Vec;

use super::moved::{drops, puts_in, takes_out};
use super::{At, At2, SHORT};
use crate::{CoDual, Differentiable, Dual, NoTangent, Tan, mode};

/// A `Vec` of something differentiable.
pub trait IsVec: Differentiable<Tangent = Vec<Tan<Self::Element>>> {
    /// The elements' type.
    type Element: Differentiable;

    /// The `Vec` itself.
    fn list(&mut self) -> &mut Vec<Self::Element>;
}
impl<T: Differentiable> IsVec for Vec<T> {
    type Element = T;

    #[inline(always)]
    fn list(&mut self) -> &mut Vec<T> {
        self
    }
}

type Tans<V> = Vec<Tan<<V as IsVec>::Element>>;
type Bar<V> = Tan<<V as IsVec>::Element>;
type Unit = Dual<(), NoTangent>;

/// The rules of methods of `Vec` that need nothing of the elements.
pub trait VecRules: IsVec {
    puts_in! {
        /// `v.push(x)`. Its pullback may get an empty list, where its elements aren't needed.
        [__push_modes __push_frule __push_rrule __push_rrule_frule] ()
        apply |v, x| v.push(x), undo v.pop().expect(SHORT), of the list itself v.pop();

        /// `v.insert(i, x)`.
        [__insert_modes __insert_frule __insert_rrule __insert_rrule_frule] (i: usize)
        apply |v, x| v.insert(i, x), undo v.remove(i), of the list itself v.remove(i);
    }
}
impl<T: Differentiable> VecRules for Vec<T> {}

/// The elements' type itself.
type One<T> = T;

/// The rules of methods of `Vec` that move elements out: the caller's copy and the one to be put back.
pub trait VecCloneRules: IsVec<Element: Clone> {
    takes_out! {
        /// `v.pop()`.
        [__pop_modes __pop_frule __pop_rrule __pop_rrule_frule] () -> Option
        apply |v, y| v.pop(), undo v.extend(y);

        /// `v.remove(i)`.
        [__remove_modes __remove_frule __remove_rrule __remove_rrule_frule] (i: usize) -> One
        apply |v, y| v.remove(i), undo v.insert(i, y);

        /// `v.swap_remove(i)`: the last element takes the place of the one taken out.
        [__swap_remove_modes __swap_remove_frule __swap_remove_rrule __swap_remove_rrule_frule] (i: usize) -> One
        apply |v, y| v.swap_remove(i), undo {
            v.push(y);
            let last = v.len() - 1;
            v.swap(i, last);
        };

        /// `v.split_off(at)`.
        [__split_off_modes __split_off_frule __split_off_rrule __split_off_rrule_frule] (at: usize) -> Vec
        apply |v, y| v.split_off(at), undo v.extend(y);
    }

    /// All elements, as an array.
    ///
    /// # Panics
    ///
    /// If there are more or less than `N`.
    #[inline(always)]
    fn take_array<const N: usize>(&mut self) -> [Self::Element; N] {
        whole(self.list())
    }

    /// It is by `&mut`.
    #[inline(always)]
    fn __take_array_modes<const N: usize>(&self) -> (mode::Mut<Self>,) {
        (mode::by_mut(),)
    }

    /// Takes the tangents out, too.
    #[inline(always)]
    fn __take_array_frule<const N: usize>(
        &mut self,
        self_dot: &mut Tans<Self>,
    ) -> Dual<[Self::Element; N], [Bar<Self>; N]> {
        Dual(whole(self.list()), whole(self_dot))
    }

    /// The pullback puts them back.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __take_array_rrule<const N: usize>(
        &mut self,
    ) -> (
        [Self::Element; N],
        impl FnOnce([Bar<Self>; N], At<'_, Self>) -> ((),) + use<Self, N>,
    ) {
        let y: [Self::Element; N] = whole(self.list());
        let again = y.clone();
        (y, move |y_bar, CoDual(x, bar): At<'_, Self>| {
            bar.extend(y_bar);
            x.list().extend(again);
            ((),)
        })
    }

    /// The forward transform of the same.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    fn __take_array_rrule_frule<const N: usize>(
        &mut self,
        self_dot: &mut Tans<Self>,
    ) -> (
        Dual<[Self::Element; N], [Bar<Self>; N]>,
        impl FnOnce(Dual<[Bar<Self>; N], [Bar<Self>; N]>, At2<'_, Self>) -> ((),) + use<Self, N>,
    ) {
        let y: Dual<[Self::Element; N], [Bar<Self>; N]> = self.__take_array_frule(self_dot);
        let again = Dual(y.0.clone(), y.1.clone());
        (
            y,
            move |y_bar, CoDual(Dual(x, x_dot), Dual(bar, bar_dot)): At2<'_, Self>| {
                bar.extend(y_bar.0);
                bar_dot.extend(y_bar.1);
                x_dot.extend(again.1);
                x.list().extend(again.0);
                ((),)
            },
        )
    }
}

fn whole<T, const N: usize>(list: &mut Vec<T>) -> [T; N] {
    match core::mem::take(list).try_into() {
        Ok(array) => array,
        Err(list) => panic!("{} elements for an array of {N}", Vec::<T>::len(&list)),
    }
}
impl<T: Differentiable + Clone> VecCloneRules for Vec<T> {}

/// The rules of methods of `Vec` that drop elements.
pub trait VecDropRules: IsVec {
    drops! {
        /// `v.truncate(n)`.
        [__truncate_modes __truncate_frule __truncate_rrule __truncate_rrule_frule] (n: usize) to n;

        /// `v.clear()`.
        [__clear_modes __clear_frule __clear_rrule __clear_rrule_frule] () to 0_usize;
    }
}
impl<T: Differentiable> VecDropRules for Vec<T> {}

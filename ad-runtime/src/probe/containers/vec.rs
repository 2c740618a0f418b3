//! `Vec`: `push`, `insert`, `pop`, `remove`, `swap_remove`, `split_off`, `truncate`, `clear`.

use alloc::vec::Vec;

use super::{At, At2, SHORT};
use crate::{CoDual, Differentiable, Dual, NoTangent, Tan, mode};

/// A `Vec` of something differentiable.
pub trait IsVec: Differentiable<Tangent = Vec<Tan<Self::Element>>> {
    /// The elements' type.
    type Element: Differentiable;

    /// The `Vec` itself.
    fn vec(&mut self) -> &mut Vec<Self::Element>;
}
impl<T: Differentiable> IsVec for Vec<T> {
    type Element = T;

    #[inline(always)]
    fn vec(&mut self) -> &mut Vec<T> {
        self
    }
}

type Tans<V> = Vec<Tan<<V as IsVec>::Element>>;
type Bar<V> = Tan<<V as IsVec>::Element>;
type Unit = Dual<(), NoTangent>;

/// Methods that put an element in.
macro_rules! puts_in {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*)
        apply |$v:ident, $x:ident| $apply:expr, undo $undo:expr, of the list itself $back:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)* mode::Owned<Self::Element>) {
            (mode::by_mut(), $(mode::constant::<$C>(),)* mode::owned())
        }

        /// Puts the tangent in, too.
        #[inline(always)]
        fn $frule(&mut self, $v: &mut Tans<Self>, $($c: $C,)* Dual(x, x_dot): Dual<Self::Element, Bar<Self>>) -> Unit {
            let $x = x_dot;
            $apply;
            let ($v, $x) = (self.vec(), x);
            $apply;
            Dual((), NoTangent)
        }

        /// The pullback takes the element out.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            $($c: $C,)*
            $x: Self::Element,
        ) -> (
            (),
            impl FnOnce(NoTangent, At<'_, Self>, $(puts_in!(@unit $c),)* ()) -> ((), $(puts_in!(@unit $c),)* Bar<Self>) + use<Self>,
        ) {
            let $v = self.vec();
            $apply;
            ((), move |_, CoDual(x, $v), $(puts_in!(@wild $c),)* ()| {
                let x_bar = $undo;
                let $v = x.vec();
                $back;
                ((), $({ let _ = $c; },)* x_bar)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Tans<Self>,
            $($c: $C,)*
            x: Dual<Self::Element, Bar<Self>>,
        ) -> (
            Unit,
            impl FnOnce(Dual<NoTangent, NoTangent>, At2<'_, Self>, $(puts_in!(@unit $c),)* ()) -> ((), $(puts_in!(@unit $c),)* Dual<Bar<Self>, Bar<Self>>) + use<Self>,
        ) {
            let pullback = move |_: Dual<NoTangent, NoTangent>, CoDual(Dual(x, x_dot), Dual(bar, bar_dot)): At2<'_, Self>, $(puts_in!(@wild $c): puts_in!(@unit $c),)* (): ()| {
                let $v = bar;
                let x_bar = $undo;
                let $v = bar_dot;
                let x_bar_dot = $undo;
                let $v = x_dot;
                $back;
                let $v = x.vec();
                $back;
                ((), $({ let _ = $c; },)* Dual(x_bar, x_bar_dot))
            };
            (self.$frule(self_dot, $($c,)* x), pullback)
        }
    )*};
    (@unit $c:ident) => { () };
    (@wild $c:ident) => { () };
}

/// The rules of methods of `Vec` that need nothing of the elements.
pub trait VecRules: IsVec {
    puts_in! {
        /// `v.push(x)`. Its pullback may get an empty list, where nothing needs what is in it.
        [__push_modes __push_frule __push_rrule __push_rrule_frule] ()
        apply |v, x| v.push(x), undo v.pop().expect(SHORT), of the list itself v.pop();

        /// `v.insert(i, x)`.
        [__insert_modes __insert_frule __insert_rrule __insert_rrule_frule] (i: usize)
        apply |v, x| v.insert(i, x), undo v.remove(i), of the list itself v.remove(i);
    }
}
impl<T: Differentiable> VecRules for Vec<T> {}

/// Methods that take something out, of a type that is `$Out` of the elements'.
macro_rules! takes_out {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*) -> $Out:ident
        apply |$v:ident, $y:ident| $apply:expr, undo $undo:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)*) {
            (mode::by_mut(), $(mode::constant::<$C>(),)*)
        }

        /// Takes the tangent out, too.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $frule(&mut self, $v: &mut Tans<Self>, $($c: $C,)*) -> Dual<$Out<Self::Element>, $Out<Bar<Self>>> {
            let y_dot = $apply;
            let $v = self.vec();
            Dual($apply, y_dot)
        }

        /// The pullback puts it back.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            $($c: $C,)*
        ) -> (
            $Out<Self::Element>,
            impl FnOnce($Out<Bar<Self>>, At<'_, Self>, $(takes_out!(@unit $c),)*) -> ((), $(takes_out!(@unit $c),)*) + use<Self>,
        ) {
            let $v = self.vec();
            let y = $apply;
            let again = y.clone();
            (y, move |$y, CoDual(x, $v), $(takes_out!(@wild $c),)*| {
                $undo;
                let ($v, $y) = (x.vec(), again);
                $undo;
                ((), $({ let _ = $c; },)*)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Tans<Self>,
            $($c: $C,)*
        ) -> (
            Dual<$Out<Self::Element>, $Out<Bar<Self>>>,
            impl FnOnce(Dual<$Out<Bar<Self>>, $Out<Bar<Self>>>, At2<'_, Self>, $(takes_out!(@unit $c),)*) -> ((), $(takes_out!(@unit $c),)*) + use<Self>,
        ) {
            let y = self.$frule(self_dot, $($c,)*);
            let again = Dual(y.0.clone(), y.1.clone());
            (y, move |Dual(y_bar, y_bar_dot), CoDual(Dual(x, x_dot), Dual(bar, bar_dot)), $(takes_out!(@wild $c),)*| {
                let ($v, $y) = (bar, y_bar);
                $undo;
                let ($v, $y) = (bar_dot, y_bar_dot);
                $undo;
                let ($v, $y) = (x_dot, again.1);
                $undo;
                let ($v, $y) = (x.vec(), again.0);
                $undo;
                ((), $({ let _ = $c; },)*)
            })
        }
    )*};
    (@unit $c:ident) => { () };
    (@wild $c:ident) => { () };
}

/// Methods that drop the elements from a length on.
macro_rules! drops {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty)?) to $n:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)?) {
            (mode::by_mut(), $(mode::constant::<$C>(),)?)
        }

        /// Drops the tangents, too.
        #[inline(always)]
        fn $frule(&mut self, self_dot: &mut Tans<Self>, $($c: $C,)?) -> Unit {
            self.vec().truncate($n);
            self_dot.truncate($n);
            Dual((), NoTangent)
        }

        /// The pullback has what was dropped back, with the cotangent zero.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            $($c: $C,)?
        ) -> ((), impl FnOnce(NoTangent, At<'_, Self>, $(drops!(@unit $c),)?) -> ((), $(drops!(@unit $c),)?) + use<Self>) {
            let v = self.vec();
            let dropped: Vec<_> = v.drain($n.min(v.len())..).collect();
            ((), move |_, CoDual(x, bar), $(drops!(@wild $c),)?| {
                bar.append(&mut Self::Element::__zero_tangents(&dropped));
                x.vec().extend(dropped);
                ((), $({ let _ = $c; },)?)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Tans<Self>,
            $($c: $C,)?
        ) -> (
            Unit,
            impl FnOnce(Dual<NoTangent, NoTangent>, At2<'_, Self>, $(drops!(@unit $c),)?) -> ((), $(drops!(@unit $c),)?) + use<Self>,
        ) {
            let v = self.vec();
            let n = $n.min(v.len());
            let (dropped, dropped_dot): (Vec<_>, Vec<_>) = (v.drain(n..).collect(), self_dot.drain(n..).collect());
            (Dual((), NoTangent), move |_, CoDual(Dual(x, x_dot), Dual(bar, bar_dot)), $(drops!(@wild $c),)?| {
                bar.append(&mut Self::Element::__zero_tangents(&dropped));
                bar_dot.append(&mut Self::Element::__zero_tangents(&dropped));
                x.vec().extend(dropped);
                x_dot.extend(dropped_dot);
                ((), $({ let _ = $c; },)?)
            })
        }
    )*};
    (@unit $c:ident) => { () };
    (@wild $c:ident) => { () };
}

/// The elements' type itself.
type One<T> = T;

/// The rules of methods of `Vec` that give elements away: the caller's copy and the one to be put back.
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
        whole(self.vec())
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
        Dual(whole(self.vec()), whole(self_dot))
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
        let y: [Self::Element; N] = whole(self.vec());
        let again = y.clone();
        (y, move |y_bar, CoDual(x, bar): At<'_, Self>| {
            bar.extend(y_bar);
            x.vec().extend(again);
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
                x.vec().extend(again.0);
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

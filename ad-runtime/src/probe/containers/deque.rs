//! `VecDeque`: `push_back`, `push_front`, `pop_back`, `pop_front`, `insert`, `remove`, `split_off`, `truncate`, `clear`, and
//! conversions from and to lists. Methods that only exchange elements have the rules of slices.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::moved::{drops, puts_in, takes_out};
use super::{At, At2, SHORT};
use crate::{CoDual, Differentiable, Dual, NoTangent, Tan, mode};

/// A `VecDeque` of something differentiable.
pub trait IsDeque: Differentiable<Tangent = VecDeque<Tan<Self::Element>>> {
    /// The elements' type.
    type Element: Differentiable;

    /// The `VecDeque` itself.
    fn list(&mut self) -> &mut VecDeque<Self::Element>;
}
impl<T: Differentiable> IsDeque for VecDeque<T> {
    type Element = T;

    #[inline(always)]
    fn list(&mut self) -> &mut VecDeque<T> {
        self
    }
}

type Tans<V> = VecDeque<Tan<<V as IsDeque>::Element>>;
type Bar<V> = Tan<<V as IsDeque>::Element>;
type Unit = Dual<(), NoTangent>;

/// The rules of methods of `VecDeque` that need nothing of the elements.
pub trait DequeRules: IsDeque {
    puts_in! {
        /// `v.push_back(x)`.
        [__push_back_modes __push_back_frule __push_back_rrule __push_back_rrule_frule] ()
        apply |v, x| v.push_back(x), undo v.pop_back().expect(SHORT), of the list itself v.pop_back();

        /// `v.push(x)`, which `v.extend(..)` consists of.
        [__push_modes __push_frule __push_rrule __push_rrule_frule] ()
        apply |v, x| v.push_back(x), undo v.pop_back().expect(SHORT), of the list itself v.pop_back();

        /// `v.push_front(x)`.
        [__push_front_modes __push_front_frule __push_front_rrule __push_front_rrule_frule] ()
        apply |v, x| v.push_front(x), undo v.pop_front().expect(SHORT), of the list itself v.pop_front();

        /// `v.insert(i, x)`.
        [__insert_modes __insert_frule __insert_rrule __insert_rrule_frule] (i: usize)
        apply |v, x| v.insert(i, x), undo v.remove(i).expect(SHORT), of the list itself v.remove(i);
    }

    /// `push_back`, by the name that it has of a `Vec`.
    #[inline(always)]
    fn push(&mut self, x: Self::Element) {
        self.list().push_back(x);
    }

    drops! {
        /// `v.truncate(n)`.
        [__truncate_modes __truncate_frule __truncate_rrule __truncate_rrule_frule] (n: usize) to n;

        /// `v.clear()`.
        [__clear_modes __clear_frule __clear_rrule __clear_rrule_frule] () to 0_usize;
    }
}
impl<T: Differentiable> DequeRules for VecDeque<T> {}

/// The rules of methods of `VecDeque` that move elements out: the caller's copy and the one to be put back.
pub trait DequeCloneRules: IsDeque<Element: Clone> {
    takes_out! {
        /// `v.pop_back()`.
        [__pop_back_modes __pop_back_frule __pop_back_rrule __pop_back_rrule_frule] () -> Option
        apply |v, y| v.pop_back(), undo v.extend(y);

        /// `v.pop_front()`.
        [__pop_front_modes __pop_front_frule __pop_front_rrule __pop_front_rrule_frule] () -> Option
        apply |v, y| v.pop_front(), undo if let Some(y) = y {
            v.push_front(y);
        };

        /// `v.remove(i)`.
        [__remove_modes __remove_frule __remove_rrule __remove_rrule_frule] (i: usize) -> Option
        apply |v, y| v.remove(i), undo if let Some(y) = y {
            v.insert(i, y);
        };

        /// `v.split_off(at)`.
        [__split_off_modes __split_off_frule __split_off_rrule __split_off_rrule_frule] (at: usize) -> VecDeque
        apply |v, y| v.split_off(at), undo v.extend(y);
    }

    /// `extend` by a list, by the name that it has of a `Vec`.
    #[inline(always)]
    fn extend_from_slice(&mut self, x: &[Self::Element]) {
        self.list().extend(x.iter().cloned());
    }
}
impl<T: Differentiable + Clone> DequeCloneRules for VecDeque<T> {}

/// A list as another one, whose tangent is made in the same way.
macro_rules! becomes {
    ($(
        $(#[$doc:meta])*
        $rules:ident $method:ident [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] -> $To:ident,
        of $([$($n:tt)*] $from:ty, $tangent:ty, |$back:ident| $undo:expr;)*
    )*) => {$(
        $(#[$doc])*
        pub trait $rules<T: Differentiable>: Differentiable<Tangent: Sized> + Sized {
            /// All elements.
            fn $method(self) -> $To<T>;

            /// It is by value.
            #[inline(always)]
            fn $modes(&self) -> (mode::Owned<Self>,) {
                (mode::owned(),)
            }

            /// The tangents, too.
            fn $frule(self, tangents: Tan<Self>) -> Dual<$To<T>, $To<Tan<T>>>;

            /// The cotangents as they were.
            #[allow(clippy::type_complexity)]
            fn $rrule(self) -> ($To<T>, impl FnOnce($To<Tan<T>>, ()) -> (Tan<Self>,) + use<T, Self>);

            /// The forward transform of the same.
            #[allow(clippy::type_complexity)]
            fn $rrule_frule(
                self,
                tangents: Tan<Self>,
            ) -> (
                Dual<$To<T>, $To<Tan<T>>>,
                impl FnOnce(Dual<$To<Tan<T>>, $To<Tan<T>>>, ()) -> (Dual<Tan<Self>, Tan<Self>>,) + use<T, Self>,
            );
        }
        $(
            impl<T: Differentiable, $($n)*> $rules<T> for $from {
                #[inline(always)]
                fn $method(self) -> $To<T> {
                    self.into()
                }

                #[inline(always)]
                fn $frule(self, tangents: $tangent) -> Dual<$To<T>, $To<Tan<T>>> {
                    Dual(self.into(), tangents.into())
                }

                #[inline(always)]
                #[allow(refining_impl_trait, clippy::type_complexity)]
                fn $rrule(self) -> ($To<T>, impl FnOnce($To<Tan<T>>, ()) -> ($tangent,) + use<T, $($n)*>) {
                    (self.into(), |$back, ()| ($undo,))
                }

                #[inline(always)]
                #[allow(refining_impl_trait, clippy::type_complexity)]
                fn $rrule_frule(
                    self,
                    tangents: $tangent,
                ) -> (
                    Dual<$To<T>, $To<Tan<T>>>,
                    impl FnOnce(Dual<$To<Tan<T>>, $To<Tan<T>>>, ()) -> (Dual<$tangent, $tangent>,) + use<T, $($n)*>,
                ) {
                    let undo = |$back: $To<Tan<T>>| $undo;
                    (self.$frule(tangents), move |Dual(y_bar, y_bar_dot), ()| (Dual(undo(y_bar), undo(y_bar_dot)),))
                }
            }
        )*
    )*};
}
becomes! {
    /// `VecDeque::from(list)`.
    IntoDeque into_deque [__into_deque_modes __into_deque_frule __into_deque_rrule __into_deque_rrule_frule] -> VecDeque,
    of
    [] Vec<T>, Vec<Tan<T>>, |y| y.into();
    [] VecDeque<T>, VecDeque<Tan<T>>, |y| y;

    /// `Vec::from(deque)`.
    IntoList into_list [__into_list_modes __into_list_frule __into_list_rrule __into_list_rrule_frule] -> Vec,
    of
    [] Vec<T>, Vec<Tan<T>>, |y| y;
    [] VecDeque<T>, VecDeque<Tan<T>>, |y| y.into();
}

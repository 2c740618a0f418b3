//! Lists that only rustc can tell are lists.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::rc::Rc;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::{Ref, RefMut};

/// A list of std's: `iter()` and the like return its elements in the order of their positions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is used as a list, but is not a list of the standard library",
    label = "its elements are differentiated by their positions",
    note = "write a loop over the list in it, or over a slice of it: `for v in &list[..]`",
    note = "collect an iterator to a `Vec` where it is made: `-> Vec<f64>`"
)]
pub trait List {}
impl<T> List for [T] {}
impl<T, const N: usize> List for [T; N] {}
impl<T> List for Vec<T> {}
impl<T> List for VecDeque<T> {}
impl<L: List + ?Sized> List for &L {}
impl<L: List + ?Sized> List for &mut L {}
impl<L: List + ?Sized> List for Box<L> {}
impl<L: List + ?Sized> List for Rc<L> {}
impl<L: List + ?Sized> List for Arc<L> {}
impl<L: List + ToOwned + ?Sized> List for Cow<'_, L> {}
impl<L: List + ?Sized> List for Ref<'_, L> {}
impl<L: List + ?Sized> List for RefMut<'_, L> {}
#[cfg(feature = "std")]
mod guards {
    use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

    use super::List;

    impl<L: List + ?Sized> List for MutexGuard<'_, L> {}
    impl<L: List + ?Sized> List for RwLockReadGuard<'_, L> {}
    impl<L: List + ?Sized> List for RwLockWriteGuard<'_, L> {}
}

/// Nothing: the bound is there for its message.
#[inline(always)]
pub fn check_list<L: List + ?Sized>(_: &L) {}

/// Types of libraries whose `sum` and `product` add or multiply one item after another, beginning with zero or one.
#[diagnostic::on_unimplemented(
    message = "`sum` or `product` of `{Self}` has no derivative rule",
    label = "the items aren't numbers",
    note = "write `#[differentiable]` on the `impl Sum`, which has to stand in this module, by the name of the type, and whose type can't be generic; \
            or write `fold(init, |a, b| a + b)` here"
)]
pub trait TotalByFold {}

/// Nothing: the bound is there for its message.
pub const fn check_total<T: TotalByFold>() {}

/// The types of std whose names rules rely on.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has the name of a type of the standard library, but is another type",
    label = "it is taken for the one of the standard library",
    note = "give it another name: `use bags::Vec as Bag;`"
)]
pub trait OfStd {}
impl<T> OfStd for Vec<T> {}
impl<T> OfStd for VecDeque<T> {}
impl<T> OfStd for Box<T> {}

/// Nothing: the bound is there for its message.
pub const fn check_of_std<T: OfStd>() {}

/// Nothing, of two values of one type.
#[inline(always)]
pub fn check_one_type<T>(_: T, _: T) {}

//! Loops over results of calls that only rustc can tell are lists.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A type that has a position for each element.
#[diagnostic::on_unimplemented(
    message = "a loop over `{Self}`, with derivatives, is not supported yet",
    label = "not a list",
    note = "collect it to a `Vec` first, where it is made: `-> Vec<f64>`"
)]
pub trait List {}
impl<T> List for [T] {}
impl<T, const N: usize> List for [T; N] {}
impl<T> List for Vec<T> {}
impl<T> List for VecDeque<T> {}
impl<L: List + ?Sized> List for &L {}
impl<L: List + ?Sized> List for &mut L {}
impl<L: List + ?Sized> List for Box<L> {}

/// Nothing: the bound is there for its message.
#[inline(always)]
pub fn check_list<L: List + ?Sized>(_: &L) {}

/// Nothing, of two values of one type.
#[inline(always)]
pub fn check_one_type<T>(_: T, _: T) {}

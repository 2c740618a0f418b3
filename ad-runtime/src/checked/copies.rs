//! Copies of arguments, so that a function can run several times: method resolution finds out which types can be cloned.
//!
//! `(&Copying(x)).value()` finds [`CopiesValue`] if the type is `Clone`, and [`NoValue`] otherwise, which takes one more reference.

use alloc::borrow::ToOwned;
use core::borrow::{Borrow, BorrowMut};
use core::marker::PhantomData;

/// An argument, to be copied.
pub struct Copying<'a, T: ?Sized>(pub &'a T);

/// A copy of an argument that is passed by value.
pub trait CopiesValue {
    /// Its type.
    type Value;

    /// The copy.
    fn value(&self) -> Option<Self::Value>;
}

impl<T: Clone> CopiesValue for Copying<'_, T> {
    type Value = T;

    fn value(&self) -> Option<T> {
        Some(self.0.clone())
    }
}

/// There is none.
pub trait NoValue {
    /// The type that the argument has all the same.
    type Value;

    /// Nothing.
    fn value(&self) -> Option<Self::Value>;
}

impl<T> NoValue for &Copying<'_, T> {
    type Value = T;

    fn value(&self) -> Option<T> {
        None
    }
}

/// A copy of the target of a `&mut` argument.
pub trait CopiesState {
    /// Its type, which can be borrowed as that of the argument.
    type State;

    /// The copy.
    fn state(&self) -> Option<Self::State>;
}

impl<T: ToOwned<Owned: BorrowMut<T>> + ?Sized> CopiesState for Copying<'_, T> {
    type State = T::Owned;

    fn state(&self) -> Option<T::Owned> {
        Some(self.0.to_owned())
    }
}

/// There is none.
pub trait NoState {
    /// A type without values, which could be borrowed as that of the argument.
    type State;

    /// Nothing.
    fn state(&self) -> Option<Self::State>;
}

impl<T: ?Sized> NoState for &Copying<'_, T> {
    type State = NoCopy<T>;

    fn state(&self) -> Option<NoCopy<T>> {
        None
    }
}

/// The copy of something that can't be copied: there is no value of this type.
pub struct NoCopy<T: ?Sized>(Never, PhantomData<T>);

enum Never {}

impl<T: ?Sized> Borrow<T> for NoCopy<T> {
    fn borrow(&self) -> &T {
        match self.0 {}
    }
}

impl<T: ?Sized> BorrowMut<T> for NoCopy<T> {
    fn borrow_mut(&mut self) -> &mut T {
        match self.0 {}
    }
}

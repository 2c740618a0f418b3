//! The list that is passed to the pullback of `push` where nothing else needs it any more.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

/// A list, or another type with a method `push`, after that has run.
pub struct Husk<'a, T: ?Sized>(pub &'a T);

impl<T> Husk<'_, Vec<T>> {
    /// An empty list: to undo it takes the shadow alone.
    #[inline(always)]
    pub fn husk(self) -> Vec<T> {
        Vec::new()
    }
}

/// Of any other type a clone.
pub trait HuskByClone<T: ?Sized> {
    /// A clone.
    fn husk(self) -> T::Owned
    where
        T: ToOwned;
}

impl<T: ?Sized> HuskByClone<T> for Husk<'_, T> {
    #[inline(always)]
    fn husk(self) -> T::Owned
    where
        T: ToOwned,
    {
        self.0.to_owned()
    }
}

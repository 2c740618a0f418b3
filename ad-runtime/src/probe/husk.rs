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

impl<T: Clone> Husk<'_, Vec<T>> {
    /// The last element. A `#[constant]` field has no shadow, and the pullback gets zeros of the husk's shape instead.
    #[inline(always)]
    pub fn husk_of_field(self) -> Vec<T> {
        self.0.last().cloned().into_iter().collect()
    }
}

/// Of a list whose elements can't be cloned.
pub trait HuskOfAny<T> {
    /// An empty list. The pullback panics if the field is `#[constant]`.
    fn husk_of_field(self) -> Vec<T>;
}

impl<T> HuskOfAny<T> for Husk<'_, Vec<T>> {
    #[inline(always)]
    fn husk_of_field(self) -> Vec<T> {
        Vec::new()
    }
}

/// Of any other type a clone.
pub trait HuskByClone<T: ?Sized> {
    /// A clone.
    fn husk(self) -> T::Owned
    where
        T: ToOwned;

    /// A clone.
    fn husk_of_field(self) -> T::Owned
    where
        T: ToOwned;
}

impl<T: ?Sized> HuskByClone<T> for &Husk<'_, T> {
    #[inline(always)]
    fn husk(self) -> T::Owned
    where
        T: ToOwned,
    {
        self.0.to_owned()
    }

    #[inline(always)]
    fn husk_of_field(self) -> T::Owned
    where
        T: ToOwned,
    {
        self.0.to_owned()
    }
}

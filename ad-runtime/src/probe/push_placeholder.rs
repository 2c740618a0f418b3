//! The list that is passed to the pullback of `push` where nothing else needs it any more.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

/// A list, or another type with a method `push`, after that has run.
pub struct PushPlaceholder<'a, T: ?Sized>(pub &'a T);

impl<T> PushPlaceholder<'_, Vec<T>> {
    /// An empty list: to undo it takes the shadow alone.
    #[inline(always)]
    pub fn placeholder(self) -> Vec<T> {
        Vec::new()
    }
}

impl<T: Clone> PushPlaceholder<'_, Vec<T>> {
    /// The last element. A `#[constant]` field has no shadow, and the pullback gets zeros of the placeholder's shape instead.
    #[inline(always)]
    pub fn placeholder_of_field(self) -> Vec<T> {
        self.0.last().cloned().into_iter().collect()
    }
}

/// Of a list whose elements can't be cloned.
pub trait PushPlaceholderOfAny<T> {
    /// An empty list. The pullback panics if the field is `#[constant]`.
    fn placeholder_of_field(self) -> Vec<T>;
}

impl<T> PushPlaceholderOfAny<T> for PushPlaceholder<'_, Vec<T>> {
    #[inline(always)]
    fn placeholder_of_field(self) -> Vec<T> {
        Vec::new()
    }
}

/// Of any other type a clone.
pub trait PushPlaceholderByClone<T: ?Sized> {
    /// A clone.
    fn placeholder(self) -> T::Owned
    where
        T: ToOwned;

    /// A clone.
    fn placeholder_of_field(self) -> T::Owned
    where
        T: ToOwned;
}

impl<T: ?Sized> PushPlaceholderByClone<T> for &PushPlaceholder<'_, T> {
    #[inline(always)]
    fn placeholder(self) -> T::Owned
    where
        T: ToOwned,
    {
        self.0.to_owned()
    }

    #[inline(always)]
    fn placeholder_of_field(self) -> T::Owned
    where
        T: ToOwned,
    {
        self.0.to_owned()
    }
}

//! Receivers of methods without rules, which may take them by value, where the receivers are needed again.

/// A receiver that has to stay.
pub struct Keep<'a, T: ?Sized>(pub &'a mut T);

impl<T: Clone> Keep<'_, T> {
    /// A clone, which may be moved.
    #[inline(always)]
    pub fn kept(self) -> T {
        self.0.clone()
    }
}

/// Types that can't be cloned are borrowed.
pub trait KeepByRef<'a, T: ?Sized> {
    /// The receiver, for a method that takes it by reference.
    fn kept(self) -> &'a mut T;
}

impl<'a, T: ?Sized> KeepByRef<'a, T> for Keep<'a, T> {
    #[inline(always)]
    fn kept(self) -> &'a mut T {
        self.0
    }
}

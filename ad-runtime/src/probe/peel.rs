//! Takes std's pointers off a deferred receiver, as dereference does when the primal looks for a method.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;

/// A reference to a receiver. `Peel(&x).peel().peel().0` is a reference to what is behind up to two of std's pointers.
#[derive(Clone, Copy, Debug)]
pub struct Peel<R>(
    /// The reference.
    pub R,
);

macro_rules! peel {
    ($($pointer:ty;)*) => {$(
        impl<'a, T: ?Sized> Peel<&'a $pointer> {
            /// Takes one pointer off.
            #[inline(always)]
            pub fn peel(self) -> Peel<&'a T> {
                Peel(self.0)
            }
        }
    )*};
}
peel! {
    &T;
    &mut T;
    Box<T>;
    Rc<T>;
    Arc<T>;
}

/// The method for everything else, which there is nothing to take off of. Found after the methods above.
pub trait NoPeel: Sized {
    /// The same again.
    #[inline(always)]
    #[must_use]
    fn peel(self) -> Self {
        self
    }
}
impl<R> NoPeel for Peel<R> {}

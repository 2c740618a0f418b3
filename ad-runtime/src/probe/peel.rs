//! Takes std's pointers off a deferred receiver, as dereference does when the primal looks for a method.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;

use crate::object::Object;

/// A reference to a receiver. `Peel(&x).peel().peel().0` is a reference to the value behind up to two of std's pointers.
#[derive(Clone, Copy, Debug)]
pub struct Peel<R>(
    /// The reference.
    pub R,
);

/// Takes one pointer off. One trait for all of them, so that of a receiver whose type is an error there is no further message.
pub trait PeelPointer {
    /// A reference to its target.
    type Behind;

    /// Takes one pointer off.
    fn peel(self) -> Self::Behind;
}

macro_rules! peel {
    ($($pointer:ty;)*) => {$(
        impl<'a, T: ?Sized> PeelPointer for Peel<&'a $pointer> {
            type Behind = Peel<&'a T>;

            #[inline(always)]
            fn peel(self) -> Peel<&'a T> {
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

/// Trait objects have their modes elsewhere. Found after the method above.
pub trait PeelObject {
    /// The type that has the modes.
    type Modes;

    /// Leads to the modes.
    fn peel(&self) -> Self::Modes;
}

impl<T: Object + ?Sized> PeelObject for Peel<&T> {
    type Modes = Peel<&'static T::Modes>;

    #[inline(always)]
    fn peel(&self) -> Self::Modes {
        Peel(T::MODES)
    }
}

/// The method for everything else, which there is nothing to take off of. Found last.
pub trait NoPeel: Copy {
    /// The same again.
    #[inline(always)]
    #[must_use]
    fn peel(&mut self) -> Self {
        *self
    }
}
impl<R: Copy> NoPeel for Peel<R> {}

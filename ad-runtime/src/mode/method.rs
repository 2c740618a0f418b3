//! The type of a method's receiver, for a closure that calls the method itself. Where there is no rule it is `&T`, so that a
//! method that would change an active receiver without a rule doesn't compile.

use super::{Absent, Const, ConstMut, ConstRef, Mut, Owned, Ref};

macro_rules! method {
    ($($mode:ident [$($sized:tt)*] $receiver:ty;)*) => {$(
        impl<T $($sized)*> $mode<T> {
            /// The same closure, with the type of the receiver known.
            #[inline(always)]
            pub fn method<X: ?Sized, A, R, F: FnOnce($receiver, A) -> R>(&self, _receiver: &X, f: F) -> F {
                f
            }
        }
    )*};
}
method! {
    Owned [] T;
    Const [] T;
    Ref [: ?Sized] &T;
    ConstRef [: ?Sized] &T;
    Mut [: ?Sized] &mut T;
    ConstMut [: ?Sized] &mut T;
}

impl Absent {
    /// The same closure, with the type of the receiver known.
    #[inline(always)]
    pub fn method<X: ?Sized, A, R, F: FnOnce(&X, A) -> R>(&self, _receiver: &X, f: F) -> F {
        f
    }
}

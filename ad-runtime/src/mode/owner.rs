//! The target of a local that is kept in an `Option`, as dereference finds it in the primal: a receiver may be of the type that the
//! method is of, or one of std's pointers to it.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;

/// Leads to a `T` that can be borrowed.
pub trait Shares<T: ?Sized> {
    /// Borrows the target.
    fn shared(&self) -> &T;
}

/// Leads to a `T` that can be changed.
pub trait Changes<T: ?Sized>: Shares<T> {
    /// Borrows the target mutably.
    fn unique(&mut self) -> &mut T;
}

/// Leads to a `T` that can be changed and moved.
pub trait Owns<T>: Changes<T> {
    /// Moves the target out.
    fn into_owned(self) -> T;
}

macro_rules! shares {
    ($($owner:ty { |$x:ident| $target:expr };)*) => {$(
        impl<T> Shares<T> for $owner {
            #[inline(always)]
            fn shared(&self) -> &T {
                let $x = self;
                &$target
            }
        }
    )*};
}
shares! {
    T { |x| *x };
    Box<T> { |x| **x };
    Box<Box<T>> { |x| ***x };
    Rc<T> { |x| **x };
    Arc<T> { |x| **x };
    &T { |x| **x };
    &Box<T> { |x| ***x };
    &Rc<T> { |x| ***x };
    &Arc<T> { |x| ***x };
}

macro_rules! owns {
    ($($owner:ty { |$x:ident| $target:expr, $moved:expr };)*) => {$(
        impl<T> Changes<T> for $owner {
            #[inline(always)]
            fn unique(&mut self) -> &mut T {
                let $x = self;
                &mut $target
            }
        }

        impl<T> Owns<T> for $owner {
            #[inline(always)]
            fn into_owned(self) -> T {
                let $x = self;
                $moved
            }
        }
    )*};
}
owns! {
    T { |x| *x, x };
    Box<T> { |x| **x, *x };
    Box<Box<T>> { |x| ***x, **x };
}

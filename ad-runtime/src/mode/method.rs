//! The types of a method's receiver and arguments, for a closure that calls the method itself. Where there is no rule the receiver
//! is `&T`, so that a method that would change an active receiver without a rule doesn't compile.
//!
//! Where there is a rule, the closure is never called; but it has to have types all the same, and the method's generic parameters
//! follows from nothing else than its arguments.

use super::{Absent, Const, ConstMut, ConstRef, Function, Mut, Owned, Ref};

/// A mode whose parameter has the type `A`.
pub trait Takes<A> {}
impl<T> Takes<T> for Owned<T> {}
impl<T> Takes<T> for Const<T> {}
impl<T: ?Sized> Takes<&T> for Ref<T> {}
impl<T: ?Sized> Takes<&T> for ConstRef<T> {}
impl<T: ?Sized> Takes<&mut T> for Mut<T> {}
impl<T: ?Sized> Takes<&mut T> for ConstMut<T> {}
/// A method without a rule accepts any arguments.
impl<A> Takes<A> for Absent {}
/// An argument that is a function ends in an error elsewhere.
impl<A> Takes<A> for Function {}

/// All modes of a method, whose parameters but for the receiver have the types `A`, a tuple.
pub trait TakeAll<A> {}
/// For each number of arguments up to those that are listed.
macro_rules! take_all {
    ([$($M:ident $A:ident)*]) => {
        impl<Receiver, $($M: Takes<$A>, $A),*> TakeAll<($($A,)*)> for (Receiver, $($M,)*) {}
    };
    ([$($M:ident $A:ident)*] $next:ident $argument:ident $($rest:ident)*) => {
        take_all! { [$($M $A)*] }
        take_all! { [$($M $A)* $next $argument] $($rest)* }
    };
}
take_all! {
    []
    M1 A1 M2 A2 M3 A3 M4 A4 M5 A5 M6 A6 M7 A7 M8 A8 M9 A9 M10 A10 M11 A11 M12 A12
    M13 A13 M14 A14 M15 A15 M16 A16 M17 A17 M18 A18 M19 A19 M20 A20 M21 A21 M22 A22 M23 A23 M24 A24
}

macro_rules! method {
    ($($mode:ident [$($sized:tt)*] $receiver:ty;)*) => {$(
        #[allow(clippy::extra_unused_lifetimes)] // where the receiver is a value
        impl<T $($sized)*> $mode<T> {
            /// The same closure, with the types of the receiver and of the arguments known. The result of the method may borrow from the receiver.
            #[inline(always)]
            pub fn method<'x, X: ?Sized, M: TakeAll<A>, A, R, F: FnOnce($receiver, A) -> R>(
                &self,
                _receiver: &X,
                _modes: &M,
                f: F,
            ) -> F
            where
                T: 'x,
            {
                f
            }
        }
    )*};
}
method! {
    Owned [] T;
    Const [] T;
    Ref [: ?Sized] &'x T;
    ConstRef [: ?Sized] &'x T;
    Mut [: ?Sized] &'x mut T;
    ConstMut [: ?Sized] &'x mut T;
}

impl Absent {
    /// The same closure, with the type of the receiver known. The method is called later, on a borrow that lives as long as the method's result.
    #[inline(always)]
    pub fn method<'x, X: ?Sized + 'x, M: TakeAll<A>, A, R, F: FnOnce(&'x X, A) -> R>(
        &self,
        _receiver: &X,
        _modes: &M,
        f: F,
    ) -> F {
        f
    }
}

//! Constant receivers, by value, `&` and `&mut`: the methods of `receiver.rs`, which return nothing but the receiver.

use super::owner::{Owns, Shares};
use super::receiver::MOVED;
use super::{Const, ConstMut, ConstRef};

/// The methods of constant receivers: a shadow that the caller has is dropped, whatever its type.
macro_rules! constant_receiver {
    (
        $mode:ident [$($sized:tt)*] of $owner:ident
        receiver<$a:lifetime>($x:ident) -> $receiver:ty { $get:expr }
        shared -> $shared:ty { |$s:ident| $give_shared:expr }
        unique -> $unique:ty { |$u:ident| $give_unique:expr }
        option { |$o:ident| $give_option:expr }
        place { $($place:tt)* }
    ) => {
        impl<T $($sized)*> $mode<T> {
            $($place)*

            /// The receiver of the rule.
            #[inline(always)]
            pub fn receiver<$a, X: $owner<T>>(&self, $x: &$a mut Option<X>) -> $receiver
            where
                T: Sized,
            {
                $get
            }

            /// A constant receiver has no tangent.
            #[inline(always)]
            pub fn tangent<S: ?Sized>(&self, _x_dot: &S) {}

            /// A constant receiver has no tangent.
            #[inline(always)]
            pub fn tangent_mut<S: ?Sized>(&self, _x_dot: &mut S) {}

            /// A constant receiver has no tangent.
            #[inline(always)]
            pub fn zero_of(&self, _x: &T) {}

            /// The pullback's argument for the receiver, whose place is shared.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes)]
            pub fn give_shared<$a, S: ?Sized>(&self, $s: &$a T, _x_bar: &mut S) -> $shared {
                $give_shared
            }

            /// The pullback's argument for the receiver, whose place is unique.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes)]
            pub fn give_unique<$a, S: ?Sized>(&self, $u: &$a mut T, _x_bar: &mut S) -> $unique {
                $give_unique
            }

            /// The pullback's argument for the receiver, which may have been moved if it is taken by value.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes)]
            pub fn give_option<$a, X: $owner<T>, S: ?Sized>(&self, $o: &$a mut Option<X>, _x_bar: &mut S) -> $unique
            where
                T: Sized,
            {
                $give_option
            }

            /// A constant receiver has no cotangent.
            #[inline(always)]
            pub fn receiver_cotangent<S: ?Sized>(&self, _returned: (), _x_bar: &mut S) {}

            /// [`give_shared`](Self::give_shared) of second order.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes)]
            pub fn give_shared_dual<$a, A: ?Sized, B: ?Sized, C: ?Sized>(
                &self,
                $s: &$a T,
                _x_dot: &A,
                _x_bar: &mut B,
                _x_bar_dot: &mut C,
            ) -> $shared {
                $give_shared
            }

            /// [`give_unique`](Self::give_unique) of second order.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes)]
            pub fn give_unique_dual<$a, A: ?Sized, B: ?Sized, C: ?Sized>(
                &self,
                $u: &$a mut T,
                _x_dot: &mut A,
                _x_bar: &mut B,
                _x_bar_dot: &mut C,
            ) -> $unique {
                $give_unique
            }

            /// [`give_option`](Self::give_option) of second order.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes)]
            pub fn give_option_dual<$a, X: $owner<T>, A: ?Sized, B: ?Sized, C: ?Sized>(
                &self,
                $o: &$a mut Option<X>,
                _x_dot: &mut A,
                _x_bar: &mut B,
                _x_bar_dot: &mut C,
            ) -> $unique
            where
                T: Sized,
            {
                $give_option
            }

            /// A constant receiver has no cotangent.
            #[inline(always)]
            pub fn receiver_cotangent_dual<A: ?Sized, B: ?Sized>(
                &self,
                _returned: (),
                _x_bar: &mut A,
                _x_bar_dot: &mut B,
            ) {
            }
        }
    };
}
constant_receiver! {
    Const [] of Owns
    receiver<'a>(x) -> T { x.take().expect(MOVED).into_owned() }
    shared -> () { |_x| () }
    unique -> () { |_x| () }
    option { |_x| () }
    place {
        /// The receiver of the rule, cloned from a shared place: the primal has a copy there, or moves it just before it returns.
        #[inline(always)]
        pub fn receiver_shared(&self, x: &T) -> T
        where
            T: Clone,
        {
            x.clone()
        }

        /// The receiver of the rule, cloned from a unique place: the primal has a copy there, or moves it just before it returns.
        #[inline(always)]
        pub fn receiver_unique(&self, x: &mut T) -> T
        where
            T: Clone,
        {
            x.clone()
        }
    }
}
constant_receiver! {
    ConstRef [: ?Sized] of Shares
    receiver<'a>(x) -> &'a T { x.as_ref().expect(MOVED).shared() }
    shared -> &'a T { |x| x }
    unique -> &'a T { |x| x }
    option { |x| x.as_ref().expect(MOVED).shared() }
    place {
        /// The receiver of the rule, borrowed from a shared place.
        #[inline(always)]
        pub fn receiver_shared<'a>(&self, x: &'a T) -> &'a T {
            x
        }

        /// The receiver of the rule, borrowed from a unique place.
        #[inline(always)]
        pub fn receiver_unique<'a>(&self, x: &'a mut T) -> &'a T {
            x
        }
    }
}
constant_receiver! {
    ConstMut [: ?Sized] of Owns
    receiver<'a>(x) -> &'a mut T { x.as_mut().expect(MOVED).unique() }
    shared -> () { |_x| () }
    unique -> () { |_x| () }
    option { |_x| () }
    place {
        /// The receiver of the rule, borrowed from a unique place.
        #[inline(always)]
        pub fn receiver_unique<'a>(&self, x: &'a mut T) -> &'a mut T {
            x
        }
    }
}

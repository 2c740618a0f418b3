//! Receivers that are trait objects. Their modes have no type: the residuals of a caller keep them, and must not mention borrows
//! of the object borrows. A receiver is anything that leads to an object, and its shadow is borrowed as one of any type.

use super::method::TakeAll;
use super::receiver::MOVED;
use crate::object::{AnyTangent, ErasedTangent, Object, ObjectMut};
use crate::{CoDual, Differentiable, Dual};

/// The shadows of second order.
type Shadows<'a> = Dual<&'a mut dyn ErasedTangent, &'a mut dyn ErasedTangent>;

macro_rules! modes {
    ($($(#[$doc:meta])* $mode:ident $([$mutable:tt])?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $mode;

        impl $mode {
            /// The same closure, with the types of the receiver and of the arguments known.
            #[inline(always)]
            pub fn method<X, M, A, R, F>(&self, _receiver: &X, _modes: &M, f: F) -> F
            where
                X: ?Sized,
                M: TakeAll<A>,
                F: FnOnce(& $($mutable)? X, A) -> R,
            {
                f
            }
        }
    )*};
}
modes! {
    /// An object behind `&`, differentiated.
    Shared;
    /// An object behind `&mut`, differentiated.
    Unique [mut];
    /// An object behind `&`, constant.
    ConstShared;
    /// An object behind `&mut`, constant.
    ConstUnique [mut];
}

/// The receiver of a method that takes `&self`.
macro_rules! shared_receiver {
    ($($mode:ident)*) => {$(
        impl $mode {
            /// The receiver of the rule.
            #[inline(always)]
            pub fn receiver<'a, X: Object>(&self, x: &'a mut Option<X>) -> X::Shared<'a> {
                X::shared(x.as_ref().expect(MOVED))
            }

            /// The receiver of the rule, from a shared place.
            #[inline(always)]
            pub fn receiver_shared<'a, X: Object + ?Sized>(&self, x: &'a X) -> X::Shared<'a> {
                X::shared(x)
            }

            /// The receiver of the rule, from a unique place.
            #[inline(always)]
            pub fn receiver_unique<'a, X: Object + ?Sized>(&self, x: &'a mut X) -> X::Shared<'a> {
                X::shared(x)
            }
        }
    )*};
}
shared_receiver!(Shared ConstShared);

/// The receiver of a method that takes `&mut self`.
macro_rules! unique_receiver {
    ($($mode:ident)*) => {$(
        impl $mode {
            /// The receiver of the rule.
            #[inline(always)]
            pub fn receiver<'a, X: ObjectMut>(&self, x: &'a mut Option<X>) -> X::Unique<'a> {
                X::unique(x.as_mut().expect(MOVED))
            }

            /// The receiver of the rule, from a unique place.
            #[inline(always)]
            pub fn receiver_unique<'a, X: ObjectMut + ?Sized>(&self, x: &'a mut X) -> X::Unique<'a> {
                X::unique(x)
            }
        }
    )*};
}
unique_receiver!(Unique ConstUnique);

/// Objects without a shadow: whatever the caller has for it is dropped.
macro_rules! constant {
    ($($mode:ident $bound:ident [$($give:tt)*] -> $given:ty { |$x:ident| $value:expr };)*) => {$(
        impl $mode {
            /// A constant receiver has no tangent.
            #[inline(always)]
            pub fn tangent<S: ?Sized>(&self, _x_dot: &S) {}

            /// A constant receiver has no tangent.
            #[inline(always)]
            pub fn tangent_mut<S: ?Sized>(&self, _x_dot: &mut S) {}

            /// A constant receiver has no tangent.
            #[inline(always)]
            pub fn zero_of<X: ?Sized>(&self, _x: &X) {}

            $($give)*

            /// The pullback's argument for the receiver, whose place is unique.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes, reason = "what one of the modes gives has the lifetime")]
            pub fn give_unique<'a, X: $bound + ?Sized, S: ?Sized>(&self, $x: &'a mut X, _x_bar: &mut S) -> $given {
                $value
            }

            /// [`give_unique`](Self::give_unique) of second order.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes, reason = "what one of the modes gives has the lifetime")]
            pub fn give_unique_dual<'a, X: $bound + ?Sized, A: ?Sized, B: ?Sized, C: ?Sized>(
                &self,
                $x: &'a mut X,
                _x_dot: &mut A,
                _x_bar: &mut B,
                _x_bar_dot: &mut C,
            ) -> $given {
                $value
            }

            /// The pullback's argument for the receiver, which has not been moved.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes, reason = "what one of the modes gives has the lifetime")]
            pub fn give_option<'a, X: $bound, S: ?Sized>(&self, $x: &'a mut Option<X>, _x_bar: &mut S) -> $given {
                let $x = $x.as_mut().expect(MOVED);
                $value
            }

            /// [`give_option`](Self::give_option) of second order.
            #[inline(always)]
            #[allow(clippy::needless_lifetimes, reason = "what one of the modes gives has the lifetime")]
            pub fn give_option_dual<'a, X: $bound, A: ?Sized, B: ?Sized, C: ?Sized>(
                &self,
                $x: &'a mut Option<X>,
                _x_dot: &mut A,
                _x_bar: &mut B,
                _x_bar_dot: &mut C,
            ) -> $given {
                let $x = $x.as_mut().expect(MOVED);
                $value
            }

            /// A constant receiver has no cotangent.
            #[inline(always)]
            pub fn receiver_cotangent<S: ?Sized>(&self, _returned: (), _x_bar: &mut S) {}

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
    )*};
}
constant! {
    ConstShared Object [
        /// The pullback's argument for the receiver, whose place is shared.
        #[inline(always)]
        pub fn give_shared<'a, X: Object + ?Sized, S: ?Sized>(&self, x: &'a X, _x_bar: &mut S) -> &'a X::Base<'a> {
            X::base(x)
        }

        /// [`give_shared`](Self::give_shared) of second order.
        #[inline(always)]
        pub fn give_shared_dual<'a, X: Object + ?Sized, A: ?Sized, B: ?Sized, C: ?Sized>(
            &self,
            x: &'a X,
            _x_dot: &A,
            _x_bar: &mut B,
            _x_bar_dot: &mut C,
        ) -> &'a X::Base<'a> {
            X::base(x)
        }
    ] -> &'a X::Base<'a> { |x| X::base(x) };
    ConstUnique ObjectMut [] -> () { |_x| () };
}

/// Objects with a shadow.
macro_rules! active {
    ($($mode:ident $bound:ident [$($mutable:tt)?] { |$x:ident| $base:expr };)*) => {$(
        impl $mode {
            /// A zero tangent for the receiver.
            #[inline(always)]
            pub fn zero_of<'a, X: Object + ?Sized>(&self, x: &'a X) -> AnyTangent
            where
                X::Base<'a>: Differentiable<OwnedTangent = AnyTangent>,
            {
                X::base(x).zero_tangent()
            }

            /// The pullback's argument for the receiver, whose place is unique.
            #[inline(always)]
            pub fn give_unique<'a, X: $bound + ?Sized>(
                &self,
                $x: &'a mut X,
                x_bar: &'a mut dyn ErasedTangent,
            ) -> CoDual<&'a $($mutable)? X::Base<'a>, &'a mut dyn ErasedTangent> {
                CoDual($base, x_bar)
            }

            /// The pullback's argument for the receiver, which has not been moved.
            #[inline(always)]
            pub fn give_option<'a, X: $bound>(
                &self,
                x: &'a mut Option<X>,
                x_bar: &'a mut dyn ErasedTangent,
            ) -> CoDual<&'a $($mutable)? X::Base<'a>, &'a mut dyn ErasedTangent> {
                self.give_unique(x.as_mut().expect(MOVED), x_bar)
            }

            /// The pullback has added to the shadow already.
            #[inline(always)]
            pub fn receiver_cotangent(&self, _returned: (), _x_bar: &mut dyn ErasedTangent) {}

            /// [`give_unique`](Self::give_unique) of second order.
            #[inline(always)]
            #[allow(clippy::type_complexity)]
            pub fn give_unique_dual<'a, X: $bound + ?Sized>(
                &self,
                $x: &'a mut X,
                x_dot: &'a mut dyn ErasedTangent,
                x_bar: &'a mut dyn ErasedTangent,
                x_bar_dot: &'a mut dyn ErasedTangent,
            ) -> CoDual<Dual<&'a $($mutable)? X::Base<'a>, &'a $($mutable)? dyn ErasedTangent>, Shadows<'a>> {
                CoDual(Dual($base, x_dot), Dual(x_bar, x_bar_dot))
            }

            /// [`give_option`](Self::give_option) of second order.
            #[inline(always)]
            #[allow(clippy::type_complexity)]
            pub fn give_option_dual<'a, X: $bound>(
                &self,
                x: &'a mut Option<X>,
                x_dot: &'a mut dyn ErasedTangent,
                x_bar: &'a mut dyn ErasedTangent,
                x_bar_dot: &'a mut dyn ErasedTangent,
            ) -> CoDual<Dual<&'a $($mutable)? X::Base<'a>, &'a $($mutable)? dyn ErasedTangent>, Shadows<'a>> {
                self.give_unique_dual(x.as_mut().expect(MOVED), x_dot, x_bar, x_bar_dot)
            }

            /// The pullback has added to the shadows already.
            #[inline(always)]
            pub fn receiver_cotangent_dual(
                &self,
                _returned: (),
                _x_bar: &mut dyn ErasedTangent,
                _x_bar_dot: &mut dyn ErasedTangent,
            ) {
            }

            /// The receiver's tangent, for a forward rule.
            #[inline(always)]
            pub fn tangent_mut<'a>(&self, x_dot: &'a mut dyn ErasedTangent) -> &'a $($mutable)? dyn ErasedTangent {
                x_dot
            }
        }
    )*};
}
active! {
    Shared Object [] { |x| X::base(x) };
    Unique ObjectMut [mut] { |x| X::base_mut(x) };
}

impl Shared {
    /// The receiver's tangent, for a forward rule.
    #[inline(always)]
    pub fn tangent<'a>(&self, x_dot: &'a dyn ErasedTangent) -> &'a dyn ErasedTangent {
        x_dot
    }

    /// The pullback's argument for the receiver, whose place is shared.
    #[inline(always)]
    pub fn give_shared<'a, X: Object + ?Sized>(
        &self,
        x: &'a X,
        x_bar: &'a mut dyn ErasedTangent,
    ) -> CoDual<&'a X::Base<'a>, &'a mut dyn ErasedTangent> {
        CoDual(X::base(x), x_bar)
    }

    /// [`give_shared`](Self::give_shared) of second order.
    #[inline(always)]
    #[allow(clippy::type_complexity)]
    pub fn give_shared_dual<'a, X: Object + ?Sized>(
        &self,
        x: &'a X,
        x_dot: &'a dyn ErasedTangent,
        x_bar: &'a mut dyn ErasedTangent,
        x_bar_dot: &'a mut dyn ErasedTangent,
    ) -> CoDual<Dual<&'a X::Base<'a>, &'a dyn ErasedTangent>, Shadows<'a>> {
        CoDual(Dual(X::base(x), x_dot), Dual(x_bar, x_bar_dot))
    }
}

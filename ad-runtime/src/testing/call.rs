//! Calls of hidden rules whose parameters depend on facts that the macro can't see: which parameters are constant, and
//! whether the first one is a receiver. Arguments are lists, `(a, (b, ()))`.

use core::marker::PhantomData;

use crate::Dual;

/// The target of a path if the function has no such rule.
#[derive(Clone, Copy, Debug)]
pub struct Missing;

/// The shadow of a differentiated argument.
#[derive(Debug)]
pub struct Shadow<S>(pub S);

/// A constant argument has none.
#[derive(Clone, Copy, Debug)]
pub struct NoShadow;

/// Puts a shadow before a list, if there is one.
pub trait Prepend<Rest> {
    /// The longer list.
    type List;

    /// The longer list.
    fn prepend(self, rest: Rest) -> Self::List;
}

impl<S, Rest> Prepend<Rest> for Shadow<S> {
    type List = (S, Rest);

    fn prepend(self, rest: Rest) -> (S, Rest) {
        (self.0, rest)
    }
}

impl<Rest> Prepend<Rest> for NoShadow {
    type List = Rest;

    fn prepend(self, rest: Rest) -> Rest {
        rest
    }
}

/// The arguments stand as they are.
#[derive(Debug)]
pub enum Plain {}
/// The first argument is a receiver, whose tangent is an argument of its own.
#[derive(Debug)]
pub enum Receiver {}
/// The first argument is a constant receiver, with `()` for its tangent.
#[derive(Debug)]
pub enum ConstantReceiver {}
/// There is no such function.
#[derive(Debug)]
pub enum Nothing {}

/// A function that can be called with the list `A`; `M` says how, and is inferred.
#[diagnostic::on_unimplemented(
    message = "this function has no reverse rule of second order",
    label = "can't be checked in second order",
    note = "check it in first order only: `check_rules!(f, x; order = 1)`"
)]
pub trait Call<A, R, M> {
    /// Calls it.
    fn call(self, arguments: A) -> R;
}

/// The same for a rule that may be [`Missing`].
pub trait TryCall<A, R, M> {
    /// Calls it, if it is there.
    fn try_call(self, arguments: A) -> Option<R>;
}

impl<A, R> TryCall<A, R, Nothing> for Missing {
    fn try_call(self, _: A) -> Option<R> {
        None
    }
}

macro_rules! list {
    () => { () };
    ($first:tt $($rest:tt)*) => { ($first, list!($($rest)*)) };
}

macro_rules! calls {
    () => {
        calls!(@);
    };
    ($A:ident $a:ident $($rest:ident)*) => {
        calls!(@ $A $a $($rest)*);
        calls!($($rest)*);
    };
    (@ $($A:ident $a:ident)*) => {
        impl<Function: FnOnce($($A),*) -> Value, $($A,)* Value> Call<list!($($A)*), Value, Plain> for Function {
            fn call(self, list!($($a)*): list!($($A)*)) -> Value {
                self($($a),*)
            }
        }

        impl<Function: FnOnce($($A),*) -> Value, $($A,)* Value> TryCall<list!($($A)*), Value, Plain> for Function {
            fn try_call(self, list!($($a)*): list!($($A)*)) -> Option<Value> {
                Some(self($($a),*))
            }
        }

        impl<Function: FnOnce(X, XDot $(, $A)*) -> Value, X, XDot, $($A,)* Value>
            Call<(Dual<X, XDot>, list!($($A)*)), Value, Receiver> for Function
        {
            fn call(self, (Dual(x, x_dot), list!($($a)*)): (Dual<X, XDot>, list!($($A)*))) -> Value {
                self(x, x_dot $(, $a)*)
            }
        }

        impl<Function: FnOnce(X, XDot $(, $A)*) -> Value, X, XDot, $($A,)* Value>
            TryCall<(Dual<X, XDot>, list!($($A)*)), Value, Receiver> for Function
        {
            fn try_call(self, (Dual(x, x_dot), list!($($a)*)): (Dual<X, XDot>, list!($($A)*))) -> Option<Value> {
                Some(self(x, x_dot $(, $a)*))
            }
        }

        impl<Function: FnOnce(X, () $(, $A)*) -> Value, X, $($A,)* Value>
            Call<(X, list!($($A)*)), Value, ConstantReceiver> for Function
        {
            fn call(self, (x, list!($($a)*)): (X, list!($($A)*))) -> Value {
                self(x, () $(, $a)*)
            }
        }

        impl<Function: FnOnce(X, () $(, $A)*) -> Value, X, $($A,)* Value>
            TryCall<(X, list!($($A)*)), Value, ConstantReceiver> for Function
        {
            fn try_call(self, (x, list!($($a)*)): (X, list!($($A)*))) -> Option<Value> {
                Some(self(x, () $(, $a)*))
            }
        }
    };
}
calls!(
    A a B b C c D d E e F f G g H h I i J j K k L l N n O o P p Q q S s T t U u V v
    A2 a2 B2 b2 C2 c2 D2 d2 E2 e2 F2 f2 G2 g2 H2 h2 I2 i2 J2 j2 K2 k2 L2 l2 N2 n2 O2 o2 P2 p2 Q2 q2 S2 s2 T2 t2 U2 u2 V2 v2
);

/// Calls a function with a list of arguments.
pub fn call<F: Call<A, R, M>, A, R, M>(function: F, arguments: A) -> R {
    function.call(arguments)
}

/// Calls a function with a list of arguments, if it is there.
pub fn try_call<F: TryCall<A, R, M>, A, R, M>(function: F, arguments: A) -> Option<R> {
    function.try_call(arguments)
}

/// A tuple of modes, which have no content; tuples of std can be made of nothing up to twelve only.
pub trait Made {
    /// The tuple.
    fn made() -> Self;
}
impl Made for () {
    fn made() -> Self {}
}
macro_rules! made {
    ([$($M:ident)*]) => {
        impl<$($M: Default),*> Made for ($($M,)*) {
            fn made() -> Self {
                ($($M::default(),)*)
            }
        }
    };
    ([$($M:ident)*] $next:ident $($rest:ident)*) => {
        made! { [$($M)*] }
        made! { [$($M)* $next] $($rest)* }
    };
}
made! {
    [M1] M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12 M13 M14 M15 M16 M17 M18 M19 M20 M21 M22 M23 M24 M25
}

/// Functions that return modes: `__modes()`, and that of a method, which takes the receiver.
pub trait Modes<M> {
    /// The tuple of modes.
    type Modes: Made;
}

impl<F: FnOnce() -> M, M: Made> Modes<((), M)> for F {
    type Modes = M;
}

impl<F: FnOnce(&T) -> M, T, M: Made> Modes<(PhantomData<T>, M)> for F {
    type Modes = M;
}

/// The modes of a function or method, without calling anything.
pub fn modes<F: Modes<M>, M>(_: F) -> F::Modes {
    F::Modes::made()
}

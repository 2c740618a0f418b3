//! The answer where a method has no rule, and the traits that make both answers look alike.

use crate::{Differentiable, Dual, NoTangent, Tan};

/// The tangents of results that lose nothing without a rule: [`NoTangent`], and types that consist of it.
#[diagnostic::on_unimplemented(
    message = "this method has no derivative rule, but its result has a tangent of type `{Self}`",
    label = "called on a differentiated value",
    note = "if the method is your own, write `#[differentiable]` on it, and on the trait that declares it if there is one; the guide's chapter on matrices lists the methods of libraries that have rules; `stop_gradient` around the call makes its result a constant"
)]
pub trait WithoutTangent {}
// rustc would list these types in the message.
macro_rules! without {
    ($([$($generics:tt)*] $t:ty;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> WithoutTangent for $t {}
    )*};
}
without! {
    [] NoTangent;
    [T: WithoutTangent] [T];
    [T: WithoutTangent, const N: usize] [T; N];
    [T: WithoutTangent] alloc::vec::Vec<T>;
    [T: WithoutTangent] Option<T>;
    [T: WithoutTangent] Result<T, NoTangent>;
    [T: WithoutTangent] alloc::boxed::Box<T>;
    [T: WithoutTangent] core::ops::Range<T>;
}
macro_rules! tuples {
    ($($($T:ident)*;)*) => {without! { $([$($T: WithoutTangent),*] ($($T,)*);)* }};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

/// A value that a pattern takes from behind a reference that a method without a rule has returned: the value itself.
#[inline(always)]
pub fn constant<T: Differentiable<OwnedTangent = NoTangent>>(value: T) -> T {
    value
}

/// The receiver of a method without a rule, for the methods of the macro's fallback. The receiver itself is left
/// alone, so that the method can be called on it.
#[derive(Clone, Copy, Debug)]
pub struct NoReceiver;

/// There is no rule, and here are the arguments back.
#[derive(Debug)]
pub struct NoRule<A>(A);

impl<A> NoRule<A> {
    /// The result of the macro's fallback for a method.
    #[inline(always)]
    pub fn new(arguments: A) -> Self {
        NoRule(arguments)
    }

    /// In place of a `__m_rrule`: calls the method. That no derivative is lost, the `__m_frule` beside it checks: one mistake
    /// is one message.
    #[inline(always)]
    pub fn or_inactive<'x, X: ?Sized + 'x, R>(
        self,
        receiver: impl FnOnce() -> &'x X,
        method: impl FnOnce(&'x X, A) -> R,
    ) -> (R, Inactive)
    where
        R: Differentiable,
    {
        (method(receiver(), self.0), Inactive)
    }

    /// In place of a `__m_frule`: calls the method, whose result may have no tangent.
    #[inline(always)]
    pub fn or_inactive_frule<'x, X: ?Sized + 'x, R>(
        self,
        receiver: impl FnOnce() -> &'x X,
        method: impl FnOnce(&'x X, A) -> R,
    ) -> Dual<R, Tan<R>>
    where
        R: Differentiable<OwnedTangent: WithoutTangent>,
    {
        let y = method(receiver(), self.0);
        let zero = y.zero_tangent();
        Dual(y, zero)
    }

    /// In place of a `__m_frule` of a number, where a result without a tangent may be the number in another form.
    pub fn or_ruleless_frule<'x, X, R>(
        self,
        _receiver: impl FnOnce() -> &'x X,
        _method: impl FnOnce(&'x X, A) -> R,
    ) -> Dual<R, Tan<R>>
    where
        R: Differentiable + OfNumber<X>,
        X: ?Sized + 'x,
    {
        unreachable!()
    }

    /// In place of a `__m_rrule_frule`.
    #[inline(always)]
    pub fn or_inactive_rrule_frule<'x, X: ?Sized + 'x, R>(
        self,
        receiver: impl FnOnce() -> &'x X,
        method: impl FnOnce(&'x X, A) -> R,
    ) -> (Dual<R, Tan<R>>, Inactive)
    where
        R: Differentiable,
    {
        let y = method(receiver(), self.0);
        let zero = y.zero_tangent();
        (Dual(y, zero), Inactive)
    }
}

/// No type implements it: a method that is called on a differentiated number `X` needs a rule. The bound is on the method's result, which has no type
/// if there is no such method, so that rustc reports the missing method alone.
#[diagnostic::on_unimplemented(
    message = "this method has no derivative rule",
    label = "called on a differentiated number",
    note = "if the method is your own, write `#[differentiable]` on it, and on the trait that declares it if there is one; the guide's chapter on matrices lists the methods of libraries that have rules; `stop_gradient` around the call makes its result a constant"
)]
pub trait OfNumber<X: ?Sized> {}

/// Reads a number from the receiver of a method, which is the number itself or a reference to it.
pub trait ToNumber<T> {
    fn to_number(self) -> T;
}
macro_rules! to_number {
    ($($T:ty)*) => {$(
        impl ToNumber<$T> for $T {
            #[inline(always)]
            fn to_number(self) -> $T {
                self
            }
        }
        impl ToNumber<$T> for &$T {
            #[inline(always)]
            fn to_number(self) -> $T {
                *self
            }
        }
        impl ToNumber<$T> for &mut $T {
            #[inline(always)]
            fn to_number(self) -> $T {
                *self
            }
        }
    )*};
}
to_number! { f32 f64 }

/// Methods without a rule that take a differentiated value, and whose result is not used: the value may be stored, or returned in another way.
#[diagnostic::on_unimplemented(
    message = "this method has no derivative rule, but a differentiated value is passed to it",
    label = "called for its effect with a differentiated value",
    note = "write `#[differentiable]` on the method; if it only inspects the value, pass `stop_gradient(..)`"
)]
pub trait KeepsNothing {}

impl<A> NoRule<A> {
    /// In place of a `__m_frule` whose result nobody wants.
    pub fn or_dropped_frule(self) -> Dual<Dropped, NoTangent>
    where
        Self: KeepsNothing,
    {
        unreachable!()
    }

    /// In place of a `__m_rrule`: the `__m_frule` beside it reports the mistake.
    pub fn or_dropped_rrule(self) -> (Dropped, Inactive) {
        unreachable!()
    }

    /// In place of a `__m_rrule_frule`: the `__m_frule` beside it reports the mistake.
    pub fn or_dropped_rrule_frule(self) -> (Dual<Dropped, NoTangent>, Inactive) {
        unreachable!()
    }
}

/// Replaces the result of a method without a rule, which is an error: a method called on it is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dropped;

macro_rules! dropped {
    ($($method:ident($($argument:ident: $T:ident)?);)*) => {
        impl Dropped {
            $(
                /// As on a `Result` or an `Option`.
                #[must_use]
                pub fn $method$(<$T>)?(&self $(, _: $T)?) -> Dropped {
                    Dropped
                }
            )*
        }
    };
}
dropped! {
    err();
    expect(message: T);
    is_err();
    is_none();
    is_ok();
    is_some();
    ok();
    unwrap();
    unwrap_err();
    unwrap_or(value: T);
    unwrap_or_default();
}

/// Methods that get functions, which a method without a rule can't be called with: the arguments are their rules.
#[diagnostic::on_unimplemented(
    message = "this method has no derivative rule that takes a function",
    label = "called with a function on a differentiated value",
    note = "write `#[differentiable]` on the method"
)]
pub trait TakesFunctions {}

impl<A> NoRule<A> {
    /// In place of a `__m_frule` of a method that gets a function.
    pub fn or_missing_frule<R, S>(self) -> Dual<R, S>
    where
        Self: TakesFunctions,
    {
        unreachable!()
    }

    /// In place of a `__m_rrule`: the `__m_frule` beside it reports the mistake.
    pub fn or_missing_rrule<R>(self) -> (R, Inactive) {
        unreachable!()
    }

    /// In place of a `__m_rrule_frule`: the `__m_frule` beside it reports the mistake.
    pub fn or_missing_rrule_frule<R, S>(self) -> (Dual<R, S>, Inactive) {
        unreachable!()
    }
}

/// Results of rules, with the methods of [`NoRule`] that never call the method itself.
#[allow(
    clippy::return_self_not_must_use,
    reason = "the methods of `NoRule` are no different"
)]
pub trait HasOnlyRule: Sized {
    /// There was a rule.
    #[inline(always)]
    fn or_dropped_frule(self) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_dropped_rrule(self) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_dropped_rrule_frule(self) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_missing_frule(self) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_missing_rrule(self) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_missing_rrule_frule(self) -> Self {
        self
    }
}
impl<R, P> HasOnlyRule for (R, P) {}
impl<R, S> HasOnlyRule for Dual<R, S> {}

/// Results of rules, with the methods of [`NoRule`], which do nothing here.
#[allow(
    clippy::return_self_not_must_use,
    reason = "the methods of `NoRule` are no different"
)]
pub trait HasRule<X, F>: Sized {
    /// There was a rule.
    #[inline(always)]
    fn or_inactive(self, _receiver: X, _method: F) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_inactive_frule(self, _receiver: X, _method: F) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_ruleless_frule(self, _receiver: X, _method: F) -> Self {
        self
    }

    /// There was a rule.
    #[inline(always)]
    fn or_inactive_rrule_frule(self, _receiver: X, _method: F) -> Self {
        self
    }
}
impl<X, R, P, F> HasRule<X, F> for (R, P) {}
impl<X, R, S, F> HasRule<X, F> for Dual<R, S> {}

/// The pullback of a method without a rule. It can be kept, as a pullback can.
#[derive(Clone, Copy, Debug)]
pub struct Inactive;

/// Calls a pullback, or nothing, with the arguments of its positions `A`, a tuple.
///
/// `FnOnce` is a fundamental trait, so the two implementations don't overlap.
pub trait Pull<Y, A> {
    /// The result of the pullback: a tuple with one position for each argument.
    type Output;

    /// Calls it.
    fn pull(self, y_bar: Y, arguments: A) -> Self::Output;
}

macro_rules! pull {
    ([$($A:ident $a:ident)*]) => {
        impl<P: FnOnce(Y, $($A),*) -> Z, Y, Z, $($A),*> Pull<Y, ($($A,)*)> for P {
            type Output = Z;

            #[inline(always)]
            fn pull(self, y_bar: Y, ($($a,)*): ($($A,)*)) -> Z {
                self(y_bar, $($a),*)
            }
        }

        impl<Y, $($A),*> Pull<Y, ($($A,)*)> for Inactive {
            type Output = ($(pull!(@unit $A),)*);

            #[inline(always)]
            fn pull(self, _y_bar: Y, _arguments: ($($A,)*)) -> Self::Output {
                ($(pull!(@value $A),)*)
            }
        }
    };
    ([$($A:ident $a:ident)*] $next:ident $argument:ident $($rest:ident)*) => {
        pull! { [$($A $a)*] }
        pull! { [$($A $a)* $next $argument] $($rest)* }
    };
    (@unit $A:ident) => { () };
    (@value $A:ident) => { () };
}
pull! {
    [A a]
    B b C c D d E e F f G g H h I i J j K k L l M m
    A2 a2 B2 b2 C2 c2 D2 d2 E2 e2 F2 f2 G2 g2 H2 h2 I2 i2 J2 j2 K2 k2 L2 l2
}

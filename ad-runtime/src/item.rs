//! Function items that are passed on.
//!
//! The rules of an item have parameters according to its modes. Those of a function value take one tuple, uniformly: a
//! dual for each argument, and for each position of the reverse half `()` or a `CoDual`. Here one becomes the other, position
//! by position, so that the caller needs to know neither how many parameters the item has nor which of them are constant.

use core::borrow::Borrow;

use crate::mode::{Const, ConstMut, ConstRef, Mut, Owned, Ref};
use crate::ops::InactiveTangent;
use crate::{CoDual, Dual, Tangent};

/// A function that can be called with a tuple.
pub trait CallWith<Args> {
    /// Its result.
    type Output;
    /// Calls it.
    fn call_with(self, args: Args) -> Self::Output;
}

/// A pullback that can be called with a seed and a tuple of positions.
pub trait PullWith<Seed, Positions> {
    /// Its result.
    type Output;
    /// Calls it.
    fn pull_with(self, seed: Seed, positions: Positions) -> Self::Output;
}

/// Converts a dual to the argument of a forward rule.
pub trait Forward<D> {
    /// The argument of the item's rule.
    type Given;
    /// Keeps the parts that the rule takes.
    fn forward(self, dual: D) -> Self::Given;
}

/// Converts a position to the argument of a pullback.
pub trait Position<P> {
    /// The argument of the item's pullback.
    type Given;
    /// Keeps the parts that the pullback takes.
    fn position(self, position: P) -> Self::Given;
}

/// Converts the cotangent that a pullback returned to that of a function value.
pub trait Cotangent<Returned, Wanted> {
    /// A constant has the cotangent zero.
    fn cotangent(self, returned: Returned) -> Wanted;
}

/// A position of a reverse half, to which the cotangent of an argument goes: returned for a value, added to the shadow of
/// a reference.
pub trait GiveBack<Bar> {
    /// The returned cotangent, or nothing.
    type Output;
    /// Returns the cotangent, or adds it to the shadow.
    fn give_back(self, bar: Bar) -> Self::Output;
}

impl<Bar> GiveBack<Bar> for () {
    type Output = Bar;
    #[inline(always)]
    fn give_back(self, bar: Bar) -> Bar {
        bar
    }
}

impl<P, S: Tangent + ?Sized, Bar: Borrow<S>> GiveBack<Bar> for CoDual<P, &mut S> {
    type Output = ();
    #[inline(always)]
    fn give_back(self, bar: Bar) {
        self.1.accumulate(bar.borrow());
    }
}

impl<P, S: Tangent + ?Sized, Bar: Borrow<S>> GiveBack<Dual<Bar, Bar>>
    for CoDual<P, Dual<&mut S, &mut S>>
{
    type Output = ();
    #[inline(always)]
    fn give_back(self, bar: Dual<Bar, Bar>) {
        self.1.0.accumulate(bar.0.borrow());
        self.1.1.accumulate(bar.1.borrow());
    }
}

/// Returns the cotangent of an argument, or adds it to the shadow.
#[inline(always)]
pub fn give_back<P: GiveBack<Bar>, Bar>(position: P, bar: Bar) -> P::Output {
    position.give_back(bar)
}

/// Calls a rule with a tuple.
#[inline(always)]
pub fn call<F: CallWith<Args>, Args>(rule: F, args: Args) -> F::Output {
    rule.call_with(args)
}

/// The arguments of an item's forward rule.
#[inline(always)]
pub fn forward<M: Forward<Duals>, Duals>(modes: M, duals: Duals) -> M::Given {
    modes.forward(duals)
}

/// The reverse half of an item.
#[inline(always)]
pub fn reverse<M, P, Seed, Positions, Wanted>(
    modes: M,
    pullback: P,
    seed: Seed,
    positions: Positions,
) -> Wanted
where
    M: Position<Positions> + Cotangent<P::Output, Wanted> + Copy,
    P: PullWith<Seed, M::Given>,
{
    modes.cotangent(pullback.pull_with(seed, modes.position(positions)))
}

impl<T, S> Forward<Dual<T, S>> for Owned<T> {
    type Given = Dual<T, S>;
    #[inline(always)]
    fn forward(self, dual: Dual<T, S>) -> Self::Given {
        dual
    }
}

impl<T, S: InactiveTangent> Forward<Dual<T, S>> for Const<T> {
    type Given = T;
    #[inline(always)]
    fn forward(self, dual: Dual<T, S>) -> T {
        dual.0
    }
}

macro_rules! owned {
    ($($mode:ident),*) => {$(
        impl<T> Position<()> for $mode<T> {
            type Given = ();
            #[inline(always)]
            fn position(self, (): ()) {}
        }
    )*};
}
owned!(Owned, Const);

impl<T, R> Cotangent<R, R> for Owned<T> {
    #[inline(always)]
    fn cotangent(self, returned: R) -> R {
        returned
    }
}

impl<T, W: Default> Cotangent<(), W> for Const<T> {
    #[inline(always)]
    fn cotangent(self, (): ()) -> W {
        W::default()
    }
}

macro_rules! references {
    ($($mode:ident $constant:ident [$($reference:tt)*];)*) => {$(
        impl<'a, T: ?Sized, S> Forward<Dual<$($reference)* T, S>> for $mode<T> {
            type Given = Dual<$($reference)* T, S>;
            #[inline(always)]
            fn forward(self, dual: Dual<$($reference)* T, S>) -> Self::Given {
                dual
            }
        }

        impl<'a, T: ?Sized, S: InactiveTangent> Forward<Dual<$($reference)* T, S>> for $constant<T> {
            type Given = $($reference)* T;
            #[inline(always)]
            fn forward(self, dual: Dual<$($reference)* T, S>) -> Self::Given {
                dual.0
            }
        }

        impl<T: ?Sized, P, S> Position<CoDual<P, S>> for $mode<T> {
            type Given = CoDual<P, S>;
            #[inline(always)]
            fn position(self, position: CoDual<P, S>) -> Self::Given {
                position
            }
        }

        impl<T: ?Sized> Cotangent<(), ()> for $mode<T> {
            #[inline(always)]
            fn cotangent(self, (): ()) {}
        }

        impl<T: ?Sized> Cotangent<(), ()> for $constant<T> {
            #[inline(always)]
            fn cotangent(self, (): ()) {}
        }
    )*};
}
references! {
    Ref ConstRef [&'a];
    Mut ConstMut [&'a mut];
}

impl<'a, T: ?Sized, S> Position<CoDual<&'a T, S>> for ConstRef<T> {
    type Given = &'a T;
    #[inline(always)]
    fn position(self, position: CoDual<&'a T, S>) -> &'a T {
        position.0
    }
}

impl<'a, T: ?Sized, D, S> Position<CoDual<Dual<&'a T, D>, S>> for ConstRef<T> {
    type Given = &'a T;
    #[inline(always)]
    fn position(self, position: CoDual<Dual<&'a T, D>, S>) -> &'a T {
        position.0.0
    }
}

impl<T: ?Sized, P, S> Position<CoDual<P, S>> for ConstMut<T> {
    type Given = ();
    #[inline(always)]
    fn position(self, _: CoDual<P, S>) {}
}

// The tuples of no parameters are units.
#[allow(clippy::unused_unit)]
mod tuples {
    use super::{CallWith, Cotangent, Forward, Position, PullWith};

    macro_rules! tuples {
    ($($($T:ident $U:ident $W:ident $x:ident),*;)*) => {$(
        impl<F: FnOnce($($T),*) -> R, R, $($T),*> CallWith<($($T,)*)> for F {
            type Output = R;
            #[inline(always)]
            fn call_with(self, ($($x,)*): ($($T,)*)) -> R {
                self($($x),*)
            }
        }

        impl<F: FnOnce(Seed, $($T),*) -> R, R, Seed, $($T),*> PullWith<Seed, ($($T,)*)> for F {
            type Output = R;
            #[inline(always)]
            fn pull_with(self, seed: Seed, ($($x,)*): ($($T,)*)) -> R {
                self(seed, $($x),*)
            }
        }

        impl<$($T: Forward<$U>, $U),*> Forward<($($U,)*)> for ($($T,)*) {
            type Given = ($($T::Given,)*);
            #[inline(always)]
            #[allow(non_snake_case)]
            fn forward(self, ($($x,)*): ($($U,)*)) -> Self::Given {
                let ($($T,)*) = self;
                ($($T.forward($x),)*)
            }
        }

        impl<$($T: Position<$U>, $U),*> Position<($($U,)*)> for ($($T,)*) {
            type Given = ($($T::Given,)*);
            #[inline(always)]
            #[allow(non_snake_case)]
            fn position(self, ($($x,)*): ($($U,)*)) -> Self::Given {
                let ($($T,)*) = self;
                ($($T.position($x),)*)
            }
        }

        impl<$($T: Cotangent<$U, $W>, $U, $W),*> Cotangent<($($U,)*), ($($W,)*)> for ($($T,)*) {
            #[inline(always)]
            #[allow(non_snake_case)]
            fn cotangent(self, ($($x,)*): ($($U,)*)) -> ($($W,)*) {
                let ($($T,)*) = self;
                ($($T.cotangent($x),)*)
            }
        }
    )*};
}
    tuples! {
        ;
        A UA WA a;
        A UA WA a, B UB WB b;
        A UA WA a, B UB WB b, C UC WC c;
        A UA WA a, B UB WB b, C UC WC c, D UD WD d;
        A UA WA a, B UB WB b, C UC WC c, D UD WD d, E UE WE e;
        A UA WA a, B UB WB b, C UC WC c, D UD WD d, E UE WE e, G UG WG g;
        A UA WA a, B UB WB b, C UC WC c, D UD WD d, E UE WE e, G UG WG g, H UH WH h;
        A UA WA a, B UB WB b, C UC WC c, D UD WD d, E UE WE e, G UG WG g, H UH WH h, I UI WI i;
    }
}

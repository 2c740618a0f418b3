//! What a position takes: a constant one only what is inactive. The forward rule of a caller asks, once for each argument that may be
//! active, with a closure that is never called: `modes.1.takes(|| &x_dot)`. What it would give has the types of the tangents.
//!
//! What a caller lends to a position is constant for the caller, which the callee's mode doesn't say. If the callee may write there, it may
//! store its other arguments, of which nothing active gets lost: `modes.0.stores(kind.lost(|| &x_dot))`.

use alloc::borrow::ToOwned;

use super::object::{ConstShared, ConstUnique, Shared, Unique};
use super::{
    Absent, Const, ConstMut, ConstRef, Function, Held, HeldConst, HeldDual, Mut, Owned, Ref, SizeOf,
};
use crate::Differentiable;
use crate::field::Kind;
use crate::ops::InactiveTangent;

macro_rules! takes {
    (@one [$($bound:tt)*] ([$($generics:tt)*] $mode:ty)) => {
        impl $($generics)* $mode {
            /// Whether the position takes what has these tangents.
            #[inline(always)]
            pub fn takes<S $($bound)*>(&self, _tangents: impl FnOnce() -> S) {}
        }
    };
    ($bounds:tt $($mode:tt)*) => {$( takes!(@one $bounds $mode); )*};
}
takes! {
    []
    ([<T>] Owned<T>)
    ([<T: ?Sized>] Ref<T>)
    ([<T: ?Sized>] Mut<T>)
    ([<T: ToOwned + ?Sized>] Held<T>)
    ([<T: ToOwned + Differentiable + ?Sized>] HeldDual<T>)
    ([] Shared)
    ([] Unique)
    ([] Absent)
    ([] Function)
}
takes! {
    [: InactiveTangent]
    ([<T>] Const<T>)
    ([<T>] SizeOf<T>)
    ([<T: ?Sized>] ConstRef<T>)
    ([<T: ?Sized>] ConstMut<T>)
    ([<T: ToOwned + ?Sized>] HeldConst<T>)
    ([] ConstShared)
    ([] ConstUnique)
}

macro_rules! stores {
    (@one ([$($generics:tt)*] $mode:ty)) => {
        impl $($generics)* $mode {
            /// Nothing is written to what is lent here, or what it is for isn't constant.
            #[inline(always)]
            pub fn stores<S>(&self, _lost: Kind<S>) {}
        }
    };
    ($($mode:tt)*) => {$( stores!(@one $mode); )*};
}
stores! {
    ([<T>] Owned<T>)
    ([<T: ?Sized>] Ref<T>)
    ([<T: ToOwned + ?Sized>] Held<T>)
    ([<T: ToOwned + Differentiable + ?Sized>] HeldDual<T>)
    ([] Shared)
    ([] Absent)
    ([] Function)
    ([<T>] Const<T>)
    ([<T>] SizeOf<T>)
    ([<T: ?Sized>] ConstRef<T>)
    ([<T: ?Sized>] ConstMut<T>)
    ([<T: ToOwned + ?Sized>] HeldConst<T>)
    ([] ConstShared)
    ([] ConstUnique)
    // Nothing that is active fits in there.
    ([<T: Differentiable<Tangent: InactiveTangent> + ?Sized>] Mut<T>)
}

/// What is lent for writing in all other cases; found after those above.
pub trait Stores {
    /// It takes only what is inactive.
    #[inline(always)]
    fn stores<S: InactiveTangent>(&self, _lost: Kind<S>) {}
}

impl<T: ?Sized> Stores for Mut<T> {}
impl Stores for Unique {}

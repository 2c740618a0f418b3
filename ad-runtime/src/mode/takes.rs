//! The values that a position takes: a constant one takes only inactive values. The forward rule of a caller checks this once for
//! each argument that may be active, with a closure that is never called: `modes.1.takes(|| &x_dot)`. The type of the closure's
//! result is that of the tangents.
//!
//! An argument that a caller passes by reference may be constant for the caller, which the callee's mode doesn't say. If the callee may
//! write there, it may store its other arguments, and no active value may get lost: `modes.0.stores(kind.lost(|| &x_dot))`.

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
            /// Compiles only if the position takes values with these tangents.
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
            /// No active value is lost in this argument: it isn't written to, or holds none.
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

/// All other arguments that are passed for writing; found after those above.
pub trait Stores {
    /// It takes only inactive values.
    #[inline(always)]
    fn stores<S: InactiveTangent>(&self, _lost: Kind<S>) {}
}

impl<T: ?Sized> Stores for Mut<T> {}
impl Stores for Unique {}

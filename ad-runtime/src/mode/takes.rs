//! What a position takes: a constant one only what is inactive. The forward rule of a caller asks, once for each argument that may be
//! active, with a closure that is never called: `modes.1.takes(|| &x_dot)`. What it would give has the types of the tangents.

use alloc::borrow::ToOwned;

use super::object::{ConstShared, ConstUnique, Shared, Unique};
use super::{
    Absent, Const, ConstMut, ConstRef, Function, Held, HeldConst, HeldDual, Mut, Owned, Ref,
};
use crate::Differentiable;
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
    ([<T: ?Sized>] ConstRef<T>)
    ([<T: ?Sized>] ConstMut<T>)
    ([<T: ToOwned + ?Sized>] HeldConst<T>)
    ([] ConstShared)
    ([] ConstUnique)
}

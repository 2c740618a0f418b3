//! Modes: facts that generated code has about the parameters of a function that it calls.
//!
//! The macro that expands a caller sees `f(&x, w, n)` and nothing of `f`: not which parameters are constant, nor which
//! are taken by value. `f::__modes()` is a tuple with one mode for each parameter. The caller passes the operands that
//! it has for a position, and the mode keeps those that the callee wants:
//!
//! | mode | parameter | forward rule takes | pullback takes | pullback returns |
//! |---|---|---|---|---|
//! | [`Owned<T>`] | `x: T` | `Dual<T, Tan<T>>` | `()` | `Tan<T>` |
//! | [`Ref<T>`] | `x: &T` | `Dual<&T, &T::Tangent>` | `CoDual<&T, &mut T::Tangent>` | `()` |
//! | [`Mut<T>`] | `x: &mut T` | `Dual<&mut T, &mut T::Tangent>` | `CoDual<&mut T, &mut T::Tangent>` | `()` |
//! | [`Const<T>`] | constant `x: T` | `T` | `()` | `()` |
//! | [`SizeOf<T>`] | constant `x: usize` | [`Size<T>`] | `()` | `()` |
//! | [`ConstRef<T>`] | constant `x: &T` | `&T` | `&T` | `()` |
//! | [`ConstMut<T>`] | constant `x: &mut T` | `&mut T` | `()` | `()` |
//! | [`Function`] | a function | a function of duals | the function's reverse half | `()` |
//! | [`Absent`] | of a method without a rule | the argument | `()` | `()` |
//!
//! Modes have no size, and all of their methods are inlined. Parameters are typed, where the mode knows the type, so
//! that they are coercion sites: `&Vec<f64>` becomes `&[f64]` as in the primal.
//!
//! Where an argument's shadow is not wanted, its type is a type parameter: a caller may pass a shadow or `()`.
//!
//! `Tan<T>` is `T::OwnedTangent`, which for types of known size is `T::Tangent`.

mod absent;
mod constant_receiver;
mod function;
mod lending;
mod method;
pub mod object;
mod open;
mod owner;
mod receiver;
mod shared;
mod takes;

mod size;
mod unique;
mod value;

use core::marker::PhantomData;

pub use absent::{Absent, absent};
pub use function::{Function, HasRules};
pub use lending::{KnownPart, Lending, Lent};
pub use method::{TakeAll, Takes};
pub use open::{Held, HeldConst, HeldDual};
pub use owner::{Changes, Owns, Shares};
pub use receiver::CopyReceiver;
pub use size::Size;
pub use takes::Stores;

macro_rules! modes {
    ($($(#[$doc:meta])* $mode:ident $constructor:ident [$($sized:tt)*];)*) => {$(
        $(#[$doc])*
        // `fn() -> T` makes it `Send`, `Sync` and `Copy` whatever `T` is.
        pub struct $mode<T $($sized)*>(PhantomData<fn() -> PhantomData<T>>);

        #[doc = concat!("The mode [`", stringify!($mode), "<T>`].")]
        #[inline(always)]
        pub const fn $constructor<T $($sized)*>() -> $mode<T> {
            $mode(PhantomData)
        }

        impl<T $($sized)*> Clone for $mode<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T $($sized)*> Copy for $mode<T> {}

        impl<T $($sized)*> Default for $mode<T> {
            fn default() -> Self {
                $constructor()
            }
        }

        impl<T $($sized)*> core::fmt::Debug for $mode<T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}<{}>", stringify!($mode), core::any::type_name::<T>())
            }
        }
    )*};
}
modes! {
    /// Taken by value and differentiated.
    Owned owned [];
    /// Taken as `&T` and differentiated.
    Ref by_ref [: ?Sized];
    /// Taken as `&mut T` and differentiated.
    Mut by_mut [: ?Sized];
    /// Taken by value, constant.
    Const constant [];
    /// A size of a container that is made, constant.
    SizeOf size_of [];
    /// Taken as `&T`, constant.
    ConstRef constant_ref [: ?Sized];
    /// Taken as `&mut T`, constant.
    ConstMut constant_mut [: ?Sized];
}

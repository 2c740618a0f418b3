//! Types whose values can't change by a little: their tangent is [`NoTangent`].

use alloc::string::String;
use core::marker::PhantomData;

use crate::{Components, Differentiable, NoTangent, ShapeMismatch};

macro_rules! inactive {
    ($([$($generics:tt)*] $t:ty)*) => {$(
        impl<$($generics)*> Differentiable for $t {
            type Tangent = NoTangent;
            type OwnedTangent = NoTangent;

            #[inline(always)]
            fn zero_tangent(&self) -> NoTangent {
                NoTangent
            }

            #[inline(always)]
            fn matches_shape(&self, _: &NoTangent) -> Result<(), ShapeMismatch> {
                Ok(())
            }

            #[inline(always)]
            fn add_scaled_tangent(&mut self, _: f64, _: &NoTangent) {}

            fn visit_components(&self, components: &mut Components<'_>) {
                components.fixed(self);
            }
        }
    )*};
}
inactive! {
    [] u8 [] u16 [] u32 [] u64 [] u128 [] usize
    [] i8 [] i16 [] i32 [] i64 [] i128 [] isize
    [] bool [] char [] str [] String [] ()
    [] core::cmp::Ordering [] core::time::Duration [] core::ops::RangeFull [] core::fmt::Error
    [] core::num::NonZeroUsize [] core::num::NonZeroU32 [] core::num::NonZeroU64
    [T: ?Sized] PhantomData<T>
    [] crate::probe::Dropped
    [R] fn() -> R
    [A, R] fn(A) -> R
    [A, B, R] fn(A, B) -> R
    [A, B, C, R] fn(A, B, C) -> R
    [A, B, C, D, R] fn(A, B, C, D) -> R
    [A, B, C, D, E, R] fn(A, B, C, D, E) -> R
    [A, B, C, D, E, F, R] fn(A, B, C, D, E, F) -> R
}

#[cfg(feature = "std")]
inactive! {
    [] std::time::Instant [] std::time::SystemTime
    [] std::path::Path [] std::path::PathBuf [] std::ffi::OsStr [] std::ffi::OsString
}

#[cfg(feature = "ndarray")]
inactive! {
    [] ::ndarray::Axis [] crate::libraries::ndarray::views::Order
}

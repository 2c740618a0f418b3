//! Buffers of runs: entries are written before they are read, so that what is left in them stays there.

use alloc::vec::Vec;

#[cfg(feature = "std")]
use super::pool::{self, Unit};

/// In place of the one of the pool.
#[cfg(not(feature = "std"))]
pub trait Unit {}
#[cfg(not(feature = "std"))]
impl<T> Unit for T {}

/// A residual that is stored by position.
pub trait Residual: Copy + Default + Unit {
    /// What builds with debug assertions write to entries that are handed out, so that tests see it where one is read too early.
    #[doc(hidden)]
    const UNWRITTEN: Self;
}

macro_rules! residuals {
    ($($t:ident)*: $unwritten:ident) => {
        $(
            impl Residual for $t {
                const UNWRITTEN: $t = <$t>::$unwritten;
            }
        )*
    };
}
residuals!(f32 f64: NAN);
residuals!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize: MAX);
impl Residual for bool {
    const UNWRITTEN: bool = true;
}

/// At least so many entries, which hold anything.
pub(crate) fn run<T: Residual>(len: usize) -> Vec<T> {
    /// Up to so many bytes memory is cleared faster than it is had clear from the allocator.
    const SMALL: usize = 1 << 14;
    let mut entries = kept_run(len).unwrap_or_default();
    if entries.capacity() < len {
        entries = if len.saturating_mul(size_of::<T>()) > SMALL {
            alloc::vec![T::default(); len]
        } else {
            Vec::with_capacity(len)
        };
    }
    if entries.len() < len {
        entries.resize(len, T::default());
    }
    if cfg!(debug_assertions) {
        entries.fill(T::UNWRITTEN);
    }
    entries
}

#[cfg(feature = "std")]
fn kept_run<T: Residual>(len: usize) -> Option<Vec<T>> {
    pool::take(len)
}

#[cfg(not(feature = "std"))]
fn kept_run<T: Residual>(_: usize) -> Option<Vec<T>> {
    None
}

/// Puts back what [`run`] gave.
pub(crate) fn keep_run<T: Residual>(entries: Vec<T>) {
    #[cfg(feature = "std")]
    pool::put(entries);
    #[cfg(not(feature = "std"))]
    drop(entries);
}

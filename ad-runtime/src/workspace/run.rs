//! Buffers of runs: entries are written before they are read, so that their old content stays there.

use alloc::boxed::Box;

#[cfg(feature = "std")]
use super::pool;

/// A residual that is stored by position.
pub trait Residual: Copy + Default + 'static {
    /// Builds with debug assertions write this to entries that are handed out, so that tests see an entry that is read too early.
    #[doc(hidden)]
    const UNWRITTEN: Self;

    /// At least so many entries, which hold anything.
    #[doc(hidden)]
    fn run(len: usize) -> Box<[Self]>;

    /// At least so many instead of fewer, of which the first `used` stay.
    #[doc(hidden)]
    fn longer_run(run: Box<[Self]>, used: usize, len: usize) -> Box<[Self]>;

    /// Puts back a buffer that the other functions returned.
    #[doc(hidden)]
    fn keep_run(run: Box<[Self]>);
}

macro_rules! residuals {
    ($($t:ident)*: $unwritten:expr) => {$(
        impl Residual for $t {
            const UNWRITTEN: $t = $unwritten;

            #[inline(never)]
            fn run(len: usize) -> Box<[$t]> {
                #[cfg(feature = "std")]
                let run: Box<[$t]> = pool::take(len).unwrap_or_default();
                #[cfg(not(feature = "std"))]
                let run: Box<[$t]> = Box::default();
                if run.len() < len || cfg!(debug_assertions) {
                    return new_run(run, len);
                }
                run
            }

            #[inline(never)]
            fn longer_run(run: Box<[$t]>, used: usize, len: usize) -> Box<[$t]> {
                #[cfg(feature = "std")]
                let longer: Box<[$t]> = pool::take_fitting(len).unwrap_or_default();
                #[cfg(not(feature = "std"))]
                let longer: Box<[$t]> = Box::default();
                if longer.len() < len {
                    return extended(run, len);
                }
                let mut longer = new_run(longer, len);
                longer[..used].copy_from_slice(&run[..used]);
                Self::keep_run(run);
                longer
            }

            #[inline(never)]
            fn keep_run(run: Box<[$t]>) {
                #[cfg(feature = "std")]
                pool::put(run);
                #[cfg(not(feature = "std"))]
                drop(run);
            }
        }
    )*};
}
residuals!(f32 f64: Self::NAN);
residuals!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize: Self::MAX);
residuals!(bool: true);

/// The run, if it is long enough, else a new one.
#[inline(never)]
fn new_run<T: Residual>(mut run: Box<[T]>, len: usize) -> Box<[T]> {
    /// Up to so many bytes memory is cleared faster than it is had clear from the allocator.
    const SMALL: usize = 1 << 14;
    if run.len() < len {
        // Its memory is free before more is asked for.
        drop(run);
        run = if len.saturating_mul(size_of::<T>()) > SMALL {
            alloc::vec![T::default(); len].into_boxed_slice()
        } else {
            extended(Box::default(), len)
        };
    }
    if cfg!(debug_assertions) {
        run.fill(T::UNWRITTEN);
    }
    run
}

/// The run with so many entries, where the allocator has room for them.
fn extended<T: Residual>(run: Box<[T]>, len: usize) -> Box<[T]> {
    let mut run = run.into_vec();
    run.reserve_exact(len - run.len());
    run.resize(len, T::default());
    run.into_boxed_slice()
}

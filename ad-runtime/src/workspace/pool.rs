//! The buffers that a thread keeps.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{boxed::Box, vec::Vec};

use super::shelf::{Buffer, Shelf};

/// At most so many bytes for each thread.
static LIMIT: AtomicUsize = AtomicUsize::new(64 << 20);

std::thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool::new()) };
}

/// Buffers that are kept.
pub(super) trait Kept: Buffer {
    /// Where they are kept.
    fn shelf(pool: &mut Pool) -> &mut Shelf<Self>;
}

/// Makes the pool from the types of runs' entries, and from the sizes of lists' entries in words of 64 and of 32 bits.
macro_rules! pool {
    (runs: $($run:ident)*; lists: $($list:ident: $words:literal),*; of_32_bits: $($half:ident: $halves:literal is $class:literal,)*) => {
        /// The buffers of a thread, by the type of their entries.
        pub(super) struct Pool {
            bytes: usize,
            $($run: Shelf<Box<[$run]>>,)*
            bytes_1: Shelf<Vec<[u8; 1]>>,
            $($list: Shelf<Vec<[u64; $words]>>,)*
            $($half: Shelf<Vec<[u32; $halves]>>,)*
        }

        impl Pool {
            const fn new() -> Self {
                Pool {
                    bytes: 0,
                    $($run: Shelf::new(),)*
                    bytes_1: Shelf::new(),
                    $($list: Shelf::new(),)*
                    $($half: Shelf::new(),)*
                }
            }
        }

        impl Pool {
            #[cold]
            #[inline(never)]
            fn release(&mut self) {
                *self = Pool::new();
            }

            /// The buffer, which is in use from now on.
            #[inline(always)]
            fn without<B: Buffer>(&mut self, buffer: Option<B>) -> B {
                let Some(buffer) = buffer else {
                    return B::default();
                };
                self.bytes -= cost(&buffer);
                buffer
            }
        }

        kept! {
            $($run: Box<[$run]>,)*
            bytes_1: Vec<[u8; 1]>,
            $($list: Vec<[u64; $words]>,)*
            $($half: Vec<[u32; $halves]>,)*
        }

        /// The kept buffers of entries that have the size and alignment of the type: a number of words of 64 bits, `OF_32_BITS` and a number of words
        /// of 32 bits, or `BYTES_1`. Where pointers have 32 bits, so have the words of a `Vec` in a list.
        ///
        /// It is an integer, since rustc leaves the other arms of a `match` on a constant integer out before it instantiates what they call. It does not
        /// for tuples.
        const fn class<T>() -> usize {
            let (size, align) = (size_of::<T>(), align_of::<T>());
            if size == 1 {
                BYTES_1
            } else if size.is_multiple_of(8) && size / 8 < OF_32_BITS && align == align_of::<u64>() {
                size / 8
            } else if size > 0 && size.is_multiple_of(4) && align == align_of::<u32>() {
                OF_32_BITS + size / 4
            } else {
                0
            }
        }

        /// An empty list with a kept buffer, as [`take`] returns it.
        #[inline(always)]
        pub(super) fn take_list<T>(capacity: usize) -> Vec<T> {
            match const { class::<T>() } {
                BYTES_1 => recast(take::<Vec<[u8; 1]>>(capacity)),
                $($words => recast(take::<Vec<[u64; $words]>>(capacity)),)*
                $($class => recast(take::<Vec<[u32; $halves]>>(capacity)),)*
                _ => Vec::new(),
            }
        }

        /// Keeps the buffer of a list.
        #[inline(always)]
        pub(super) fn put_list<T>(list: Vec<T>) {
            match const { class::<T>() } {
                BYTES_1 => put::<Vec<[u8; 1]>>(recast(list)),
                $($words => put::<Vec<[u64; $words]>>(recast(list)),)*
                $($class => put::<Vec<[u32; $halves]>>(recast(list)),)*
                _ => {}
            }
        }
    };
}

macro_rules! kept {
    ($($name:ident: $buffer:ty,)*) => {
        $(
            impl Kept for $buffer {
                #[inline(always)]
                fn shelf(pool: &mut Pool) -> &mut Shelf<Self> {
                    &mut pool.$name
                }
            }
        )*
    };
}

const BYTES_1: usize = usize::MAX;
const OF_32_BITS: usize = 1000;

pool! {
    runs: f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool;
    lists:
        words_1: 1, words_2: 2, words_3: 3, words_4: 4, words_5: 5, words_6: 6,
        words_7: 7, words_8: 8, words_9: 9, words_10: 10, words_11: 11, words_12: 12,
        words_13: 13, words_14: 14, words_15: 15, words_16: 16, words_17: 17, words_18: 18,
        words_19: 19, words_20: 20, words_21: 21, words_22: 22, words_23: 23, words_24: 24,
        words_25: 25, words_26: 26, words_27: 27, words_28: 28, words_29: 29, words_30: 30,
        words_31: 31, words_32: 32, words_33: 33, words_34: 34, words_35: 35, words_36: 36,
        words_37: 37, words_38: 38, words_39: 39, words_40: 40, words_41: 41, words_42: 42,
        words_43: 43, words_44: 44, words_45: 45, words_46: 46, words_47: 47, words_48: 48;
    of_32_bits:
        halves_1: 1 is 1001, halves_2: 2 is 1002, halves_3: 3 is 1003, halves_4: 4 is 1004, halves_5: 5 is 1005, halves_6: 6 is 1006,
        halves_7: 7 is 1007, halves_8: 8 is 1008, halves_9: 9 is 1009, halves_10: 10 is 1010, halves_11: 11 is 1011, halves_12: 12 is 1012,
        halves_13: 13 is 1013, halves_14: 14 is 1014, halves_15: 15 is 1015, halves_16: 16 is 1016, halves_17: 17 is 1017, halves_18: 18 is 1018,
        halves_19: 19 is 1019, halves_20: 20 is 1020, halves_21: 21 is 1021, halves_22: 22 is 1022, halves_23: 23 is 1023, halves_24: 24 is 1024,
}

/// An empty list with the buffer of another, whose entries have the same size and alignment: a list that is collected from a `Vec`'s
/// iterator has its buffer. Where std does otherwise, the buffer is freed.
#[inline(always)]
fn recast<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().map(|_| unreachable!()).collect()
}

/// Calls `then` with the pool of the thread, unless that is ending or this is a call from inside of another.
#[inline(always)]
fn with<R: Default>(then: impl FnOnce(&mut Pool) -> R) -> R {
    let with = |pool: &RefCell<Pool>| match pool.try_borrow_mut() {
        Ok(mut pool) => then(&mut pool),
        Err(_) => R::default(),
    };
    POOL.try_with(with).unwrap_or_default()
}

/// The bytes that keeping a buffer costs.
#[inline(always)]
fn cost<B: Buffer>(buffer: &B) -> usize {
    buffer.bytes() + size_of::<B>()
}

/// A buffer for so many entries, or, if there is none, a smaller one to be replaced.
#[inline(always)]
pub(super) fn take<B: Kept>(capacity: usize) -> B {
    with(|pool| {
        let buffer = B::shelf(pool).take(capacity);
        pool.without(buffer)
    })
}

/// A buffer for so many entries, if there is one.
pub(super) fn take_fitting<B: Kept>(capacity: usize) -> B {
    with(|pool| {
        let buffer = B::shelf(pool).take_fitting(capacity);
        pool.without(buffer)
    })
}

/// Keeps a buffer. If that is more than the limit allows, all others are released, since they may be of a kind that isn't needed anymore.
#[inline(always)]
pub(super) fn put<B: Kept>(buffer: B) {
    let (cost, limit) = (cost(&buffer), limit());
    if buffer.room() == 0 || cost > limit {
        return;
    }
    with(|pool| {
        if pool.bytes > limit - cost {
            pool.release();
        }
        pool.bytes += cost;
        B::shelf(pool).put(buffer);
    });
}

pub(super) fn release() {
    with(Pool::release);
}

pub(super) fn bytes() -> usize {
    with(|pool| pool.bytes)
}

#[inline]
pub(super) fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

pub(super) fn set_limit(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

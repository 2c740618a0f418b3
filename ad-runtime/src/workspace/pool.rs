//! The buffers that a thread keeps.

use core::alloc::Layout;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{boxed::Box, vec::Vec};

use super::memory::Memory;
use super::shelf::{Buffer, Shelf};

/// At most so many bytes for each thread.
static LIMIT: AtomicUsize = AtomicUsize::new(64 << 20);

std::thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool::new()) };
}

/// Buffers of a type of their own, which the pool has a shelf for.
pub(super) trait Kept: Buffer {
    /// Where they are kept.
    fn shelf(pool: &mut Pool) -> &mut Shelf<Self>;
}

/// Makes the pool from the types of runs' entries.
macro_rules! pool {
    ($($run:ident)*) => {
        /// The buffers of a thread.
        pub(super) struct Pool {
            bytes: usize,
            lists: Lists,
            $($run: Shelf<Box<[$run]>>,)*
        }

        impl Pool {
            const fn new() -> Self {
                Pool {
                    bytes: 0,
                    lists: Lists::new(),
                    $($run: Shelf::new(),)*
                }
            }
        }

        $(
            impl Kept for Box<[$run]> {
                #[inline(always)]
                fn shelf(pool: &mut Pool) -> &mut Shelf<Self> {
                    &mut pool.$run
                }
            }
        )*
    };
}
pool! { f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool }

impl Pool {
    #[cold]
    #[inline(never)]
    fn release(&mut self) {
        *self = Pool::new();
    }

    /// Makes room for a buffer of this cost, and counts it. If it is more than the limit allows, all others are released, since they may be of a kind
    /// that isn't needed anymore. False if the buffer is to be freed.
    #[inline(always)]
    fn admits(&mut self, cost: usize) -> bool {
        let limit = limit();
        if cost > limit {
            return false;
        }
        if self.bytes > limit - cost {
            self.release();
        }
        self.bytes += cost;
        true
    }

    /// The buffer, which is in use from now on.
    #[inline(always)]
    fn without<B: Buffer>(&mut self, buffer: Option<B>) -> Option<B> {
        let buffer = buffer?;
        self.bytes -= cost(&buffer);
        Some(buffer)
    }
}

/// Sizes of entries in words, below this number, have shelves that are found without a search.
const WORDS: usize = 49;

/// The memory of lists, by size and alignment of the entries.
struct Lists {
    words: [Shelf<Memory>; WORDS],
    others: Vec<(Layout, Shelf<Memory>)>,
}

impl Lists {
    const fn new() -> Self {
        Lists {
            words: [const { Shelf::new() }; WORDS],
            others: Vec::new(),
        }
    }

    #[inline(always)]
    fn shelf(&mut self, entry: Layout) -> &mut Shelf<Memory> {
        let (words, rest) = (entry.size() / 8, entry.size() % 8);
        if entry.align() == 8 && rest == 0 && words < WORDS {
            return &mut self.words[words];
        }
        self.other_shelf(entry)
    }

    #[inline(never)]
    fn other_shelf(&mut self, entry: Layout) -> &mut Shelf<Memory> {
        let found = self.others.iter().position(|(layout, _)| *layout == entry);
        let at = found.unwrap_or_else(|| {
            self.others.push((entry, Shelf::new()));
            self.others.len() - 1
        });
        &mut self.others[at].1
    }
}

/// An empty list with kept memory, for so many entries or fewer.
#[inline(always)]
pub(super) fn take_list<T>(capacity: usize) -> Vec<T> {
    // The closure is generic, so that LLVM inlines what it calls where it is called.
    let memory = with(|pool| {
        let memory = pool.lists.shelf(Layout::new::<T>()).take(capacity);
        pool.without(memory)
    });
    match memory {
        Some(memory) => memory.into_list(),
        None => Vec::new(),
    }
}

/// Keeps the memory of a list.
#[inline(always)]
pub(super) fn put_list<T>(list: Vec<T>) {
    let Some(memory) = Memory::of(list) else {
        return;
    };
    with(|pool| {
        if pool.admits(cost(&memory)) {
            pool.lists.shelf(Layout::new::<T>()).put(memory);
        }
    });
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
pub(super) fn take<B: Kept>(capacity: usize) -> Option<B> {
    with(|pool| {
        let buffer = B::shelf(pool).take(capacity);
        pool.without(buffer)
    })
}

/// A buffer for so many entries, if there is one.
pub(super) fn take_fitting<B: Kept>(capacity: usize) -> Option<B> {
    with(|pool| {
        let buffer = B::shelf(pool).take_fitting(capacity);
        pool.without(buffer)
    })
}

/// Keeps a buffer.
#[inline(always)]
pub(super) fn put<B: Kept>(buffer: B) {
    if buffer.room() == 0 {
        return;
    }
    with(|pool| {
        if pool.admits(cost(&buffer)) {
            B::shelf(pool).put(buffer);
        }
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

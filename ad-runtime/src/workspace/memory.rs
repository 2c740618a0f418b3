//! The memory of lists, whatever the type of their entries.
//!
//! This is the only file of the crate with `unsafe` code. Safe code can keep the memory of a list of any type `T` only as a list of a type that is
//! known, and so needs a conversion for each size of `T`. rustc visits all of these conversions for each `T`, also those that aren't used: unoptimised
//! builds of programs with many derivatives took 1.6 times as long.
#![allow(unsafe_code)]

use core::alloc::Layout;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;
use std::alloc::dealloc;
use std::vec::Vec;

use super::shelf::Buffer;

/// Memory that belongs to nothing else.
///
/// Invariants: `start` is what the global allocator returned for `capacity` entries of size and alignment `entry`. Neither the capacity nor the size of
/// an entry is 0.
pub(super) struct Memory {
    start: NonNull<u8>,
    capacity: usize,
    entry: Layout,
}

impl Memory {
    /// The memory of a list, whose entries are dropped. `None` if it has none.
    #[inline(always)]
    pub(super) fn of<T>(mut list: Vec<T>) -> Option<Memory> {
        list.clear();
        let (capacity, entry) = (list.capacity(), Layout::new::<T>());
        if capacity == 0 || entry.size() == 0 {
            return None;
        }
        // The list isn't dropped, so that its memory belongs to the result.
        let start = ManuallyDrop::new(list).as_mut_ptr();
        Some(Memory {
            start: NonNull::new(start)?.cast(),
            capacity,
            entry,
        })
    }

    /// An empty list with this memory.
    ///
    /// # Panics
    /// If its entries have another size or alignment.
    #[inline(always)]
    pub(super) fn into_list<T>(self) -> Vec<T> {
        assert!(self.entry == Layout::new::<T>(), "memory of other entries");
        let memory = ManuallyDrop::new(self);
        // SAFETY: the global allocator returned `start` for `capacity` entries of the size and the alignment of `T`, by the invariant and the line
        // above. No entry is initialised, and the length is 0. `memory` isn't dropped, so that its memory belongs to the list.
        unsafe { Vec::from_raw_parts(memory.start.as_ptr().cast(), 0, memory.capacity) }
    }
}

impl Buffer for Memory {
    #[inline(always)]
    fn room(&self) -> usize {
        self.capacity
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        self.capacity * self.entry.size()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let all = Layout::from_size_align(self.bytes(), self.entry.align());
        let all = all.expect("a list had this layout");
        // SAFETY: the global allocator returned `start` for this layout, by the invariant. It is freed once: `into_list` doesn't drop `self`.
        unsafe { dealloc(self.start.as_ptr(), all) }
    }
}

#[cfg(test)]
mod tests {
    use std::{panic, rc::Rc, string::String, vec};

    use super::*;

    #[test]
    fn memory_becomes_a_list_of_another_type() {
        let text = String::from("text");
        let mut list: Vec<(&str, f64)> = Vec::with_capacity(5);
        list.push((&text, 1.0));
        let at = list.as_ptr() as usize;
        let memory = Memory::of(list).expect("it has memory");
        assert_eq!(
            (memory.room(), memory.bytes()),
            (5, 5 * size_of::<(&str, f64)>())
        );
        let mut list: Vec<[usize; size_of::<(&str, f64)>() / size_of::<usize>()]> =
            memory.into_list();
        assert_eq!(
            (list.as_ptr() as usize, list.len(), list.capacity()),
            (at, 0, 5)
        );
        list.push([7; _]);
        list.extend([[8; _]; 9]);
        assert_eq!((list[0][0], list[9][1]), (7, 8));
    }

    #[test]
    fn memory_that_is_not_used_is_freed() {
        drop(Memory::of(vec![1_u8; 3]));
        drop(Memory::of(vec![1_u128; 3]));
    }

    #[test]
    fn lists_without_memory() {
        assert!(Memory::of(Vec::<f64>::new()).is_none());
        assert!(Memory::of(vec![(); 3]).is_none());
    }

    #[test]
    fn entries_are_dropped_once() {
        let watched = Rc::new(());
        let memory = Memory::of(vec![Rc::clone(&watched); 3]);
        assert_eq!(Rc::strong_count(&watched), 1);
        let list: Vec<Rc<()>> = memory.expect("it has memory").into_list();
        assert!(list.is_empty());
    }

    #[test]
    fn entries_of_another_layout_are_refused() {
        let wrong =
            panic::catch_unwind(|| Memory::of(vec![1_u64]).map(Memory::into_list::<[u8; 8]>));
        assert!(wrong.is_err());
        let wrong =
            panic::catch_unwind(|| Memory::of(vec![1_u64]).map(Memory::into_list::<[u64; 2]>));
        assert!(wrong.is_err());
    }

    /// A panic while an entry is dropped frees the list, and the rest of its entries.
    #[test]
    fn an_entry_that_panics_while_it_is_dropped() {
        struct Loud(bool, #[expect(dead_code)] Rc<()>);
        impl Drop for Loud {
            fn drop(&mut self) {
                assert!(!self.0, "loud");
            }
        }
        let watched = Rc::new(());
        let list = [false, true, false].map(|loud| Loud(loud, Rc::clone(&watched)));
        let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| Memory::of(Vec::from(list))));
        assert!(caught.is_err());
        assert_eq!(Rc::strong_count(&watched), 1);
    }
}

//! Buffers of one type that wait to be used again.

use std::{boxed::Box, vec::Vec};

/// A search looks at so many buffers at most, the last ones first: calls put buffers back in the reverse order in which they took them.
const LOOKED_AT: usize = 16;

/// Memory for entries of one type.
pub(super) trait Buffer: Sized {
    /// For how many entries.
    fn room(&self) -> usize;

    fn bytes(&self) -> usize;
}

impl<T> Buffer for Box<[T]> {
    #[inline(always)]
    fn room(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn bytes(&self) -> usize {
        size_of_val(&**self)
    }
}

pub(super) struct Shelf<B>(Vec<B>);

impl<B: Buffer> Shelf<B> {
    pub(super) const fn new() -> Self {
        Shelf(Vec::new())
    }

    pub(super) fn put(&mut self, buffer: B) {
        self.0.push(buffer);
    }

    /// The last buffer, if it is of up to twice the capacity; else that with the least capacity that suffices; if none does, the largest, which the
    /// caller replaces. So the same sequence of calls finds, after some rounds, the buffers that it needs, and a loop that takes and puts back finds
    /// them without a search. A list that grows from nothing gets the last one.
    #[inline(always)]
    pub(super) fn take(&mut self, capacity: usize) -> Option<B> {
        let last = self.0.len().checked_sub(1)?;
        if capacity == 0 || (capacity..=capacity.saturating_mul(2)).contains(&self.0[last].room()) {
            return self.0.pop();
        }
        let (at, _) = self.best(capacity)?;
        Some(self.0.swap_remove(at))
    }

    /// The same, but none that doesn't suffice.
    pub(super) fn take_fitting(&mut self, capacity: usize) -> Option<B> {
        let (at, found) = self.best(capacity)?;
        (found >= capacity).then(|| self.0.swap_remove(at))
    }

    /// Where the best buffer stands, and its capacity.
    #[inline(never)]
    fn best(&self, capacity: usize) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        for (at, buffer) in self.0.iter().enumerate().rev().take(LOOKED_AT) {
            let found = buffer.room();
            if found == capacity {
                return Some((at, found));
            }
            let is_better = best.is_none_or(|(_, best)| {
                if best < capacity {
                    found > best
                } else {
                    (capacity..best).contains(&found)
                }
            });
            if is_better {
                best = Some((at, found));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    impl<T> Buffer for Vec<T> {
        fn room(&self) -> usize {
            self.capacity()
        }

        fn bytes(&self) -> usize {
            self.capacity() * size_of::<T>()
        }
    }

    fn shelf(capacities: &[usize]) -> Shelf<Vec<u8>> {
        let buffers = capacities.iter().map(|n| Vec::with_capacity(*n));
        Shelf(buffers.collect())
    }

    #[test]
    fn the_tightest_buffer_is_taken_else_the_largest() {
        let mut shelf = shelf(&[8, 100, 20, 50]);
        let mut take = |capacity| shelf.take(capacity).map(|buffer| buffer.capacity());
        assert_eq!(take(20), Some(20));
        assert_eq!(take(10), Some(50));
        assert_eq!(take(200), Some(100));
        assert_eq!(take(9), Some(8));
        assert_eq!(take(9), None);
    }

    #[test]
    fn a_buffer_that_does_not_fit_may_stay() {
        let mut shelf = shelf(&[8, 100]);
        let mut take = |capacity| shelf.take_fitting(capacity).map(|buffer| buffer.capacity());
        assert_eq!(
            (take(101), take(9), take(9), take(8)),
            (None, Some(100), None, Some(8))
        );
    }

    #[test]
    fn a_list_that_grows_gets_the_last_buffer() {
        let mut shelf = shelf(&[8, 100, 20]);
        assert_eq!(shelf.take(0).map(|buffer| buffer.capacity()), Some(20));
    }

    #[test]
    fn the_last_buffer_is_taken_if_it_is_nearly_tight() {
        let mut shelf = shelf(&[10, 16]);
        assert_eq!(shelf.take(10).map(|buffer| buffer.capacity()), Some(16));
        assert_eq!(shelf.take(4).map(|buffer| buffer.capacity()), Some(10));
    }

    #[test]
    fn of_equal_buffers_the_last_is_taken() {
        let mut shelf = shelf(&[]);
        shelf.put(vec![1; 4]);
        shelf.put(vec![2; 4]);
        assert_eq!(shelf.take(4), Some(vec![2; 4]));
    }
}

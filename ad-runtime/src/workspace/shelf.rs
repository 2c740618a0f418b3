//! Buffers of one type that wait to be used again.

use std::vec::Vec;

/// A search looks at so many buffers at most, the last ones first: calls give buffers back in the reverse order in which they took them.
const LOOKED_AT: usize = 16;

pub struct Shelf<T>(Vec<Vec<T>>);

impl<T> Shelf<T> {
    pub(super) const fn new() -> Self {
        Shelf(Vec::new())
    }

    pub(super) fn put(&mut self, buffer: Vec<T>) {
        self.0.push(buffer);
    }

    /// The buffer with the least capacity that suffices; if none does, the largest, which the caller replaces. So the same sequence of
    /// calls finds, after some rounds, what it needs.
    pub(super) fn take(&mut self, capacity: usize) -> Option<Vec<T>> {
        let mut best: Option<(usize, usize)> = None;
        for (at, buffer) in self.0.iter().enumerate().rev().take(LOOKED_AT) {
            let found = buffer.capacity();
            if found == capacity {
                return Some(self.0.remove(at));
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
        best.map(|(at, _)| self.0.remove(at))
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    fn shelf(capacities: &[usize]) -> Shelf<u8> {
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
    fn of_equal_buffers_the_last_is_taken() {
        let mut shelf = shelf(&[]);
        shelf.put(vec![1; 4]);
        shelf.put(vec![2; 4]);
        assert_eq!(shelf.take(4), Some(vec![2; 4]));
    }
}

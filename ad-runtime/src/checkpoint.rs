//! Which states of a loop are kept, so that its trips can be reversed with few of them: binomial checkpointing.
//!
//! The forward half runs the loop and keeps some states. The reverse half takes the trips from the last to the first. For each one
//! it takes the last kept state before it, runs the trips from there, and keeps states on the way while there is room.
//!
//! Source: A. Griewank and A. Walther, "Algorithm 799: revolve", ACM Transactions on Mathematical Software 26 (2000), 19-45. With `c`
//! states and at most `r` runs of each trip before it is reversed, loops of up to `beta(c, r) = (c + r)! / (c! r!)` trips can be
//! reversed. A loop of `n` trips needs `r n - beta(c + 1, r - 1)` runs, with the least `r` for which `n <= beta(c, r)`. No
//! schedule with `c` states needs fewer. Here at most `r + 1` are added: the forward half goes on to the end for the result, so that the state
//! before the last trip has to be computed again.

use alloc::vec::Vec;

/// The counter of a loop.
pub trait Counter: Copy {
    /// How many trips there are from one to another. If a `usize` can't hold that number, as many as it holds: then the last trips run from an earlier
    /// state than they might.
    fn until(self, other: Self) -> usize;
    /// The counter after so many trips.
    #[must_use]
    fn after(self, trips: usize) -> Self;
}

macro_rules! counters {
    ($($int:ident)*) => {$(
        impl Counter for $int {
            #[inline]
            fn until(self, other: Self) -> usize {
                if other < self {
                    return 0;
                }
                usize::try_from(other.abs_diff(self)).unwrap_or(usize::MAX)
            }

            #[inline]
            fn after(self, trips: usize) -> Self {
                let trips = i128::try_from(trips).unwrap_or(i128::MAX);
                Self::try_from(i128::from(self).saturating_add(trips)).unwrap_or(Self::MAX)
            }
        }
    )*};
}
counters!(u8 u16 u32 u64 i8 i16 i32 i64);

impl Counter for usize {
    #[inline]
    fn until(self, other: Self) -> usize {
        other.saturating_sub(self)
    }

    #[inline]
    fn after(self, trips: usize) -> Self {
        self.saturating_add(trips)
    }
}

impl Counter for isize {
    #[inline]
    fn until(self, other: Self) -> usize {
        if other < self {
            return 0;
        }
        other.abs_diff(self)
    }

    #[inline]
    fn after(self, trips: usize) -> Self {
        self.saturating_add_unsigned(trips)
    }
}

/// Says when a state is kept, and which one the reverse half goes on from.
#[derive(Clone, Debug)]
pub struct Schedule<T> {
    /// The counter of the first trip. States are numbered by how many trips come before.
    lo: T,
    /// The states that are kept, in their order; slot `k` holds `kept[k]`.
    kept: Vec<usize>,
    slots: usize,
    /// The trip that is reversed next.
    target: usize,
    /// The next state to be kept, before `target`.
    next: Option<usize>,
}

impl<T: Counter> Schedule<T> {
    /// For the trips `lo..hi`, with at most so many states, and at least one. The state before the first trip is in slot 0.
    #[must_use]
    pub fn new(lo: T, hi: T, states: usize) -> Self {
        let trips = lo.until(hi);
        let slots = states.min(trips).max(1);
        let mut kept = Vec::with_capacity(slots);
        kept.push(0);
        let mut schedule = Schedule {
            lo,
            kept,
            slots,
            target: trips.saturating_sub(1),
            next: None,
        };
        schedule.plan();
        schedule
    }

    /// How many states there is room for.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// The slot for the state before a trip that is about to run; [`slots`](Self::slots) if it isn't kept.
    pub fn keep(&mut self, trip: T) -> usize {
        let trip = self.lo.until(trip);
        if self.next != Some(trip) {
            return self.slots;
        }
        self.kept.push(trip);
        self.plan();
        self.kept.len() - 1
    }

    /// The slot of the state to go on from, to reverse this trip. Later states are dropped.
    pub fn resume(&mut self, trip: T) -> usize {
        let trip = self.lo.until(trip);
        while self.kept.len() > 1 && self.last() > trip {
            self.kept.pop();
        }
        self.target = trip;
        self.plan();
        self.kept.len() - 1
    }

    /// The trip that the last kept state precedes.
    #[must_use]
    pub fn position(&self) -> T {
        self.lo.after(self.last())
    }

    fn last(&self) -> usize {
        self.kept.last().copied().unwrap_or_default()
    }

    fn plan(&mut self) {
        let (from, free) = (self.last(), self.slots - self.kept.len());
        self.next = None;
        if free > 0 && from < self.target {
            let next = from + distance(self.target - from + 1, free + 1);
            // The state before the trip that is reversed is at hand there.
            self.next = (next < self.target).then_some(next);
        }
    }
}

/// [`distance`] in numbers that hold products of its arguments.
macro_rules! distance_in {
    ($number:ty, $trips:expr, $states:expr) => {{
        let (n, s) = ($trips as $number, $states as $number);
        // beta(s, r - 1) and beta(s, r)
        let (mut less, mut beta, mut r) = (0, 1, 0);
        while beta < n {
            r += 1;
            less = beta;
            beta = beta * (s + r) / r;
        }
        // beta(s - 1, r - 1)
        let rest = less * s / (s + r - 1).max(1);
        let next = less.min(n - rest).max(1);
        usize::try_from(next).unwrap_or(usize::MAX)
    }};
}

/// How far the next of `states` states is from the first, which is at the start of so many trips. Two at least, both.
fn distance(trips: usize, states: usize) -> usize {
    // Then each trip runs once before it is reversed.
    if trips <= states.saturating_add(1) {
        return 1;
    }
    let fits = |n: usize| u32::try_from(n).is_ok_and(|n| n < u32::MAX / 2);
    if fits(trips) && fits(states) {
        return distance_in!(u64, trips, states);
    }
    distance_in!(u128, trips, states)
}

#[cfg(test)]
mod tests {
    use super::{Counter, Schedule};
    use alloc::vec;
    use alloc::vec::Vec;

    /// Runs and reverses a loop whose state is the number of trips so far. Returns how many trips have run, and how many of them because the
    /// forward half goes on after the state before the last trip.
    fn runs(lo: usize, hi: usize, states: usize) -> (usize, usize) {
        let mut schedule = Schedule::new(lo, hi, states);
        let slots = schedule.slots();
        assert!(slots <= states.max(1));
        let mut kept = vec![lo; slots];
        let (mut state, mut runs) = (lo, 0);
        for trip in lo..hi {
            let slot = schedule.keep(trip);
            if slot < slots {
                kept[slot] = state;
            }
            state += 1;
            runs += 1;
        }
        let again = hi.saturating_sub(schedule.position());
        for reversed in (lo..hi).rev() {
            let slot = schedule.resume(reversed);
            state = kept[slot];
            assert_eq!(state, schedule.position());
            for trip in schedule.position()..reversed {
                let slot = schedule.keep(trip);
                if slot < slots {
                    kept[slot] = state;
                }
                state += 1;
                runs += 1;
            }
            assert_eq!(state, reversed);
        }
        assert_eq!(kept[0], lo);
        (runs, again)
    }

    /// `(c + r)! / (c! r!)`
    fn beta(c: usize, r: usize) -> usize {
        (1..=r).fold(1, |beta, k| beta * (c + k) / k)
    }

    /// How often each trip runs at most, and how often all do, by the formula.
    fn expected(n: usize, states: usize) -> (usize, usize) {
        let mut r = 0;
        while beta(states, r) < n {
            r += 1;
        }
        match r {
            0 => (0, 0),
            r => (r, r * n - beta(states + 1, r - 1)),
        }
    }

    #[test]
    fn as_many_trips_run_as_the_formula_says() {
        for states in 1..12 {
            for n in 1..150 {
                let (all, again) = runs(3, 3 + n, states);
                let (r, needed) = expected(n, states);
                assert_eq!(all - again, needed, "{n} in {states}");
                assert!(again <= r + 1, "{n} in {states}");
            }
        }
        assert_eq!(expected(1_000_000, 100), (4, 3_817_896));
        let (all, again) = runs(0, 1_000_000, 100);
        assert_eq!((all - again, again), (3_817_896, 4));
    }

    /// The fewest runs, by trying all states that can be kept next.
    #[test]
    fn no_schedule_runs_fewer() {
        const N: usize = 40;
        // least[c][n]: runs before all `n` trips are reversed, with `c` states.
        let mut least: Vec<Vec<usize>> = vec![vec![0; N + 1]];
        for c in 1..6 {
            let mut row = vec![0, 0];
            for n in 2..=N {
                let alone = n * (n - 1) / 2;
                let best = (1..n)
                    .filter(|_| c > 1)
                    .map(|m| m + least[c - 1][n - m] + row[m])
                    .min();
                row.push(best.unwrap_or(alone).min(alone));
            }
            for (n, least) in row.iter().enumerate().skip(1) {
                let (all, again) = runs(0, n, c);
                assert_eq!(all - again, *least, "{n} in {c}");
            }
            least.push(row);
        }
    }

    #[test]
    fn counters_of_all_types() {
        let mut schedule = Schedule::new(-100_i8, 100, 3);
        assert_eq!(schedule.slots(), 3);
        let kept: Vec<i8> = (-100..100).filter(|k| schedule.keep(*k) < 3).collect();
        let mut same = Schedule::new(0_usize, 200, 3);
        let expected: Vec<i16> = (0_u8..200)
            .filter(|k| same.keep(usize::from(*k)) < 3)
            .map(i16::from)
            .collect();
        assert_eq!(expected.len(), 2);
        assert!(kept.iter().map(|k| i16::from(*k) + 100).eq(expected));
        assert_eq!(schedule.resume(99), 2);
        assert_eq!(schedule.position(), kept[1]);
        assert_eq!(Schedule::new(3_u64, 1, 7).slots(), 1);
        assert_eq!(Schedule::new(isize::MIN, isize::MAX, 7).slots(), 7);
        assert_eq!(Schedule::new(u64::MAX - 2, u64::MAX, 7).slots(), 2);
        assert_eq!(Schedule::new(i64::MIN, i64::MAX, 7).slots(), 7);
    }

    /// A loop whose first and last trips run, of more than a `usize` of 32 bits holds.
    #[test]
    fn more_trips_than_a_small_usize_holds() {
        let (lo, hi) = (-5_i64, (1 << 33) - 5);
        let mut schedule = Schedule::new(lo, hi, 3);
        assert_eq!((schedule.slots(), schedule.keep(lo)), (3, 3));
        let first = schedule.next.expect("there is room for two states");
        assert!(first > 1000, "{first}");
        let second = schedule.lo.after(first);
        assert_eq!((schedule.keep(second), schedule.position()), (1, second));
        // The state that is gone on from comes before the trip that is reversed.
        for reversed in [hi - 1, second + 1, second, second - 1, lo] {
            let slot = schedule.resume(reversed);
            assert!(slot < 3 && schedule.position() <= reversed, "{reversed}");
        }
        assert_eq!(schedule.position(), lo);
    }

    #[test]
    fn loops_of_no_trips_and_no_states() {
        assert_eq!(runs(5, 5, 3).0, 0);
        assert_eq!(runs(5, 2, 3).0, 0);
        assert_eq!(runs(0, 10, 0), runs(0, 10, 1));
    }
}

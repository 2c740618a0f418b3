//! Numbers that look random and are the same in each run.

#[cfg(feature = "std")]
use alloc::vec::Vec;

/// A generator of 64 bits of state.
///
/// # Source
/// G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, figure 17.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number between a quarter and one in absolute value, of either sign, that an `f32` holds exactly.
    pub(crate) fn number(&mut self) -> f64 {
        let bits = self.next();
        let size =
            0.25 + 0.75 * f64::from(u32::try_from(bits >> 44).unwrap_or(0)) / f64::from(1 << 20);
        if bits & 1 == 0 { size } else { -size }
    }

    #[cfg(feature = "std")]
    pub(crate) fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }

    /// At most `count` different indices below `n`, in order.
    #[cfg(feature = "std")]
    pub(crate) fn indices(&mut self, n: usize, count: usize) -> Vec<usize> {
        if n <= count {
            return (0..n).collect();
        }
        let mut all: Vec<usize> = (0..n).collect();
        for i in 0..count {
            let rest = u64::try_from(n - i).unwrap_or(1);
            let j = i + usize::try_from(self.next() % rest).unwrap_or(0);
            all.swap(i, j);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

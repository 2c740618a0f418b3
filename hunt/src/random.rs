//! A small generator of random numbers, the same on every machine.

/// Splitmix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", figure 17).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A stream of its own for each seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which isn't zero.
    #[expect(clippy::cast_possible_truncation, reason = "it is below a usize")]
    pub const fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub const fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Between -1 and 1, and never near zero.
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    pub fn away_from_zero(&mut self) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        let size = 0.15 + 0.85 * unit;
        if self.chance(50) { size } else { -size }
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

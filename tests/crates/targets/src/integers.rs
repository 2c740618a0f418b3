//! Integer arithmetic between the floats: positions, `usize` of 32 and of 64 bits, generators of bits.

use chainrule::prelude::*;

/// Elements at positions that a generator of 64 bits gives.
#[differentiable]
pub fn scattered(x: &[f64], #[constant] seed: u64, #[constant] count: usize) -> f64 {
    let mut state = seed;
    let mut total = 0.0;
    for _ in 0..count {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 33) as usize % x.len();
        let weight = (state >> 40) as f64 / 16_777_216.0;
        total += weight * x[at] * x[(at + 1) % x.len()];
    }
    total
}

/// Lengths, differences and products of positions, of which none leaves 32 bits.
#[differentiable]
pub fn positions(x: &[f64]) -> f64 {
    let n = x.len();
    let mut total = 0.0;
    let mut last = usize::MAX;
    for i in 0..n {
        let left = i.saturating_sub(2);
        let right = (i * 3 + 1).min(n - 1);
        let distance = left.abs_diff(right);
        if last == usize::MAX || distance > last {
            total += x[left] * x[right] / (distance + 1) as f64;
        }
        last = distance;
    }
    total
}

/// A count that no `usize` of 32 bits holds.
#[differentiable]
pub fn counted(x: f64, #[constant] count: u64) -> f64 {
    let large = count * 4_294_967_311;
    let wide = u128::from(large) * 3;
    x * large as f64 + x * x * wide as f64 / 1e12
}

/// Ranges of other types, beside a list.
#[differentiable]
pub fn ranges(x: &[f64], #[constant] first: u64, #[constant] end: u64) -> f64 {
    let mut total = 0.0;
    for (k, v) in (first..end).zip(x) {
        total += k as f64 * v * v;
    }
    for (v, k) in x.iter().zip(-100_i8..100) {
        total += f64::from(k) * v;
    }
    total
}

/// Bits and signs.
#[differentiable]
pub fn bits(x: &[f64], #[constant] mask: u32) -> f64 {
    let mut y = 1.0;
    for (i, v) in x.iter().enumerate() {
        let shift = (i as u32).wrapping_mul(5) % 32;
        if mask >> shift & 1 == 1 {
            y *= 1.0 + v * v;
        } else {
            y -= v * (i as i32 - 3).rem_euclid(4) as f64;
        }
    }
    y * f64::from(mask.count_ones()) / f64::from(mask.leading_zeros() + 1)
}

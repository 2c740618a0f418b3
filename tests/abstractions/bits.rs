//! Bit operators on integers and flags whose types only rustc knows, and on types of one's own.

use chainrule::prelude::*;

use crate::check::{flat, table};

#[derive(Clone, Differentiable)]
struct Grid {
    c: u64,
    small: u8,
    shift: u32,
    flag: bool,
    scale: f64,
}

flat!(Grid { scale: f64 });

fn grid() -> Grid {
    Grid {
        c: 0b1101_0110,
        small: 3,
        shift: 2,
        flag: true,
        scale: 1.5,
    }
}

mod elsewhere {
    pub(super) fn word() -> u64 {
        0b1011
    }

    pub(super) fn flag() -> bool {
        true
    }
}

#[differentiable]
fn of_fields(g: &Grid, x: f64) -> f64 {
    let m = g.c & 7;
    let n = g.c | 1;
    let o = g.c ^ 0b11;
    let p = (g.c << 2) + (g.c >> g.shift) + (g.c << g.small);
    let q = !g.c & 0xff;
    let both = g.flag & (m > 3) | !g.flag ^ true;
    let z = x * m as f64 + n as f64 * x * x + (o + p + q) as f64 * g.scale;
    if both { z * x } else { z }
}

#[differentiable]
fn hash(g: &Grid, x: &[f64]) -> f64 {
    let mut h = g.c;
    let mut s = 0.0;
    for v in x {
        h ^= h << 13;
        h ^= h >> 7;
        h ^= h << 17;
        h &= 0xffff;
        h |= 1;
        h <<= 1;
        h >>= g.shift;
        s += v * v * (h % 7) as f64;
    }
    s * g.scale
}

/// What calls give may be of any type, and the variable holds what may be active.
#[differentiable]
fn of_calls(x: f64, n: usize) -> f64 {
    let mut h = elsewhere::word();
    let mut all = elsewhere::flag();
    let mut y = x;
    for k in 0..n {
        h ^= (h << 3) & 0xff;
        h = h ^ elsewhere::word() >> 1;
        all &= h & 1 == 1;
        all |= k == 2;
        all ^= elsewhere::flag();
        y *= if all { x } else { 1.0 + (h & 3) as f64 };
    }
    y
}

#[differentiable]
fn of_references(words: &[u64], shift: &u32, x: f64) -> f64 {
    let mut s = x;
    for w in words.iter() {
        let low = w & 3;
        let high = w >> shift;
        s = s * x + (low ^ high) as f64 * x;
    }
    s
}

#[derive(Clone, Copy, Differentiable)]
struct V3([f64; 3]);

/// The cross product.
#[differentiable]
impl std::ops::BitXor for V3 {
    type Output = V3;

    fn bitxor(self, b: V3) -> V3 {
        let (a, b) = (self.0, b.0);
        V3([
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ])
    }
}

#[differentiable]
impl std::ops::BitOrAssign<f64> for V3 {
    fn bitor_assign(&mut self, k: f64) {
        for v in self.0.iter_mut() {
            *v = *v * k + k;
        }
    }
}

/// The part that is at a right angle.
#[differentiable]
impl std::ops::Not for &V3 {
    type Output = V3;

    fn not(self) -> V3 {
        V3([-self.0[1], self.0[0] * self.0[2], 0.0])
    }
}

#[differentiable]
fn own_not(x: f64, y: f64) -> f64 {
    let a = V3([x, y, x * y]);
    let b = !&a;
    (!&b).0[0] * b.0[1] + a.0[2]
}

#[differentiable]
fn own_operators(x: f64, y: f64) -> f64 {
    let (a, b) = (V3([x, y, x * y]), V3([y, x * x, 1.0]));
    let mut c = a ^ b;
    c |= x;
    c.0[0] * c.0[1] + c.0[2]
}

table! {
    of_fields: (&grid(), 0.7), (&Grid { c: 9, flag: false, ..grid() }, -0.4);
    hash: for n in 0..4, (&grid(), &[0.7, -0.4, 1.3][..n].to_vec());
    of_calls: for n in 0..5, (0.7, const n);
    of_references: for n in 0..4, (const &[5, 9, 14][..n].to_vec(), const &1, 0.7);
    own_not: (0.7, 1.9), (-0.4, 0.3);
    own_operators: (0.7, 1.9), (-0.4, 0.3);
}

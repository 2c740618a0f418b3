//! Generic numbers, operators and traits, with nothing in scope that generated code might lean on.
#![allow(clippy::needless_range_loop)]

use ::ad::{Differentiable, Real, differentiable};

/// Not the one of the standard library.
pub trait Add {
    /// Not a sum.
    fn add(&self, _: &Self) -> &'static str {
        "not a sum"
    }
    /// Not a sine.
    fn sin(&self) -> &'static str {
        "not a sine"
    }
}
impl<T: ?::core::marker::Sized> Add for T {}

/// A sum of sines.
#[differentiable]
pub fn sines<T: Real, const N: usize>(x: &[T; N], k: T) -> T {
    let mut sum = T::zero();
    for i in 0..N {
        sum += T::sin(x[i] * k) + T::from_f64(0.5) * x[i].exp();
    }
    sum.max(k)
}

/// A pair.
#[derive(::core::clone::Clone, Differentiable)]
pub struct Pair<T> {
    /// The first.
    pub a: T,
    /// The second.
    pub b: T,
}

#[differentiable]
impl<T: Real> ::core::ops::Mul<T> for Pair<T> {
    type Output = Self;

    fn mul(self, k: T) -> Self {
        Pair {
            a: self.a * k,
            b: self.b * k,
        }
    }
}

/// What can be measured.
#[differentiable]
pub trait Measure {
    /// The measure.
    fn measure(&self, k: f64) -> f64;

    /// Twice the measure.
    fn twice(&self, k: f64) -> f64 {
        self.measure(k) + Self::measure(self, k)
    }
}

#[differentiable]
impl Measure for Pair<f64> {
    fn measure(&self, k: f64) -> f64 {
        self.a * self.b * k
    }
}

/// The measure of a multiple.
#[differentiable]
pub fn measured<M: Measure>(m: &M, pair: Pair<f64>, k: f64) -> f64 {
    let larger = pair * k;
    m.twice(k) + larger.measure(k)
}

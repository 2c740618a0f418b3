//! Trait objects and borrowed data, with names taken that generated code might lean on.

use ::ad::{Differentiable, differentiable};
use ::std::boxed::Box as Boxed;

/// Not the standard library's.
pub struct Box;
/// Not the standard library's.
pub struct Receiver;
/// Not the standard library's.
pub trait Send {}
/// Not the standard library's.
pub trait Sync {}

/// A potential.
#[differentiable(dyn)]
pub trait Potential {
    /// The energy at a distance.
    fn energy(&self, r: f64) -> f64;

    /// Moves it.
    fn relax(&mut self, self_dot: f64) {
        let _ = self_dot;
    }
}

/// A function of one number.
#[differentiable(dyn)]
pub trait Step {
    /// Its value.
    fn apply(#[constant] &self, x: f64) -> f64;
}

/// A spring.
#[derive(Differentiable)]
pub struct Spring {
    /// Its stiffness.
    pub k: f64,
}

#[differentiable]
impl Potential for Spring {
    fn energy(&self, r: f64) -> f64 {
        self.k * r * r
    }
}

#[differentiable]
impl Step for Spring {
    fn apply(#[constant] &self, x: f64) -> f64 {
        x * x
    }
}

/// Borrowed numbers.
#[derive(Differentiable)]
pub struct Table<'a> {
    /// The numbers.
    pub values: &'a [f64],
}

/// The energy of all of them.
#[differentiable]
pub fn energy(
    all: &[Boxed<dyn Potential>],
    one: &mut dyn Potential,
    step: &dyn Step,
    r: f64,
) -> f64 {
    one.relax(r);
    let mut sum = one.energy(step.apply(r));
    for p in all {
        sum += p.energy(r);
    }
    sum
}

/// The first of them.
#[differentiable]
pub fn first(t: &Table<'_>, #[constant] rows: &[&[f64]], x: f64) -> f64 {
    t.values[0] * x * rows[0][0]
}

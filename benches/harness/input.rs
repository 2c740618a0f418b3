//! Reproducible inputs.

use rand::distr::StandardUniform;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rand_distr::StandardNormal;

/// A generator that gives the same in every run.
pub struct Random(StdRng);

impl Random {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Random {
        Random(StdRng::seed_from_u64(seed))
    }

    /// `n` draws from the uniform distribution on [0, 1).
    pub fn uniforms(&mut self, n: usize) -> Vec<f64> {
        (&mut self.0).sample_iter(StandardUniform).take(n).collect()
    }

    /// `n` draws from the standard normal distribution.
    pub fn normals(&mut self, n: usize) -> Vec<f64> {
        (&mut self.0).sample_iter(StandardNormal).take(n).collect()
    }
}

/// `n` draws from the standard normal distribution, the same in every run.
pub fn normal(n: usize) -> Vec<f64> {
    Random::new(1).normals(n)
}

//! Reproducible inputs.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand_distr::{Distribution, StandardNormal};

/// `n` draws from the standard normal distribution, the same in every run.
pub fn normal(n: usize) -> Vec<f64> {
    let random = StdRng::seed_from_u64(1);
    StandardNormal.sample_iter(random).take(n).collect()
}

//! Chains of `nuts-rs` have the moments of the density that they sample from, and reject points without a finite value or gradient.

use chainrule::nuts::{LogDensity, NotFinite};
use chainrule::prelude::*;
use nuts_rs::rand::{SeedableRng, rngs::ChaCha8Rng};
use nuts_rs::{Chain, CpuLogpFunc, CpuMath, DiagNutsSettings, HashMapConfig, HashMapValue};
use nuts_rs::{LogpError, Sampler, SamplerWaitResult, Settings};
use std::sync::Arc;
use std::time::Duration;

/// A normal distribution with the variances 1 and 4, the covariance 1, and the mean `mean`.
#[differentiable]
fn correlated(x: &[f64], #[constant] mean: &[f64]) -> f64 {
    let (a, b) = (x[0] - mean[0], x[1] - mean[1]);
    // The inverse of the matrix of covariances is that of its cofactors over its determinant, 3.
    -0.5 * (4.0 * a * a - 2.0 * a * b + b * b) / 3.0
}

/// A gamma distribution with the shape 3 and the rate 1, which has no density where `x` isn't positive.
#[differentiable]
fn positive(x: &[f64]) -> f64 {
    if x[0] > 0.0 {
        2.0 * x[0].ln() - x[0]
    } else {
        f64::NEG_INFINITY
    }
}

/// Finite at 0, where its derivative isn't.
#[differentiable]
fn steep(x: &[f64]) -> f64 {
    -x[0] - x[1].sqrt()
}

/// The draws with which the sampler adapts itself, and those after them.
const TUNE: u16 = 300;
const KEPT: u16 = 2000;

/// The draws after the first ones.
fn draws<F>(density: LogDensity<F>, start: &[f64], seed: u64) -> Vec<Box<[f64]>>
where
    F: Fn(&[f64], &mut [f64]) -> f64,
{
    let settings = DiagNutsSettings {
        num_tune: u64::from(TUNE),
        ..Default::default()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut chain = settings
        .new_chain(0, CpuMath::new(density), &mut rng)
        .unwrap();
    chain.set_position(start).unwrap();
    let all = (0..TUNE + KEPT).map(|_| chain.draw().unwrap().0);
    all.skip(usize::from(TUNE)).collect()
}

/// The mean of a function of the draws.
fn mean(draws: &[Box<[f64]>], f: impl Fn(&[f64]) -> f64) -> f64 {
    draws.iter().map(|x| f(x) / f64::from(KEPT)).sum()
}

#[test]
fn draws_have_the_moments_of_the_density() {
    let center = [1.0, -2.0];
    let density = LogDensity::new(2, |x, gradient| {
        correlated::value_and_gradient_into(x, &center, gradient)
    });
    let chain = draws(density.clone(), &[0.0, 0.0], 7);
    assert!((mean(&chain, |x| x[0]) - 1.0).abs() < 0.15);
    assert!((mean(&chain, |x| x[1]) + 2.0).abs() < 0.3);
    let covariance = mean(&chain, |x| (x[0] - 1.0) * (x[1] + 2.0));
    assert!((covariance - 1.0).abs() < 0.3, "{covariance}");
    assert_eq!(chain, draws(density.clone(), &[0.0, 0.0], 7));
    assert_ne!(chain, draws(density, &[0.0, 0.0], 8));
}

#[test]
fn points_without_a_density_are_rejected() {
    let density = LogDensity::new(1, positive::value_and_gradient_into);
    let chain = draws(density, &[1.0], 3);
    assert!(chain.iter().all(|x| x[0] > 0.0));
    let found = mean(&chain, |x| x[0]);
    assert!((found - 3.0).abs() < 0.4, "{found}");
}

#[test]
fn what_is_not_finite_is_an_error_that_the_sampler_recovers_from() {
    let mut gradient = [0.0];
    let mut density = LogDensity::new(1, positive::value_and_gradient_into);
    assert_eq!(density.dim(), 1);
    assert_eq!(
        density.logp(&[2.0], &mut gradient),
        Ok(2.0 * 2.0_f64.ln() - 2.0)
    );
    assert_eq!(gradient, [0.0]);
    let error = density.logp(&[-2.0], &mut gradient).unwrap_err();
    assert_eq!(error, NotFinite::Value(f64::NEG_INFINITY));
    assert_eq!(error.to_string(), "the log density is -inf");
    assert!(error.is_recoverable());

    let mut density = LogDensity::new(2, steep::value_and_gradient_into);
    let error = density.logp(&[1.0, 0.0], &mut [0.0; 2]).unwrap_err();
    let (index, entry) = (1, f64::NEG_INFINITY);
    assert_eq!(error, NotFinite::Gradient { index, entry });
    let said = "the derivative of the log density by parameter 1 is -inf";
    assert_eq!(error.to_string(), said);
    assert!(error.is_recoverable());
}

/// The function owns its data, since chains may run on other threads. Starts without a density are drawn anew.
#[test]
fn a_sampler_runs_several_chains() {
    let scale = Vec::from([2.0]);
    let density = LogDensity::new(1, move |x, gradient| {
        let value = positive::value_and_gradient_into(&[x[0] / scale[0]], gradient);
        gradient[0] /= scale[0];
        value
    });
    let settings = DiagNutsSettings {
        num_tune: 200,
        num_draws: 300,
        num_chains: 3,
        seed: 5,
        ..Default::default()
    };
    let mut sampler =
        Sampler::new(Arc::new(density), settings, HashMapConfig::new(), 2, None).unwrap();
    let chains = loop {
        match sampler.wait_timeout(Duration::from_secs(1)) {
            SamplerWaitResult::Trace(chains) => break chains,
            SamplerWaitResult::Timeout(still) => sampler = still,
            SamplerWaitResult::Err(error, _) => panic!("{error:?}"),
        }
    };
    assert_eq!(chains.len(), 3);
    let mut total = 0.0;
    for chain in &chains {
        let HashMapValue::F64(draws) = &chain.draws["value"] else {
            panic!("draws of another type");
        };
        assert_eq!(draws.len(), 500);
        assert!(draws.iter().all(|x| *x > 0.0));
        total += draws[200..].iter().sum::<f64>();
    }
    assert!((total / 900.0 - 6.0).abs() < 1.0, "{total}");
}

//! Log densities for the sampler of the crate `nuts-rs`: from a differentiable function to its `CpuLogpFunc` and its `Model`.
//!
//! ```
//! use chainrule::nuts::LogDensity;
//! use chainrule::prelude::*;
//! use nuts_rs::rand::{SeedableRng, rngs::ChaCha8Rng};
//! use nuts_rs::{Chain, CpuMath, DiagNutsSettings, Settings};
//!
//! /// The log posterior of the mean and of the logarithm of the scale of normally distributed data, without constants.
//! #[differentiable]
//! fn log_posterior(q: &[f64], #[constant] data: &[f64]) -> f64 {
//!     let (mean, ln_scale) = (q[0], q[1]);
//!     let scale = ln_scale.exp();
//!     let mut total = -0.5 * (mean * mean / 100.0 + ln_scale * ln_scale);
//!     for i in 0..data.len() {
//!         let z = (data[i] - mean) / scale;
//!         total -= 0.5 * z * z + ln_scale;
//!     }
//!     total
//! }
//!
//! let data = [4.1, 5.3, 4.8, 6.0, 5.2];
//! let density = LogDensity::new(2, |q, gradient| log_posterior::value_and_gradient_into(q, &data, gradient));
//!
//! let settings = DiagNutsSettings { num_tune: 200, ..Default::default() };
//! let mut chain = settings.new_chain(0, CpuMath::new(density), &mut ChaCha8Rng::seed_from_u64(1))?;
//! chain.set_position(&[5.0, 0.0])?;
//! let mut total = 0.0;
//! for draw in 0..700 {
//!     let (q, _) = chain.draw()?;
//!     if draw >= 200 {
//!         total += q[0];
//!     }
//! }
//! assert!((total / 500.0 - 5.1).abs() < 0.3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The guide's chapter `solvers` has several chains on several threads.

use ::nuts_rs::rand::{Rng, RngExt};
use ::nuts_rs::{CpuLogpFunc, CpuMath, CpuMathError, HasDims, InitPositionError, LogpError, Model};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use std::collections::HashMap;

/// The log density from which `nuts-rs` samples, made of a function that returns its value and overwrites the second argument with its gradient.
///
/// The parameters may be any numbers. Write a positive parameter as an exponential, and add the logarithm of that transformation's derivative, as the guide's
/// chapter `distributions` shows. A constant may be missing in the value.
///
/// If the value or the gradient isn't finite, `nuts-rs` gets the error [`NotFinite`], from which it recovers: it rejects the point, and counts a divergence.
///
/// As a `CpuLogpFunc` it is what `CpuMath::new` takes, for one chain that the caller steps. As a `Model` it is what `Sampler::new` takes, for many chains. Then
/// the function must own its data, since other threads call it.
///
/// # Panics
/// The sampler panics where the function does: that of a slice with another number of parameters than it reads, for example.
pub struct LogDensity<F> {
    dimension: usize,
    value_and_gradient: Arc<F>,
}

impl<F> LogDensity<F>
where
    F: Fn(&[f64], &mut [f64]) -> f64,
{
    /// The log density of `dimension` parameters by a function such as `f::value_and_gradient_into`, or
    /// `|q, gradient| f::value_and_gradient_into(q, &data, gradient)`.
    pub fn new(dimension: usize, value_and_gradient: F) -> Self {
        LogDensity {
            dimension,
            value_and_gradient: Arc::new(value_and_gradient),
        }
    }
}

/// The clone calls the same function, of which there is no copy.
impl<F> Clone for LogDensity<F> {
    fn clone(&self) -> Self {
        LogDensity {
            dimension: self.dimension,
            value_and_gradient: Arc::clone(&self.value_and_gradient),
        }
    }
}

/// A value or a gradient of a log density that isn't finite: the sampler rejects the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NotFinite {
    /// The value.
    Value(f64),
    /// An entry of the gradient, the first one that isn't finite. The value is finite.
    Gradient {
        /// The number of the parameter, from 0.
        index: usize,
        /// The derivative by that parameter.
        entry: f64,
    },
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotFinite::Value(value) => write!(f, "the log density is {value}"),
            NotFinite::Gradient { index, entry } => write!(
                f,
                "the derivative of the log density by parameter {index} is {entry}"
            ),
        }
    }
}

impl core::error::Error for NotFinite {}

impl LogpError for NotFinite {
    fn is_recoverable(&self) -> bool {
        true
    }
}

/// The dimensions of what `nuts-rs` stores: `dim` is that of the draws, the other one that of its own statistics.
impl<F> HasDims for LogDensity<F> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        ["unconstrained_parameter", "dim"]
            .map(|name| (name.into(), self.dimension as u64))
            .into()
    }
}

impl<F> CpuLogpFunc for LogDensity<F>
where
    F: Fn(&[f64], &mut [f64]) -> f64,
{
    type LogpError = NotFinite;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;

    fn dim(&self) -> usize {
        self.dimension
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, NotFinite> {
        let value = (self.value_and_gradient)(position, gradient);
        if !value.is_finite() {
            return Err(NotFinite::Value(value));
        }
        match gradient.iter().position(|entry| !entry.is_finite()) {
            None => Ok(value),
            Some(index) => Err(NotFinite::Gradient {
                index,
                entry: gradient[index],
            }),
        }
    }

    fn expand_vector<R: Rng + ?Sized>(
        &mut self,
        _: &mut R,
        position: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(position.to_vec())
    }
}

/// Each chain starts at a point that is drawn uniformly between -2 and 2 in each parameter, as in Stan. `nuts-rs` draws again, up to 500 times, where the log
/// density isn't finite.
impl<F> Model for LogDensity<F>
where
    F: Fn(&[f64], &mut [f64]) -> f64 + Send + Sync + 'static,
{
    type Math = CpuMath<LogDensity<F>>;

    fn math<R: Rng + ?Sized>(self: Arc<Self>, _: &mut R) -> Result<Self::Math, anyhow::Error> {
        Ok(CpuMath::new(LogDensity::clone(&self)))
    }

    fn init_position<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        _: u64,
        position: &mut [f64],
    ) -> Result<(), InitPositionError> {
        position.fill_with(|| rng.random_range(-2.0..2.0));
        Ok(())
    }
}

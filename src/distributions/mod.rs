//! Log densities of probability distributions, with the feature `special`: the terms of log likelihoods and log posteriors, for samplers
//! and fits.
//!
//! Each distribution is a module. `log_density` is the logarithm of the density at one point, and `log_mass` that of the probability of
//! a count or an outcome. `log_likelihood` is their sum over many observations, in one loop, with the gradient in the same loop. All are
//! differentiable, by the point (if it isn't a count) and by all parameters, to second order, and can be called in differentiable
//! functions. `normal::log_density::gradient(x, location, scale)` and the other drivers work as well.
//!
//! ```
//! use chainrule::distributions::{gamma, normal};
//! use chainrule::prelude::*;
//!
//! /// The log posterior of a mean and a precision.
//! #[differentiable]
//! fn log_posterior(mean: f64, precision: f64, #[constant] data: &[f64]) -> f64 {
//!     gamma::log_density(precision, 2.0, 1.0)
//!         + normal::log_density(mean, 0.0, 10.0)
//!         + normal::log_likelihood(data, mean, precision.sqrt().recip())
//! }
//!
//! let (mean_bar, precision_bar) = log_posterior::gradient(1.0, 4.0, &[1.5, 0.5, 1.0]);
//! assert!((mean_bar + 0.01).abs() < 1e-12); // -mean/100: the data are balanced
//! assert!((precision_bar + 0.625).abs() < 1e-12); // 1/4 - 1, and 3/8 - 1/4
//! ```
//!
//! | on | distributions |
//! |---|---|
//! | all numbers | [`normal`], [`student_t`], [`cauchy`], [`laplace`], [`logistic`], [`gumbel`] |
//! | positive numbers | [`log_normal`], [`half_normal`], [`half_cauchy`], [`exponential`], [`gamma`], [`inverse_gamma`], [`chi_squared`], [`weibull`], [`inverse_gaussian`], [`pareto`] |
//! | intervals | [`beta`], [`uniform`], [`von_mises`] |
//! | outcomes, counts | [`bernoulli`], [`categorical`], [`binomial`], [`poisson`], [`negative_binomial`] |
//! | vectors | [`multivariate_normal`], [`dirichlet`] |
//!
//! # Conventions
//!
//! - Parameters are those of Stan's functions reference: scales (not variances), shapes and rates.
//! - *Outside of the support* the value is -∞, as the density is zero. All derivatives are zero there: the density is constant, and
//!   in a mixture, `logsumexp` of several log densities, the component has no influence on the gradient. So look at the value
//!   before you follow a gradient. If one observation is outside, a log likelihood is -∞, with the gradient zero.
//! - *At the end of a support* the value is the limit, which may be finite or infinite, as each function says.
//! - *If a parameter is invalid*, such as a scale that isn't positive, the value is NaN. Don't use the gradient then.
//! - The values keep their digits in the tails and for large parameters and counts, where formulas with gamma functions cancel: relative errors are
//!   below 1e-13. Derivatives by shapes are differences of digamma functions for small shapes, and have their absolute errors.
//!
//! # Source
//! Stan Functions Reference, version 2.36 (2024), sections on continuous and discrete distributions. C. Loader, Fast and accurate computation of binomial
//! probabilities (2000), for large counts and shapes.

// The feature is `special`, and not one more: the densities need its gamma functions, and it has no other dependencies.

#![allow(clippy::cast_precision_loss, reason = "lists are shorter than 2^53")]

mod parts;

pub mod bernoulli;
pub mod beta;
pub mod binomial;
pub mod categorical;
pub mod cauchy;
pub mod chi_squared;
pub mod dirichlet;
pub mod exponential;
pub mod gamma;
pub mod gumbel;
pub mod half_cauchy;
pub mod half_normal;
pub mod inverse_gamma;
pub mod inverse_gaussian;
pub mod laplace;
pub mod log_normal;
pub mod logistic;
pub mod multivariate_normal;
pub mod negative_binomial;
pub mod normal;
pub mod pareto;
pub mod poisson;
pub mod student_t;
pub mod uniform;
pub mod von_mises;
pub mod weibull;

//! Whole programs, as they are found in numerical code: one in each file.

mod black_scholes;
mod bodies;
mod bundle_adjustment;
mod cholesky;
mod conjugate_gradients;
mod curve;
mod determinant;
mod fourier;
mod gaussian_mixture;
mod heat;
mod hidden_markov;
mod integrators;
mod kalman;
mod lstm;
mod newton;
mod renderer;
mod short;
mod spline;
mod survival;

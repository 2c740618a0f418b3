//! Whole programs, as they are found in numerical code: one in each file.

mod black_scholes;
mod bodies;
mod bundle_adjustment;
mod cholesky;
mod conjugate_gradients;
mod determinant;
mod fourier;
mod gaussian_mixture;
mod hidden_markov;
mod integrators;
mod kalman;
mod lstm;
mod newton;
mod renderer;
mod short;
mod spline;

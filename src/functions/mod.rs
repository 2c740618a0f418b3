//! Functions that are easy to get wrong with `exp`, `ln` and `sqrt`: they neither overflow nor cancel, and neither do their
//! first and second derivatives.
//!
//! Those of `f64` are here, those of `f32` in [`single`]. All are differentiable: call them from differentiable functions, or
//! use their rules and drivers (`logistic::derivative(x)`, `logsumexp::gradient(&x)`). Infinite arguments are limits,
//! and the value at NaN is NaN. As with all functions, a zero tangent or cotangent stays zero where a derivative is
//! infinite (see [`conventions`](crate::conventions)).
//!
//! ```
//! use chainrule::functions::{log1pexp, logsumexp};
//! use chainrule::prelude::*;
//!
//! /// Negative log-likelihood of a logistic regression with one feature.
//! #[differentiable]
//! fn nll(w: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
//!     let mut total = 0.0;
//!     for i in 0..x.len() {
//!         total += log1pexp(w * x[i]) - y[i] * w * x[i];
//!     }
//!     total
//! }
//!
//! // exp(800) overflows, the likelihood doesn't.
//! assert_eq!(nll::value_and_gradient(800.0, &[1.0, -1.0], &[1.0, 1.0]), (800.0, 1.0));
//! assert_eq!(logsumexp::gradient(&[1000.0, 1000.0]), [0.5, 0.5]);
//! ```

mod scalars;
mod slices;

#[cfg(not(feature = "std"))]
use crate::Real;

scalars::scalar_functions!(f64, "chainrule::functions");
slices::slice_functions!(f64, "chainrule::functions");

/// The same functions for `f32`.
pub mod single {
    #[cfg(not(feature = "std"))]
    use crate::Real;

    super::scalars::scalar_functions!(f32, "chainrule::functions::single");
    super::slices::slice_functions!(f32, "chainrule::functions::single");
}

//! Special functions of `f64`, with the feature `special`: error functions, gamma and beta functions, Bessel functions.
//!
//! The values of error, gamma and Bessel functions are those of the crate [`libm`](https://docs.rs/libm), which the Rust project
//! maintains, and which needs no standard library; polygamma and beta functions are computed here. All are differentiable, to
//! second order like everything else.
//!
//! ```
//! use chainrule::prelude::*;
//! use chainrule::special::{erfc, ln_gamma};
//!
//! /// The probability that a normal variable is larger than `x`.
//! #[differentiable]
//! fn tail(x: f64) -> f64 {
//!     0.5 * erfc(x * core::f64::consts::FRAC_1_SQRT_2)
//! }
//!
//! assert!((tail::derivative(0.0) + 0.398_942_280_401_432_7).abs() < 1e-15);
//! assert!((ln_gamma::derivative(1.0) + 0.577_215_664_901_532_9).abs() < 1e-15);
//! ```
//!
//! # Source
//! The formulas are those of the [Digital Library of Mathematical Functions](https://dlmf.nist.gov) (DLMF), chapters 5, 7, 10
//! and 25; each function names the equations of its derivatives.

mod bessel_functions;
mod error_functions;
mod gamma_functions;
mod polygamma_functions;

pub use bessel_functions::{j0, j1, jn, y0, y1, yn};
pub use error_functions::{erf, erfc};
pub use gamma_functions::{beta, gamma, ln_beta, ln_gamma};
pub use polygamma_functions::{digamma, polygamma, trigamma};

//! Linear systems, factorisations and functions of matrices of the crate `nalgebra`.
//!
//! A factorisation of `nalgebra` is a type of its own, without a tangent. The results that programs need are functions here: a solution, a determinant,
//! the factors as matrices. They call the library, and have rules in closed form, in first and second order, forward and reverse. The rules
//! are those of M. Giles, An extended collection of matrix derivative results for forward and reverse mode algorithmic differentiation
//! (2008), where the function's page doesn't name another source.
//!
//! Where a factorisation doesn't exist, the function is `None`, as `nalgebra`'s own. Where it exists and has no derivative, the derivative is NaN: eigenvectors
//! and singular vectors have none where eigenvalues or singular values are equal. Functions of them that are smooth there have rules of their own:
//!
//! | instead of | take |
//! |---|---|
//! | `V diag(f(λ)) Vᵀ` by [`symmetric_eigen`](fn@symmetric_eigen) | [`spectral_map`](fn@spectral_map), [`symmetric_sqrt`](fn@symmetric_sqrt), [`symmetric_ln`](fn@symmetric_ln), [`symmetric_exp`](fn@symmetric_exp) |
//! | a sum of `f(λ)` over the eigenvalues | [`spectral_sum`](fn@spectral_sum), or [`symmetric_eigenvalues`](fn@symmetric_eigenvalues) for any function of the values |
//! | `U Vᵀ` by [`svd`](fn@svd) | [`polar`](fn@polar) |
//! | `V diag(1/s) Uᵀ` by [`svd`](fn@svd) | [`pseudo_inverse`](fn@pseudo_inverse), [`least_squares`](fn@least_squares) |
//! | a sum of `f(s)` over the singular values | [`singular_value_sum`](fn@singular_value_sum), or [`singular_values`](fn@singular_values) for any function of the values |
//!
//! A **symmetric** matrix is read from its lower triangle, as `nalgebra` does, and so its cotangent has a lower triangle only: there an entry represents
//! itself and the one above the diagonal.
//!
//! ```
//! use chainrule::prelude::*;
//! use nalgebra::{DMatrix, DVector};
//!
//! /// Twice the negative log density of a normal distribution, without the constant.
//! #[differentiable]
//! fn misfit(covariance: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
//!     let (ln_det, y) = chainrule::nalgebra::ln_det_and_solve(covariance, x).unwrap();
//!     ln_det + y.dot(x)
//! }
//!
//! let covariance = DMatrix::from_diagonal(&DVector::from_vec(vec![2.0, 4.0]));
//! let (k_bar, x_bar) = misfit::gradient(&covariance, &DVector::from_vec(vec![1.0, 2.0]));
//! assert!((x_bar - DVector::from_vec(vec![1.0, 1.0])).norm() < 1e-15);
//! // 1/k - (x/k)^2
//! assert!((k_bar[(0, 0)] - 0.25).abs() < 1e-15 && k_bar[(1, 1)].abs() < 1e-15);
//! ```

mod algebra;
mod clusters;
mod divided;
mod eigen;
mod factorisations;
mod full_rank;
mod functions;
mod jacobi;
#[doc(hidden)]
pub mod methods;
mod rules;
mod singular;
mod spectral;
mod systems;
mod triangular;

pub use divided::ScalarFunction;
pub use eigen::{symmetric_eigen, symmetric_eigenvalues};
pub use factorisations::{cholesky, lu, qr};
pub use full_rank::{polar, pseudo_inverse};
pub use functions::{determinant, exp, inverse, ln_abs_determinant};
pub use singular::{singular_value_sum, singular_values, svd};
pub use spectral::{spectral_map, spectral_sum, symmetric_exp, symmetric_ln, symmetric_sqrt};
pub use systems::{ln_det_and_solve, solve};
pub use triangular::{least_squares, solve_lower_triangular, solve_matrix, solve_upper_triangular};

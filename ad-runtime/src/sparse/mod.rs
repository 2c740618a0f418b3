//! Sparse Jacobians and Hessians: which entries can be other than zero, which columns go through one pass, and the matrix that comes of it.
//!
//! ```text
//! directions through the function --Pattern--> entries --coloring--> columns of one color --Plan--> one pass for each color --SparseMatrix
//! ```
//!
//! The functions that are run are closures over the drivers: `|v| f::jvp(&x, v).1` for a Jacobian, `|v| f::hvp(&x, v)` for a Hessian. Everything
//! takes time that is linear in the number of entries, where a row has few of them.

mod check;
mod coloring;
mod matrix;
mod pattern;
mod plan;

pub use matrix::SparseMatrix;
pub use pattern::Pattern;
pub use plan::{HessianPlan, JacobianPlan, PatternChanged};

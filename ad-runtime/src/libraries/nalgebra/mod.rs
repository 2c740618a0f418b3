//! `nalgebra`: the tangent of a matrix is a matrix of the same type, for `DMatrix`, `DVector`, `RowDVector`, and `SMatrix` with all its aliases.
//!
//! Cotangents of products are products of the same kind. Solves and determinants are functions of the facade, with the rules of M. Giles,
//! An extended collection of matrix derivative results for forward and reverse mode algorithmic differentiation (2008).

mod index;
mod methods;
mod operators;
mod types;

pub use methods::{NalgebraRules, TransposeRules};

use ::nalgebra::RealField;

use crate::Real;

/// `f32` and `f64`.
pub trait Element: Real + RealField {}
impl<A: Real + RealField> Element for A {}

/// Calls a macro with each type of matrices of `A`, and the parameters that it has.
macro_rules! each_type {
    ($callback:ident) => {
        $callback! {
            [] ::nalgebra::DMatrix<A>;
            [] ::nalgebra::DVector<A>;
            [] ::nalgebra::RowDVector<A>;
            [const R: usize, const C: usize] ::nalgebra::SMatrix<A, R, C>;
        }
    };
}
use each_type;

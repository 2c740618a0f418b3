//! `nalgebra`: the tangent of a matrix is a matrix of the same type, for `DMatrix`, `DVector`, `RowDVector`, and `SMatrix` with all its aliases.
//!
//! Cotangents of products are products of the same kind. Solves and determinants are functions of the facade, with the rules of M. Giles,
//! An extended collection of matrix derivative results for forward and reverse mode algorithmic differentiation (2008).

mod geometry;
mod index;
mod methods;
mod operators;
mod types;

pub use geometry::Numbers;
pub use methods::{NalgebraRules, TransposeRules};
pub use operators::Product;

/// The library in the version whose matrices have tangents. The facade takes it from here, since it may depend on another one itself.
pub use ::nalgebra as library;

use ::nalgebra::{Const, Dyn, Matrix, RealField, VecStorage};

use crate::Real;

/// `f32` and `f64`.
pub trait Element: Real + RealField {}
impl<A: Real + RealField> Element for A {}

/// Any number of rows, and `C` columns: `DVector` has one.
pub type Rows<A, const C: usize> = Matrix<A, Dyn, Const<C>, VecStorage<A, Dyn, Const<C>>>;
/// Any number of columns, and `R` rows: `RowDVector` has one.
pub type Columns<A, const R: usize> = Matrix<A, Const<R>, Dyn, VecStorage<A, Const<R>, Dyn>>;

/// Calls a macro with each type of matrices of `A`, and the parameters that it has.
macro_rules! each_type {
    ($callback:ident) => {
        $callback! {
            [] ::nalgebra::DMatrix<A>;
            [const C: usize] $crate::libraries::nalgebra::Rows<A, C>;
            [const R: usize] $crate::libraries::nalgebra::Columns<A, R>;
            [const R: usize, const C: usize] ::nalgebra::SMatrix<A, R, C>;
        }
    };
}
use each_type;

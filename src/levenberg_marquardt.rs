//! Least squares problems for the crate `levenberg-marquardt`: from a differentiable function that returns residuals to its `LeastSquaresProblem`.
//!
//! ```
//! use chainrule::levenberg_marquardt::LeastSquares;
//! use chainrule::prelude::*;
//! use levenberg_marquardt::LevenbergMarquardt;
//!
//! /// The differences between an exponential decay and measurements of it.
//! #[differentiable]
//! fn residuals(b: &[f64], #[constant] t: &[f64], #[constant] measured: &[f64]) -> Vec<f64> {
//!     let mut all = Vec::with_capacity(t.len());
//!     for i in 0..t.len() {
//!         all.push(b[0] * (-b[1] * t[i]).exp() - measured[i]);
//!     }
//!     all
//! }
//!
//! let (t, measured) = ([0.0, 1.0, 2.0, 3.0], [8.0, 4.0, 2.0, 1.0]);
//! let start = LeastSquares::new(&[1.0, 1.0], |b| residuals(b, &t, &measured), |b| residuals::jacobian(b, &t, &measured));
//! let (fit, report) = LevenbergMarquardt::new().minimize(start);
//! assert!(report.termination.was_successful());
//! let b = fit.parameters();
//! assert!((b[0] - 8.0).abs() < 1e-12 && (b[1] - 2.0_f64.ln()).abs() < 1e-12);
//! ```

use ::levenberg_marquardt::LeastSquaresProblem;
use ::nalgebra::{DMatrix, DVector, Dyn, Owned};
use alloc::vec::Vec;

use crate::Matrix;

/// The problem that `LevenbergMarquardt::minimize` solves, made of a function that returns the residuals and one that returns their Jacobian.
///
/// `minimize` takes the problem with the parameters at which the search starts. It returns the problem with those at which the search ends,
/// [`parameters`](LeastSquares::parameters), and a report. The sum of squares is twice the `objective_function` of that report.
///
/// The solver asks for the residuals at each point that it tries, and for the Jacobian only at points that it keeps.
///
/// # Errors
/// The report's `termination` says why a search ends. It is
/// - `User(..)` if one of the two functions returns `None`,
/// - `WrongDimensions(..)` if the number of residuals changes, or if the Jacobian doesn't have one row for each residual and one column for each parameter,
/// - `Numerical(..)` if the residuals at the start aren't finite, or the Jacobian at a point that the solver keeps.
///
/// If the residuals at a later point aren't finite, the search goes on: the solver tries a shorter step.
///
/// # Panics
/// The solver panics where one of the two functions does: that of a slice with another number of parameters than it reads, for example.
#[derive(Clone, Debug)]
pub struct LeastSquares<R, J> {
    parameters: DVector<f64>,
    residuals: R,
    jacobian: J,
}

impl<R, J> LeastSquares<R, J> {
    /// The problem of a function such as `f`, or `|b| f(b, &data)`, and of its Jacobian, such as `f::jacobian`, or `|b| f::jacobian(b, &data)`.
    ///
    /// Both may also return an `Option`. Then `None` ends the search. Of a function that returns a `Result`, pass `|b| f(b).ok()` and
    /// `|b| f::jacobian(b).ok()`.
    ///
    /// ```
    /// use chainrule::levenberg_marquardt::LeastSquares;
    /// use chainrule::prelude::*;
    /// use levenberg_marquardt::{LevenbergMarquardt, TerminationReason};
    ///
    /// /// The distances of a point to three others, minus 5; no result beyond a border.
    /// #[differentiable]
    /// fn off(x: &[f64], #[constant] border: f64) -> Option<Vec<f64>> {
    ///     if x[0] > border {
    ///         return None;
    ///     }
    ///     Some(vec![x[0].hypot(x[1]) - 5.0, (x[0] - 8.0).hypot(x[1]) - 5.0, x[0].hypot(x[1] - 6.0) - 5.0])
    /// }
    ///
    /// let within = |border| LeastSquares::new(&[1.0, 1.0], move |x| off(x, border), move |x| off::jacobian(x, border));
    /// let (fit, report) = LevenbergMarquardt::new().minimize(within(10.0));
    /// assert!(report.termination.was_successful());
    /// assert!((fit.parameters()[0] - 4.0).abs() < 1e-9 && (fit.parameters()[1] - 3.0).abs() < 1e-9);
    ///
    /// let (_, report) = LevenbergMarquardt::new().minimize(within(3.0));
    /// assert_eq!(report.termination, TerminationReason::User("residuals"));
    /// ```
    pub fn new<V, M>(start: &[f64], residuals: R, jacobian: J) -> Self
    where
        R: Fn(&[f64]) -> V,
        V: Into<Option<Vec<f64>>>,
        J: Fn(&[f64]) -> M,
        M: Into<Option<Matrix>>,
    {
        LeastSquares {
            parameters: DVector::from_column_slice(start),
            residuals,
            jacobian,
        }
    }

    /// The parameters: those of the fit after `minimize`.
    pub fn parameters(&self) -> &[f64] {
        self.parameters.as_slice()
    }
}

impl<R, J, V, M> LeastSquaresProblem<f64, Dyn, Dyn> for LeastSquares<R, J>
where
    R: Fn(&[f64]) -> V,
    V: Into<Option<Vec<f64>>>,
    J: Fn(&[f64]) -> M,
    M: Into<Option<Matrix>>,
{
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, parameters: &DVector<f64>) {
        self.parameters.copy_from(parameters);
    }

    fn params(&self) -> DVector<f64> {
        self.parameters.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let residuals = (self.residuals)(self.parameters()).into()?;
        Some(DVector::from_vec(residuals))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let jacobian = (self.jacobian)(self.parameters()).into()?;
        let (rows, columns) = (jacobian.nrows(), jacobian.ncols());
        Some(DMatrix::from_row_slice(rows, columns, jacobian.as_slice()))
    }
}

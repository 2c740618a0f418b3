//! Matrices, and matrices with a tangent, as one kind of thing.
//!
//! The pullback of a factorisation is a formula of products and inverses. Written over [`Formula`], it is the rule of first order for plain matrices, and
//! of second order for a [`Dual`] of two: its tangent is that of the formula.

use ::faer::Mat;

use super::D;
use crate::Dual;

/// The operations of formulas of matrices.
pub(super) trait Formula: Clone {
    /// A linear function of each part.
    #[must_use]
    fn linear(&self, f: impl Fn(&Mat<f64>) -> Mat<f64>) -> Self;
    /// The sum.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;
    /// The product.
    #[must_use]
    fn times(&self, other: &Self) -> Self;

    /// The transpose.
    #[must_use]
    fn turned(&self) -> Self {
        self.linear(|m| m.transpose().to_owned())
    }

    /// A number times the matrix.
    #[must_use]
    fn scaled(&self, k: f64) -> Self {
        self.linear(|m| m * k)
    }

    /// The entries for which `keep(i, j)`, and zeros.
    #[must_use]
    fn kept(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        let kept = |m: &Mat<f64>, i, j| if keep(i, j) { m[(i, j)] } else { 0.0 };
        self.linear(|m| Mat::from_fn(m.nrows(), m.ncols(), |i, j| kept(m, i, j)))
    }

    /// The lower triangle with half of the diagonal.
    #[must_use]
    fn half(&self) -> Self {
        let diagonal = self.kept(|i, j| i == j);
        self.kept(|i, j| i > j).plus(&diagonal.scaled(0.5))
    }

    /// The solution `X` of `self X = right_side`, of a triangular matrix.
    #[must_use]
    fn triangular_solution(&self, is_lower: bool, right_side: &Self) -> Self;
}

impl Formula for Mat<f64> {
    fn linear(&self, f: impl Fn(&Mat<f64>) -> Mat<f64>) -> Self {
        f(self)
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn triangular_solution(&self, is_lower: bool, right_side: &Self) -> Self {
        let mut x = right_side.clone();
        if is_lower {
            self.solve_lower_triangular_in_place(x.as_mut());
        } else {
            self.solve_upper_triangular_in_place(x.as_mut());
        }
        x
    }
}

impl Formula for D<Mat<f64>> {
    fn linear(&self, f: impl Fn(&Mat<f64>) -> Mat<f64>) -> Self {
        Dual(f(&self.0), f(&self.1))
    }

    fn plus(&self, other: &Self) -> Self {
        Dual(&self.0 + &other.0, &self.1 + &other.1)
    }

    fn times(&self, other: &Self) -> Self {
        let change = &self.1 * &other.0 + &self.0 * &other.1;
        Dual(&self.0 * &other.0, change)
    }

    fn triangular_solution(&self, is_lower: bool, right_side: &Self) -> Self {
        let x = self.0.triangular_solution(is_lower, &right_side.0);
        let rest = &right_side.1 - &self.1 * &x;
        let x_dot = self.0.triangular_solution(is_lower, &rest);
        Dual(x, x_dot)
    }
}

//! The linear systems between the tangents of parameters and those of a result that an equation defines.
//!
//! Generated rules hand over the result, and a function that differentiates the equation along a tangent of the result, or pulls a cotangent of the
//! equation back. This module makes the matrix of it, column by column, and solves, or hands the products to another solver.
//!
//! A zero tangent or cotangent stays zero, whatever the matrix is. For all others a singular matrix leads to NaN in all entries.

use alloc::vec::Vec;

use super::dense::Factors;
use crate::nested::fill;
use crate::{Differentiable, Matrix, Tan, Tangent, TangentValue};

/// How an equation defines the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Equation {
    /// `e(x, p) = 0`.
    Root,
    /// `e(x, p) = x`.
    FixedPoint,
}

/// The equation of a function, and its result.
#[derive(Debug)]
pub struct System<'a, X> {
    /// How it defines the result.
    pub equation: Equation,
    /// Another solver than elimination.
    pub solver: Option<Solve>,
    /// The function's name in messages.
    pub function: &'static str,
    /// The function's result.
    pub x: &'a X,
}

/// A solver that the user chose: from products with a matrix, and the right side.
pub type Solve = fn(&mut dyn FnMut(&[f64]) -> Vec<f64>, &[f64]) -> Vec<f64>;

impl<X: Differentiable> System<'_, X> {
    /// The entries of the matrix's product with `unit`, from those of the equation's.
    #[track_caller]
    fn product(&self, of_equation: &Tan<X>, of_result: &[f64]) -> Vec<f64> {
        let mut product = entries(of_equation);
        assert!(
            product.len() == of_result.len(),
            "{}: the equation has {} entries, the result {}",
            self.function,
            product.len(),
            of_result.len()
        );
        if self.equation == Equation::FixedPoint {
            for (entry, x) in product.iter_mut().zip(of_result) {
                *entry = x - *entry;
            }
        }
        product
    }

    /// The right side, unless it is zero.
    fn side(&self, side: &Tan<X>) -> Option<Vec<f64>> {
        let mut side = entries(side);
        if side.iter().all(|entry| *entry == 0.0) {
            return None;
        }
        let sign = match self.equation {
            Equation::Root => -1.0,
            Equation::FixedPoint => 1.0,
        };
        side.iter_mut().for_each(|entry| *entry *= sign);
        Some(side)
    }

    /// A tangent with the entries of the solution, or zero.
    fn filled(&self, solution: Option<Vec<f64>>) -> Tan<X> {
        let mut tangent = self.x.zero_tangent();
        if let Some(solution) = solution {
            fill(&mut tangent, &solution);
        }
        tangent
    }

    /// The matrix, factorised, if it is to be: one column from each unit vector.
    ///
    /// # Panics
    /// If there are not as many equations as unknowns.
    #[track_caller]
    pub fn factors(&self, mut along: impl FnMut(Tan<X>) -> Tan<X>) -> Option<Factors> {
        if self.solver.is_some() {
            return None;
        }
        let zero = self.x.zero_tangent();
        let n = zero.count_entries();
        let (mut matrix, mut column) = (Matrix::zeros(n, n), alloc::vec![0.0; n]);
        for j in 0..n {
            let mut unit = zero.clone();
            unit.set_entry(j, 1.0);
            column[j] = 1.0;
            let product = self.product(&along(unit), &column);
            column[j] = 0.0;
            for (i, entry) in product.into_iter().enumerate() {
                matrix[(i, j)] = entry;
            }
        }
        Some(Factors::new(matrix))
    }

    /// The tangent of the result, from that of the equation at a fixed result, and the equation's derivative along tangents of the result.
    ///
    /// # Panics
    /// If there are not as many equations as unknowns.
    #[track_caller]
    pub fn tangent(&self, of_equation: &Tan<X>, mut along: impl FnMut(Tan<X>) -> Tan<X>) -> Tan<X> {
        let factors = match self.side(of_equation) {
            Some(_) => self.factors(&mut along),
            None => None,
        };
        self.tangent_from(&factors, of_equation, along)
    }

    /// The same from the factors, if there are any.
    #[track_caller]
    pub fn tangent_from(
        &self,
        factors: &Option<Factors>,
        of_equation: &Tan<X>,
        along: impl FnMut(Tan<X>) -> Tan<X>,
    ) -> Tan<X> {
        let mut side = self.side(of_equation);
        match (&mut side, factors) {
            (Some(side), Some(factors)) => factors.solve(side),
            (Some(side), None) => self.solve_by_products(side, along),
            (None, _) => {}
        }
        self.filled(side)
    }

    /// The cotangent of the equation, from that of the result, and products as for [`factors`](System::factors), or, for another solver, with the
    /// transposed matrix.
    ///
    /// # Panics
    /// If there are not as many equations as unknowns.
    #[track_caller]
    pub fn cotangent(
        &self,
        of_result: &Tan<X>,
        mut products: impl FnMut(Tan<X>) -> Tan<X>,
    ) -> Tan<X> {
        let factors = match self.side(of_result) {
            Some(_) => self.factors(&mut products),
            None => None,
        };
        self.cotangent_from(&factors, of_result, products)
    }

    /// The same from the factors, if there are any.
    #[track_caller]
    pub fn cotangent_from(
        &self,
        factors: &Option<Factors>,
        of_result: &Tan<X>,
        products: impl FnMut(Tan<X>) -> Tan<X>,
    ) -> Tan<X> {
        let mut side = self.side(of_result);
        match (&mut side, factors) {
            (Some(side), Some(factors)) => factors.solve_transposed(side),
            (Some(side), None) => self.solve_by_products(side, products),
            (None, _) => {}
        }
        self.filled(side)
    }

    /// Replaces a right side by the solution that the other solver finds.
    fn solve_by_products(&self, side: &mut Vec<f64>, mut products: impl FnMut(Tan<X>) -> Tan<X>) {
        let Some(solver) = self.solver else {
            return side.fill(f64::NAN);
        };
        let n = side.len();
        let solution = solver(
            &mut |x| {
                assert!(
                    x.len() == n,
                    "{}: the solver asks for a product with {} entries, the result has {n}",
                    self.function,
                    x.len()
                );
                let mut tangent = self.x.zero_tangent();
                fill(&mut tangent, x);
                self.product(&products(tangent), x)
            },
            side,
        );
        assert!(
            solution.len() == n,
            "{}: the solver's solution has {} entries, the result {n}",
            self.function,
            solution.len()
        );
        *side = solution;
    }
}

/// The right side for the tangent of a cotangent of the equation: the tangent of the result's cotangent, and that of the cotangent that the equation's
/// pullback gives back for the result.
pub fn changed<T: TangentValue>(cotangent: &T, mut of_result: T, of_pullback: &T) -> T {
    of_result.accumulate(of_pullback);
    if entries(cotangent).iter().any(|entry| entry.is_nan()) {
        // Any change of it is NaN, too.
        of_result.map_entries(&mut |_| f64::NAN);
    }
    of_result
}

fn entries<T: Tangent>(tangent: &T) -> Vec<f64> {
    let mut entries = Vec::new();
    tangent.entries(&mut |entry| entries.push(entry));
    entries
}

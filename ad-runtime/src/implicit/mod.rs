//! Implicit differentiation: the linear systems between the tangents of parameters and those of a result that an equation defines.
//!
//! Generated rules hand over the result, and a function that differentiates the equation along a tangent of the result. This module
//! makes the matrix of it, column by column, and solves.
//!
//! A zero tangent or cotangent stays zero, whatever the matrix is. For all others a singular matrix leads to NaN in all entries.

mod dense;

use alloc::vec::Vec;

use crate::nested::fill;
use crate::{Differentiable, Dual, Matrix, Tan, Tangent, TangentValue};
use dense::Factors;

/// What an equation says of the result.
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
    /// What the equation says.
    pub equation: Equation,
    /// The function's name in messages.
    pub function: &'static str,
    /// The function's result.
    pub x: &'a X,
}

impl<X: Differentiable> System<'_, X> {
    /// Checks that there are as many equations as unknowns.
    #[track_caller]
    fn check(&self, unknowns: usize, equations: usize) {
        assert!(
            unknowns == equations,
            "{}: the equation has {equations} entries, the result {unknowns}",
            self.function
        );
    }
}

/// The tangent of the result, from that of the equation at a fixed result, and the equation's derivative along tangents of the result.
///
/// # Panics
/// If there are not as many equations as unknowns.
#[track_caller]
pub fn tangent<X: Differentiable>(
    system: &System<'_, X>,
    of_equation: &Tan<X>,
    along: impl FnMut(Tan<X>) -> Tan<X>,
) -> Tan<X> {
    if is_zero(&entries(of_equation)) {
        return system.x.zero_tangent();
    }
    Solver::new(system, along).tangent(of_equation)
}

/// The cotangent of the equation, from that of the result.
///
/// # Panics
/// If there are not as many equations as unknowns.
#[track_caller]
pub fn cotangent<X: Differentiable>(
    system: &System<'_, X>,
    of_result: &Tan<X>,
    along: impl FnMut(Tan<X>) -> Tan<X>,
) -> Tan<X> {
    if is_zero(&entries(of_result)) {
        return system.x.zero_tangent();
    }
    Solver::new(system, along).cotangent(of_result)
}

/// The matrix of a system, factorised, for several right sides.
#[derive(Debug)]
pub struct Solver<T> {
    /// The sign of the right side.
    sign: f64,
    factors: Factors,
    zero: T,
}

impl<T: TangentValue> Solver<T> {
    /// Computes the matrix, one column from each unit vector.
    ///
    /// # Panics
    /// If there are not as many equations as unknowns.
    #[track_caller]
    pub fn new<X: Differentiable<OwnedTangent = T>>(
        system: &System<'_, X>,
        mut along: impl FnMut(T) -> T,
    ) -> Self {
        let zero = system.x.zero_tangent();
        let n = zero.count_entries();
        let mut matrix = Matrix::zeros(n, n);
        for j in 0..n {
            let mut unit = zero.clone();
            unit.set_entry(j, 1.0);
            let column = entries(&along(unit));
            system.check(n, column.len());
            for (i, entry) in column.into_iter().enumerate() {
                matrix[(i, j)] = match system.equation {
                    Equation::Root => entry,
                    Equation::FixedPoint => f64::from(u8::from(i == j)) - entry,
                };
            }
        }
        Solver {
            sign: match system.equation {
                Equation::Root => -1.0,
                Equation::FixedPoint => 1.0,
            },
            factors: Factors::new(matrix),
            zero,
        }
    }

    /// The tangent of the result, from that of the equation at a fixed result.
    pub fn tangent(&self, of_equation: &T) -> T {
        self.solved(entries(of_equation), Factors::solve)
    }

    /// The cotangent of the equation, from that of the result.
    pub fn cotangent(&self, of_result: &T) -> T {
        self.solved(entries(of_result), Factors::solve_transposed)
    }

    /// The tangent of the cotangent of the equation: from the result's cotangent with its tangent, and the tangent of what the equation's
    /// pullback makes of the former.
    pub fn change_of_cotangent(&self, of_result: &Dual<T, T>, of_pullback: &T) -> T {
        let Dual(cotangent, change) = of_result;
        let mut sum = entries(change);
        for (sum, term) in sum.iter_mut().zip(entries(of_pullback)) {
            *sum += term;
        }
        if self.factors.is_singular() && !is_zero(&entries(cotangent)) {
            // The cotangent is NaN, and so is any change of it.
            sum.fill(f64::NAN);
        }
        self.solved(sum, Factors::solve_transposed)
    }

    fn solved(&self, mut side: Vec<f64>, solve: fn(&Factors, &mut [f64])) -> T {
        let mut solution = self.zero.clone();
        if !is_zero(&side) {
            side.iter_mut().for_each(|entry| *entry *= self.sign);
            solve(&self.factors, &mut side);
            fill(&mut solution, &side);
        }
        solution
    }
}

fn entries<T: Tangent>(tangent: &T) -> Vec<f64> {
    let mut entries = Vec::new();
    tangent.entries(&mut |entry| entries.push(entry));
    entries
}

fn is_zero(entries: &[f64]) -> bool {
    entries.iter().all(|entry| *entry == 0.0)
}

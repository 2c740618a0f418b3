//! Newton's method for functions that have no solver of their own.

use alloc::vec::Vec;

use super::dense::Factors;
use crate::Matrix;

/// How many steps are taken at most.
const STEPS: usize = 100;

/// How many times a step is halved at most.
const HALVINGS: usize = 30;

/// A root of a system of equations by Newton's method, or `None` if there is none near `start`.
///
/// `f` returns the entries of the system at a point, and the Jacobian matrix: as many rows as columns. A step is halved until the norm of the system is
/// smaller after it. The search ends if the system is zero, or if rounding lets no step of a relative length above 1e-8 improve it. It is without success if the matrix is
/// singular, if numbers become infinite or NaN, and after 100 steps.
///
/// # Panics
/// If the Jacobian hasn't as many rows and columns as `start` has entries, or the system has another number of entries.
///
/// ```
/// # use ad_runtime as chainrule;
/// use chainrule::{Matrix, implicit::newton};
///
/// // x₀² + x₁² = 5, x₀ x₁ = 2
/// let x = newton(&[3.0, 0.5], |x| {
///     let system = vec![x[0] * x[0] + x[1] * x[1] - 5.0, x[0] * x[1] - 2.0];
///     (system, Matrix::from_vec(2, 2, vec![2.0 * x[0], 2.0 * x[1], x[1], x[0]]))
/// });
/// assert_eq!(x, Some(vec![2.0, 1.0]));
/// ```
#[track_caller]
pub fn newton(start: &[f64], mut f: impl FnMut(&[f64]) -> (Vec<f64>, Matrix)) -> Option<Vec<f64>> {
    let mut x = start.to_vec();
    let (mut y, mut jacobian) = f(&x);
    for _ in 0..STEPS {
        check(x.len(), &y, &jacobian);
        let size = square(&y);
        if size == 0.0 {
            return Some(x);
        }
        let mut step = y;
        Factors::new(jacobian).solve(&mut step);
        if !step.iter().all(|entry| entry.is_finite()) {
            return None;
        }
        let mut factor = 1.0;
        let shorter = (0..HALVINGS).find_map(|_| {
            let there: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x - factor * s).collect();
            let (y, jacobian) = f(&there);
            factor *= 0.5;
            (square(&y) < size).then_some((there, y, jacobian))
        });
        match shorter {
            Some(next) => (x, y, jacobian) = next,
            None if largest(&step) <= 1e-8 * largest(&x) => return Some(x),
            None => return None,
        }
    }
    None
}

#[track_caller]
fn check(unknowns: usize, y: &[f64], jacobian: &Matrix) {
    let (rows, columns) = (jacobian.nrows(), jacobian.ncols());
    assert!(
        y.len() == unknowns && rows == unknowns && columns == unknowns,
        "newton: {unknowns} unknowns, {} equations, and a Jacobian of {rows} by {columns}",
        y.len()
    );
}

fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn long_steps_are_halved() {
        // Without that, the steps grow.
        let x = newton(&[3.0], |x| {
            let slope = 1.0 / (1.0 + x[0] * x[0]);
            (
                vec![x[0].atan() - 0.25],
                Matrix::from_vec(1, 1, vec![slope]),
            )
        });
        assert!((x.expect("a root")[0] - 0.25_f64.tan()).abs() < 1e-15);
    }

    #[test]
    fn no_root() {
        let square = |x: &[f64]| {
            let slope = Matrix::from_vec(1, 1, vec![2.0 * x[0]]);
            (vec![x[0] * x[0] + 1.0], slope)
        };
        assert_eq!(newton(&[1.5], square), None);
        assert_eq!(newton(&[0.0], square), None);
        assert_eq!(newton(&[f64::NAN], square), None);
    }

    #[test]
    #[should_panic(expected = "newton: 1 unknowns, 2 equations, and a Jacobian of 1 by 1")]
    fn other_shapes() {
        newton(&[1.0], |_| (vec![1.0, 2.0], Matrix::zeros(1, 1)));
    }
}

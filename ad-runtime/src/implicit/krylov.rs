//! Linear systems by products with the matrix: GMRES.

use alloc::vec;
use alloc::vec::Vec;

#[cfg(not(feature = "std"))]
use crate::Real as _;

/// How small the residual of a solution is meant to be, relative to the right side.
const GOOD: f64 = 1e-14;

/// How small it has to be.
const ENOUGH: f64 = 1e-9;

/// Solves a linear system by products with its matrix, which `product` computes: the matrix itself is never there. For the option `solver` of
/// `#[primitive]`.
///
/// It is the method of generalised minimal residuals without a preconditioner. It keeps all directions, at most as many as there are
/// unknowns, and needs one product for each. It takes few where the eigenvalues of the matrix stand in few groups, as those of fixed points that an
/// iteration finds fast. Unless the norm of the residual ends below 1e-9 of that of `b`, all entries are NaN.
///
/// # Source
/// Y. Saad and M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems, 1986.
///
/// ```
/// # use ad_runtime as chainrule;
/// use chainrule::implicit::gmres;
///
/// // 2 x₀ + x₁ = 4, x₀ - x₁ = -1
/// let x = gmres(&mut |x| vec![2.0 * x[0] + x[1], x[0] - x[1]], &[4.0, -1.0]);
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
/// ```
pub fn gmres(product: &mut dyn FnMut(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    let size = norm(b);
    let (mut x, mut rest, mut left) = (vec![0.0; b.len()], b.to_vec(), size);
    // Again from the residual, which rounding has left larger than it seemed.
    for _ in 0..3 {
        if left <= GOOD * size {
            break;
        }
        let mut next = correction(product, &rest, GOOD * size);
        add_scaled(&mut next, 1.0, &x);
        let mut next_rest = b.to_vec();
        add_scaled(&mut next_rest, -1.0, &product(&next));
        let next_left = norm(&next_rest);
        if next_left < left {
            (x, rest, left) = (next, next_rest, next_left);
        } else {
            break;
        }
    }
    if left <= ENOUGH * size {
        x
    } else {
        vec![f64::NAN; b.len()]
    }
}

/// The combination of `r`, `A r`, `A A r`, .. whose product with `A` is next to `r`.
fn correction(product: &mut dyn FnMut(&[f64]) -> Vec<f64>, r: &[f64], tolerance: f64) -> Vec<f64> {
    let mut left = norm(r);
    let mut basis = vec![scaled(r.to_vec(), 1.0 / left)];
    // The triangular system for the coefficients: columns, and its right side.
    let (mut columns, mut side) = (Vec::<Vec<f64>>::new(), Vec::new());
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    for k in 0..r.len() {
        let mut w = product(&basis[k]);
        let mut column = vec![0.0; k + 1];
        // Twice, so that the basis stays orthogonal.
        for _ in 0..2 {
            for (v, entry) in basis.iter().zip(&mut column) {
                let along = inner(v, &w);
                add_scaled(&mut w, -along, v);
                *entry += along;
            }
        }
        for (i, (c, s)) in rotations.iter().enumerate() {
            let (upper, lower) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * upper + s * lower, c * lower - s * upper);
        }
        let beyond = norm(&w);
        let pivot = norm(&[column[k], beyond]);
        if pivot == 0.0 {
            break;
        }
        let (c, s) = (column[k] / pivot, beyond / pivot);
        column[k] = pivot;
        columns.push(column);
        rotations.push((c, s));
        side.push(c * left);
        left *= -s;
        if beyond == 0.0 || left.is_nan() || left.abs() <= tolerance {
            break;
        }
        basis.push(scaled(w, 1.0 / beyond));
    }
    for k in (0..side.len()).rev() {
        side[k] /= columns[k][k];
        for i in 0..k {
            side[i] -= columns[k][i] * side[k];
        }
    }
    let mut x = vec![0.0; r.len()];
    for (coefficient, v) in side.iter().zip(&basis) {
        add_scaled(&mut x, *coefficient, v);
    }
    x
}

fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn norm(x: &[f64]) -> f64 {
    inner(x, x).sqrt()
}

fn add_scaled(x: &mut [f64], factor: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += factor * y;
    }
}

fn scaled(mut x: Vec<f64>, factor: f64) -> Vec<f64> {
    x.iter_mut().for_each(|x| *x *= factor);
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_takes_as_many_products_as_unknowns() {
        let mut products = 0;
        let x = gmres(
            &mut |x| {
                products += 1;
                vec![-x[1], x[0], x[2]]
            },
            &[1.0, 2.0, 3.0],
        );
        assert!((x[0] - 2.0).abs() + (x[1] + 1.0).abs() + (x[2] - 3.0).abs() < 1e-14);
        assert!(products <= 5, "{products}");
    }

    #[test]
    fn hundreds_of_unknowns() {
        let n = 300;
        // Diffusion and a drift, with a source.
        let mut product = |x: &[f64]| -> Vec<f64> {
            let at = |i: usize| if i == 0 || i > n { 0.0 } else { x[i - 1] };
            let rows = (1..=n).map(|i| 2.1 * at(i) - 1.2 * at(i - 1) - 0.7 * at(i + 1));
            rows.collect()
        };
        let want: Vec<f64> = (0..300).map(|i| f64::from(i % 7) - 2.5).collect();
        let b = product(&want);
        let x = gmres(&mut product, &b);
        for (x, want) in x.iter().zip(&want) {
            assert!((x - want).abs() < 1e-9, "{x} is not {want}");
        }
    }

    #[test]
    fn no_solution_is_nan() {
        let x = gmres(&mut |x| vec![x[0] + x[1], x[0] + x[1]], &[1.0, 0.0]);
        assert!(x.iter().all(|x| x.is_nan()));
        let x = gmres(&mut |_| vec![f64::NAN; 2], &[1.0, 0.0]);
        assert!(x.iter().all(|x| x.is_nan()));
    }

    #[test]
    fn zero_stays_zero() {
        assert_eq!(gmres(&mut |_| vec![f64::NAN; 2], &[0.0, 0.0]), [0.0, 0.0]);
    }
}

//! The solution of a small linear system with a symmetric positive definite matrix.

// Loops over indices, as in the formulas.
#![allow(clippy::needless_range_loop)]

/// A matrix, by rows.
pub(crate) type Matrix<const N: usize> = [[f64; N]; N];

/// The solution of `matrix * x = right` by the Cholesky factorisation `L Lᵀ`, or `None` if the matrix isn't positive definite.
///
/// Only the lower half of the matrix is read.
pub(crate) fn solve<const N: usize>(matrix: &Matrix<N>, right: &[f64; N]) -> Option<[f64; N]> {
    let mut factor = *matrix;
    for i in 0..N {
        for j in 0..=i {
            let mut rest = matrix[i][j];
            for k in 0..j {
                rest -= factor[i][k] * factor[j][k];
            }
            factor[i][j] = if i != j {
                rest / factor[j][j]
            } else if rest > 0.0 && rest.is_finite() {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    let mut x = *right;
    for i in 0..N {
        for k in 0..i {
            x[i] -= factor[i][k] * x[k];
        }
        x[i] /= factor[i][i];
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
            x[i] -= factor[k][i] * x[k];
        }
        x[i] /= factor[i][i];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn solves_a_positive_definite_system() {
        let matrix = [[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]];
        let x = solve(&matrix, &[8.0, 13.0, 10.0]).expect("positive definite");
        for (row, right) in matrix.iter().zip([8.0, 13.0, 10.0]) {
            let left: f64 = row.iter().zip(x).map(|(a, x)| a * x).sum();
            assert!((left - right).abs() < 1e-14);
        }
    }

    #[test]
    fn refuses_what_is_not_positive_definite() {
        assert_eq!(solve(&[[1.0, 1.0], [1.0, 1.0]], &[1.0, 1.0]), None);
        assert_eq!(solve(&[[f64::NAN]], &[1.0]), None);
        assert_eq!(solve(&[[0.0]], &[0.0]), None);
    }
}

//! Dense linear systems: LU factors with partial pivoting, for the matrix and for its transpose.

use alloc::vec::Vec;

use crate::Matrix;

/// `P A = L U`, as in G. H. Golub and C. F. Van Loan, Matrix Computations, 4th ed., 2013, algorithm 3.4.1. The ones on the diagonal of `L` are
/// left out.
#[derive(Debug)]
pub struct Factors {
    lu: Matrix,
    /// The row of `A` that is row `k` of `L U`.
    rows: Vec<usize>,
    /// A pivot is zero: there is no solution, or more than one.
    singular: bool,
}

impl Factors {
    pub(super) fn new(mut lu: Matrix) -> Self {
        let n = lu.nrows();
        let mut rows: Vec<usize> = (0..n).collect();
        let mut singular = false;
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                // Not a number is the pivot that is kept.
                if lu[(i, k)].abs() > lu[(pivot, k)].abs() {
                    pivot = i;
                }
            }
            if pivot != k {
                for j in 0..n {
                    let upper = lu[(k, j)];
                    lu[(k, j)] = lu[(pivot, j)];
                    lu[(pivot, j)] = upper;
                }
                rows.swap(k, pivot);
            }
            if lu[(k, k)] == 0.0 {
                singular = true;
                break;
            }
            for i in k + 1..n {
                let factor = lu[(i, k)] / lu[(k, k)];
                lu[(i, k)] = factor;
                if factor != 0.0 {
                    for j in k + 1..n {
                        lu[(i, j)] -= factor * lu[(k, j)];
                    }
                }
            }
        }
        Factors { lu, rows, singular }
    }

    /// Replaces `b` by the solution of `A x = b`, or by NaN.
    pub(super) fn solve(&self, b: &mut [f64]) {
        if self.singular {
            return b.fill(f64::NAN);
        }
        let (lu, n) = (&self.lu, b.len());
        let mut x: Vec<f64> = self.rows.iter().map(|row| b[*row]).collect();
        for i in 0..n {
            for j in 0..i {
                x[i] -= lu[(i, j)] * x[j];
            }
        }
        for i in (0..n).rev() {
            for j in i + 1..n {
                x[i] -= lu[(i, j)] * x[j];
            }
            x[i] /= lu[(i, i)];
        }
        b.copy_from_slice(&x);
    }

    /// Replaces `b` by the solution of `A' x = b`, or by NaN.
    pub(super) fn solve_transposed(&self, b: &mut [f64]) {
        if self.singular {
            return b.fill(f64::NAN);
        }
        let (lu, n) = (&self.lu, b.len());
        let mut x = b.to_vec();
        // By rows, as they stand in memory.
        for i in 0..n {
            x[i] /= lu[(i, i)];
            for j in i + 1..n {
                x[j] -= lu[(i, j)] * x[i];
            }
        }
        for i in (0..n).rev() {
            for j in 0..i {
                x[j] -= lu[(i, j)] * x[i];
            }
        }
        for (row, x) in self.rows.iter().zip(x) {
            b[*row] = x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn close(got: &[f64], want: &[f64]) {
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() < 1e-13, "{got} is not {want}");
        }
    }

    #[test]
    fn both_systems_are_solved_with_row_exchanges() {
        let a = Matrix::from_vec(3, 3, vec![0.0, 2.0, 1.0, 4.0, 1.0, -1.0, 2.0, 5.0, 0.5]);
        let x = [1.0, -2.0, 0.25];
        let (mut b, mut c) = ([0.0; 3], [0.0; 3]);
        for i in 0..3 {
            for j in 0..3 {
                b[i] += a[(i, j)] * x[j];
                c[j] += a[(i, j)] * x[i];
            }
        }
        let factors = Factors::new(a);
        factors.solve(&mut b);
        factors.solve_transposed(&mut c);
        close(&b, &x);
        close(&c, &x);
    }

    #[test]
    fn a_singular_matrix_gives_nan() {
        let factors = Factors::new(Matrix::from_vec(2, 2, vec![1.0, 2.0, 2.0, 4.0]));
        let (mut b, mut c) = ([1.0, 1.0], [1.0, 0.0]);
        factors.solve(&mut b);
        factors.solve_transposed(&mut c);
        assert!(b.iter().chain(&c).all(|x| x.is_nan()));
    }

    #[test]
    fn nan_in_the_matrix_is_nan_in_the_solution() {
        let factors = Factors::new(Matrix::from_vec(2, 2, vec![f64::NAN, 2.0, 2.0, 4.0]));
        let mut b = [1.0, 1.0];
        factors.solve(&mut b);
        assert!(b.iter().all(|x| x.is_nan()));
    }
}

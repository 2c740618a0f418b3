//! Matrices, and matrices with a tangent, as one kind of thing.
//!
//! The pullback of a matrix function is a formula of products, solutions and the like. Written over [`Algebra`], it is the rule of first order
//! for plain matrices, and of second order for [`Pair`]s: their tangents are those of the formula.

use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::DMatrix;

use super::jacobi;
use super::rules::Part;

type Matrix = DMatrix<f64>;

/// The operations of formulas of matrices.
pub(super) trait Algebra: Clone {
    /// The matrix without its tangent.
    fn value(&self) -> &Matrix;
    /// A linear function of each part.
    fn linear(&self, f: impl Fn(&Matrix) -> Matrix) -> Self;
    /// A function of each entry, and its derivative.
    fn map(&self, f: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64) -> Self;
    fn plus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// The product of entries.
    fn component_times(&self, other: &Self) -> Self;
    /// The product of entries, which is zero where the other's entry is, whatever the weight: NaN represents a derivative that doesn't exist.
    fn weigh(&self, other: &Self) -> Self;
    /// `X` with `self X + X self = right_side`, of a matrix that is symmetric and positive definite.
    fn lyapunov(&self, right_side: &Self) -> Self;
    /// The inverse of a matrix that has one.
    fn inverse(&self) -> Self;
    /// `X` with `self X = right_side`, of a matrix that has an inverse.
    fn solution(&self, right_side: &Self) -> Self;
    /// The matrix exponential.
    fn exp(&self) -> Self;
    /// The gradient of the determinant: the matrix of cofactors.
    fn cofactors(&self) -> Self;
    /// `[[a, e], [0, a]]`
    fn block(&self, e: &Self) -> Self;

    fn scaled(&self, k: f64) -> Self {
        self.linear(|m| m * k)
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scaled(-1.0))
    }

    fn transposed(&self) -> Self {
        self.linear(Matrix::transpose)
    }

    /// The block above the diagonal of a matrix of two times two blocks.
    fn upper_right(&self) -> Self {
        self.linear(|m| {
            let n = m.nrows() / 2;
            m.view((0, n), (n, n)).into_owned()
        })
    }

    /// The entries for which `keep(i, j)`, and zeros.
    fn kept(&self, keep: impl Fn(usize, usize) -> bool) -> Self {
        self.linear(|m| {
            let kept = |i, j| if keep(i, j) { m[(i, j)] } else { 0.0 };
            Matrix::from_fn(m.nrows(), m.ncols(), kept)
        })
    }

    /// The lower triangle with the diagonal.
    fn lower(&self) -> Self {
        self.kept(|i, j| i >= j)
    }

    /// The upper triangle with the diagonal.
    fn upper(&self) -> Self {
        self.kept(|i, j| i <= j)
    }

    /// The lower triangle without the diagonal.
    fn strictly_lower(&self) -> Self {
        self.kept(|i, j| i > j)
    }

    /// The lower triangle with half of the diagonal, the Φ of the rules of Cholesky's factor.
    fn lower_with_half_diagonal(&self) -> Self {
        let diagonal = self.kept(|i, j| i == j);
        self.strictly_lower().plus(&diagonal.scaled(0.5))
    }

    /// The symmetric matrix with this lower triangle.
    fn symmetric(&self) -> Self {
        self.linear(|m| {
            let mut m = m.clone();
            m.fill_upper_triangle_with_lower_triangle();
            m
        })
    }

    /// The cotangent of the lower triangle, by that of the symmetric matrix.
    fn folded(&self) -> Self {
        let both = self.plus(&self.transposed()).lower();
        both.minus(&self.kept(|i, j| i == j))
    }

    /// A column as the diagonal of a matrix.
    fn as_diagonal(&self) -> Self {
        self.linear(|m| Matrix::from_diagonal(&m.column(0).into_owned()))
    }

    /// `1/x`, and NaN where `x` is as good as zero.
    fn reciprocal(&self, zero: f64) -> Self {
        let inverse = move |x: f64| if x.abs() <= zero { f64::NAN } else { 1.0 / x };
        self.map(inverse, move |x| -inverse(x) * inverse(x))
    }

    /// A matrix whose columns are weighed by the entries of this column, see [`weigh`](Algebra::weigh).
    fn weigh_columns(&self, m: &Self) -> Self {
        let rows = m.value().nrows();
        let weights = |w: &Matrix| Matrix::from_fn(rows, w.nrows(), |_, j| w[j]);
        self.linear(weights).weigh(m)
    }

    /// Of a column `x`: `x[j] - x[i]` at `(i, j)`.
    fn differences(&self) -> Self {
        self.linear(|m| Matrix::from_fn(m.nrows(), m.nrows(), |i, j| m[j] - m[i]))
    }

    /// Of a column `x`: `x[j] + x[i]` at `(i, j)`.
    fn sums(&self) -> Self {
        self.linear(|m| Matrix::from_fn(m.nrows(), m.nrows(), |i, j| m[j] + m[i]))
    }
}

impl Algebra for Matrix {
    fn value(&self) -> &Matrix {
        self
    }

    fn linear(&self, f: impl Fn(&Matrix) -> Matrix) -> Self {
        f(self)
    }

    fn map(&self, f: impl Fn(f64) -> f64, _: impl Fn(f64) -> f64) -> Self {
        DMatrix::map(self, f)
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn component_times(&self, other: &Self) -> Self {
        self.component_mul(other)
    }

    fn weigh(&self, other: &Self) -> Self {
        self.zip_map(other, strong_mul)
    }

    fn lyapunov(&self, right_side: &Self) -> Self {
        if self.is_empty() {
            return right_side.clone();
        }
        let eigen = self.symmetric().symmetric_eigen();
        let v = &eigen.eigenvectors;
        let sums = Part::matrix(eigen.eigenvalues).sums();
        v * (v.tr_mul(right_side) * v).component_div(&sums) * v.transpose()
    }

    fn inverse(&self) -> Self {
        let (rows, columns) = self.shape();
        let inverse = self.clone().try_inverse();
        inverse.unwrap_or_else(|| Matrix::from_element(rows, columns, f64::INFINITY))
    }

    fn solution(&self, right_side: &Self) -> Self {
        let (rows, columns) = right_side.shape();
        let solution = self.clone().lu().solve(right_side);
        solution.unwrap_or_else(|| Matrix::from_element(rows, columns, f64::INFINITY))
    }

    fn exp(&self) -> Self {
        if self.is_empty() {
            return self.clone();
        }
        DMatrix::exp(self)
    }

    fn cofactors(&self) -> Self {
        let Some(parts) = Singular::of(self) else {
            return self.map(|_| f64::NAN);
        };
        let n = self.nrows();
        let middle = Matrix::from_fn(n, n, |i, j| if i == j { parts.without(&[i]) } else { 0.0 });
        parts.around(&middle)
    }

    fn block(&self, e: &Self) -> Self {
        let n = self.nrows();
        let mut block = Matrix::zeros(2 * n, 2 * n);
        block.view_mut((0, 0), (n, n)).copy_from(self);
        block.view_mut((n, n), (n, n)).copy_from(self);
        block.view_mut((0, n), (n, n)).copy_from(e);
        block
    }
}

/// `U diag(s) Vᵀ`, of a square matrix.
struct Singular {
    u: Matrix,
    s: Vec<f64>,
    v_t: Matrix,
    /// `det U det V`
    sign: f64,
}

impl Singular {
    fn of(matrix: &Matrix) -> Option<Singular> {
        let (u, s, v) = jacobi::svd(matrix)?;
        let sign = (u.determinant() * v.determinant()).signum();
        Some(Singular {
            u,
            s: s.as_slice().to_vec(),
            v_t: v.transpose(),
            sign,
        })
    }

    /// The product of the singular values but some.
    fn without(&self, some: &[usize]) -> f64 {
        let others = self.s.iter().enumerate().filter(|(k, _)| !some.contains(k));
        self.sign * others.map(|(_, s)| s).product::<f64>()
    }

    fn around(&self, middle: &Matrix) -> Matrix {
        &self.u * middle * &self.v_t
    }
}

/// A matrix and its tangent.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) value: Matrix,
    pub(super) tangent: Matrix,
}

impl Algebra for Pair {
    fn value(&self) -> &Matrix {
        &self.value
    }

    fn linear(&self, f: impl Fn(&Matrix) -> Matrix) -> Self {
        Pair {
            value: f(&self.value),
            tangent: f(&self.tangent),
        }
    }

    fn map(&self, f: impl Fn(f64) -> f64, derivative: impl Fn(f64) -> f64) -> Self {
        Pair {
            value: self.value.map(f),
            tangent: self.value.map(derivative).component_mul(&self.tangent),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Pair {
            value: &self.value + &other.value,
            tangent: &self.tangent + &other.tangent,
        }
    }

    fn times(&self, other: &Self) -> Self {
        Pair {
            value: &self.value * &other.value,
            tangent: &self.tangent * &other.value + &self.value * &other.tangent,
        }
    }

    fn component_times(&self, other: &Self) -> Self {
        let product = |a: &Matrix, b: &Matrix| a.component_mul(b);
        Pair {
            value: product(&self.value, &other.value),
            tangent: product(&self.tangent, &other.value) + product(&self.value, &other.tangent),
        }
    }

    fn weigh(&self, other: &Self) -> Self {
        let change = self.tangent.weigh(&other.value) + self.value.weigh(&other.tangent);
        Pair {
            value: self.value.weigh(&other.value),
            tangent: change,
        }
    }

    fn lyapunov(&self, right_side: &Self) -> Self {
        let value = self.value.lyapunov(&right_side.value);
        let rest = &right_side.tangent - &self.tangent * &value - &value * &self.tangent;
        let tangent = self.value.lyapunov(&rest);
        Pair { value, tangent }
    }

    fn inverse(&self) -> Self {
        let value = Algebra::inverse(&self.value);
        let tangent = -&value * &self.tangent * &value;
        Pair { value, tangent }
    }

    fn solution(&self, right_side: &Self) -> Self {
        let value = self.value.solution(&right_side.value);
        let rest = &right_side.tangent - &self.tangent * &value;
        let tangent = self.value.solution(&rest);
        Pair { value, tangent }
    }

    fn exp(&self) -> Self {
        Pair {
            value: Algebra::exp(&self.value),
            tangent: exp_tangent(&self.value, &self.tangent),
        }
    }

    /// By `det U det V Σ p_ij (M_ii N_jj - M_ij N_ji)` for the second derivative in the directions `U M Vᵀ` and `U N Vᵀ`, where `p_ij` is the product
    /// of the singular values but `i` and `j`: it holds for singular matrices, too.
    fn cofactors(&self) -> Self {
        let value = self.value.cofactors();
        let Some(parts) = Singular::of(&self.value) else {
            let tangent = value.clone();
            return Pair { value, tangent };
        };
        let n = value.nrows();
        let m = parts.u.tr_mul(&self.tangent) * parts.v_t.transpose();
        let mut middle = Matrix::zeros(n, n);
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                let p = parts.without(&[i, j]);
                middle[(j, j)] += p * m[(i, i)];
                middle[(j, i)] -= p * m[(i, j)];
            }
        }
        let tangent = parts.around(&middle);
        Pair { value, tangent }
    }

    fn block(&self, e: &Self) -> Self {
        Pair {
            value: self.value.block(&e.value),
            tangent: self.tangent.block(&e.tangent),
        }
    }
}

/// A product that is zero where a tangent or cotangent is, whatever the weight.
pub(super) fn strong_mul(weight: f64, x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { weight * x }
}

/// The derivative of the exponential at `a` in the direction `e`: the block above the diagonal of the exponential of `[[a, e], [0, a]]`
/// (Van Loan, Computing integrals involving the matrix exponential, 1978).
pub(super) fn exp_tangent<M: Algebra>(a: &M, e: &M) -> M {
    a.block(e).exp().upper_right()
}

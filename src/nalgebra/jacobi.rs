//! A singular value decomposition to full accuracy.
//!
//! That of `nalgebra` is off by 1e-10 of the matrix for some matrices with close singular values, and so would be derivatives computed from it. Its
//! right vectors are a good start for Jacobi's one-sided method, which turns pairs of columns of `A V` until they are orthogonal (Z. Drmač, K.
//! Veselić, New fast and accurate Jacobi SVD algorithm, 2008).

use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector, SVD};

type Matrix = DMatrix<f64>;
type Vector = DVector<f64>;

/// Rounds over all pairs of columns. Two or three are made.
const MOST_SWEEPS: usize = 40;

/// `(U, s, V)` with `A = U diag(s) Vᵀ`, or `None` where an entry isn't finite.
pub(super) fn svd(a: &Matrix) -> Option<(Matrix, Vector, Matrix)> {
    if a.nrows() < a.ncols() {
        let (v, s, u) = svd(&a.transpose())?;
        return Some((u, s, v));
    }
    if !a.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let n = a.ncols();
    let scale = if a.is_empty() { 0.0 } else { a.amax() };
    if scale == 0.0 {
        let u = Matrix::identity(a.nrows(), n);
        return Some((u, Vector::zeros(n), Matrix::identity(n, n)));
    }
    let a = a / scale;
    let start = SVD::try_new(a.clone(), false, true, f64::EPSILON, 1000 * (n + 1));
    let start = start.and_then(|start| start.v_t);
    let mut v = start.map_or_else(|| Matrix::identity(n, n), |v_t| v_t.transpose());
    let mut w = &a * &v;
    for _ in 0..MOST_SWEEPS {
        if !sweep(&mut w, &mut v) {
            break;
        }
    }
    let lengths: Vec<f64> = w.column_iter().map(|column| column.norm()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| lengths[*j].total_cmp(&lengths[*i]));
    let mut u = Matrix::zeros(a.nrows(), n);
    for (k, &from) in order.iter().enumerate() {
        let column = if lengths[from] < f64::MIN_POSITIVE.sqrt() {
            orthogonal(&u)
        } else {
            w.column(from) / lengths[from]
        };
        u.set_column(k, &column);
    }
    let s = Vector::from_fn(n, |k, _| lengths[order[k]] * scale);
    let v = Matrix::from_fn(n, n, |i, k| v[(i, order[k])]);
    Some((u, s, v))
}

/// Makes each pair of columns of `w` orthogonal, and says if one wasn't.
fn sweep(w: &mut Matrix, v: &mut Matrix) -> bool {
    let mut turned = false;
    for q in 1..w.ncols() {
        for p in 0..q {
            let (left, right) = (w.column(p), w.column(q));
            let product = left.dot(&right);
            let (l, r) = (left.norm_squared(), right.norm_squared());
            if product.abs() <= 4.0 * f64::EPSILON * (l * r).sqrt() {
                continue;
            }
            turned = true;
            let zeta = (r - l) / (2.0 * product);
            let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
            let c = 1.0 / tangent.hypot(1.0);
            for m in [&mut *w, &mut *v] {
                for i in 0..m.nrows() {
                    let (x, y) = (m[(i, p)], m[(i, q)]);
                    m[(i, p)] = c * (x - tangent * y);
                    m[(i, q)] = c * (tangent * x + y);
                }
            }
        }
    }
    turned
}

/// A column of length one that is orthogonal to those of `u`, which are orthonormal or zero.
fn orthogonal(u: &Matrix) -> Vector {
    let inside: Vec<f64> = u.row_iter().map(|row| row.norm_squared()).collect();
    let least = (0..inside.len()).min_by(|i, j| inside[*i].total_cmp(&inside[*j]));
    let mut x = Vector::zeros(u.nrows());
    x[least.unwrap_or(0)] = 1.0;
    for _ in 0..2 {
        x -= u * u.tr_mul(&x);
    }
    x.normalize()
}

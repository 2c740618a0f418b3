//! `a.determinant()`, which has a derivative for singular matrices, too.
//!
//! The gradient is the matrix of cofactors, by the singular values: with `A = U diag(s) Vᵀ`, it is `det U det V U diag(p) Vᵀ`, where `p_i` is the product
//! of the singular values but `s_i`.

use alloc::vec::Vec;

use ::faer::Mat;

use super::factored::Factorises;
use super::methods::numbers;
use super::{At, At2, D, Elem, inner};
use crate::{Dual, mode};

/// `U diag(s) Vᵀ`, of a square matrix.
struct Singular {
    u: Mat<f64>,
    s: Vec<f64>,
    v: Mat<f64>,
    /// `det U det V`
    sign: f64,
}

impl Singular {
    /// `None` where there are no singular values, of a matrix that isn't finite.
    fn of(a: &Mat<f64>) -> Option<Singular> {
        // The library's norms take no notice of NaN.
        let is_finite = |x: &f64| x.is_finite();
        if !a.col_iter().all(|column| column.iter().all(is_finite)) {
            return None;
        }
        let svd = a.svd().ok()?;
        let (u, v) = (svd.U().to_owned(), svd.V().to_owned());
        let sign = (u.determinant() * v.determinant()).signum();
        let s = svd.S().column_vector().iter().copied().collect();
        Some(Singular { u, s, v, sign })
    }

    /// The product of the singular values but some.
    fn without(&self, some: &[usize]) -> f64 {
        let others = self.s.iter().enumerate().filter(|(k, _)| !some.contains(k));
        self.sign * others.map(|(_, s)| s).product::<f64>()
    }

    fn around(&self, middle: &Mat<f64>) -> Mat<f64> {
        &self.u * middle * self.v.transpose()
    }
}

fn missing(a: &Mat<f64>) -> Mat<f64> {
    Mat::full(a.nrows(), a.ncols(), f64::NAN)
}

/// The gradient of the determinant.
fn cofactors(a: &Mat<f64>) -> Mat<f64> {
    let Some(parts) = Singular::of(a) else {
        return missing(a);
    };
    let n = a.nrows();
    let middle = |i, j| if i == j { parts.without(&[i]) } else { 0.0 };
    parts.around(&Mat::from_fn(n, n, middle))
}

/// Its tangent, by `det U det V Σ p_ij (M_ii N_jj - M_ij N_ji)` for the second derivative in the directions `U M Vᵀ` and `U N Vᵀ`, where `p_ij` is the
/// product of the singular values but `i` and `j`.
fn cofactors_tangent(a: &Mat<f64>, a_dot: &Mat<f64>) -> Mat<f64> {
    let Some(parts) = Singular::of(a) else {
        return missing(a);
    };
    let n = a.nrows();
    let m = parts.u.transpose() * a_dot * &parts.v;
    let mut middle = Mat::zeros(n, n);
    for i in 0..n {
        for j in (0..n).filter(|j| *j != i) {
            let p = parts.without(&[i, j]);
            middle[(j, j)] += p * m[(i, i)];
            middle[(j, i)] -= p * m[(i, j)];
        }
    }
    parts.around(&middle)
}

/// The rules of `a.determinant()`.
pub trait DeterminantRules: Factorises {
    numbers! {
        /// `a.determinant()`.
        [__determinant_modes __determinant_frule __determinant_rrule __determinant_rrule_frule]
        |a| a.matrix().determinant();
        |a_dot, y| inner(cofactors(a.matrix()).as_ref(), a_dot.mat());
        |y_bar, a_bar| a_bar.add_times(y_bar, cofactors(a.matrix()).as_ref());
        |y_bar_dot, a_bar_dot| {
            a_bar_dot.add_times(y_bar_dot, cofactors(a.matrix()).as_ref());
            a_bar_dot.add_times(y_bar, cofactors_tangent(a.matrix(), a_dot.matrix()).as_ref());
        };
    }
}
impl<X: Factorises> DeterminantRules for X {}

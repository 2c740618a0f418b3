//! `a.self_adjoint_eigenvalues(side)` and `a.singular_values()`: the values, of which the library makes lists.
//!
//! With the vectors `u` and `v` of a value, its tangent is `uᵀ A_dot v`. In second order there are the tangents of the vectors: the derivative is NaN where
//! values are equal, unless it doesn't depend on how the vectors turn.

use alloc::vec::Vec;

use ::faer::linalg::evd::EvdError;
use ::faer::linalg::svd::SvdError;
use ::faer::{Mat, Side};

use super::factored::{Factorises, folded, whole};
use super::{At, At2, D};
use crate::scalar::strong_mul;
use crate::{Dual, NoTangent, mode};

/// A list of values, its tangent or its cotangent.
type Values<E> = Result<Vec<f64>, E>;
type Dots = Values<NoTangent>;

/// `A = U diag(s) Vᵀ`, with as many columns of `U` and of `V` as there are values.
struct Vectors {
    u: Mat<f64>,
    s: Vec<f64>,
    v: Mat<f64>,
}

impl Vectors {
    fn of_symmetric(a: &Mat<f64>, side: Side) -> Option<Vectors> {
        let eigen = a.self_adjoint_eigen(side).ok()?;
        let u = eigen.U().to_owned();
        let s = eigen.S().column_vector().iter().copied().collect();
        Some(Vectors { v: u.clone(), s, u })
    }

    fn of_any(a: &Mat<f64>) -> Option<Vectors> {
        let svd = a.thin_svd().ok()?;
        let s = svd.S().column_vector().iter().copied().collect();
        let (u, v) = (svd.U().to_owned(), svd.V().to_owned());
        Some(Vectors { u, s, v })
    }

    /// `Uᵀ A_dot V`
    fn change(&self, a_dot: &Mat<f64>) -> Mat<f64> {
        self.u.transpose() * a_dot * &self.v
    }

    /// The tangents of the values.
    fn tangents(&self, a_dot: &Mat<f64>) -> Vec<f64> {
        let change = self.change(a_dot);
        (0..self.s.len()).map(|k| change[(k, k)]).collect()
    }

    fn diagonal(&self, x: &[f64]) -> Mat<f64> {
        let n = self.s.len();
        Mat::from_fn(n, n, |i, j| if i == j { x[i] } else { 0.0 })
    }

    /// The cotangent of the matrix.
    fn pull(&self, bar: &[f64]) -> Mat<f64> {
        &self.u * self.diagonal(bar) * self.v.transpose()
    }

    /// `m top / under` off the diagonal: NaN where the divisor is as good as zero, and `m` isn't.
    fn quotients(
        &self,
        m: &Mat<f64>,
        top: impl Fn(usize, usize) -> f64,
        under: impl Fn(usize, usize) -> f64,
    ) -> Mat<f64> {
        let n = self.s.len();
        let largest = self.s.iter().fold(0.0, |max: f64, s| max.max(s.abs()));
        Mat::from_fn(n, n, |i, j| {
            let divisor = under(i, j);
            if i == j {
                0.0
            } else if divisor.abs() <= 1e-14 * largest {
                strong_mul(m[(i, j)], f64::NAN)
            } else {
                m[(i, j)] * top(i, j) / divisor
            }
        })
    }

    /// The tangent of the cotangent of a symmetric matrix but for the part that `bar_dot` makes: with `U_dot = U K` it is `U (K D - D K) Uᵀ`.
    fn pull_symmetric(&self, bar: &[f64], a_dot: &Mat<f64>) -> Mat<f64> {
        let m = self.change(a_dot);
        let s = &self.s;
        let middle = self.quotients(&m, |i, j| bar[j] - bar[i], |i, j| s[j] - s[i]);
        &self.u * middle * self.u.transpose()
    }

    /// The same of any matrix: `U_dot D Vᵀ + U D V_dotᵀ`. Within the spans of `U` and of `V`, the entry at `(i, j)` of both is, of the symmetric part
    /// of `Uᵀ A_dot V`, a quotient of differences, and of the antisymmetric part one of sums.
    fn pull_any(&self, bar: &[f64], a_dot: &Mat<f64>) -> Mat<f64> {
        let m = self.change(a_dot);
        let s = &self.s;
        let symmetric = (&m + m.transpose()) * 0.5;
        let rest = (&m - m.transpose()) * 0.5;
        let middle = self.quotients(&symmetric, |i, j| bar[j] - bar[i], |i, j| s[j] - s[i])
            + self.quotients(&rest, |i, j| bar[j] + bar[i], |i, j| s[j] + s[i]);
        // What leaves the spans, of which one is everything.
        let slopes: Vec<f64> = bar
            .iter()
            .zip(s)
            .map(|(bar, s)| strong_mul(*bar, 1.0 / *s))
            .collect();
        let slopes = self.diagonal(&slopes);
        let beyond_u = a_dot * &self.v - &self.u * &m;
        let beyond_v = self.u.transpose() * a_dot - &m * self.v.transpose();
        &self.u * middle * self.v.transpose()
            + &beyond_u * &slopes * self.v.transpose()
            + &self.u * &slopes * &beyond_v
    }
}

/// The rules of a method that returns the values.
macro_rules! values {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($side:ident)?) $E:ident;
        |$a:ident| $value:expr; $vectors:expr;
        |$parts:ident, $dot:ident| $of_dot:expr;
        |$bar:ident, $values_bar:ident| $of_bar:expr, $turning:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>, $(values!(@mode $side))?) {
            (mode::by_ref(), $(values!(@new $side))?)
        }

        /// The values and their tangents.
        #[track_caller]
        fn $frule(&self, self_dot: &Self $(, $side: Side)?) -> Dual<Values<$E>, Dots> {
            let ($a, $dot) = (self.matrix(), self_dot.matrix());
            let y: Values<$E> = $value;
            let y_dot = match (&y, $vectors) {
                (Ok(_), Some($parts)) => Ok($parts.tangents($of_dot)),
                (Ok(y), None) => Ok(alloc::vec![f64::NAN; y.len()]),
                (Err(_), _) => Err(NoTangent),
            };
            Dual(y, y_dot)
        }

        /// The values and their pullback.
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule(&self $(, $side: Side)?) -> (Values<$E>, impl FnOnce(Dots, At<'_, Self> $(, values!(@nothing $side))?) -> ((), $(values!(@nothing $side))?) + use<Self>) {
            let $a = self.matrix();
            let y: Values<$E> = $value;
            let pullback = move |y_bar: Dots, a: At<'_, Self> $(, _: values!(@nothing $side))?| {
                let $a = a.0.matrix();
                if let Ok($values_bar) = y_bar {
                    let $bar = match $vectors {
                        Some(parts) => parts.pull(&$values_bar),
                        None => Mat::full($a.nrows(), $a.ncols(), f64::NAN),
                    };
                    a.1.add_mat($of_bar.as_ref());
                }
                ((), $(values!(@unit $side))?)
            };
            (y, pullback)
        }

        /// The forward transform of the same.
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            self_dot: &Self
            $(, $side: Side)?
        ) -> (Dual<Values<$E>, Dots>, impl FnOnce(D<Dots>, At2<'_, Self> $(, values!(@nothing $side))?) -> ((), $(values!(@nothing $side))?) + use<Self>) {
            let y = self.$frule(self_dot $(, $side)?);
            let pullback = move |y_bar: D<Dots>, a: At2<'_, Self> $(, _: values!(@nothing $side))?| {
                let ($a, $dot) = (a.0.0.matrix(), a.0.1.matrix());
                if let Dual(Ok($values_bar), Ok(values_bar_dot)) = y_bar {
                    let missing = || Mat::full($a.nrows(), $a.ncols(), f64::NAN);
                    let parts = $vectors;
                    let $bar = parts.as_ref().map_or_else(missing, |parts| parts.pull(&$values_bar));
                    a.1.0.add_mat($of_bar.as_ref());
                    let $bar = parts.as_ref().map_or_else(missing, |$parts| $parts.pull(&values_bar_dot) + $turning);
                    a.1.1.add_mat($of_bar.as_ref());
                }
                ((), $(values!(@unit $side))?)
            };
            (y, pullback)
        }
    )*};
    (@mode $side:ident) => { mode::Const<Side> };
    (@new $side:ident) => { mode::constant() };
    (@nothing $side:ident) => { () };
    (@unit $side:ident) => { () };
}

/// The rules of methods that return the eigenvalues or the singular values.
pub trait SpectrumRules: Factorises {
    values! {
        /// `a.self_adjoint_eigenvalues(side)`.
        [__self_adjoint_eigenvalues_modes __self_adjoint_eigenvalues_frule __self_adjoint_eigenvalues_rrule __self_adjoint_eigenvalues_rrule_frule]
        (side) EvdError;
        |a| a.self_adjoint_eigenvalues(side); Vectors::of_symmetric(a, side);
        |parts, dot| &whole(Some(side), dot);
        |bar, bars| folded(Some(side), &bar), parts.pull_symmetric(&bars, &whole(Some(side), dot));

        /// `a.singular_values()`.
        [__singular_values_modes __singular_values_frule __singular_values_rrule __singular_values_rrule_frule]
        () SvdError;
        |a| a.singular_values(); Vectors::of_any(a);
        |parts, dot| dot;
        |bar, bars| bar, parts.pull_any(&bars, dot);
    }
}
impl<X: Factorises> SpectrumRules for X {}

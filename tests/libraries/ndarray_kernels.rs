//! Products, sums, moments, and functions that run on the kernels of the library.

use chainrule::prelude::*;
use ndarray as nd;

use crate::check::check;

fn v2() -> nd::Array1<f64> {
    nd::arr1(&[0.4, -0.9])
}

fn v3() -> nd::Array1<f64> {
    nd::arr1(&[0.3, -0.7, 1.1])
}

fn m23() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5]])
}

fn m32() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.2], [0.7, 0.6], [1.1, -0.4]])
}

fn m33() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5], [0.2, 0.8, 1.3]])
}

mod var_std {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        let z = (x - x.mean().unwrap()) / x.std(0.0);
        z.mapv(|v| v.powi(3)).sum() + x.var(1.0) + x.product()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod var_axis {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array2<f64>) -> f64 {
        let v = x.var_axis(Axis(0), 0.0);
        let s = x.std_axis(Axis(1), 1.0);
        v.sum() * s.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m33()));
    }
}

mod general_mat_mul {
    use super::*;
    use ndarray::linalg::{general_mat_mul, general_mat_vec_mul};
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, b: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let mut c = Array2::zeros((a.nrows(), b.ncols()));
        general_mat_mul(2.0, a, b, 0.0, &mut c);
        let mut y = Array1::ones(a.nrows());
        general_mat_vec_mul(1.0, &c, x, 0.5, &mut y);
        y.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &m32(), &v2()));
    }
}

mod dot_views {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
        let c = a.view().dot(&b.t());
        let d = a.t().dot(&b.view());
        c.sum() + d.row(0).dot(&d.column(1))
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &m23()));
    }
}

mod sum_axis_shape {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>) -> f64 {
        let (n, m) = a.dim();
        let r = a.sum_axis(Axis(1)) / m as f64;
        let c = a.sum_axis(Axis(0)) / n as f64;
        r.dot(&r) + c.dot(&c) + a.len() as f64 * a.shape()[0] as f64 * a[[0, 0]]
    }

    #[test]
    fn derivatives() {
        check!(f(&m23()));
    }
}

mod f32 {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(w: &Array2<f32>, x: &Array1<f32>) -> f32 {
        let y = w.dot(x).mapv(|v| 1.0 / (1.0 + (-v).exp()));
        y.iter().map(|p| p.ln()).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m23().mapv(|v| v as f32), &v3().mapv(|v| v as f32)));
    }
}

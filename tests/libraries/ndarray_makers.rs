//! Functions and macros that make arrays, of active entries too.

use chainrule::prelude::*;
use ndarray as nd;

use crate::check::{check, check_map};

fn v2() -> nd::Array1<f64> {
    nd::arr1(&[0.4, -0.9])
}

fn v3() -> nd::Array1<f64> {
    nd::arr1(&[0.3, -0.7, 1.1])
}

fn p3() -> nd::Array1<f64> {
    nd::arr1(&[0.3, 0.7, 1.1])
}

fn m23() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5]])
}

mod arr1_active {
    use super::*;
    use ndarray::{Array1, arr1, arr2};
    #[differentiable]
    fn f(t: f64, p: &Array1<f64>) -> f64 {
        let r = arr2(&[[t.cos(), -t.sin()], [t.sin(), t.cos()]]);
        let q = r.dot(p) + arr1(&[t, 1.0]);
        q.dot(&q) + q[0]
    }

    #[test]
    fn derivatives() {
        check!(f(0.6, &v2()));
    }
}

mod array_macro {
    use super::*;
    use ndarray::{Array1, Array2, array};
    #[differentiable]
    fn rot(t: f64) -> Array2<f64> {
        let (s, c) = t.sin_cos();
        array![[c, -s], [s, c]]
    }
    #[differentiable]
    fn f(t: f64, u: f64) -> Array1<f64> {
        rot(t).dot(&array![u, u * t])
    }

    #[test]
    fn derivatives() {
        check_map!(f(0.6, 1.2));
    }
}

mod from_vec_iter {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &[f64]) -> f64 {
        let a = Array1::from_vec(x.iter().map(|v| v * v).collect());
        let b = Array1::from_iter(x.iter().map(|v| v.sin()));
        a.dot(&b)
    }

    #[test]
    fn derivatives() {
        check!(f(&[0.3, 0.8, -0.4]));
    }
}

mod collect_array {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        let y: Array1<f64> = x.iter().map(|v| v.exp()).collect();
        y.sum() * y[0]
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod from_shape_fn {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn kernel(x: &Array1<f64>, l: f64) -> Array2<f64> {
        let n = x.len();
        Array2::from_shape_fn((n, n), |(i, j)| {
            let d = (x[i] - x[j]) / l;
            (-0.5 * d * d).exp()
        })
    }

    #[test]
    fn derivatives() {
        check_map!(kernel(&v3(), 0.8));
    }
}

mod linspace_const {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: f64, b: f64) -> f64 {
        let x = Array1::linspace(0.0, 1.0, 5);
        let y = x.mapv(|v: f64| (a * v).sin() + b);
        y.sum() / 5.0
    }

    #[test]
    fn derivatives() {
        check!(f(1.3, 0.2));
    }
}

mod stack {
    use super::*;
    use ndarray::prelude::*;
    use ndarray::stack;
    #[differentiable]
    fn f(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
        let m = stack(Axis(0), &[a.view(), b.view()]).unwrap();
        m.dot(&m.t()).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3()));
    }
}

mod concatenate {
    use super::*;
    use ndarray::concatenate;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(h: &Array1<f64>, x: &Array1<f64>, w: &Array2<f64>) -> Array1<f64> {
        let hx = concatenate(Axis(0), &[h.view(), x.view()]).unwrap();
        w.dot(&hx).mapv(|v| v.tanh())
    }

    #[test]
    fn derivatives() {
        check_map!(f(&arr1(&[0.4]), &v2(), &m23()));
    }
}

mod concatenate_macro {
    use super::*;
    use ndarray::concatenate;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(h: &Array1<f64>, x: &Array1<f64>) -> f64 {
        let hx = concatenate![Axis(0), *h, *x];
        hx.dot(&hx)
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &v2()));
    }
}

mod from_diag {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(d: &Array1<f64>, x: &Array1<f64>) -> f64 {
        let m = Array2::from_diag(d) + Array2::<f64>::eye(3) * 0.1;
        x.dot(&m.dot(x))
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3()));
    }
}

mod zeros_fill {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: f64, n: usize) -> f64 {
        let mut x = Array1::<f64>::zeros(n);
        x.fill(a * a);
        x[0] = 1.0;
        let o: Array1<f64> = Array1::ones(n);
        (x * o).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(1.3, const 3));
    }
}

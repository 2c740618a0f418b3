//! Arrays of `ndarray`: products, operators, elements, methods, views, what makes them.

use chainrule::prelude::*;
use ndarray::{
    Array, Array1, Array2, ArrayView1, ArrayView2, Axis, Dimension, ShapeBuilder, Slice, arr1,
    arr2, s,
};

use crate::check::{Flat, assert_close, check, map_table, table};

impl<T: Flat, D: Dimension> Flat for Array<T, D> {
    const ROUNDOFF: f64 = T::ROUNDOFF;

    fn map(&mut self, f: &mut dyn FnMut(f64) -> f64) {
        for v in self {
            v.map(f);
        }
    }
}

fn matrix() -> Array2<f64> {
    arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5]])
}

fn vector() -> Array1<f64> {
    arr1(&[0.3, -0.7, 1.1])
}

// ---- Products. -----------------------------------------------------------------------------------------------------

#[differentiable]
fn vector_vector(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    a.dot(b)
}

#[differentiable]
fn matrix_vector(a: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    a.dot(b)
}

#[differentiable]
fn vector_matrix(a: &Array1<f64>, b: &Array2<f64>) -> Array1<f64> {
    a.dot(b)
}

#[differentiable]
fn matrix_matrix(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    a.dot(b)
}

#[differentiable]
fn quadratic(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let y = a.dot(x);
    y.dot(&y)
}

table! {
    vector_vector: (&vector(), &arr1(&[1.0, 2.0, -0.5]));
    quadratic: (&vector(), &matrix());
}
map_table! {
    matrix_vector: (&matrix(), &vector());
    vector_matrix: (&arr1(&[0.3, -0.7]), &matrix());
    matrix_matrix: (&matrix(), &matrix().t().to_owned());
}

mod elements {
    use super::*;

    #[differentiable]
    fn trace(a: &Array2<f64>) -> f64 {
        let mut s = 0.0;
        for i in 0..a.nrows() {
            s += a[[i, i]] * a[(i, i)];
        }
        s
    }

    #[differentiable]
    fn written(a: &Array1<f64>) -> f64 {
        let mut b = Array1::<f64>::zeros(a.len());
        for i in 0..a.len() {
            b[i] = a[i] * a[i];
            b[i] += a[0];
        }
        b.sum()
    }

    table! {
        trace: (&matrix().t().dot(&matrix()));
        written: (&vector());
    }
}

mod operators {
    use super::*;

    #[differentiable]
    fn affine(w: &Array2<f64>, x: &Array1<f64>, b: &Array1<f64>) -> f64 {
        let y = w.dot(x) + b;
        let z = &y * &y - 2.0 * &y / 3.0;
        (-z).sum()
    }

    #[differentiable]
    fn layer(w: &Array2<f64>, x: &Array2<f64>, b: &Array1<f64>) -> Array2<f64> {
        (x.dot(w) + b).tanh()
    }

    #[differentiable]
    fn assigned(x: &Array1<f64>, k: f64) -> f64 {
        let mut y = x * k;
        y += x;
        y *= 2.0;
        y -= &(x / k);
        (y * x).sum()
    }

    table! {
        affine: (&matrix(), &vector(), &arr1(&[0.1, 0.2]));
        assigned: (&vector(), 1.7);
    }
    map_table! {
        layer: (&matrix(), &matrix().t().to_owned(), &vector());
    }
}

mod methods {
    use super::*;

    #[differentiable]
    fn sums(a: &Array2<f64>) -> f64 {
        let rows = a.sum_axis(Axis(1));
        let means = a.mean_axis(Axis(0)).unwrap();
        a.sum() * a.mean().unwrap() + rows.dot(&rows) + means.dot(&means)
    }

    #[differentiable]
    fn parts(a: &Array2<f64>) -> f64 {
        let mut s = 0.0;
        for i in 0..a.nrows() {
            let row = a.row(i);
            s += row.dot(&row) * a[[i, 0]];
        }
        for j in 0..a.ncols() {
            s += a.column(j).sum() * a.column(0).dot(&a.column(j));
        }
        s
    }

    #[differentiable]
    fn gram(a: &Array2<f64>) -> Array2<f64> {
        let b = a.t().dot(a);
        let d = b.diag();
        &b * &d
    }

    #[differentiable]
    fn gram_of_reference(a: &Array2<f64>) -> Array2<f64> {
        a.dot(&a.t())
    }

    #[differentiable]
    fn mapped(x: &Array1<f64>, k: f64) -> f64 {
        let y = x.mapv(|v| (v * k).tanh());
        let z = x.mapv(|v: f64| v * v * k);
        (y * z).sum()
    }

    #[differentiable]
    fn iterated(x: &Array1<f64>) -> f64 {
        let mut s = 0.0;
        for v in x.iter() {
            s += v * v * v;
        }
        s * x.iter().sum::<f64>() + x.iter().map(|v| v.exp()).sum::<f64>()
    }

    #[differentiable]
    fn zipped(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
        x.iter().zip(y.iter()).map(|(a, b)| (a - b).powi(2)).sum()
    }

    #[differentiable]
    fn functions(x: &Array1<f64>) -> f64 {
        let y = x.exp() + x.sin() * x.powi(3) - x.cosh().ln() / x.pow2();
        y.sqrt().sum()
    }

    #[differentiable]
    pub(super) fn views(x: ArrayView1<'_, f64>, a: ArrayView2<'_, f64>) -> f64 {
        let y = a.dot(&x);
        y.dot(&y) + x[0] * a[[0, 1]] * x.len() as f64
    }

    #[differentiable]
    fn owned(x: Array1<f64>) -> Array1<f64> {
        let y = x.clone() * 2.0;
        let norm = y.dot(&y).sqrt();
        y / norm
    }

    #[differentiable]
    fn made(x: &[f64], k: f64) -> f64 {
        let v = Array1::from_vec(x.to_vec());
        let m = Array2::from_shape_vec((2, 2), x.to_vec()).unwrap();
        let c = Array2::from_elem((2, 2), k);
        let z = Array2::<f64>::eye(x.len());
        (m.dot(&c)).sum() * v.dot(&v) + z.dot(&v).sum()
    }

    table! {
        sums: (&matrix());
        parts: (&matrix());
        mapped: (&vector(), 0.7);
        iterated: (&vector());
        zipped: (&vector(), &arr1(&[1.0, 0.2, 0.1]));
        functions: (&arr1(&[0.9, 1.2]));
        made: (&[0.1, 0.7, -0.4, 1.3], 0.6);
    }
    map_table! {
        gram: (&matrix());
        gram_of_reference: (&matrix());
        owned: (vector());
    }
}

mod forms {
    use super::*;

    /// Two layers with a rectifier: the gradients are arrays of the parameters' shapes.
    #[differentiable]
    fn network(
        w: &Array2<f64>,
        b: &Array1<f64>,
        v: &Array1<f64>,
        #[constant] x: &Array2<f64>,
        #[constant] y: &Array1<f64>,
    ) -> f64 {
        let hidden = (x.dot(w) + b).mapv(|h: f64| h.max(0.0));
        let residual = hidden.dot(v) - y;
        residual.pow2().mean().unwrap()
    }

    #[test]
    fn gradients_have_the_types_of_the_parameters() {
        let (w, b, v) = (
            matrix().t().to_owned(),
            arr1(&[0.1, -0.2]),
            arr1(&[1.5, 0.5]),
        );
        let (x, y) = (
            arr2(&[[0.2, 1.0, -0.3], [0.7, -0.4, 0.9]]),
            arr1(&[0.5, -1.0]),
        );
        let (w_bar, b_bar, v_bar): (Array2<f64>, Array1<f64>, Array1<f64>) =
            network::gradient(&w, &b, &v, &x, &y);

        let before = x.dot(&w) + &b;
        let hidden = before.mapv(|h: f64| h.max(0.0));
        let residual_bar = (hidden.dot(&v) - &y) * (2.0 / 2.0);
        let hidden_bar = Array2::from_shape_fn((2, 2), |(i, j)| {
            if before[[i, j]] > 0.0 {
                residual_bar[i] * v[j]
            } else {
                0.0
            }
        });
        assert_close(&v_bar.to_vec(), &hidden.t().dot(&residual_bar).to_vec());
        assert_close(&b_bar.to_vec(), &hidden_bar.sum_axis(Axis(0)).to_vec());
        assert_close(&w_bar.flat(), &x.t().dot(&hidden_bar).flat());
        assert_eq!(w_bar.dim(), w.dim());
        check!(network(&w, &b, &v, const &x, const &y));
    }

    #[differentiable]
    fn single(a: &Array2<f32>, x: &Array1<f32>) -> f32 {
        let y = a.dot(x) * 2.0;
        (&y * &y).sum()
    }

    #[test]
    fn single_precision() {
        let (a, x) = (matrix().mapv(|v| v as f32), vector().mapv(|v| v as f32));
        check!(single(&a, &x));
    }

    #[differentiable]
    fn scattered(a: &Array2<f64>) -> f64 {
        let e = a.slice(s![1, ..;2]);
        let b = a.slice_axis(Axis(1), Slice::from(0..2)).to_owned();
        let c = a.index_axis(Axis(0), 1);
        (a.dot(&a.t()) + b.t().dot(&b).sum()).sum() * c.sum()
            + a.sin().sum() * a[[0, 1]]
            + e.pow2().sum()
    }

    /// The columns stand together in memory.
    #[test]
    fn other_layouts() {
        let mut columns = Array2::zeros((2, 3).f());
        columns.assign(&matrix());
        check!(scattered(&columns)).assert_gradient(&scattered::gradient(&matrix()).flat());
        let strided = arr2(&[[0.5, 9.0, -1.25, 9.0, 0.75], [1.5, 9.0, 0.25, 9.0, -0.5]]);
        let view = strided.slice(s![.., ..;2]);
        assert_eq!(view_sum::gradient(view), Array2::from_elem((2, 3), 2.0));
    }

    #[differentiable]
    fn view_sum(a: ArrayView2<'_, f64>) -> f64 {
        (&a + &a).sum()
    }

    #[test]
    fn views() {
        use super::methods::views;
        let (x, a) = (vector(), matrix());
        let (value, (x_bar, a_bar)) = views::value_and_gradient(x.view(), a.view());
        let y = a.dot(&x);
        let mut expected = a.t().dot(&y) * 2.0;
        expected[0] += a[[0, 1]] * 3.0;
        assert_eq!(value, views(x.view(), a.view()));
        assert_close(&x_bar.to_vec(), &expected.to_vec());
        assert_close(&a_bar.row(1).to_vec(), &(&x * (2.0 * y[1])).to_vec());
    }

    #[differentiable]
    fn broadcast(a: &Array2<f64>, b: &Array2<f64>, c: &Array1<f64>, k: f64) -> f64 {
        let d = a / b - c * k;
        let e = b * &d + k;
        (e * c / 2.0).sum() - (2.0 / b).sum() - (k - d).sum()
    }

    #[test]
    fn broadcasting_adds_cotangents_up() {
        let column = arr2(&[[0.7], [-1.3]]);
        check!(broadcast(&matrix(), &column, &vector(), 0.4));
        check!(broadcast(&matrix(), &arr2(&[[2.0]]), &vector(), 0.4));
    }

    #[differentiable]
    fn recurrence(a: &Array2<f64>, x: &Array1<f64>, n: usize) -> f64 {
        let mut y = x.clone();
        let mut total = 0.0;
        for _ in 0..n {
            y = a.dot(&y).tanh();
            total += y.dot(x);
        }
        total
    }

    #[test]
    fn loops_carry_arrays() {
        let a = arr2(&[[0.5, -0.3], [0.8, 0.2]]);
        for n in 0..4 {
            check!(recurrence(&a.clone(), &arr1(&[0.4, -0.9]), const n));
        }
    }

    #[differentiable]
    fn filled(x: &mut Array1<f64>, k: f64) -> f64 {
        for i in 0..x.len() {
            x[i] = x[i] * k + x[0];
        }
        x.sum()
    }

    #[test]
    fn arrays_that_are_written() {
        check!(filled(&mut vector(), 0.6));
    }

    #[test]
    fn empty_arrays() {
        let none = Array1::<f64>::zeros(0);
        check!(recurrence(&Array2::zeros((0, 0)), &none, const 2));
    }

    #[test]
    #[should_panic(expected = "the shadow of `a` is 3 by 2, the argument 2 by 3")]
    fn shapes_are_checked() {
        scattered::jvp(&matrix(), &Array2::zeros((3, 2)));
    }

    #[differentiable]
    fn doubled(a: &Array2<f64>) -> Array2<f64> {
        a * 2.0
    }

    #[test]
    #[should_panic(expected = "doubled: the cotangent of the result is 3 by 2, the result 2 by 3")]
    fn shapes_of_cotangents_are_checked() {
        doubled::vjp(&matrix(), Array2::zeros((3, 2)));
    }

    /// A zero cotangent times an infinite partial is zero.
    #[differentiable]
    fn unused_quotient(x: &Array1<f64>) -> f64 {
        let root = x.sqrt();
        let quotient = 1.0 / x;
        root[1] + quotient[1]
    }

    #[test]
    fn zeros_are_strong() {
        let x_bar = unused_quotient::gradient(&arr1(&[0.0, 4.0]));
        assert_close(&x_bar.to_vec(), &[0.0, 0.25 - 1.0 / 16.0]);
    }
}

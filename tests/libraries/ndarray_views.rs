//! Views of arrays are places: rows, slices, transposes, loops over them, what is written through them.

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

fn v6() -> nd::Array1<f64> {
    nd::arr1(&[0.3, -0.7, 1.1, 0.2, 0.9, -1.4])
}

fn m23() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5]])
}

fn m33() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5], [0.2, 0.8, 1.3]])
}

fn m22() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -0.3], [0.8, 1.2]])
}

mod row_dot_loop {
    use super::*;
    use ndarray::{Array1, Array2};
    #[differentiable]
    fn loss(w: &Array1<f64>, #[constant] data: &Array2<f64>, #[constant] y: &Array1<f64>) -> f64 {
        let mut s = 0.0;
        for i in 0..data.nrows() {
            let r = data.row(i).dot(w) - y[i];
            s += r * r;
        }
        s
    }

    #[test]
    fn derivatives() {
        check!(loss(&v3(), const &m23(), const &v2()));
    }
}

mod for_row_in_rows {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn loss(w: &Array1<f64>, #[constant] data: &Array2<f64>) -> f64 {
        let mut s = 0.0;
        for row in data.rows() {
            s += (-row.dot(w)).exp().ln_1p();
        }
        s
    }

    #[test]
    fn derivatives() {
        check!(loss(&v3(), const &m23()));
    }
}

mod outer_iter_zip {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn loss(
        w: &Array1<f64>,
        b: f64,
        #[constant] data: &Array2<f64>,
        #[constant] y: &Array1<f64>,
    ) -> f64 {
        let mut s = 0.0;
        for (row, &t) in data.outer_iter().zip(y.iter()) {
            let e = row.dot(w) + b - t;
            s += 0.5 * e * e;
        }
        s / data.nrows() as f64
    }

    #[test]
    fn derivatives() {
        check!(loss(&v3(), 0.3, const &m23(), const &v2()));
    }
}

mod slice_parts {
    use super::*;
    use ndarray::prelude::*;
    use ndarray::s;
    #[differentiable]
    fn f(theta: &Array1<f64>) -> f64 {
        let a = theta.slice(s![0..3]);
        let b = theta.slice(s![3..]);
        a.dot(&b) + a.sum() * b[1]
    }

    #[test]
    fn derivatives() {
        check!(f(&v6()));
    }
}

mod slice_mut_assign {
    use super::*;
    use ndarray::prelude::*;
    use ndarray::s;
    #[differentiable]
    fn f(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
        let mut z = Array1::zeros(a.len() + b.len());
        z.slice_mut(s![..a.len()]).assign(a);
        z.slice_mut(s![a.len()..]).assign(b);
        z.dot(&z)
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &v2()));
    }
}

mod row_mut {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, x: &Array1<f64>) -> Array2<f64> {
        let mut b = a.clone();
        for i in 0..b.nrows() {
            let mut row = b.row_mut(i);
            row *= x[i];
            row += x;
        }
        b
    }

    #[test]
    fn derivatives() {
        check_map!(f(&m23(), &v3()));
    }
}

mod t_dot {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let y = a.dot(x);
        let z = a.t().dot(&y);
        z.dot(x) + a.diag().sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &v3()));
    }
}

mod as_slice {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn sumsq(x: &[f64]) -> f64 {
        x.iter().map(|v| v * v).sum()
    }
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        let s = x.as_slice().unwrap();
        sumsq(s) * s[0]
    }

    #[test]
    fn derivatives() {
        check!(f(&v3()));
    }
}

mod iter_mut {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>, k: f64) -> f64 {
        let mut y = x.clone();
        for v in y.iter_mut() {
            *v = (*v * k).sin();
        }
        y.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), 0.7));
    }
}

mod iter_mut_zip {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>, g: &Array1<f64>) -> f64 {
        let mut y = x.clone();
        for (v, g) in y.iter_mut().zip(g.iter()) {
            *v -= 0.1 * g * g;
        }
        y.dot(&y)
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), &p3()));
    }
}

mod columns {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let mut s = 0.0;
        for c in a.columns() {
            s += c.dot(x).powi(2);
        }
        s
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &v2()));
    }
}

mod axis_iter {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>) -> f64 {
        a.axis_iter(Axis(0)).map(|r| r.dot(&r).sqrt()).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m23()));
    }
}

mod index_axis {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array3<f64>, x: &Array1<f64>) -> f64 {
        let mut h = x.clone();
        for l in 0..a.len_of(Axis(0)) {
            h = a.index_axis(Axis(0), l).dot(&h).mapv(f64::tanh);
        }
        h.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(
            &Array3::from_shape_vec((2, 2, 2), vec![0.1, 0.4, -0.3, 0.8, 0.5, -0.6, 0.2, 0.9])
                .unwrap(),
            &v2()
        ));
    }
}

mod reshape {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(theta: &Array1<f64>, x: &Array1<f64>) -> f64 {
        let w = theta.to_shape((2, 3)).unwrap();
        w.dot(x).mapv(|v| v * v).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v6(), &v3()));
    }
}

mod into_shape_with_order {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(theta: &Array1<f64>, x: &Array1<f64>) -> f64 {
        let w = theta.clone().into_shape_with_order((2, 3)).unwrap();
        let y = w.dot(x);
        y.dot(&y)
    }

    #[test]
    fn derivatives() {
        check!(f(&v6(), &v3()));
    }
}

mod insert_axis_outer {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>, y: &Array1<f64>) -> Array2<f64> {
        let a = x.view().insert_axis(Axis(1));
        let b = y.view().insert_axis(Axis(0));
        a.dot(&b)
    }

    #[test]
    fn derivatives() {
        check_map!(f(&v2(), &v3()));
    }
}

mod view_params {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn quad(a: ArrayView2<f64>, x: ArrayView1<f64>) -> f64 {
        x.dot(&a.dot(&x))
    }
    #[differentiable]
    fn f(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
        quad(a.view(), x.view()) * 2.0
    }

    #[test]
    fn derivatives() {
        check!(f(&m33(), &v3()));
    }
}

mod view_ref_param {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn norm(x: &ArrayView1<f64>) -> f64 {
        x.iter().map(|v| v * v).sum::<f64>().sqrt()
    }
    #[differentiable]
    fn f(a: &Array2<f64>) -> f64 {
        let mut s = 0.0;
        for i in 0..a.nrows() {
            s += norm(&a.row(i));
        }
        s
    }

    #[test]
    fn derivatives() {
        check!(f(&m23()));
    }
}

mod mut_array_param {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn step(x: &mut Array1<f64>, a: &Array2<f64>, dt: f64) {
        let dx = a.dot(&*x);
        x.scaled_add(dt, &dx);
    }
    #[differentiable]
    fn f(x0: &Array1<f64>, a: &Array2<f64>) -> f64 {
        let mut x = x0.clone();
        for _ in 0..3 {
            step(&mut x, a, 0.1);
        }
        x.dot(&x)
    }

    #[test]
    fn derivatives() {
        check!(f(&v2(), &m22()));
    }
}

mod to_vec_to_owned {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>) -> f64 {
        let r = a.row(0).to_owned();
        let v = a.column(1).to_vec();
        let mut s = 0.0;
        for x in &v {
            s += x * r[0];
        }
        s
    }

    #[test]
    fn derivatives() {
        check!(f(&m23()));
    }
}

mod helper_getting_row {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn dist2(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
        a.iter().zip(b.iter()).map(|(p, q)| (p - q) * (p - q)).sum()
    }
    #[differentiable]
    fn energy(x: &Array2<f64>) -> f64 {
        let n = x.nrows();
        let mut e = 0.0;
        for i in 0..n {
            for j in 0..i {
                e += 1.0 / dist2(x.row(i), x.row(j)).sqrt();
            }
        }
        e
    }

    #[test]
    fn derivatives() {
        check!(energy(&m33()));
    }
}

mod windows_convolution {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn conv(x: &Array1<f64>, k: &Array1<f64>) -> Array1<f64> {
        let n = x.len() - k.len() + 1;
        let mut y = Array1::zeros(n);
        for (i, w) in x.windows(k.len()).into_iter().enumerate() {
            y[i] = w.dot(k);
        }
        y
    }

    #[test]
    fn derivatives() {
        check_map!(conv(&v6(), &v3()));
    }
}

mod conv_slices {
    use super::*;
    use ndarray::prelude::*;
    use ndarray::s;
    #[differentiable]
    fn conv(x: &Array1<f64>, k: &Array1<f64>) -> Array1<f64> {
        let n = x.len() - k.len() + 1;
        Array1::from_shape_fn(n, |i| x.slice(s![i..i + k.len()]).dot(k))
    }

    #[test]
    fn derivatives() {
        check_map!(conv(&v6(), &v3()));
    }
}

mod view_of_param_iter {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: ArrayView2<'_, f64>) -> f64 {
        let mut s = 0.0;
        for row in a.rows() {
            let mut p = 1.0;
            for v in row {
                p *= v;
            }
            s += p;
        }
        s
    }
    #[differentiable]
    fn g(a: &Array2<f64>) -> f64 {
        f(a.view())
    }

    #[test]
    fn derivatives() {
        check!(g(&m23()));
    }
}

mod diag_mut {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(a: &Array2<f64>, lambda: f64) -> f64 {
        let mut b = a.t().dot(a);
        b.diag_mut().mapv_inplace(|v| v + lambda);
        b.sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), 0.4));
    }
}

mod rows_mut {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn softmax_rows(x: &Array2<f64>) -> Array2<f64> {
        let mut y = x.mapv(f64::exp);
        for mut row in y.rows_mut() {
            let s = row.sum();
            row /= s;
        }
        y
    }

    #[test]
    fn derivatives() {
        check_map!(softmax_rows(&m23()));
    }
}

mod axis_chunks {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>) -> f64 {
        x.axis_chunks_iter(Axis(0), 2)
            .map(|c| c.sum().powi(2))
            .sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v6()));
    }
}

mod iter_map_sum {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn f(x: &Array1<f64>, mu: f64, sigma: f64) -> f64 {
        x.iter()
            .map(|&v| {
                let z = (v - mu) / sigma;
                -0.5 * z * z - sigma.ln()
            })
            .sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&v3(), 0.2, 1.3));
    }
}

mod layouts {
    use ndarray::prelude::*;
    use ndarray::s;

    use super::*;

    #[differentiable]
    fn parts(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let mut total = 0.0;
        for (i, row) in a.rows().into_iter().enumerate() {
            total += row.dot(x) * row[0] + i as f64;
        }
        for column in a.columns() {
            total += column.iter().map(|v| v * v).sum::<f64>();
        }
        let every_other = a.slice(s![.., ..;2]);
        let backwards = x.slice(s![..;-1]);
        total
            + every_other.sum() * backwards.dot(x)
            + a.mapv(f64::sin).sum()
            + a.t().dot(&a.t().diag().slice(s![..])).sum()
    }

    fn columns_first(a: &Array2<f64>) -> Array2<f64> {
        let mut b = Array2::zeros((a.nrows(), a.ncols()).f());
        b.assign(a);
        b
    }

    #[test]
    fn derivatives() {
        check!(parts(&m33(), &v3()));
        check!(parts(&columns_first(&m33()), &v3()));
    }

    #[differentiable]
    fn written(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let mut b = a.clone();
        b.slice_mut(s![.., ..;2]).fill(x[0]);
        b.column_mut(1).scaled_add(x[1], x);
        for mut row in b.rows_mut() {
            row += x;
            row /= 2.0;
        }
        for (v, w) in b.iter_mut().zip(a.iter()) {
            *v *= w;
        }
        b.diag_mut().assign(x);
        b.mapv_inplace(|v| v * v);
        b.sum()
    }

    #[test]
    fn writes() {
        check!(written(&m33(), &v3()));
        check!(written(&columns_first(&m33()), &v3()));
    }

    /// Loops over no views, and views of no elements.
    #[differentiable]
    fn empty(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
        let mut total = x.sum() + a.sum();
        for row in a.outer_iter() {
            total += row.dot(x);
        }
        let none = a.slice(s![0..0, ..]);
        total += none.mapv(|v| v * v).sum();
        for window in x.windows(5) {
            total += window.sum();
        }
        total
    }

    #[test]
    fn nothing() {
        check!(empty(&Array2::zeros((0, 3)), &v3()));
        check!(empty(&Array2::zeros((2, 0)), &Array1::zeros(0)));
        check!(empty(&m33(), &v3()));
    }

    #[differentiable]
    fn scale(x: &mut ArrayRef1<f64>, k: f64) {
        for v in x.iter_mut() {
            *v *= k;
        }
    }

    #[differentiable]
    fn lent(a: &Array2<f64>, k: f64) -> f64 {
        let mut b = a.clone();
        scale(&mut b.row_mut(0), k);
        scale(&mut b.column_mut(1), k * k);
        (&b * &b).sum()
    }

    #[test]
    fn views_lent_to_functions() {
        check!(lent(&m33(), 0.7));
    }
}

/// Views as arguments of functions and methods that aren't inlined.
mod views_in_calls {
    use super::*;
    use ndarray::prelude::*;
    use ndarray::s;

    fn plain(x: ArrayView1<f64>) -> f64 {
        x.sum()
    }

    fn plain_by_reference(x: &ArrayView1<f64>) -> f64 {
        x.sum()
    }

    #[differentiable]
    #[inline(never)]
    fn scaled(w: ArrayView1<f64>, #[constant] x: ArrayView1<f64>) -> f64 {
        let k = plain(x) + plain_by_reference(&x);
        w.dot(&x) * k + w.dot(&w)
    }

    #[differentiable]
    #[inline(never)]
    fn by_reference(w: &ArrayView1<f64>, #[constant] x: &ArrayView1<f64>) -> f64 {
        w.dot(x) * w[0] + plain_by_reference(x) * w[1]
    }

    #[differentiable]
    #[inline(never)]
    fn product(
        a: ArrayView2<'_, f64>,
        b: ArrayView1<'_, f64>,
        #[constant] k: usize,
    ) -> Array1<f64> {
        if k == 0 {
            return b.to_owned();
        }
        a.dot(&b) + &b
    }

    #[differentiable]
    #[inline(never)]
    fn views_of_views(a: ArrayView2<f64>, #[constant] k: usize) -> f64 {
        let (row, ones) = (a.row(k), Array1::from(vec![1.0, -1.0, 0.5]));
        let (t, u) = (product(a, row, k), product(a, a.column(0), k));
        t.dot(&u) + scaled(a.column(1), ones.view())
    }

    #[differentiable]
    #[inline(never)]
    fn generic<T: Real + ndarray::LinalgScalar>(x: ArrayView1<T>, #[constant] k: usize) -> T {
        let mut s = x[k] * x[k];
        for i in k + 1..x.len() {
            s += x[i] * x[i];
        }
        s
    }

    struct Model {
        l2: f64,
    }

    impl Model {
        #[differentiable]
        #[inline(never)]
        fn loss(
            #[constant] &self,
            w: ArrayView1<f64>,
            #[constant] x: ArrayView1<f64>,
            #[constant] y: f64,
        ) -> f64 {
            let r = x.dot(&w) - y;
            r * r + self.l2 * w.dot(&w)
        }
    }

    #[differentiable]
    trait Kernel {
        fn between(&self, a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64;
    }

    #[derive(Clone, Differentiable)]
    struct Gaussian {
        length: f64,
    }

    #[differentiable]
    impl Kernel for Gaussian {
        fn between(&self, a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
            let d = &a - &b;
            (-d.dot(&d) / self.length).exp()
        }
    }

    #[differentiable]
    fn energy<K: Kernel>(kernel: &K, a: ArrayView2<f64>) -> f64 {
        let mut sum = 0.0;
        for i in 0..a.nrows() {
            for j in 0..i {
                sum += kernel.between(a.row(i), a.row(j));
            }
        }
        sum
    }

    #[differentiable]
    fn calls(
        a: &Array2<f64>,
        length: f64,
        #[constant] model: &Model,
        #[constant] x: &Array2<f64>,
        #[constant] y: &Array2<f64>,
    ) -> f64 {
        let mut sum = 0.0;
        for (row, other) in a.rows().into_iter().zip(x.rows()) {
            sum += scaled(row, other) + model.loss(row, other, sum_of_constants(y.view()));
        }
        for i in 0..a.nrows() {
            let row = y.row(i);
            sum += scaled(a.row(i), row) + by_reference(&a.row(i), &y.column(i));
        }
        sum + views_of_views(a.view(), 1)
            + generic(a.row(1), 0)
            + energy(&Gaussian { length }, a.view())
    }

    #[differentiable(nested, order = 3)]
    #[inline(never)]
    fn cubes(w: ArrayView1<f64>, #[constant] k: f64) -> f64 {
        let mut sum = 0.0;
        for v in w {
            sum += v.powi(3) * k;
        }
        sum
    }

    #[differentiable(dyn)]
    trait Loss {
        fn at(&self, w: ArrayView1<f64>) -> f64;
    }

    #[differentiable(dyn)]
    impl Loss for Gaussian {
        fn at(&self, w: ArrayView1<f64>) -> f64 {
            w.dot(&w) * self.length
        }
    }

    #[differentiable]
    fn absent(w: ArrayView1<f64>, #[constant] k: usize) -> Option<f64> {
        if k >= w.len() {
            return None;
        }
        Some(w[k] * w[0])
    }

    #[differentiable]
    fn nested(a: &Array2<f64>, length: f64) -> f64 {
        let gradient: Array1<f64> = cubes::gradient(a.row(0), 2.0);
        let loss: Box<dyn Loss> = Box::new(Gaussian { length });
        gradient[0] * length
            + loss.at(gradient.view())
            + loss.at(a.column(1))
            + absent(a.row(1), 2).unwrap_or(1.0)
    }

    /// The parameter is shadowed, by a view and by a number, and the loop has early exits.
    #[differentiable]
    #[inline(never)]
    fn shadowed(x: ArrayView1<f64>, #[constant] k: usize) -> Result<f64, String> {
        let view = x.len();
        let x = x.slice(s![k..]);
        let mut sum = 0.0;
        for (i, v) in x.iter().enumerate() {
            if i + 3 > view {
                return Ok(sum * v);
            }
            if *v > 100.0 {
                return Err("too large".into());
            }
            sum += v * v * v.abs().max(*v);
            let x = sum * v;
            sum += x;
        }
        Ok(sum)
    }

    /// Views of an array that is written to between the calls.
    #[differentiable]
    fn written(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
        let mut a = a.clone();
        let mut sum = 0.0;
        for i in 0..a.nrows() {
            sum += shadowed(a.row(i), i % 2).unwrap();
            let c = b[i] * a[[i, 0]];
            a[[i, 0]] = c * a[[i, 1]];
            sum += shadowed(a.column(0), 0).unwrap();
        }
        a.row_mut(0).assign(b);
        sum + shadowed(a.row(0), 1).unwrap()
    }

    #[differentiable]
    #[inline(never)]
    fn exchanged(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
        let (a, b) = (b, a);
        a[0] * b[1] * b[1] + a.dot(&b)
    }

    #[differentiable]
    #[inline(never)]
    fn chosen(a: ArrayView1<f64>, #[constant] k: usize) -> f64 {
        let b = a;
        let row = if k == 0 { a } else { b };
        row.dot(&row) * a[0]
    }

    #[differentiable]
    fn aliased(a: &Array2<f64>) -> f64 {
        let sum = exchanged(a.row(0), a.row(0)) + exchanged(a.row(0), a.column(1));
        sum + chosen(a.row(1), 1) * chosen(a.row(0), 0)
    }

    fn sum_of_constants(y: ArrayView2<f64>) -> f64 {
        y.sum()
    }

    fn x() -> Array2<f64> {
        arr2(&[[1.0, 0.4, -0.3], [-0.3, 0.8, 0.7], [0.2, -0.6, 1.1]])
    }

    #[test]
    fn derivatives() {
        let (x, model) = (x(), Model { l2: 0.3 });
        check!(nested(&m33(), 0.7));
        check!(written(&m33(), &v3()));
        check!(aliased(&m33()));
        check!(calls(&m33(), 0.7, const &model, const &x, const &x));
    }

    /// Drivers take views, as the functions do.
    #[test]
    fn drivers() {
        let (a, x) = (m33(), x());
        let (w, k) = (a.row(0), x.row(0));
        let gradient = &k * (2.0 * k.sum()) + &w * 2.0;
        assert_eq!(
            scaled::value_and_gradient(w, k),
            (scaled(w, k), gradient.clone())
        );
        let mut buffer = Array1::zeros(3);
        scaled::value_and_gradient_into(w, k, &mut buffer);
        assert_eq!(buffer, gradient);
        assert_eq!(scaled::vjp(w, k, 1.0), (scaled(w, k), gradient.clone()));
        approx::assert_relative_eq!(
            scaled::jvp(w, k, &w).1,
            gradient.dot(&w),
            max_relative = 1e-14
        );
        assert_eq!(scaled::hvp(w, k, &w), &w * 2.0);
        assert_eq!(scaled::hessian(w, k)[(1, 1)], 2.0);
        assert_eq!(product::jacobian(a.view(), w, 1).1[(0, 1)], a[[0, 1]]);
        let (value, pullback) = scaled::rrule(w, k);
        let mut bar = Array1::zeros(3);
        pullback(1.0, CoDual(&w, &mut bar), &k);
        assert_eq!((value, bar), (scaled(w, k), gradient));
    }
}

/// Views that control flow chooses.
mod chosen_views {
    use super::*;
    use ndarray::{Array1, Array2};

    #[differentiable]
    fn of_one_array(a: &Array2<f64>, w: &Array1<f64>, first: bool) -> f64 {
        let r = if first { a.row(0) } else { a.row(1) };
        r.dot(w)
    }

    #[differentiable]
    fn of_two_arrays(a: &Array2<f64>, b: &Array2<f64>, w: &Array1<f64>, first: bool) -> f64 {
        let r = if first { a.row(0) } else { b.row(1) };
        r.dot(w) + r[0] * r[1]
    }

    #[differentiable]
    fn of_two_kinds(a: &Array2<f64>, k: usize) -> f64 {
        let v = if k > 0 { a.column(k) } else { a.row(0) };
        let mut total = v.sum().sin();
        for i in 0..v.len() {
            total += v[i] * v[i];
        }
        total
    }

    #[differentiable]
    fn of_three(a: &Array2<f64>, b: &Array1<f64>, k: usize) -> f64 {
        let v = match k {
            0 => a.row(0),
            1 => b.view(),
            _ => a.row(1),
        };
        v.iter().map(|x| x * x * x).sum::<f64>() + v.dot(b)
    }

    #[differentiable]
    fn in_a_loop(a: &Array2<f64>, w: &Array1<f64>) -> f64 {
        let mut best = a.row(0);
        for i in 1..a.nrows() {
            let row = a.row(i);
            if row.sum() > best.sum() {
                best = row;
            }
        }
        best.dot(w)
    }

    #[differentiable]
    fn written(a: &mut Array2<f64>, x: f64, first: bool) {
        let mut r = if first { a.row_mut(0) } else { a.row_mut(1) };
        r *= x;
        r[0] *= r[1];
    }

    #[differentiable]
    fn both_rows(a: &Array2<f64>, x: f64, first: bool) -> f64 {
        let mut a = a.clone();
        written(&mut a, x, first);
        (&a * &a).sum()
    }

    #[test]
    fn derivatives() {
        for first in [true, false] {
            check!(of_one_array(&m23(), &v3(), const first));
            check!(of_two_arrays(&m23(), &(m23() * 0.7), &v3(), const first));
            check!(both_rows(&m23(), 0.7, const first));
        }
        for k in 0..3 {
            check!(of_two_kinds(&m23(), const k));
            check!(of_three(&m23(), &v3(), const k));
        }
        check!(in_a_loop(&m23(), &v3()));
    }
}

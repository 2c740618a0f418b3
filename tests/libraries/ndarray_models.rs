//! Models as numeric code writes them.

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

fn m32() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.2], [0.7, 0.6], [1.1, -0.4]])
}

fn m33() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5], [0.2, 0.8, 1.3]])
}

fn m22() -> nd::Array2<f64> {
    nd::arr2(&[[0.5, -0.3], [0.8, 1.2]])
}

mod logistic_regression {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }
    #[differentiable]
    fn nll(
        w: &Array1<f64>,
        b: f64,
        #[constant] x: &Array2<f64>,
        #[constant] y: &Array1<f64>,
    ) -> f64 {
        let p = (x.dot(w) + b).mapv(sigmoid);
        let mut l = 0.0;
        for (p, &y) in p.iter().zip(y) {
            l -= y * p.ln() + (1.0 - y) * (1.0 - p).ln();
        }
        l / y.len() as f64
    }

    #[test]
    fn derivatives() {
        check!(nll(&v3(), 0.2, const &m23(), const &arr1(&[1.0, 0.0])));
    }
}

mod mlp_struct {
    use super::*;
    use ndarray::prelude::*;
    #[derive(Clone, Debug, Differentiable)]
    struct Mlp {
        w1: Array2<f64>,
        b1: Array1<f64>,
        w2: Array1<f64>,
        b2: f64,
    }
    #[differentiable]
    impl Mlp {
        fn forward(&self, x: &Array1<f64>) -> f64 {
            let h = (self.w1.dot(x) + &self.b1).mapv(|v| v.tanh());
            h.dot(&self.w2) + self.b2
        }
    }
    #[differentiable]
    fn loss(m: &Mlp, #[constant] xs: &[Array1<f64>], #[constant] ys: &[f64]) -> f64 {
        let mut s = 0.0;
        for (x, y) in xs.iter().zip(ys) {
            s += (m.forward(x) - y).powi(2);
        }
        s
    }
    #[differentiable]
    fn f(
        w1: &Array2<f64>,
        b1: &Array1<f64>,
        w2: &Array1<f64>,
        b2: f64,
        #[constant] xs: &[Array1<f64>],
        #[constant] ys: &[f64],
    ) -> f64 {
        loss(
            &Mlp {
                w1: w1.clone(),
                b1: b1.clone(),
                w2: w2.clone(),
                b2,
            },
            xs,
            ys,
        )
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &v2(), &v2(), 0.3, const &[v3(), p3()], const &[0.5, -0.2]));
    }
}

mod mlp_batch {
    use super::*;
    use ndarray::prelude::*;
    #[derive(Clone, Debug, Differentiable)]
    struct Layer {
        w: Array2<f64>,
        b: Array1<f64>,
    }
    #[differentiable]
    fn relu(x: f64) -> f64 {
        if x > 0.0 { x } else { 0.0 }
    }
    #[differentiable]
    fn predict(layers: &[Layer], x: &Array2<f64>) -> Array2<f64> {
        let mut h = x.clone();
        for (i, l) in layers.iter().enumerate() {
            h = h.dot(&l.w) + &l.b;
            if i + 1 < layers.len() {
                h.mapv_inplace(relu);
            }
        }
        h
    }
    #[differentiable]
    fn f(w1: &Array2<f64>, b1: &Array1<f64>, w2: &Array2<f64>, #[constant] x: &Array2<f64>) -> f64 {
        let layers = vec![
            Layer {
                w: w1.clone(),
                b: b1.clone(),
            },
            Layer {
                w: w2.clone(),
                b: Array1::zeros(3),
            },
        ];
        let p = predict(&layers, x);
        (&p * &p).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m32(), &v2(), &m23(), const &m23()));
    }
}

mod softmax_ce {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn cross_entropy(
        w: &Array2<f64>,
        #[constant] x: &Array2<f64>,
        #[constant] labels: &[usize],
    ) -> f64 {
        let logits = x.dot(w);
        let mut loss = 0.0;
        for (row, &label) in logits.outer_iter().zip(labels.iter()) {
            let m = row.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let lse = m + row.mapv(|v| (v - m).exp()).sum().ln();
            loss += lse - row[label];
        }
        loss / labels.len() as f64
    }

    #[test]
    fn derivatives() {
        check!(cross_entropy(&m32(), const &m23(), const &[0, 1]));
    }
}

mod softmax_array {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn softmax(x: &Array1<f64>) -> Array1<f64> {
        let max = x.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        let e = x.mapv(|v| (v - max).exp());
        let s = e.sum();
        e / s
    }

    #[test]
    fn derivatives() {
        check_map!(softmax(&v3()));
    }
}

mod gaussian_logpdf {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn logpdf(x: ArrayView1<f64>, mu: &Array1<f64>, prec: &Array2<f64>, logdet: f64) -> f64 {
        let d = &x - mu;
        let k = x.len() as f64;
        -0.5 * (d.dot(&prec.dot(&d)) - logdet + k * (2.0 * std::f64::consts::PI).ln())
    }
    #[differentiable]
    fn f(xs: &Array2<f64>, mu: &Array1<f64>, prec: &Array2<f64>) -> f64 {
        xs.outer_iter().map(|x| logpdf(x, mu, prec, 0.3)).sum()
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &v3(), &m33()));
    }
}

mod ridge {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn ridge(
        w: &Array1<f64>,
        lambda: f64,
        #[constant] x: &Array2<f64>,
        #[constant] y: &Array1<f64>,
    ) -> f64 {
        let r = y - &x.dot(w);
        r.dot(&r) / x.nrows() as f64 + lambda * w.mapv(|v| v * v).sum()
    }

    #[test]
    fn derivatives() {
        check!(ridge(&v3(), 0.3, const &m23(), const &v2()));
    }
}

mod kernel_matrix_rows {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn rbf(x: &Array2<f64>, gamma: f64) -> Array2<f64> {
        let n = x.nrows();
        let mut k = Array2::zeros((n, n));
        for i in 0..n {
            for j in 0..n {
                let d = &x.row(i) - &x.row(j);
                k[[i, j]] = (-gamma * d.dot(&d)).exp();
            }
        }
        k
    }

    #[test]
    fn derivatives() {
        check_map!(rbf(&m32(), 0.7));
    }
}

mod kalman {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn kalman(
        x: &Array1<f64>,
        p: &Array2<f64>,
        a: &Array2<f64>,
        q: f64,
        h: &Array1<f64>,
        r: f64,
        z: f64,
    ) -> f64 {
        let xp = a.dot(x);
        let pp = a.dot(p).dot(&a.t()) + Array2::<f64>::eye(2) * q;
        let s = h.dot(&pp.dot(h)) + r;
        let k = pp.dot(h) / s;
        let v = z - h.dot(&xp);
        let xn = xp + &k * v;
        let kh = k
            .view()
            .insert_axis(Axis(1))
            .dot(&h.view().insert_axis(Axis(0)));
        let pn = (Array2::eye(2) - kh).dot(&pp);
        -0.5 * (v * v / s + s.ln()) + xn.sum() + pn.diag().sum()
    }

    #[test]
    fn derivatives() {
        check!(kalman(
            &v2(),
            &m22(),
            &m22(),
            0.1,
            &arr1(&[1.0, 0.5]),
            3.2,
            0.7
        ));
    }
}

mod rnn {
    use super::*;
    use ndarray::prelude::*;
    #[derive(Clone, Debug, Differentiable)]
    struct Rnn {
        wx: Array2<f64>,
        wh: Array2<f64>,
        b: Array1<f64>,
        wo: Array1<f64>,
    }
    #[differentiable]
    fn unroll(c: &Rnn, xs: &Array2<f64>) -> f64 {
        let mut h = Array1::<f64>::zeros(c.b.len());
        let mut loss = 0.0;
        for x in xs.outer_iter() {
            h = (c.wx.dot(&x) + c.wh.dot(&h) + &c.b).mapv(f64::tanh);
            loss += c.wo.dot(&h);
        }
        loss
    }
    #[differentiable]
    fn f(
        wx: &Array2<f64>,
        wh: &Array2<f64>,
        b: &Array1<f64>,
        wo: &Array1<f64>,
        xs: &Array2<f64>,
    ) -> f64 {
        let c = Rnn {
            wx: wx.clone(),
            wh: wh.clone(),
            b: b.clone(),
            wo: wo.clone(),
        };
        unroll(&c, xs)
    }

    #[test]
    fn derivatives() {
        check!(f(&m23(), &m22(), &v2(), &v2(), &m33()));
    }
}

mod attention {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn attention(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
        let scores = q.dot(&k.t()) / (q.ncols() as f64).sqrt();
        let e = scores.mapv(|s| s.exp());
        let z = e.sum_axis(Axis(1)).insert_axis(Axis(1));
        (e / z).dot(v)
    }

    #[test]
    fn derivatives() {
        check_map!(attention(&m23(), &m33(), &m32()));
    }
}

mod gmm {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn gmm(mu: &Array2<f64>, logw: &Array1<f64>, #[constant] data: &Array2<f64>) -> f64 {
        let mut ll = 0.0;
        for x in data.axis_iter(Axis(0)) {
            let mut terms = Array1::zeros(mu.nrows());
            for k in 0..mu.nrows() {
                let d = &x - &mu.row(k);
                terms[k] = logw[k] - 0.5 * d.dot(&d);
            }
            let m = terms.fold(f64::MIN, |a: f64, &b| a.max(b));
            ll += m + terms.mapv(|t| (t - m).exp()).sum().ln();
        }
        ll
    }

    #[test]
    fn derivatives() {
        check!(gmm(&m23(), &v2(), const &m33()));
    }
}

mod heat_stencil {
    use super::*;
    use ndarray::prelude::*;
    use ndarray::s;
    #[differentiable]
    fn heat(u0: &Array1<f64>, alpha: f64, steps: usize) -> f64 {
        let mut u = u0.clone();
        for _ in 0..steps {
            let lap = &u.slice(s![2..]) - &(2.0 * &u.slice(s![1..-1])) + u.slice(s![..-2]);
            let mut inner = u.slice_mut(s![1..-1]);
            inner.scaled_add(alpha, &lap);
        }
        u.dot(&u)
    }

    #[test]
    fn derivatives() {
        check!(heat(&v6(), 0.2, const 3));
    }
}

mod pca_residual {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn residual(u: &Array2<f64>, #[constant] x: &Array2<f64>) -> f64 {
        let proj = x.dot(u).dot(&u.t());
        let r = x - &proj;
        r.iter().map(|v| v.powi(2)).sum::<f64>() / x.len() as f64
    }

    #[test]
    fn derivatives() {
        check!(residual(&m32(), const &m23()));
    }
}

mod adam_free_sgd {
    use super::*;
    use ndarray::prelude::*;
    #[differentiable]
    fn unrolled(x0: &Array1<f64>, lr: f64, a: &Array2<f64>) -> f64 {
        let mut x = x0.clone();
        let mut m = Array1::<f64>::zeros(x.len());
        for _ in 0..3 {
            let g = a.dot(&x);
            m = &m * 0.9 + &g * 0.1;
            x = &x - &(&m * lr);
        }
        0.5 * x.dot(&a.dot(&x))
    }

    #[test]
    fn derivatives() {
        check!(unrolled(&v2(), 0.3, &m22()));
    }
}

/// A result of a function with an argument that says how, in chains over arrays.
mod convolutions {
    use super::*;
    use ndarray::{Array2, Zip};

    #[derive(Clone, Copy)]
    enum Border {
        Zero,
        Clamp,
    }

    #[differentiable]
    fn scaled(image: &Array2<f64>, #[constant] border: Border) -> Array2<f64> {
        match border {
            Border::Zero => image * 2.0,
            Border::Clamp => image * image,
        }
    }

    #[differentiable]
    fn distance(a: &Array2<f64>, b: &Array2<f64>, #[constant] border: Border) -> f64 {
        let c = scaled(a, border);
        let mut sum = 0.0;
        Zip::from(&c)
            .and(b)
            .for_each(|&c, &b| sum += (c - b).powi(2));
        sum
    }

    #[test]
    fn derivatives() {
        check!(distance(&m23(), &m23().mapv(f64::sin), const Border::Zero));
        check!(distance(&m23(), &m23().mapv(f64::sin), const Border::Clamp));
    }
}

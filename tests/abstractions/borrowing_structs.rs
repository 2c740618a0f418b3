//! Structs with lifetimes, whose fields borrow data.

use chainrule::prelude::*;

use crate::check::check;

#[derive(Clone, Copy, Debug)]
struct Data<'a> {
    x: &'a [f64],
    y: &'a [f64],
    d: usize,
    scale: f64,
    name: &'a str,
}

impl<'a> Data<'a> {
    fn row(&self, i: usize) -> &'a [f64] {
        &self.x[i * self.d..(i + 1) * self.d]
    }

    fn n(&self) -> usize {
        self.y.len()
    }
}

struct Inner {
    v: Vec<f64>,
    k: f64,
}

struct Deep<'a, 'b> {
    inner: &'b Inner,
    rows: &'a [Vec<f64>],
    part: Option<&'a [f64]>,
    data: Data<'a>,
}

#[derive(Clone, Debug, Differentiable)]
struct Model<'a> {
    w: &'a [f64],
    b: f64,
    #[constant]
    x: &'a [f64],
}

#[differentiable]
fn by_index(w: &[f64], #[constant] data: &Data<'_>) -> f64 {
    let mut total = 0.0;
    for i in 0..data.y.len() {
        let row = &data.x[i * data.d..(i + 1) * data.d];
        let mut z = 0.0;
        for j in 0..data.d {
            z += w[j] * row[j];
        }
        total += z.exp().ln_1p() - data.y[i] * z * data.scale;
    }
    total
}

#[differentiable]
fn by_value(w: &[f64], #[constant] data: Data) -> f64 {
    let terms = data.x.chunks(data.d).zip(data.y).map(|(row, y)| {
        let z: f64 = row.iter().zip(w).map(|(a, b)| a * b).sum();
        z.exp().ln_1p() - y * z * data.scale
    });
    terms.sum()
}

#[differentiable]
fn by_methods(w: &[f64], #[constant] data: &Data<'_>) -> f64 {
    let mut total = 0.0;
    for i in 0..data.n() {
        let row = data.row(i);
        let mut z = 0.0;
        for j in 0..data.d {
            z += w[j] * row[j];
        }
        total += z.exp().ln_1p() - data.y[i] * z * data.scale;
    }
    total
}

#[differentiable]
fn loops(x: f64, #[constant] data: &Data<'_>) -> f64 {
    let xs = data.x;
    let mut total = 0.0;
    for &v in data.x {
        total += v * x;
    }
    for v in xs.iter() {
        total += v * x * x;
    }
    for (i, v) in xs.iter().enumerate() {
        total += v * x * i as f64;
    }
    if data.name == "doubled" {
        total *= 2.0;
    }
    total
}

#[differentiable]
fn deep(x: f64, #[constant] d: &Deep<'_, '_>) -> f64 {
    let mut total = d.inner.k * x;
    for v in &d.inner.v {
        total += v * x;
    }
    for row in d.rows {
        for v in row {
            total += v * x.sin();
        }
    }
    if let Some(part) = d.part {
        for v in part {
            total += v * x * x;
        }
        total += part[0] * x;
    }
    let inner = d.inner;
    total += inner.v[0] * x + d.data.x[1] * x + d.data.scale * x;
    for j in 0..d.data.y.len() {
        total += d.data.y[j] * x.cos();
    }
    total
}

#[differentiable]
fn model(m: &Model<'_>) -> f64 {
    let mut total = m.b;
    for (w, x) in m.w.iter().zip(m.x) {
        total += w * w * x;
    }
    total + m.w[0] * m.b
}

#[test]
fn constants_that_borrow() {
    let (x, y) = ([1.0, 2.0, -0.5, 0.3], [0.0, 1.0]);
    let data = Data {
        x: &x,
        y: &y,
        d: 2,
        scale: 1.1,
        name: "doubled",
    };
    let w = [0.3, 0.4];
    check!(by_index(&w, const &data));
    check!(by_value(&w, const data));
    check!(by_methods(&w, const &data));
    assert_eq!(
        by_index::value_and_gradient(&w, &data),
        by_methods::value_and_gradient(&w, &data)
    );
    // 2 s (1 + 2 x) + 2 sum of i x_i
    let s: f64 = x.iter().sum();
    let slope = 2.0 * s * (1.0 + 2.0 * 0.7) + 2.0 * (2.0 - 1.0 + 0.9);
    let derivative = loops::derivative(0.7, &data);
    assert!((derivative - slope).abs() < 1e-13, "{derivative} {slope}");

    let rows = [vec![1.0, 2.0], vec![0.5]];
    let inner = Inner {
        v: vec![2.0, 3.0],
        k: 2.0,
    };
    let d = Deep {
        inner: &inner,
        rows: &rows,
        part: Some(&x[1..]),
        data,
    };
    let check = deep::derivative(0.7, &d);
    let slope = (deep(0.7 + 1e-6, &d) - deep(0.7 - 1e-6, &d)) / 2e-6;
    assert!((check - slope).abs() < 1e-7, "{check} {slope}");
    check!(deep(0.7, const &d));
}

#[test]
fn a_model_that_borrows() {
    let (w, x) = ([0.3, 0.4], [2.0, 5.0]);
    let m = Model {
        w: &w,
        b: 0.5,
        x: &x,
    };
    let (value, gradient) = model::value_and_gradient(&m);
    assert_eq!(value, model(&m));
    assert_eq!(gradient.b, 1.3);
    let expected = [2.0 * 0.3 * 2.0 + 0.5, 2.0 * 0.4 * 5.0];
    for (a, b) in gradient.w.iter().zip(expected) {
        assert!((a - b).abs() < 1e-15, "{a} {b}");
    }
}

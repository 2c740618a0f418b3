//! Structs whose fields are arrays: their elements, views, loops over them, and methods that write to them.

use chainrule::prelude::*;
use ndarray::{Array1, Array2, ArrayD, Axis, s};

use crate::check::check;

fn v2() -> Array1<f64> {
    ndarray::arr1(&[0.4, -0.9])
}

fn v3() -> Array1<f64> {
    ndarray::arr1(&[0.3, -0.7, 1.1])
}

fn m23() -> Array2<f64> {
    ndarray::arr2(&[[0.5, -1.25, 0.75], [1.5, 0.25, -0.5]])
}

#[derive(Clone, Differentiable)]
struct Layer {
    w: Array2<f64>,
    b: Array1<f64>,
    #[constant]
    scale: Array1<f64>,
    gain: f64,
}

#[differentiable]
impl Layer {
    fn new(w: &Array2<f64>, b: &Array1<f64>) -> Layer {
        Layer {
            w: w.clone(),
            b: b.clone(),
            scale: Array1::from_vec(vec![0.5, 2.0, 1.5]),
            gain: b[0] * 2.0,
        }
    }

    fn elements(&self) -> f64 {
        let mut total = 0.0;
        for v in self.w.iter() {
            total += v * v;
        }
        for v in &self.b {
            total += v.sin();
        }
        for (i, v) in self.b.iter().enumerate() {
            total += v * self.w[[i, 1]] * self.w[(0, i)];
        }
        total + self.w.iter().map(|v| v.exp()).sum::<f64>()
    }

    fn rows(&self, x: &Array1<f64>) -> f64 {
        let mut total = 0.0;
        for row in self.w.outer_iter() {
            total += row.dot(x).tanh();
        }
        for (i, row) in self.w.rows().into_iter().enumerate() {
            let s: f64 = row.iter().zip(x.iter()).map(|(a, b)| a * b).sum();
            total += s * self.b[i];
        }
        for column in self.w.axis_iter(Axis(1)) {
            total += column.dot(&self.b) * column.sum();
        }
        total
    }

    fn views(&self, x: &Array1<f64>) -> f64 {
        let first = self.w.row(0);
        let middle = self.w.slice(s![.., 1]);
        first.dot(x) * (&middle * &self.b).sum()
            + self.w.column(2).sum()
            + self.w.t().dot(&self.b).dot(x)
    }

    fn forward(&self, x: &Array1<f64>) -> Array1<f64> {
        (self.w.dot(x) + &self.b).mapv(f64::tanh) * self.gain
    }

    fn of_constants(&self) -> f64 {
        let mut total = 0.0;
        for (k, c) in self.scale.iter().enumerate() {
            total += c * self.w[[0, k]];
        }
        for c in &self.scale {
            total += c * self.gain;
        }
        for i in 0..self.scale.len() {
            total += self.scale[i] * self.w[[1, i]].sin();
        }
        total
            + self.w.row(1).dot(&self.scale)
            + self.scale.dot(&self.w.row(0))
            + self.scale.sum() * self.gain
    }

    fn with_constants(&mut self) -> f64 {
        for (b, c) in self.b.iter_mut().zip(self.scale.iter()) {
            *b *= c;
        }
        self.gain = self.w.row(0).dot(&self.scale) * self.gain;
        self.w.row_mut(1).zip_mut_with(&self.scale, |w, c| *w *= c);
        self.w.sum() + self.b.sum() * self.gain
    }

    fn step(&mut self, rate: f64) {
        self.w *= rate;
        self.b[0] += rate * self.gain;
        for v in self.b.iter_mut() {
            *v *= *v;
        }
        for mut row in self.w.rows_mut() {
            row[0] *= rate;
        }
        self.w.row_mut(1).mapv_inplace(|v| v * v);
        self.w.slice_mut(s![0, ..]).fill(rate);
    }
}

#[differentiable]
fn elements(w: &Array2<f64>, b: &Array1<f64>) -> f64 {
    Layer::new(w, b).elements()
}

#[differentiable]
fn rows(w: &Array2<f64>, b: &Array1<f64>, x: &Array1<f64>) -> f64 {
    Layer::new(w, b).rows(x)
}

#[differentiable]
fn views(w: &Array2<f64>, b: &Array1<f64>, x: &Array1<f64>) -> f64 {
    let layer = Layer::new(w, b);
    layer.views(x)
}

#[differentiable]
fn forward(w: &Array2<f64>, b: &Array1<f64>, x: &Array1<f64>) -> f64 {
    let layer = Layer::new(w, b);
    let y = layer.forward(x);
    y.dot(&y)
}

#[differentiable]
fn of_constants(w: &Array2<f64>, b: &Array1<f64>) -> f64 {
    Layer::new(w, b).of_constants()
}

#[differentiable]
fn with_constants(w: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let mut layer = Layer::new(w, b);
    layer.with_constants() * layer.with_constants()
}

#[differentiable]
fn stepped(w: &Array2<f64>, b: &Array1<f64>, x: &Array1<f64>, rate: f64) -> f64 {
    let mut layer = Layer::new(w, b);
    layer.step(rate);
    let first = layer.rows(x);
    layer.step(rate * rate);
    first + layer.elements()
}

#[derive(Clone, Differentiable)]
struct Net {
    layers: Vec<Layer>,
    out: Array1<f64>,
}

#[differentiable]
fn apply(net: &Net, x: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for layer in &net.layers {
        let y = layer.forward(x);
        total += y.dot(&net.out);
        for row in layer.w.rows() {
            total += row.dot(x) * layer.b.iter().map(|b| b * b).sum::<f64>();
        }
    }
    for (o, b) in net.out.iter().zip(net.layers[0].b.iter()) {
        total += o * b;
    }
    total
}

#[differentiable]
fn two(w: &Array2<f64>, b: &Array1<f64>, x: &Array1<f64>) -> f64 {
    let net = Net {
        layers: vec![Layer::new(w, b), Layer::new(&(w * 0.5), b)],
        out: b.clone(),
    };
    apply(&net, x)
}

/// A struct of data, without derivatives, and one that is read in both ways.
mod data {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct Data {
        #[constant]
        x: Array2<f64>,
        #[constant]
        y: Array1<f64>,
    }

    #[differentiable]
    fn loss(w: &Array1<f64>, data: &Data) -> f64 {
        let mut total = 0.0;
        for (row, y) in data.x.rows().into_iter().zip(data.y.iter()) {
            let e = row.dot(w) - y;
            total += e * e;
        }
        for i in 0..data.x.nrows() {
            total += data.x.row(i).dot(w).sin() * data.y[i];
        }
        for (row, &y) in data.x.outer_iter().zip(&data.y) {
            total += (row.dot(w) * y).cos();
        }
        total
    }

    #[differentiable]
    fn by_parameter(w: &Array1<f64>, #[constant] data: &Data) -> f64 {
        let mut total = 0.0;
        for (row, y) in data.x.rows().into_iter().zip(data.y.iter()) {
            let e = row.dot(w) - y;
            total += e * e;
        }
        total
    }

    #[differentiable]
    fn whole(w: &Array1<f64>) -> f64 {
        let data = Data { x: m23(), y: v2() };
        loss(w, &data) + by_parameter(w, &data)
    }

    #[test]
    fn derivatives() {
        check!(whole(&v3()));
    }
}

/// A trait of one's own, which arrays implement.
mod extended {
    use super::*;

    #[differentiable]
    trait Activations {
        fn elu(&mut self);
        fn energy(&self, x: f64) -> f64;
    }

    #[differentiable]
    impl Activations for Array2<f64> {
        fn elu(&mut self) {
            self.mapv_inplace(|v| if v > 0.0 { v } else { v.exp_m1() });
        }

        fn energy(&self, x: f64) -> f64 {
            let mut total = 0.0;
            for row in self.rows() {
                total += row.dot(&row) * x;
            }
            total + self.iter().map(|v| v.sin()).sum::<f64>()
        }
    }

    #[differentiable]
    fn energy(w: &Array2<f64>, x: f64) -> f64 {
        let mut w = w.clone();
        w.elu();
        w.energy(x)
    }

    #[test]
    fn derivatives() {
        check!(energy(&m23(), 0.7));
    }
}

/// Other element types and numbers of axes, generic structs, enums.
mod kinds {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct Any<T: Real> {
        a: Array1<T>,
        d: ArrayD<f64>,
    }

    #[derive(Clone, Differentiable)]
    enum Shape {
        Row(Array1<f64>),
        Table { cells: Array2<f64> },
    }

    #[differentiable]
    fn of_shape(shape: &Shape) -> f64 {
        match shape {
            Shape::Row(row) => row.iter().map(|v| v.sin()).sum(),
            Shape::Table { cells } => {
                let mut total = 0.0;
                for row in cells.rows() {
                    total += row.sum() * row[0];
                }
                total
            }
        }
    }

    #[differentiable]
    fn shapes(w: &Array2<f64>, b: &Array1<f64>) -> f64 {
        of_shape(&Shape::Row(b.clone())) * of_shape(&Shape::Table { cells: w.clone() })
    }

    #[differentiable]
    fn generic<T: Real>(of: &Any<T>) -> T {
        let mut total = of.a[0];
        for v in of.a.iter() {
            total += *v * *v;
        }
        total
    }

    #[differentiable]
    fn of_any(b: &Array1<f64>) -> f64 {
        let any = Any {
            a: b.clone(),
            d: ArrayD::from_elem(vec![2, 2], b[0]),
        };
        generic(&any) + any.d.iter().map(|v| v * v * v).sum::<f64>()
    }

    #[test]
    fn derivatives() {
        check!(shapes(&m23(), &v2()));
        check!(of_any(&v2()));
    }
}

#[test]
fn derivatives() {
    check!(elements(&m23(), &v2()));
    check!(rows(&m23(), &v2(), &v3()));
    check!(views(&m23(), &v2(), &v3()));
    check!(forward(&m23(), &v2(), &v3()));
    check!(of_constants(&m23(), &v2()));
    check!(with_constants(&m23(), &v2()));
    check!(two(&m23(), &v2(), &v3()));
    check!(stepped(&m23(), &v2(), &v3(), 0.8));
}

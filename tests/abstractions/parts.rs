//! Methods that return references to parts of `self`: rows of matrices, entries, what is in a tree or behind another method.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 3] = [0.8, 0.3, 1.2];

/// A square matrix with its rows one after the other.
#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    data: Vec<f64>,
    n: usize,
}

#[differentiable]
#[inline(never)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += a[i] * b[i];
    }
    sum
}

#[differentiable]
#[inline(never)]
fn shift(row: &mut [f64], by: f64) {
    for v in row {
        *v += by;
    }
}

#[differentiable]
impl Matrix {
    fn zeros(n: usize) -> Matrix {
        Matrix {
            data: vec![0.0; n * n],
            n,
        }
    }

    fn of(x: &[f64]) -> Matrix {
        let mut m = Matrix::zeros(2);
        m.row_mut(0).copy_from_slice(&x[..2]);
        m.row_mut(1)[0] = x[1] * x[2];
        *m.at_mut(1, 1) = 1.0 + x[0];
        m
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.n..(i + 1) * self.n]
    }

    fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let n = self.n;
        &mut self.data[i * n..(i + 1) * n]
    }

    fn at(&self, i: usize, j: usize) -> &f64 {
        assert!(j < self.n);
        &self.data[i * self.n + j]
    }

    fn at_mut(&mut self, i: usize, j: usize) -> &mut f64 {
        assert!(j < self.n);
        let k = i * self.n + j;
        &mut self.data[k]
    }

    fn data(&self) -> &[f64] {
        self.data.as_slice()
    }

    fn list(&self) -> &Vec<f64> {
        &self.data
    }

    fn last(&self) -> &f64 {
        self.data.last().unwrap()
    }

    fn corner(&self) -> &f64 {
        &self.row(0)[0]
    }

    fn first_row(&self) -> &[f64] {
        self.row(0)
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| dot(self.row(i), x)).collect()
    }

    fn product(&self, other: &Matrix) -> Matrix {
        let mut result = Matrix::zeros(self.n);
        for i in 0..self.n {
            for j in 0..self.n {
                let mut sum = 0.0;
                for (k, a) in self.row(i).iter().enumerate() {
                    sum += a * other.row(k)[j];
                }
                result.row_mut(i)[j] = sum;
            }
        }
        result
    }

    /// Elimination without a choice of pivots, in place.
    fn solve(&mut self, b: &mut [f64]) {
        for k in 0..self.n {
            let pivot = self.row(k)[k];
            for i in k + 1..self.n {
                let factor = self.row(i)[k] / pivot;
                for j in k..self.n {
                    let v = self.row(k)[j];
                    self.row_mut(i)[j] -= factor * v;
                }
                b[i] -= factor * b[k];
            }
        }
        for i in (0..self.n).rev() {
            let mut sum = b[i];
            for j in i + 1..self.n {
                sum -= self.row(i)[j] * b[j];
            }
            b[i] = sum / self.row(i)[i];
        }
    }

    fn everything(&self) -> f64 {
        let mut sum = *self.at(0, 1) * self.at(1, 0);
        for v in self.data() {
            sum += v * v;
        }
        sum += self.list().iter().sum::<f64>() * self.last();
        sum *= self.data()[1] + *self.corner();
        let rows = self.first_row().iter().zip(self.row(1));
        sum + rows.map(|(a, b)| a * b).sum::<f64>()
    }

    fn scale(&mut self, by: f64) {
        for i in 0..self.n {
            for v in self.row_mut(i) {
                *v *= by;
            }
            self.row_mut(i)[0] += by * by;
            *self.at_mut(i, 1) *= by;
        }
        let row = self.row_mut(0);
        row[1] += 1.0;
        row[0] = row[1] * by;
        self.row_mut(1)[1] += self.row(0)[0] * self.data[2];
        self.row_mut(0).swap(0, 1);
    }
}

#[differentiable]
fn read(x: &[f64]) -> f64 {
    let m = Matrix::of(x);
    let y: Vec<f64> = m.times(&x[..2]);
    let first: &[f64] = m.row(0);
    let second: &[f64] = m.row(1);
    let all: f64 = m.everything();
    dot(first, second) * second[0] * y[0] + dot(&y, first) + all
}

#[differentiable]
fn written(x: &[f64]) -> f64 {
    let mut m = Matrix::of(x);
    m.scale(x[1]);
    let a: f64 = m.everything();
    m.scale(a);
    let b: f64 = m.everything();
    a * b
}

/// Nothing but how they are used says what the methods return.
#[differentiable]
fn written_from_outside(x: &[f64]) -> f64 {
    let mut m = Matrix::of(x);
    m.row_mut(0)[1] += x[0];
    *m.at_mut(1, 0) *= x[1];
    for v in m.row_mut(1).iter_mut() {
        *v += x[0];
    }
    for (i, v) in m.row_mut(1).iter_mut().enumerate() {
        *v += x[i];
    }
    let row = m.row_mut(0);
    row[0] = row[1] * x[1];
    row[1] -= x[0];
    let last = *m.at(1, 1);
    m.row_mut(0).fill(x[2] * last);
    let row: &mut [f64] = m.row_mut(1);
    shift(row, x[0]);
    row.swap(0, 1);
    let (a, b): (f64, f64) = (*m.at(0, 1), *m.at(1, 0));
    a * b * *m.at_mut(1, 1)
}

#[differentiable]
fn solved(x: &[f64]) -> f64 {
    let m = Matrix::of(x);
    let mut square: Matrix = m.product(&m);
    let mut b = x[..2].to_vec();
    square.solve(&mut b);
    b[0] * b[1] + *square.at(1, 1)
}

#[derive(Clone, Debug, Differentiable)]
struct Body {
    x: f64,
    v: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct World {
    bodies: Vec<Body>,
    chosen: usize,
}

#[differentiable]
impl Body {
    fn energy(&self) -> f64 {
        self.x * self.x + 0.5 * self.v * self.v
    }

    fn push(&mut self, by: f64) {
        self.v += by;
        self.x += self.v * by;
    }

    fn place(&self) -> &f64 {
        &self.x
    }
}

#[differentiable]
impl World {
    fn chosen(&self) -> &Body {
        &self.bodies[self.chosen]
    }

    fn chosen_mut(&mut self) -> &mut Body {
        let i = self.chosen;
        &mut self.bodies[i]
    }

    fn get(&self, k: usize) -> &Body {
        match k {
            0 => &self.bodies[0],
            _ => &self.bodies[1],
        }
    }

    fn place(&self) -> &f64 {
        self.chosen().place()
    }

    fn step(&mut self, by: f64) -> f64 {
        self.chosen_mut().x += by;
        self.chosen_mut().push(by);
        let chosen = self.chosen();
        let energy = chosen.energy();
        self.get(0).energy() * energy + chosen.x * self.place()
    }
}

#[differentiable]
fn bodies(x: &[f64]) -> f64 {
    let mut world = World {
        bodies: vec![Body { x: x[0], v: x[1] }, Body { x: x[1], v: 2.0 }],
        chosen: 1,
    };
    let a: f64 = world.step(x[2]);
    world.chosen_mut().v += a;
    world.chosen_mut().x = a * x[1];
    let (b, c): (&Body, &Body) = (world.chosen(), world.get(0));
    b.energy() * c.x + b.v * a
}

#[derive(Clone, Debug, Differentiable)]
struct Triple {
    a: f64,
    b: f64,
    c: f64,
}

#[differentiable]
impl Triple {
    fn largest(&self) -> &f64 {
        if self.a > self.b {
            if self.a > self.c { &self.a } else { &self.c }
        } else if self.b > self.c {
            &self.b
        } else {
            &self.c
        }
    }

    fn pick(&mut self, k: usize) -> &mut f64 {
        match k {
            0 => &mut self.a,
            1 => &mut self.b,
            _ => &mut self.c,
        }
    }

    fn normalise(&mut self) {
        let largest = *self.largest();
        for k in 0..3 {
            *self.pick(k) /= largest;
        }
        *self.pick(1) += largest * *self.largest();
    }
}

/// Which part it is, is a choice.
#[differentiable]
fn chosen_by_size(x: &[f64]) -> f64 {
    let mut t = Triple {
        a: x[0],
        b: x[1],
        c: x[2],
    };
    t.normalise();
    let q: &f64 = t.largest();
    t.a * t.b + q * q + *t.pick(2) * *t.largest()
}

#[derive(Clone, Debug, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

#[differentiable]
impl Node {
    fn value(&self) -> &f64 {
        &self.value
    }

    fn value_mut(&mut self) -> &mut f64 {
        &mut self.value
    }

    fn sum(&self) -> f64 {
        match &self.next {
            Some(next) => self.value() * next.sum() + *next.value(),
            None => *self.value(),
        }
    }

    fn raise(&mut self, by: f64) {
        *self.value_mut() *= by;
        if let Some(next) = &mut self.next {
            next.raise(by * 2.0);
            *next.value_mut() += by;
        }
    }
}

/// Behind boxes.
#[differentiable]
fn nodes(x: &[f64]) -> f64 {
    let last = Node {
        value: x[2],
        next: None,
    };
    let second = Node {
        value: x[1],
        next: Some(Box::new(last)),
    };
    let mut first = Node {
        value: x[0],
        next: Some(Box::new(second)),
    };
    first.raise(x[0]);
    first.sum()
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    w: Vec<Vec<f64>>,
    b: Vec<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Net {
    layers: Vec<Layer>,
}

#[differentiable]
impl Layer {
    fn w(&self) -> &[Vec<f64>] {
        &self.w
    }

    fn b(&self) -> &[f64] {
        &self.b
    }

    fn apply(&self, x: &[f64]) -> Vec<f64> {
        let mut y = self.b().to_vec();
        for (y, row) in y.iter_mut().zip(self.w()) {
            for (a, b) in row.iter().zip(x) {
                *y += a * b;
            }
        }
        y
    }
}

#[differentiable]
impl Net {
    fn layers(&self) -> &[Layer] {
        &self.layers
    }

    fn run(&self, x: &[f64]) -> f64 {
        let mut h = x.to_vec();
        for layer in self.layers() {
            h = layer.apply(&h);
        }
        let biases: f64 = self
            .layers()
            .iter()
            .map(|layer| {
                let b: &[f64] = layer.b();
                b[0]
            })
            .sum();
        h.iter().sum::<f64>() * biases
    }
}

#[differentiable]
fn net(x: &[f64]) -> f64 {
    let layer = Layer {
        w: vec![x[..2].to_vec(), vec![x[1], 0.5]],
        b: vec![x[0], 0.2],
    };
    let net = Net {
        layers: vec![layer.clone(), layer],
    };
    net.run(&x[1..])
}

#[derive(Clone, Debug, Differentiable)]
struct Square<T: Real, const N: usize> {
    rows: [[T; N]; N],
}

#[differentiable]
impl<T: Real, const N: usize> Square<T, N> {
    fn row(&self, i: usize) -> &[T; N] {
        &self.rows[i]
    }

    fn row_mut(&mut self, i: usize) -> &mut [T; N] {
        &mut self.rows[i]
    }

    fn trace_and_norm(&mut self, by: T) -> T {
        let mut sum = T::ZERO;
        for i in 0..N {
            for v in self.row_mut(i).iter_mut() {
                *v *= by;
            }
            sum += self.row(i)[i];
            for v in self.row(i) {
                sum += *v * *v;
            }
        }
        sum
    }
}

#[differentiable]
fn generic(x: &[f64]) -> f64 {
    let mut m = Square {
        rows: [[x[0], x[1]], [x[1] * x[0], x[2]]],
    };
    let sum: f64 = m.trace_and_norm(x[0]);
    sum * x[1]
}

/// What is constant comes from a method without rules.
#[derive(Clone, Debug, Differentiable)]
struct Fit {
    #[constant]
    data: Vec<f64>,
    w: Vec<f64>,
}

impl Fit {
    fn data(&self) -> &[f64] {
        &self.data
    }
}

#[differentiable]
impl Fit {
    fn w(&self) -> &[f64] {
        &self.w
    }

    /// The parameter of the sample next to `t`.
    fn nearest(&self, t: f64) -> &f64 {
        let mut best = 0;
        for i in 0..self.data.len() {
            if (self.data[i] - t).abs() < (self.data[best] - t).abs() {
                best = i;
            }
        }
        &self.w[best]
    }

    fn loss(&self, t: f64) -> f64 {
        let data: &[f64] = stop_gradient(self.data());
        let mut sum = self.w()[0] * data[1];
        for (w, d) in self.w().iter().zip(stop_gradient(self.data())) {
            sum += w * w * d;
        }
        sum + t * self.nearest(t) + stop_gradient(self.data()[0])
    }
}

#[differentiable]
fn fitted(x: &[f64]) -> f64 {
    let fit = Fit {
        data: vec![1.0, 2.0, 3.0],
        w: x.to_vec(),
    };
    fit.loss(x[1])
}

table! {
    read: (&X);
    written: (&X);
    written_from_outside: (&X);
    solved: (&X);
    bodies: (&X);
    chosen_by_size: (&X), (&[0.8, 1.9, 1.1]), (&[2.8, 1.9, 0.7]);
    nodes: (&X);
    net: (&X);
    generic: (&X);
    fitted: (&X), (&[0.4, 1.6, 0.9]);
}
